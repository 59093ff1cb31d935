"""scripts/compare-answers: what it compares, draws and demands, with programs that only pretend to answer."""

import contextlib
import io
import json
import random
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(SOURCE / "scripts"))

from answers import draw, mutations, own_calls, own_release, programs, run, words  # noqa: E402
from answers.compare import compare  # noqa: E402
from answers.coverage import Coverage  # noqa: E402
from answers.sources import Case, Source  # noqa: E402

# Answers every line with its length. SPOIL is a condition on the command and the number of a line, and what it
# does to such an answer.
STUB = """#!{python}
import sys
words = sys.argv[1:]
cached = "--cache-mib" not in words
sys.stderr.write("cache hits misses evictions entries bytes\\nresults  %s  2  0  %s  1,000\\n" % ((9, 2) if cached else (0, 0)))
for number, line in enumerate(open(words[words.index("--jsonl") + 1])):
    answer = '{{"source":"MISS","reason":"unmapped","release":%d}}' % len(line)
    {spoil}
    print(answer)
"""


def stub(folder, name, spoil="pass"):
    path = folder / name
    path.write_text(STUB.format(python=sys.executable, spoil=spoil))
    path.chmod(0o755)
    return programs.Program(name, path)


def source_of(*calls):
    return Source("made up", "made_up", [], 1, [Case(call) for call in calls])


CALL = {"op": "a", "inputs": [{"shape": [4, 8], "dtype": "int8"}], "outputs": []}


class ComparingFiles(unittest.TestCase):
    def difference(self, expected, actual):
        with tempfile.TemporaryDirectory() as folder:
            one, other = Path(folder, "one"), Path(folder, "other")
            one.write_text(expected)
            other.write_text(actual)
            return compare(one, other)

    def test_equal_bytes_do_not_differ(self):
        self.assertIsNone(self.difference('{"a":1}\n', '{"a":1}\n'))

    def test_names_the_fields_of_the_first_line_that_differs(self):
        found = self.difference('{"a":1}\n{"a":{"b":[1,2]},"c":0}\n{"a":3}\n', '{"a":1}\n{"a":{"b":[1,3]}}\n{"a":4}\n')
        self.assertEqual((found.count, found.line), (2, 2))
        self.assertEqual(found.fields(), ["a.b[1]: 2, 3", "c: 0, not there"])

    def test_another_order_of_equal_fields_differs(self):
        found = self.difference('{"a":1,"b":2}\n', '{"b":2,"a":1}\n')
        self.assertIn("nothing but the way it is written, from byte 2", found.fields()[0])

    def test_a_lost_answer_differs(self):
        self.assertEqual(self.difference("1\n2\n", "1\n").count, 1)
        self.assertEqual(self.difference("1\n", "1\n2\n").line, 2)

    def test_a_number_is_no_equal_of_a_truth_value_or_another_kind_of_number(self):
        self.assertEqual(self.difference('{"a":1}\n', '{"a":true}\n').fields(), ["a: 1, true"])
        self.assertEqual(self.difference('{"a":1}\n', '{"a":1.0}\n').fields(), ["a: 1, 1.0"])


class ComparingPrograms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def compare(self, old_spoilt="pass", new_spoilt="pass"):
        old, new = stub(self.folder, "old", old_spoilt), stub(self.folder, "new", new_spoilt)
        comparison = run.Comparison(old, new, self.folder, keep=False)
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            comparison.answer(draw.Stream(source_of(CALL), (), [json.dumps(CALL)] * 5))
        return comparison, said.getvalue()

    def test_the_same_answers_are_the_same(self):
        comparison, said = self.compare()
        self.assertEqual((comparison.differences, said), (0, ""))
        self.assertEqual(comparison.coverage.reasons["unmapped"], 5)
        self.assertGreater(comparison.hits, 0)
        self.assertEqual(comparison.left, 0)
        self.assertEqual(list((self.folder / "streams").iterdir()), [])

    def test_one_other_answer_is_found_and_its_files_are_kept(self):
        spoilt = "answer = answer.replace('unmapped', 'other') if number == 3 else answer"
        comparison, said = self.compare(new_spoilt=spoilt)
        self.assertEqual(comparison.differences, 3)  # caches on, caches off, the old program's database
        self.assertIn("the first is line 4", said)
        self.assertIn('reason: "unmapped", "other"', said)
        self.assertEqual(len(list((self.folder / "streams" / "made_up").iterdir())), 6)

    def test_caches_must_not_change_an_answer_even_if_they_do_so_in_both(self):
        spoilt = "answer = answer.replace('M', 'm', 1) if cached else answer"
        self.assertEqual(self.compare(spoilt, spoilt)[0].differences, 10)

    def test_a_program_that_fails_is_an_error(self):
        with self.assertRaisesRegex(programs.ProgramError, "exit code 9"):
            self.compare(new_spoilt="sys.exit(9)")

    def test_a_lost_answer_is_found(self):
        self.assertEqual(self.compare(new_spoilt="if number == 4: break")[0].differences, 3)


