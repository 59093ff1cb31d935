#!/usr/bin/env python3
"""Compares two builds for speed, over the rows of `scripts/bench small`, and names what became slower.

Every step (the imports, one benchmark, the JSONL streams, the Python calls) runs with the old build and with the new
one, over databases that each build has imported for itself, and the steps are gone through --times times. A row is
judged by the median of its paired ratios new / old; above --limit it fails.

What is compared is CPU time: of the calling thread, and of the whole process where other threads share in the work.
It leaves out what others do on the machine, but not that they slow it down: a core that shares its caches and its
clock with other work is slower by a fifth for seconds. The two of a pair therefore run by turns, in slices of some
hundredths of a second, so that both meet the same. Which one begins changes from pair to pair. Where the memory of a
process happens to lie counts as well, by more than the limit for the fastest rows: the figure of a build in a pair is
the median of several processes.

CPU time does not see a thread that waits, for a lock or for the disk. With --clock wall the wall time decides: each
step then runs to its end before the other build's begins, for what is stopped still ages. It takes an idle machine.

Beside the ratio stands the same ratio of subject to floor ("to floor"). It tells a slower machine from a slower build,
but it does not decide: a floor is not the same work for both builds. It reads the database of its build, and of some
rows (two threads, logging) it is the engine itself.
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from bounds import BOUNDS, UNITS, aligned, time_shown
from run import SOURCE, Run, load_note, say, shared_dir
from turns import by_turns

SIDES = ("old", "new")
ENOUGH = 7  # pairs
SLICE_S = 0.05
FIGURES = ("growth_mib", "peak_mib", "size_ratio")  # kinds that are no time
SHARED_WORK = ("repeated/two_threads", "logging/sustained")  # other threads than the calling one have a part in it
PROCESSES = {"import": Run.measure_import, "jsonl": Run.measure_jsonl, "python": Run.measure_python}


@dataclass(frozen=True)
class Effort:
    """How much of a benchmark is run for one figure."""

    processes: int
    flags: tuple


USUAL_EFFORT = Effort(3, ("--repetitions=35",))
EFFORTS = {
    # What a thread is answered from here depends on how many there were before: as many as in the small set.
    "repeated/two_threads": Effort(1, ("--calls=10000",)),
    "first_3d": Effort(3, ("--repetitions=11",)),
    "logging/burst": Effort(3, ("--repetitions=25",)),
    "logging/sustained": Effort(3, ("--repetitions=5",)),
    "import": Effort(1, ()),  # several imports in itself
    "jsonl": Effort(1, ()),  # several streams in itself
    "python": Effort(3, ()),
}


def step_of(result):
    return "python" if result.startswith("python/") else result


def cost(bound, result, clock, who="subject"):
    """The less the better: microseconds, or the figure of a row that is no time. None where there is no floor."""
    if bound.kind in FIGURES:
        return result[bound.kind] if who == "subject" else None
    if bound.kind == "per_s":
        return 1e6 / result["per_s" if clock == "wall" else "per_s_cpu"] if who == "subject" else None
    cpu = "process_cpu_us" if bound.result in SHARED_WORK else "cpu_us"
    return result.get(f"{who}_us" if clock == "wall" else f"{who}_{cpu}")


def medians(results):
    return {key: statistics.median(result[key] for result in results) for key in results[0]}


def ratio(old, new):
    return 1.0 if new == old else new / old if old else float("inf")


class Row:
    """What the pairs say of one bound."""

    def __init__(self, bound, pairs, clock):
        costs = [[cost(bound, pair[side], clock) for side in SIDES] for pair in pairs]
        floors = [[cost(bound, pair[side], clock, "floor") for side in SIDES] for pair in pairs]
        self.bound = bound
        self.old, self.new = map(statistics.median, zip(*costs))
        self.ratios = [ratio(*pair) for pair in costs]
        self.ratio = statistics.median(self.ratios)
        self.to_floor = None
        if all(all(pair) for pair in floors):
            self.to_floor = statistics.median(own / ratio(*pair) for own, pair in zip(self.ratios, floors))

    def title(self, rows):
        return self.bound.title.format(rows=f"{rows:,}")

    def cells(self, rows, limit):
        def shown(value):
            return f"{value:.2f} {UNITS[self.bound.kind]}" if self.bound.kind in FIGURES else time_shown(value)

        ratios = (self.ratio, min(self.ratios), max(self.ratios), self.to_floor)
        columns = ("" if value is None else f"{value:.3f}" for value in ratios)
        verdict = "SLOWER" if self.ratio > limit else "pass"
        return (self.title(rows), shown(self.old), shown(self.new), *columns, verdict)


def table(compared, rows, limit):
    """The rows as lines of text."""
    head = ("what", "old", "new", "new / old", "lowest", "highest", "to floor", "")
    return aligned([head, *(row.cells(rows, limit) for row in compared)])


class Builds:
    """Both builds, each with its databases."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.runs = {}
        for side in SIDES:
            own = {"build": getattr(arguments, side), "work": arguments.work / side}
            self.runs[side] = Run(argparse.Namespace(**{**vars(arguments), **own}))

    def lacking(self, steps):
        """What each build cannot measure, with the reason."""
        lacks = {}
        for side, run in self.runs.items():
            known = run.benchmarks() | PROCESSES.keys()
            lacks[side] = {step: "there is no such benchmark" for step in steps if step not in known}
            if "python" in steps and (trouble := run.python_trouble()):
                lacks[side]["python"] = trouble
        return lacks

    def prepare(self):
        """Imports what the steps ask, with each build."""
        for side, run in self.runs.items():
            say(f"databases of the {side} build")
            run.prepare()
            run.import_release("large", run.release(self.arguments.rows))

    def measure(self, side, step):
        """By result: its figures, each the median of several processes."""
        run = self.runs[side]
        effort = EFFORTS.get(step, USUAL_EFFORT)
        several = []
        for _ in range(effort.processes):
            run.results = {}
            if step in PROCESSES:
                PROCESSES[step](run)
            else:
                run.measure_engine(f"^{step}/iterations", *effort.flags, output=subprocess.DEVNULL)
            several.append(run.results)
        return {name: medians([results[name] for results in several]) for name in several[0]}

    def pair(self, step, order):
        """By result: what each build gave."""
        slice_s = SLICE_S if self.arguments.clock == "cpu" else None
        results = dict(zip(order, by_turns([lambda side=side: self.measure(side, step) for side in order], slice_s)))
        return {name: {side: results[side][name] for side in SIDES} for name in results["new"]}

    def check_clock(self, measured):
        """A benchmark of before may not say how much CPU time it took."""
        for bound in BOUNDS:
            for side in SIDES if bound.result in measured else ():
                if cost(bound, measured[bound.result][side], self.arguments.clock) is None:
                    sys.exit(f"bench: the {side} build's {bound.result} gives no {self.arguments.clock} time; "
                             "--clock takes another, --filter leaves it out")

    def pairs(self, steps):
        """By result: all pairs."""
        pairs = {}
        for i in range(self.arguments.times):
            order = SIDES if i % 2 == 0 else SIDES[::-1]
            for step in steps:
                say(f"pair {i + 1} of {self.arguments.times}: {step}")
                measured = self.pair(step, order)
                self.check_clock(measured)
                for name, pair in measured.items():
                    pairs.setdefault(name, []).append(pair)
        return pairs


