"""profdb.Engine on the synthetic sample database."""

import json
import pathlib
import sqlite3
import tempfile
import threading
import unittest

import profdb
from sample import DATABASE, MM_100, RELEASE, csv_latency, leaves, mm_100_us


def open_sample(**options):
    return profdb.Engine(DATABASE, release=RELEASE, ep_size=16, **options)


class Lookup(unittest.TestCase):
    def setUp(self):
        self.engine = open_sample()

    def test_takes_a_dict_json_text_and_a_prepared_leaf_alike(self):
        for leaf in (MM_100, json.dumps(MM_100), profdb.PreparedLeaf(MM_100), profdb.PreparedLeaf(json.dumps(MM_100))):
            result = self.engine.lookup(leaf)
            self.assertEqual(result.source, "INTERPOLATED")
            self.assertAlmostEqual(result.latency_us, mm_100_us(), places=9)

    def test_interpolated_result_has_its_fields(self):
        result = self.engine.lookup(MM_100)
        self.assertTrue(result.hit)
        self.assertEqual((result.kernel, result.path, result.method), ("MatMulV2", "matrix_compute", "linear_1d"))
        self.assertEqual((result.dim, result.axes, result.confidence), (1, ["M"], 0.70))  # contract §1
        self.assertEqual((result.reason, result.match_rule), ("", ""))
        self.assertEqual(result.details["boundary"], {"M": [64, 128]})
        self.assertEqual(result.release, self.engine.release.release_id)

    def test_measured_result_is_the_median_of_the_rows(self):
        # Line 6 of the sample calls: rms_norm [64,4096], measured five times.
        result = self.engine.lookup(leaves()[5])
        self.assertEqual((result.source, result.match_rule), ("MEASURED", "identity"))
        self.assertEqual(result.latency_us, csv_latency("RmsNorm", "64,4096;4096"))

    def test_miss_is_a_value_without_numbers(self):
        result = self.engine.lookup({"op": "no.such.operator"})
        self.assertFalse(result.hit)
        self.assertEqual((result.source, result.reason), ("MISS", "unmapped"))
        self.assertIsNone(result.latency_us)
        self.assertIsNone(result.confidence)
        self.assertIn("unmapped", repr(result))

    def test_to_dict_is_the_json_result(self):
        result = self.engine.lookup(MM_100)
        answer = result.to_dict()
        self.assertEqual(list(answer)[:3], ["source", "latency_us", "confidence"])  # formats §5
        self.assertEqual(answer["latency_us"], result.latency_us)
        self.assertEqual(answer["details"], result.details)
        self.assertEqual(json.loads(json.dumps(answer)), answer)

    def test_takes_tuples_and_absent_arguments(self):
        result = self.engine.lookup({
            "op": "aten.linear.default",
            "inputs": ({"shape": (128, 4096), "dtype": "bfloat16"}, {"shape": (2048, 4096), "dtype": "bfloat16"}, None),
        })
        self.assertEqual((result.source, result.match_rule), ("MEASURED", "transpose"))  # examples/README.md, line 1

    def test_results_outlive_the_engine(self):
        result = open_sample().lookup(MM_100)
        self.assertAlmostEqual(result.latency_us, mm_100_us(), places=9)


class LookupMany(unittest.TestCase):
    def test_answers_in_order(self):
        engine = open_sample()
        calls = leaves()
        mixed = [profdb.PreparedLeaf(leaf) if i % 2 else leaf for i, leaf in enumerate(calls)]
        results = engine.lookup_many(mixed)
        self.assertEqual([result.hit for result in results], [True] * 36 + [False] * 10)  # examples/README.md
        for leaf, result in zip(calls, results):
            self.assertEqual(engine.lookup(leaf).to_dict(), result.to_dict())

    def test_takes_any_iterable(self):
        engine = open_sample()
        self.assertEqual(engine.lookup_many(iter([])), [])
        self.assertEqual(len(engine.lookup_many(leaf for leaf in (MM_100, MM_100))), 2)

    def test_bad_leaf_is_named(self):
        with self.assertRaisesRegex(profdb.Error, r"leaf 1: .*op") as caught:
            open_sample().lookup_many([MM_100, {"inputs": []}])
        self.assertEqual(caught.exception.kind, "input")


