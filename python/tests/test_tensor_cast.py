"""profdb.tensor_cast on the synthetic sample database, with objects that only look like TensorCast's."""

import enum
import threading
import types
import unittest

import profdb
from profdb.tensor_cast import DataSource, QuerySource, leaf_of, operator_name
from sample import DATABASE, MM_100, RELEASE, leaves, mm_100_us


class Dtype:
    """Prints as torch's dtypes do."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"torch.{self.name}"


BF16, INT8, INT32, F32 = Dtype("bfloat16"), Dtype("int8"), Dtype("int32"), Dtype("float32")


class Tensor:
    def __init__(self, *shape, dtype=BF16, values=None, layout=None):
        self.shape = shape
        self.dtype = dtype
        if values is not None:
            self.tolist = lambda: list(values)
        if layout is not None:
            self.format = layout


class OpOverload:
    """Names itself as torch.ops.<namespace>.<op>.<overload> does."""

    def __init__(self, namespace, op, overload="default"):
        self._text = f"{namespace}.{op}.{overload}"
        self._name = f"{namespace}::{op}" + ("" if overload == "default" else f".{overload}")
        self.__name__ = f"{op}.{overload}"

    def __str__(self):
        return self._text

    def name(self):
        return self._name


class OpInvokeInfo:
    def __init__(self, func, args, kwargs=None, out=None, **more):
        self.func, self.args, self.kwargs, self.out = func, args, kwargs or {}, out
        self.__dict__.update(more)


MM = OpOverload("aten", "mm")


def mm_call(**more):
    return OpInvokeInfo(MM, (Tensor(100, 4096), Tensor(4096, 1024)), out=Tensor(100, 1024), **more)


def data_source(**options):
    return DataSource(DATABASE, release=RELEASE, **{"ep_size": 16, **options})


def tensor_of(leaf):
    return Tensor(*leaf["shape"], dtype=Dtype(leaf["dtype"]), layout=leaf.get("format"))


def argument_of(entry):
    if entry is None:
        return None
    if "repeat" in entry:
        return [tensor_of(entry["of"])] * entry["repeat"]
    return [tensor_of(t) for t in entry["list"]] if "list" in entry else tensor_of(entry)


def call_of(leaf):
    """A leaf of the sample as a call record: unnamed arguments by position, then the metadata by keyword."""
    metadata = ("block_table", "actual_seq_lengths_query", "actual_seq_lengths_kv")
    inputs = leaf.get("inputs", [])
    args = tuple(argument_of(entry) for entry in inputs if entry is None or entry.get("role") not in metadata)
    kwargs = {entry["role"]: argument_of(entry) for entry in inputs if entry and entry.get("role") in metadata}
    out = tuple(tensor_of(output) for output in leaf.get("outputs", []))
    return OpInvokeInfo(leaf["op"], args, kwargs, out, attrs=leaf.get("attrs", {}))


class Lookup(unittest.TestCase):
    def test_hit(self):
        result = data_source().lookup(mm_call())
        self.assertAlmostEqual(result.latency_us, mm_100_us(), places=9)
        self.assertEqual(result.confidence, 0.70)  # contract §1
        self.assertEqual(result.source, QuerySource.INTERPOLATED)
        self.assertEqual(result.details["kernel_type"], "MatMulV2")
        self.assertEqual(result.details["axes"], ["M"])
        self.assertEqual(result.details["interpolation_dim"], 1)
        self.assertEqual(result.details["boundary"], {"M": [64, 128]})
        self.assertEqual(result.shape_debug_statistics(), {"shape_match_rule": "linear_1d"})

    def test_miss_says_why(self):
        source = data_source()
        call = OpInvokeInfo("tensor_cast.rms_norm.default", (Tensor(64, 4096, dtype=F32), Tensor(4096, dtype=F32)))
        self.assertIsNone(source.lookup(call))
        self.assertEqual(source.last_miss_reason, "regime_mismatch")  # examples/README.md, line 40
        self.assertEqual(source.last_miss_details["kernels_attempted"], [{"kernel": "RmsNorm", "reason": "regime_mismatch"}])
        source.lookup(mm_call())
        self.assertEqual((source.last_miss_reason, source.last_miss_details), ("", {}))

    def test_misses_are_each_threads_own(self):
        source = data_source()
        self.assertIsNone(source.lookup(OpInvokeInfo("no.such.operator", ())))
        seen = []
        thread = threading.Thread(target=lambda: seen.append(source.last_miss_reason))
        thread.start()
        thread.join()
        self.assertEqual((source.last_miss_reason, seen), ("unmapped", [""]))

    def test_every_sample_call_gives_what_its_leaf_gives(self):
        source = data_source()
        for number, leaf in enumerate(leaves(), 1):
            expected = source.engine.lookup(leaf)
            with self.subTest(line=number, op=leaf["op"]):
                result = source.lookup(call_of(leaf))
                self.assertEqual(result is not None, number <= 36)  # examples/README.md
                if result is None:
                    self.assertEqual(source.last_miss_reason, expected.reason)
                else:
                    self.assertEqual(result.latency_us, expected.latency_us)
                    self.assertEqual(result.source.name, expected.source)

    def test_repeated_calls_are_prepared_once(self):
        source = data_source()
        self.assertIs(source.prepare(mm_call()), source.prepare(mm_call()))
        other = OpInvokeInfo(MM, (Tensor(101, 4096), Tensor(4096, 1024)), out=Tensor(101, 1024))
        self.assertNotEqual(source.prepare(mm_call()), source.prepare(other))

    def test_kept_calls_are_bounded(self):
        source = data_source(max_calls=2)
        for m in range(1, 6):
            source.prepare(OpInvokeInfo(MM, (Tensor(m, 4096), Tensor(4096, 1024))))
        self.assertLessEqual(len(source._prepared), 2)

    def test_dicts_are_call_records_too(self):
        call = {"func": "aten.mm.default", "args": [Tensor(100, 4096), Tensor(4096, 1024)], "out": Tensor(100, 1024)}
        self.assertAlmostEqual(data_source().lookup(call).latency_us, mm_100_us(), places=9)

    def test_no_operator_is_an_error(self):
        with self.assertRaisesRegex(profdb.Error, "has no func") as caught:
            data_source().lookup(types.SimpleNamespace(args=()))
        self.assertEqual(caught.exception.kind, "input")

    def test_unhashable_operators_and_dtypes_work(self):
        class Unhashable(OpOverload):
            __hash__ = None

            def __eq__(self, other):
                return self is other

        call = OpInvokeInfo(Unhashable("aten", "mm"), mm_call().args)
        self.assertAlmostEqual(data_source().lookup(call).latency_us, mm_100_us(), places=9)

    def test_is_read_only(self):
        with self.assertRaises(NotImplementedError):
            data_source().store(mm_call(), None)


class Deployment(unittest.TestCase):
    MOE = leaves()[20]  # examples/README.md, line 21: measured at EP size 16

    def test_ep_size_of_the_data_source(self):
        self.assertEqual(data_source().lookup(call_of(self.MOE)).source, QuerySource.MEASURED)
        source = data_source(ep_size=None)
        self.assertIsNone(source.lookup(call_of(self.MOE)))
        self.assertEqual(source.last_miss_reason, "ep_size_not_configured")

    def test_ep_size_of_the_call(self):
        source = data_source(ep_size=None)
        call = call_of(self.MOE)
        call.ep_size, call.tp_size = 16, 4
        self.assertEqual(source.lookup(call).source, QuerySource.MEASURED)
        call.ep_size = 8
        self.assertIsNone(source.lookup(call))

    def test_topology_tier_comes_from_a_function(self):
        seen = []
        source = data_source(topology_tier=lambda group: seen.append(group) or 0)
        call = OpInvokeInfo(OpOverload("tensor_cast", "all_reduce"), (Tensor(512, 4096), 3, list(range(16))))
        self.assertEqual(source.lookup(call).source, QuerySource.MEASURED)  # examples/README.md, line 31
        self.assertEqual(seen, [list(range(16))])


class Sources(unittest.TestCase):
    def test_equal_a_simulators_own(self):
        theirs = enum.Enum("QuerySource", ["MEASURED", "INTERPOLATED", "PARTIAL"])
        self.assertTrue(QuerySource.MEASURED == theirs.MEASURED and theirs.MEASURED == QuerySource.MEASURED)
        self.assertFalse(QuerySource.MEASURED == theirs.PARTIAL)
        self.assertIn(QuerySource.INTERPOLATED, (theirs.MEASURED, theirs.INTERPOLATED))
        self.assertEqual({theirs.MEASURED: 1}[QuerySource.MEASURED], 1)
        other = enum.Enum("Other", ["MEASURED"])
        self.assertFalse(QuerySource.MEASURED == other.MEASURED)


class Names(unittest.TestCase):
    def test_of_operators(self):
        named = types.SimpleNamespace(name="aten::add.Tensor")

        def mm_default():
            pass

        for function, name in [
            ("aten.mm.default", "aten.mm.default"),
            ("torch.ops.aten.mm.default", "aten.mm.default"),
            ("aten::mm", "aten.mm.default"),
            (MM, "aten.mm.default"),
            (OpOverload("aten", "to", "dtype"), "aten.to.dtype"),
            (named, "aten.add.Tensor"),
            (mm_default, "mm_default"),
        ]:
            self.assertEqual(operator_name(function), name)


class Leaves(unittest.TestCase):
    def test_plain_call(self):
        self.assertEqual(leaf_of(mm_call()), {**MM_100, "outputs": [{"shape": [100, 1024], "dtype": "bfloat16"}]})

    def test_lists_absent_arguments_and_scalars(self):
        call = OpInvokeInfo(
            "some.op.default",
            (None, [Tensor(1), [Tensor(2, dtype="int8"), None]], [None, None], [1, 2], 3, 0.5, "text", BF16, Tensor()),
        )
        self.assertEqual(
            leaf_of(call)["inputs"],
            [
                None,
                {"list": [{"shape": [1], "dtype": "bfloat16"}, {"shape": [2], "dtype": "int8"}]},
                None,
                {"shape": [], "dtype": "bfloat16"},
            ],
        )

    def test_formats_and_keywords(self):
        call = OpInvokeInfo("some.op.default", (), {"weight": Tensor(1, 2, 16, 16, layout="FRACTAL_NZ"), "bias": None, "topk": 8})
        leaf = leaf_of(call)
        self.assertEqual(leaf["inputs"], [{"shape": [1, 2, 16, 16], "dtype": "bfloat16", "format": "FRACTAL_NZ"}])
        self.assertEqual(leaf["attrs"], {"topk": 8})

    def test_roles_in_tensor_casts_order(self):
        weights = [Tensor(2048, 1536, dtype=INT8)] * 8, [Tensor(768, 2048, dtype=INT8)] * 8
        scales = [Tensor(1536, dtype=F32)] * 8, [Tensor(2048, dtype=F32)] * 8
        args = (Tensor(576, 2048), Tensor(576, 8, dtype=INT32), weights[0], scales[0], [None] * 8, [None] * 8, None)
        args += (weights[1], scales[1], [None] * 8, [None] * 8, None, 0, list(range(16)))
        call = OpInvokeInfo(OpOverload("tensor_cast", "dispatch_ffn_combine_quant"), args, out=Tensor(576, 8, 2048))
        roles = [entry.get("role") for entry in leaf_of(call)["inputs"] if entry]
        self.assertEqual(roles, ["x", "expert_indices", "gmm1_weight", None, "gmm2_weight", None])
        self.assertEqual(data_source().lookup(call).source, QuerySource.MEASURED)

    def test_lengths_are_read_from_tensors(self):
        def attention(length):
            lengths, ones = Tensor(16, dtype=INT32, values=[length] * 16), Tensor(16, dtype=INT32, values=[1] * 16)
            cache = Tensor(2048, 128, 1, 128)
            args = (Tensor(16, 8, 128), cache, cache, None, Tensor(16, 32, dtype=INT32), None, lengths, ones)
            return OpInvokeInfo(OpOverload("tensor_cast", "attention"), args, out=Tensor(16, 8, 128))

        source = data_source()
        self.assertEqual(leaf_of(attention(2048))["attrs"], {"seq_lens": [2048] * 16, "query_lens": [1] * 16})
        self.assertEqual(source.lookup(attention(2048)).source, QuerySource.MEASURED)  # examples/README.md, line 23
        self.assertEqual(source.lookup(attention(2060)).source, QuerySource.COMPATIBLE)  # line 24: the shapes are the same
        self.assertEqual(source.lookup(attention(3000)).source, QuerySource.INTERPOLATED)  # line 25

    def test_lengths_of_a_fake_tensor_are_unknown(self):
        class Fake(Tensor):
            def tolist(self):
                raise RuntimeError("a fake tensor has no data")

        args = (Tensor(16, 8, 128),) + (Tensor(2048, 128, 1, 128),) * 2 + (None,) * 3 + (Fake(16, dtype=INT32),) * 2
        call = OpInvokeInfo(OpOverload("tensor_cast", "attention"), args)
        source = data_source()
        self.assertIsNone(source.lookup(call))
        self.assertEqual(source.last_miss_reason, "target_unextractable")

    def test_runtime_attributes_come_first(self):
        call = OpInvokeInfo("some.op.default", (), {"phase": "decode"}, attrs={"phase": "prefill", "api_path": "v2"})
        self.assertEqual(leaf_of(call)["attrs"], {"phase": "prefill", "api_path": "v2"})


if __name__ == "__main__":
    unittest.main()
