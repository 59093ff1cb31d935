"""Writes a small release of made-up numbers: rows for what neither the sample nor the conformance cases bring
about. own_calls.py has the calls.

Nothing here was measured; the column "Data Origin" says so, as in the sample, and every answer's release with it.
"""

import csv

ORIGIN = "synthetic (profdb scripts/answers/own_release.py)"
AVERAGE, MEDIAN = "Average Duration(us)", "Median Duration(us)"
NAME = "SYNTHETIC_NPU/synthetic_answers/1"

MAPPING = """\
# SYNTHETIC: the release beside this file is made up by scripts/answers/own_release.py.
version: "1"
device: SYNTHETIC_NPU
framework: synthetic_answers
cann_version: none
pytorch_version: none
interpolation_policy:
  kernel_overrides:
    FusedInferAttentionScore: {axis_transform: sqrt_seq}
    Tile: {generic_compute: {axis: output_numel}}
    Sign: {max_interpolation_dim: 0}
operator_mappings:
  "answers.attention.default": {kernel_type: FusedInferAttentionScore, query_mode: attention_special}
  "answers.indexer.default": {kernel_type: LightningIndexer, query_mode: attention_lightning_indexer}
  "answers.sparse_attention.default": {kernel_type: SparseFlashAttention, query_mode: attention_sparse_sharedkv}
  "answers.scatter.default": {kernel_type: ScatterNdUpdate, query_mode: scatter_nd_update_mla}
  "answers.dispatch_ffn_combine_quant.default": {kernel_type: DispatchFFNCombine, query_mode: moe_fused}
  "answers.dispatch_ffn_combine_other.default": {kernel_type: DispatchFFNCombine, query_mode: moe_fused}
  "answers.add.default": {kernel_type: Add, query_mode: elementwise}
  "answers.neg.default": {kernel_type: Neg}
  "answers.tile.default": {kernel_type: Tile}
  "answers.abs.default": {kernel_type: Abs}
  "answers.sign.default": {kernel_type: Sign, alternate_kernel_types: [NotMeasured]}
  "answers.all_reduce.default": {kernel_type: hcom_allReduce_, category: communication}
  "answers.view.default": {zero_cost: true}
  "answers.cached.default":
    accepted_miss: "made up: counted elsewhere"
    accepted_miss_when: {producer: cache}
  "answers.gathered.default":
    kernel_type: Neg
    accepted_miss: "made up: counted elsewhere"
    accepted_miss_when: {producer: cache}
  "answers.whole.default": {composite: true}
  "answers.absent.default": {kernel_type: NotMeasured}
  "answers.mode.default": {kernel_type: Neg, query_mode: none_such}
  "answers.subcategory.default": {kernel_type: Neg, compute_subcategory: none_such}
"""

# Lengths around here differ, their square roots do not: 2^26 is the root of both, to the last bit.
LONG = 1 << 52


def tensor_cells(direction, tensors):
    """`tensors`: (shape, dtype) or (shape, dtype, format), ND where it has none."""
    slots = [(*slot, "ND")[:3] for slot in tensors]
    return {
        f"{direction} Shapes": ";".join(",".join(map(str, shape)) for shape, _, _ in slots),
        f"{direction} Data Types": ";".join(dtype for _, dtype, _ in slots),
        f"{direction} Formats": ";".join(form for _, _, form in slots),
    }


def row(inputs, outputs, latency, median="", **columns):
    cells = {"OP State": "dynamic", "Accelerator Core": "AI_CORE"}
    cells |= tensor_cells("Input", inputs) | tensor_cells("Output", outputs)
    return cells | columns | {AVERAGE: latency, MEDIAN: median}


def attention(tokens, seq, batch, heads, latency, *, dtype="DT_BF16", phase="", quant_mode=""):
    query, cache = ((tokens, heads, 128), dtype), ((64, 128, 128), dtype)
    columns = {
        "Runtime avg_seq_len": seq,
        "Runtime sparse_mode": 3,
        "Runtime num_key_value_heads": 1,
        "Runtime input_layout": "TND",
        "Runtime batch_size": batch,
        "Runtime phase": phase,
        "Runtime quant_mode": quant_mode,
    }
    return row([query, cache, cache], [query], latency, **columns)


def attention_rows():
    for seq in (512, 1024):  # a box to interpolate in, in three dimensions
        for batch in (8, 16):
            for heads in (4, 8):
                yield attention(64, seq, batch, heads, 5 + seq * batch * heads / 1e4)
    for i, (seq, batch) in enumerate(((LONG, 8), (LONG + 1, 16), (LONG + 1, 24))):  # one value on the axis of roots
        yield attention(4, seq, batch, 4, 100 + i)
    for seq in (512, 1024):  # several values of a field, and none without one
        for name in ("a", "b"):
            yield attention(64, seq, 8, 4, 7 + seq / 1e3, dtype="FLOAT", quant_mode=name)
            yield attention(64, seq, 8, 4, 8 + seq / 1e3, dtype="INT8", phase=name)
    yield attention(64, 0, 8, 4, 9)
    yield attention(64, 512, -1, 4, 9)