class Drawing(unittest.TestCase):
    def lines(self, count, seed):
        calls = [CALL, {**CALL, "op": "b"}]
        return [line for stream in draw.streams([source_of(*calls)], count, seed) for line in stream.lines]

    def test_a_seed_draws_the_same_calls_and_another_one_others(self):
        self.assertEqual(self.lines(500, 1), self.lines(500, 1))
        self.assertNotEqual(self.lines(500, 1), self.lines(500, 2))

    def test_draws_as_many_as_asked_for_with_all_that_come_with_the_source(self):
        lines = self.lines(501, 1)
        self.assertEqual(len(lines), 501)
        self.assertIn(json.dumps({**CALL, "op": "b"}), lines)
        self.assertLess(len(set(lines)), 501)  # some stand twice
        with self.assertRaises(draw.TooFew):
            self.lines(1, 1)

    def test_every_mutation_leaves_a_call(self):
        calls = [call for call, _ in own_calls.cases()]
        pool, rng = mutations.Pool(calls), random.Random(1)
        for mutation in mutations.MUTATIONS:
            for call in calls:
                changed = mutation(json.loads(json.dumps(call)), rng, pool)
                self.assertLessEqual({"op", "inputs"}, (changed or call).keys(), mutation)


class Demanding(unittest.TestCase):
    def test_the_sources_name_the_reasons(self):
        found = words.all_reasons(SOURCE)
        self.assertLessEqual(words.CERTAIN | words.NEVER.keys() | words.OF_ROWS.keys(), found)

    def test_a_reason_that_code_decides_on_is_found_wherever_it_stands(self):
        self.assertEqual(words.reasons_in('return Unfit{"new_reason", detail};'), {"new_reason"})
        self.assertEqual(words.reasons_in('KernelSearch s; context.fail(s, "too_far");'), {"too_far"})
        table = '{"composite_requires_leaf_ops", "Ask for the others."}, {"new_one", "It is new."}'
        self.assertEqual(words.reasons_in(table), {"composite_requires_leaf_ops", "new_one"})

    def test_a_search_that_finds_nothing_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(words.WordsError):
            words.all_reasons(folder)

    def test_names_what_is_missing_and_what_should_not_be_there(self):
        wanted = words.Words(["MEASURED", "MISS"], {"a": 1}, {"unmapped"}, {"bad_cell"})
        coverage = Coverage()
        coverage.add("db", {"source": "MISS", "reason": "zero_cost", "path": "b"})
        self.assertEqual(
            list(coverage.missing(wanted)),
            [
                "no answer has the source MEASURED",
                "no line that is no call was answered",
                "no answer of the path a is MEASURED",
                "no answer of the path a is MISS",
                "no answer of the path a is interpolated in 1 dimensions",
                "no miss has the reason unmapped",
                "no answer counts rows that were rejected as bad_cell",
            ],
        )
        unexpected = list(coverage.unexpected(wanted))
        self.assertEqual(unexpected[0], "the path b, which the database does not have")
        self.assertIn("the reason zero_cost, which was thought impossible", unexpected[1])

    def test_the_scripts_own_release_says_that_it_is_made_up(self):
        with tempfile.TemporaryDirectory() as folder:
            own_release.write(Path(folder))
            for path in Path(folder).glob("*.csv"):
                _, *rows = path.read_text().splitlines()
                self.assertTrue(all("synthetic" in row for row in rows), path)


if __name__ == "__main__":
    unittest.main()