class Threads(unittest.TestCase):
    def test_one_engine_answers_many_threads(self):
        engine = open_sample()
        prepared = [profdb.PreparedLeaf(leaf) for leaf in leaves()]
        expected = [result.to_dict() for result in engine.lookup_many(prepared)]
        seen = [None] * 4

        def ask(index):
            seen[index] = [engine.lookup(leaf).to_dict() for leaf in prepared]

        threads = [threading.Thread(target=ask, args=(i,)) for i in range(len(seen))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(seen, [expected] * len(seen))


class PreparedLeaves(unittest.TestCase):
    def test_equal_leaves_are_equal_keys(self):
        a, b = profdb.PreparedLeaf(MM_100), profdb.PreparedLeaf(json.dumps(MM_100))
        other = profdb.PreparedLeaf({**MM_100, "attrs": {"phase": "decode"}})
        self.assertEqual(a, b)
        self.assertEqual(len({a, b, other}), 2)
        self.assertNotEqual(a, MM_100)

    def test_shows_its_call(self):
        leaf = profdb.PreparedLeaf(MM_100)
        self.assertEqual(leaf.op, "aten.mm.default")
        self.assertEqual(leaf.to_dict(), MM_100)


class Errors(unittest.TestCase):
    def assert_error(self, kind, pattern, call):
        with self.assertRaisesRegex(profdb.Error, pattern) as caught:
            call()
        self.assertEqual(caught.exception.kind, kind)

    def test_bad_leaves_name_the_field(self):
        engine = open_sample()
        bad = [
            ({"op": "a", "inputs": [{"shape": [-1], "dtype": "int8"}]}, r"inputs\[0\]\.shape\[0\]"),
            ({"op": "a", "colour": "red"}, "colour"),
            ({"op": "a", "attrs": {1: 2}}, "keys are strings"),
            ({"op": "a", "attrs": {"x": object()}}, "a value of type object"),
            ({"op": "a", "attrs": {"x": 1 << 70}}, "64 bits"),
            ("{", "not JSON"),
            (["aten.mm.default"], "a leaf is a dict, JSON text or a PreparedLeaf, not list"),
        ]
        for leaf, pattern in bad:
            self.assert_error("input", pattern, lambda leaf=leaf: engine.lookup(leaf))
            self.assert_error("input", pattern, lambda leaf=leaf: profdb.PreparedLeaf(leaf))

    def test_missing_database_and_release(self):
        self.assert_error("database", "no such file.db", lambda: profdb.Engine("no such file.db"))
        self.assert_error("usage", RELEASE, lambda: profdb.Engine(DATABASE, release="no/such/release"))

    def test_unknown_choice_names_the_choices(self):
        self.assert_error("usage", "padded_match.*last, before, off", lambda: open_sample(padded_match="first"))
        self.assert_error("usage", "log.*off, misses, all", lambda: open_sample(log="some"))
        self.assert_error("usage", "ep_size", lambda: profdb.Engine(DATABASE, release=RELEASE, ep_size=0))

    def test_deep_nesting_is_an_error_and_no_crash(self):
        value = []
        for _ in range(100000):
            value = [value]
        self.assert_error("input", "nested", lambda: profdb.PreparedLeaf({"op": "a", "attrs": {"x": value}}))
        while value:  # taken apart by hand: a list frees its members recursively
            value = value[0]


class Options(unittest.TestCase):
    def test_ep_size_is_the_deployments(self):
        moe = leaves()[20]
        self.assertEqual(open_sample().lookup(moe).source, "MEASURED")  # examples/README.md, line 21
        self.assertEqual(profdb.Engine(DATABASE, release=RELEASE).lookup(moe).reason, "ep_size_not_configured")

    def test_interpolation_can_be_off(self):
        self.assertEqual(open_sample(interpolation=False).lookup(MM_100).reason, "interpolation_off")

    def test_release_by_number(self):
        number = open_sample().release.release_id
        self.assertEqual(profdb.Engine(str(DATABASE), release=number).release.framework_version, "0.18.0")

    def test_log_goes_where_it_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "log.db"
            engine = open_sample(log="misses", log_db=log)
            engine.lookup(MM_100)
            engine.lookup({"op": "no.such.operator"})
            engine.flush_log()
            self.assertEqual((engine.log_stats().logged, engine.log_stats().dropped), (1, 0))
            connection = sqlite3.connect(log)
            rows = connection.execute("SELECT op, source, reason FROM query_log").fetchall()
            connection.close()
            self.assertEqual(rows, [("no.such.operator", "MISS", "unmapped")])
            del engine


class Counters(unittest.TestCase):
    def test_budget_is_the_option(self):
        self.assertEqual(open_sample(cache_bytes=1 << 20).stats().cache_budget, 1 << 20)

    def test_repeated_leaf_hits_the_result_cache(self):
        engine = open_sample()
        leaf = profdb.PreparedLeaf(MM_100)
        for _ in range(3):
            engine.lookup(leaf)
        self.assertEqual((engine.stats().results.misses, engine.stats().results.hits), (1, 2))

    def test_warm_counts_what_it_loaded(self):
        report = open_sample().warm(["aten.mm.default"])
        self.assertEqual(report.operators, 1)
        with self.assertRaises(profdb.Error):
            open_sample().warm(["no.such.operator"])


class Releases(unittest.TestCase):
    def test_lists_them(self):
        releases = profdb.list_releases(DATABASE)
        self.assertEqual([release.framework_version for release in releases], ["0.15.0", "0.18.0"])
        self.assertEqual({release.device for release in releases}, {"SYNTHETIC_NPU"})
        self.assertIn("synthetic", releases[0].synthetic)


if __name__ == "__main__":
    unittest.main()