def indexer_rows():
    """Two APIs, which the mapping does not choose from."""
    for api in ("a", "b"):
        for tokens in (16, 64):
            lengths = ((4,), "INT32")
            inputs = [((tokens, 16, 128), "DT_BF16"), ((256, 128, 1, 128), "DT_BF16"), ((tokens, 16), "DT_BF16")]
            inputs += [lengths, lengths, ((4, 512), "INT32")]
            yield row(inputs, [((tokens, 1, 2048), "INT32")], 10 + tokens / 10, **{"API Path": api})


def sparse_rows():
    for tokens in (16, 64):
        query, cache = ((tokens, 16, 512), "DT_BF16"), ((64, 128, 1, 512), "DT_BF16")
        metadata = [((4, 512), "INT32"), ((4,), "INT32"), ((4,), "INT32")]
        inputs = [query, cache, cache, ((tokens, 1, 2048), "INT32"), *metadata]
        yield row(inputs, [query], 10 + tokens / 10, **{"Runtime phase": "decode"})


def scatter_rows():
    """Two latencies that are too far apart for one call."""
    for latency in (3, 5):
        cache, update = ((64, 128, 1, 576), "DT_BF16"), ((16, 576), "DT_BF16")
        yield row([cache, ((16, 1), "INT32"), update], [cache], latency)


def expert_row(tokens, latency, *, ep_size=8, local_experts="", weights="ND"):
    tensors = [((tokens, 256), "DT_BF16"), ((4, 256, 128), "INT8", weights), ((4, 64, 256), "INT8", weights)]
    tensors.append(((tokens, 2), "INT32"))
    columns = {"EP Size": ep_size, "Local Experts": local_experts}
    return row(tensors, [tensors[0]], latency, **columns)


def expert_rows():
    for tokens in (8, 32, 128):
        yield expert_row(tokens, 20 + tokens / 4)
        yield expert_row(tokens, 21 + tokens / 4, ep_size=4, weights="ND")
        yield expert_row(tokens, 25 + tokens / 4, ep_size=4, weights="NCHW")
    for spoilt in ({"ep_size": ""}, {"ep_size": 0}, {"local_experts": 0}):
        yield expert_row(64, 30, **spoilt)


def same_shape(*shapes_and_latencies, dtype="DT_BF16"):
    for shape, latency, *median in shapes_and_latencies:
        yield row([(shape, dtype)], [(shape, dtype)], latency, *median)


def add_rows():
    # So flat a triangle that Qhull refuses it, though it is none of a line.
    yield from same_shape(((1, 1), 2), ((1 << 50, 2), 3), ((1 << 51, 2), 4))
    # All on one line.
    yield from same_shape(*(((size, size), size) for size in (10, 20, 30)), dtype="INT8")
    # The corner of a square is missing.
    yield from same_shape(((10, 10), 1), ((90, 10), 2), ((10, 90), 3), dtype="INT32")
    # The average is missing: the median stands in, and never mixes with averages.
    yield from same_shape(((16, 64), "", 2), ((64, 64), "", 4), ((16, 128), 3), ((64, 128), 5), dtype="FLOAT")


def neg_rows():
    # Between these a line leaves what a double can hold.
    yield from same_shape(((2, 8), 0.5), ((100, 8), 1e308))
    yield from same_shape(((2, 16), 0, 0), ((100, 16), "nan"))
    yield from same_shape(((2, 32), 1.5), ((100, 32), 2.5), ((100, 32), 2.75))


def abs_rows():
    """No row has a latency, so that none can be used."""
    yield from same_shape(((2, 8), 0), ((100, 8), 0))


def tile_rows():
    for repeats in (1, 4, 16):
        yield row([((8, 32), "DT_BF16")], [((8 * repeats, 32), "DT_BF16")], 1 + repeats)


def collective_rows():
    for tier in (0, 1):
        for message in (1024, 4096, 65536):
            yield {"message_bytes": message, "num_devices": 8, "topology_tier": tier, AVERAGE: 3 + message / 1e4 + tier}
    yield {"message_bytes": "many", "num_devices": 8, "topology_tier": 0, AVERAGE: 3}
    yield {"message_bytes": 2048, "num_devices": 0, "topology_tier": 0, AVERAGE: 3}


FILES = {
    "FusedInferAttentionScore": attention_rows,
    "LightningIndexer": indexer_rows,
    "SparseFlashAttention": sparse_rows,
    "ScatterNdUpdate": scatter_rows,
    "DispatchFFNCombine": expert_rows,
    "Add": add_rows,
    "Neg": neg_rows,
    "Abs": abs_rows,
    "Sign": lambda: same_shape(((2, 8), 1), ((100, 8), 2)),
    "Tile": tile_rows,
    "hcom_allReduce_": collective_rows,
}


def write(folder):
    """The release, the same bytes every time."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in FILES.items():
        with open(folder / f"{name}.csv", "w", newline="", encoding="utf-8") as file:
            made = [cells | {"Data Origin": ORIGIN} for cells in rows()]
            writer = csv.DictWriter(file, made[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(made)
    (folder / "op_mapping.yaml").write_text(MAPPING, encoding="utf-8")
