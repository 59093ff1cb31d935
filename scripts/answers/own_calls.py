"""Calls of the script's own release (own_release.py): one or more for each reason that nothing else brings about."""

from answers.own_release import LONG


def tensor(*shape, dtype="bfloat16", **more):
    return {"shape": list(shape), "dtype": dtype, **more}


def call(name, inputs, outputs=(), **attrs):
    made = {"op": f"answers.{name}.default", "inputs": list(inputs), "outputs": list(outputs)}
    return {**made, "attrs": attrs} if attrs else made


def attention(tokens, seq, batch, heads, dtype="bfloat16", **attrs):
    query, cache = tensor(tokens, heads, 128, dtype=dtype), tensor(64, 128, 1, 128, dtype=dtype)
    return call("attention", [query, cache, cache], [query], seq_lens=[seq] * batch, **attrs)


def indexer(tokens, metadata=True, **attrs):
    lengths = [tensor(4, dtype="int32"), tensor(4, dtype="int32"), tensor(4, 512, dtype="int32")]
    inputs = [tensor(tokens, 16, 128), tensor(tokens, 16), tensor(256, 128, 1, 128), *(lengths if metadata else [])]
    return call("indexer", inputs, [tensor(tokens, 1, 2048, dtype="int32")], **attrs)


def sparse_attention(tokens, topk=True, metadata=True, **attrs):
    cache = tensor(64, 128, 1, 512)
    indices = [tensor(tokens, 1, 2048, dtype="int32", role="topk_indices")] if topk else []
    lengths = [
        tensor(4, 512, dtype="int32", role="block_table"),
        tensor(4, dtype="int32", role="actual_seq_lengths_query"),
        tensor(4, dtype="int32", role="actual_seq_lengths_kv"),
    ]
    query = tensor(tokens, 16, 512)
    inputs = [query, cache, None, *indices, *(lengths if metadata else [])]
    return call("sparse_attention", inputs, [query], **attrs)


def scatter(tokens, *index):
    cache = tensor(64, 128, 1, 576)
    return call("scatter", [tensor(tokens, 576), cache, *index], [cache])


def experts(tokens, name="dispatch_ffn_combine_quant", gmm1=(256, 128), topk_tokens=None):
    weights = [
        {"role": role, "repeat": 4, "of": tensor(*shape, dtype="int8")}
        for role, shape in (("gmm1_weight", gmm1), ("gmm2_weight", (64, 256)))
    ]
    x = tensor(tokens, 256, role="x")
    indices = tensor(topk_tokens or tokens, 2, dtype="int32", role="expert_indices")
    return call(name, [x, indices, *weights], [tensor(tokens, 256)])


def same(name, *shape, dtype="bfloat16", **attrs):
    return call(name, [tensor(*shape, dtype=dtype)], [tensor(*shape, dtype=dtype)], **attrs)


def collective(elements, **attrs):
    return call("all_reduce", [tensor(elements)], **attrs)


def plain_calls():
    """Those of the engine as it is opened by default."""
    yield attention(64, 512, 8, 4)  # measured
    yield attention(64, 520, 8, 4)  # compatible: a length within 16
    yield attention(64, 700, 8, 4)  # along the length alone
    yield attention(64, 700, 8, 6)
    yield attention(64, 700, 12, 6)  # in three dimensions
    yield attention(64, 4096, 8, 4)  # outside
    yield attention(60, 512, 8, 4)  # padded
    yield attention(4, LONG, 12, 4)  # degenerate_axes: three lengths, of one root
    yield attention(64, 700, 8, 4, dtype="float32")  # quant_mode_unspecified
    yield attention(64, 700, 8, 4, dtype="float32", quant_mode="a")
    yield attention(64, 700, 8, 4, dtype="int8")  # phase_unspecified
    yield call("attention", [tensor(64, 4, 128), tensor(64, 128, 1, 128)])  # target_unextractable: no lengths
    yield indexer(32)  # api_path_unspecified
    yield indexer(32, api_path="a")
    yield indexer(64, api_path="b")
    yield indexer(32, metadata=False)  # request_group_unextractable
    yield sparse_attention(32, phase="decode")
    yield sparse_attention(32)  # sparse_phase_unextractable
    yield sparse_attention(32, topk=False, phase="decode")  # selected_topk_unextractable
    yield sparse_attention(32, metadata=False, phase="decode")  # request_group_unextractable
    yield scatter(16, tensor(16, 1, dtype="int32"))  # ambiguous_coordinate
    yield scatter(16)  # scatter_target_unextractable
    yield experts(64)  # ep_size_not_configured
    yield same("add", 1 << 49, 1)  # triangulation_failed
    yield same("add", 15, 15, dtype="int8")  # degenerate_point_cloud
    yield same("add", 80, 80, dtype="int32")  # outside_convex_hull
    yield same("add", 20, 20, dtype="int32")  # in two dimensions
    yield same("add", 20, 20, dtype="bool")  # regime_mismatch
    yield same("add", 32, 64, dtype="float32")  # from medians
    yield same("add", 32, 96, dtype="float32")
    yield same("add", 16, 128, dtype="float32")
    yield call("add", [tensor(32, 64)])  # elementwise_output_unavailable
    yield call("add", [tensor(32, 64), tensor(3, 64)], [tensor(32, 64)])  # broadcast_unresolvable
    yield same("neg", 50, 8)  # latency_guard_rejected
    yield same("neg", 50, 16)  # latency_invalid
    yield same("neg", 50, 32)
    yield same("neg", 50, 64)  # regime_mismatch
    yield same("neg", 200, 32)  # outside_boundary
    yield same("neg", 104, 32)  # compatible: padded
    yield same("abs", 50, 8)  # no_usable_rows
    yield same("sign", 50, 8)  # interpolation_dim_disabled
    yield call("tile", [tensor(8, 32)], [tensor(48, 32)])
    yield call("tile", [tensor(8, 32)], [tensor(48, 32), tensor(48, 32)])  # multi_output_unsupported
    yield collective(512, num_devices=8, topology_tier=1)
    yield collective(700, num_devices=8, topology_tier=0)  # the fit
    yield collective(7, num_devices=8, topology_tier=0)  # outside
    yield collective(700, num_devices=8)  # topology_tier_unspecified
    yield collective(512)  # target_unextractable: no group
    yield same("view", 8, 8)
    yield same("cached", 8, 8, producer="cache")
    yield same("cached", 8, 8)  # kernel_not_in_release: the condition is not met
    yield same("gathered", 50, 32, producer="cache")
    yield same("gathered", 50, 32)
    yield same("whole", 8, 8)
    yield same("absent", 8, 8)
    yield same("mode", 8, 8)
    yield same("subcategory", 8, 8)
    yield same("none_such", 8, 8)  # unmapped


def expert_calls():
    """Those of an engine that knows its expert parallelism."""
    yield experts(32)
    yield experts(64)  # between
    yield experts(512)  # outside
    yield experts(64, name="dispatch_ffn_combine_other")  # quant_subtype_unknown
    yield experts(64, gmm1=(250, 128))  # moe_weight_shapes_unextractable
    yield experts(64, topk_tokens=63)  # topk_unextractable


def cases():
    """(call, options) of each."""
    yield from ((made, ()) for made in plain_calls())
    yield from ((made, ("--ep-size", "8")) for made in expert_calls())
    yield from ((made, ("--ep-size", "4")) for made in expert_calls())  # format_unspecified
    yield same("neg", 50, 32), ("--no-interpolation",)
