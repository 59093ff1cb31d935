"""All of it in order: import, draw, look up, compare, count."""

import argparse
import json
import os
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from answers import draw, programs, sources, summary
from answers.compare import Difference, compare
from answers.coverage import Coverage
from answers.words import WordsError, words_of

REPOSITORY = Path(__file__).resolve().parent.parent.parent
SAME, DIFFERENT = 0, 1  # exit codes; 2: usage
SHOWN = 3  # differences that are shown in full

DESCRIPTION = """\
Ask two builds of profdb the same calls and compare their answers byte for byte, with caches on and off.

The calls come from the synthetic sample, the conformance cases, the 910B data and a small release of the
script's own, as they are and changed a little; the same seed draws the same calls. Each build answers from a
database that it imported itself, and the new one from the old one's as well. Every path, source and reason of a
miss that the program has must be among the answers.
"""
EPILOG = """\
Ends with "identical: ..." and exit code 0, or with "different: ..." (or "not covered: ...") and 1. Usage: 2.

Example:
  scripts/compare-answers before/cli/profdb build/release/cli/profdb
"""


def say(text):
    print(f"compare-answers: {text}", file=sys.stderr, flush=True)


@dataclass(frozen=True)
class Run:
    """One way to answer a stream. The first of them is what the others are compared with."""

    program: programs.Program
    database: str  # the folder of it: whose import
    cached: bool

    @property
    def name(self):
        return f"{self.program.label}, {self.database}, caches {'on' if self.cached else 'off'}"


class Comparison:
    """What is compared, where its files are, and what was found so far."""

    def __init__(self, old, new, work, keep):
        self.old, self.new = old, new
        self.work = work
        self.keep = keep
        self.coverage = Coverage()
        self.differences = 0  # answers, of all runs
        self.shown = 0
        self.hits = 0  # of the cache of results, where it is on
        self.left = 0  # in it, and found there, where it is off
        self.runs = (
            Run(old, "old", True),
            Run(old, "old", False),
            Run(new, "new", True),
            Run(new, "new", False),
            Run(new, "old-copy", True),
        )

    def database(self, whose, name):
        return self.work / whose / f"{name}.db"

    # ---- import ----

    def import_all(self, found):
        """Imports into a database per program; returns the sources that both took, and whether they agree."""
        for whose in ("old", "new", "old-copy"):
            shutil.rmtree(self.work / whose, ignore_errors=True)
            (self.work / whose).mkdir()
        taken, agree = [], True
        for source in found:
            old = self.old.import_into(self.database("old", source.database), source.words)
            new = self.new.import_into(self.database("new", source.database), source.words)
            if old != new:
                agree = False
                self.show_imports(source, old, new)
            if old.code == new.code == 0:
                taken.append(source)
            elif old.code == new.code:
                agree = False  # what neither can answer is not compared
                say(f"neither program imports {source.name}, nothing is drawn from it: {old.error}")
        for name in dict.fromkeys(source.database for source in taken):
            programs.copy_database(self.database("old", name), self.database("old-copy", name))
            self.new.migrate(self.database("old-copy", name))
        return taken, agree

    def show_imports(self, source, old, new):
        print(f"\nthe imports of {source.name} differ:")
        if old.code != new.code:
            for program, done in ((self.old, old), (self.new, new)):
                print(f"  {program.label}: exit code {done.code} {done.error}")
        for field in Difference(1, 1, old.report.encode(), new.report.encode()).fields():
            print(f"  {field}")

    # ---- look up ----

    def answer(self, stream):
        """Asks one stream of every run, compares, counts. The files are kept only where they differ."""
        folder = self.work / "streams" / stream.name.replace("/", "_").replace(" ", "_")
        folder.mkdir(parents=True)
        calls = folder / "calls.jsonl"
        calls.write_text("".join(line + "\n" for line in stream.lines), encoding="utf-8")
        files = [folder / f"{run.name.replace(', ', '_').replace(' ', '-')}.jsonl" for run in self.runs]

        def one(run, file):
            database = self.database(run.database, stream.source.database)
            return run.program.look_up(database, stream.options, calls, file, run.cached)

        with ThreadPoolExecutor(max_workers=2) as pool:
            ends = list(pool.map(one, self.runs, files))
        for run, (_, caches) in zip(self.runs, ends):
            if run.cached:
                self.hits += caches.hits
            else:
                self.left += caches.hits + caches.entries
        same = self.same(stream, files, [code for code, _ in ends])
        self.count(stream, files[0])
        if same and not self.keep:
            shutil.rmtree(folder)

    def same(self, stream, files, codes):
        shown = set()  # what the first difference of several runs may have in common
        for run, file, code in zip(self.runs[1:], files[1:], codes[1:]):
            difference = compare(files[0], file)
            if not difference and code == codes[0]:
                continue
            self.differences += difference.count if difference else 1
            what = f"{difference.count:,} of {len(stream.lines):,} answers" if difference else f"exit code {code}"
            print(f"\n{stream.name}: {what} of [{run.name}] differ from [{self.runs[0].name}]")
            if difference and (difference.line, difference.actual) not in shown:
                self.show(stream, difference)
            shown.add(difference and (difference.line, difference.actual))
        return not shown

    def show(self, stream, difference):
        """The first that differs, in full, of the first few streams."""
        if self.shown >= SHOWN:
            return
        self.shown += 1
        at = difference.line - 1
        print(f"  the first is line {difference.line}")
        print(f"  call:   {stream.lines[at] if at < len(stream.lines) else '(none: more answers than calls)'}")
        for name, answer in (("before", difference.expected), ("after", difference.actual)):
            print(f"  {name + ':':<7} {answer.decode(errors='replace') or '(no answer)'}")
        for field in difference.fields():
            print(f"  differs in {field}")

    def count(self, stream, file):
        answered = 0
        with open(file, encoding="utf-8") as answers:
            for line in answers:
                self.coverage.add(stream.source.name, json.loads(line))
                answered += 1
        if answered != len(stream.lines):
            raise programs.ProgramError(f"{answered:,} answers to {len(stream.lines):,} calls: {stream.name}")

    # ---- verdict ----

    def verdict(self, words, count, imports_agree):
        """The last line, and the exit code."""
        print("\n" + summary.text(self.coverage, words) + "\n")
        gaps = list(self.coverage.missing(words))
        gaps += [f"answers have {what}" for what in self.coverage.unexpected(words)]
        if not self.hits:
            gaps.append("nothing came from the cache of results where caches are on")
        if self.left:
            gaps.append("the cache of results was used where caches are off")
        for gap in gaps:
            print(f"coverage: {gap}")
        if self.differences or not imports_agree:
            what = f"{self.differences:,} answers" if self.differences else "imports"
            print(f"different: {what}; the files are in {self.work / 'streams'}")
            return DIFFERENT
        if gaps:
            print(f"not covered: {len(gaps)} of what must be among the answers, see above")
            return DIFFERENT
        print(f"identical: {count:,} lookups, caches on and off")
        return SAME


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog="compare-answers",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("old", metavar="OLD_PROFDB", type=Path, help="the profdb program whose answers are right")
    add("new", metavar="NEW_PROFDB", type=Path, help="the one whose answers are to be the same")
    add("--shared", metavar="DIR", type=Path, help="folder with real data and cases (default: ../shared)")
    add("--work", metavar="DIR", type=Path, help="folder for databases and answers (default: build/answers)")
    add("--count", metavar="N", type=int, default=100_000, help="how many lookups (default: 100000)")
    add("--seed", metavar="N", type=int, default=1, help="another seed draws other calls (default: 1)")
    add("--keep", action="store_true", help="keep all calls and answers, not only those that differ")
    options = parser.parse_args(arguments)
    for program in (options.old, options.new):
        if not (program.is_file() and os.access(program, os.X_OK)):
            parser.error(f"{program} is no program")
    return parser, options