def build_folder(text):
    """A build folder, or a source folder whose release build is meant."""
    parts = ("CMakeCache.txt", "cli/profdb", "bench/profdb_bench")
    for folder in (Path(text), Path(text, "build/release")):
        if all((folder / part).is_file() for part in parts):
            return folder.resolve()
    raise argparse.ArgumentTypeError(f"'{text}' is no build of profdb: {', '.join(parts)} must be there")


def parse():
    parser = argparse.ArgumentParser(prog="bench compare", description="Compare two builds for speed.")
    parser.add_argument("old", type=build_folder, metavar="OLD_BUILD", help="folder of the build to compare with")
    parser.add_argument("new", type=build_folder, metavar="NEW_BUILD", help="folder of the build to judge")
    parser.add_argument("--times", type=int, default=ENOUGH, help="pairs to take the median of (%(default)s)")
    parser.add_argument("--limit", type=float, default=1.05, help="median ratio that still passes (%(default)s)")
    parser.add_argument("--filter", default=".", metavar="REGEX", help="results to compare, such as ^exact or import")
    parser.add_argument("--clock", choices=("cpu", "wall"), default="cpu", help="the time that counts (%(default)s)")
    parser.add_argument("--rows", type=int, default=100_000, help="rows of the large release (%(default)s)")
    parser.add_argument("--work", type=Path, default=SOURCE / "build/bench-compare", help="folder for data and results")
    parser.add_argument("--shared", type=Path, help="folder with real data (default: PROFDB_SHARED_DIR of NEW_BUILD)")
    parser.add_argument("--python", default="/usr/bin/python3", help="the Python that the modules are built for")
    parser.set_defaults(imports=3, lines=200_000, streams=5, flags=["--benchmark_format=json"])
    arguments = parser.parse_args()
    if arguments.times < 1:
        parser.error("--times: give 1 or more")
    arguments.shared = arguments.shared or shared_dir(arguments.new)
    return arguments


def notes(arguments, lacks, minutes):
    clock = {"cpu": "CPU", "wall": "wall"}[arguments.clock]
    yield f"Medians of {arguments.times} pairs, by {clock} time; limit {arguments.limit:g}. {minutes:.1f} minutes."
    if arguments.times < ENOUGH:
        yield f"Fewer than {ENOUGH} pairs: no verdict to rely on."
    if arguments.clock == "wall":
        yield from load_note()
    for side in SIDES:
        for step, reason in lacks[side].items():
            yield f"Not compared: {step}, which the {side} build cannot measure ({reason})."


def main():
    arguments = parse()
    begin = time.monotonic()
    bounds = [bound for bound in BOUNDS if re.search(arguments.filter, bound.result)]
    steps = dict.fromkeys(step_of(bound.result) for bound in bounds)
    builds = Builds(arguments)
    lacks = builds.lacking(steps)
    builds.prepare()
    pairs = builds.pairs([step for step in steps if not any(step in lacks[side] for side in SIDES)])
    compared = [Row(bound, pairs[bound.result], arguments.clock) for bound in bounds if bound.result in pairs]
    minutes = (time.monotonic() - begin) / 60
    lines = [*table(compared, arguments.rows, arguments.limit), "", *notes(arguments, lacks, minutes)]
    print("\n".join(lines))
    report = {"old": str(arguments.old), "new": str(arguments.new), "rows": arguments.rows, "pairs": pairs}
    (arguments.work / "pairs.json").write_text(json.dumps(report, indent=2) + "\n")
    slower = [row.title(arguments.rows) for row in compared if row.ratio > arguments.limit]
    if slower:
        sys.exit(f"bench: more than {arguments.limit:g} times the old build: {'; '.join(slower)}")
    if any(lacks[side] for side in SIDES) or not compared:
        sys.exit("bench: not everything could be compared; --filter leaves out what one build cannot measure")
    if arguments.times < ENOUGH:
        sys.exit(f"bench: fewer than {ENOUGH} pairs are no comparison")


if __name__ == "__main__":
    main()