def compare_programs(comparison, shared, count, seed):
    """Everything; returns the exit code. Raises draw.TooFew where `count` is too small."""
    found = sources.all_sources(REPOSITORY, shared, comparison.work, say)
    taken, imports_agree = comparison.import_all(found)
    if not taken:
        raise programs.ProgramError("no source was imported by both programs")
    words = words_of(comparison.old, comparison.database("old", taken[0].database), REPOSITORY)
    drawn = list(draw.streams(taken, count, seed))
    say(f"{sum(len(stream.lines) for stream in drawn):,} calls in {len(drawn)} streams")
    for stream in drawn:
        comparison.answer(stream)
    return comparison.verdict(words, sum(len(stream.lines) for stream in drawn), imports_agree)


def main(arguments=None):
    parser, options = parse(arguments)
    begin = time.monotonic()
    work = (options.work or REPOSITORY / "build/answers").resolve()
    shutil.rmtree(work / "streams", ignore_errors=True)
    work.mkdir(parents=True, exist_ok=True)
    old, new = programs.Program("OLD", options.old), programs.Program("NEW", options.new)
    comparison = Comparison(old, new, work, options.keep)
    shared = (options.shared or REPOSITORY.parent / "shared").resolve()
    try:
        return compare_programs(comparison, shared, options.count, options.seed)
    except draw.TooFew as error:
        parser.error(str(error))
    except programs.ProgramError as error:
        print(f"different: {error}")
    except WordsError as error:
        print(f"not covered: {error}")
    finally:
        say(f"{time.monotonic() - begin:.0f} s")
    return DIFFERENT
