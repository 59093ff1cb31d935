#!/usr/bin/env python3
"""Makes the databases, measures profdb beside its floors, and prints one table (see scripts/bench)."""

import argparse
import json
import os
import random
import re
import sqlite3
import statistics
import subprocess
import sys
from pathlib import Path

from bounds import BOUNDS, table
from processes import measure

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
REAL_DATA = "data/ascend_910b_vllm_ascend_0.18.0"
REAL_MAPPING = "mappings/ASCEND_910B/vllm_ascend-0.18.0.yaml"
REAL_ALIASES = (
    "FusedInferAttentionScore_Decode=FusedInferAttentionScore",
    "GroupedMatmul_MoE_BF16=GroupedMatmul",
    "GroupedMatmul_MoE_W8A8=GroupedMatmul",
)
SMALL_ROWS = 5_000


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def remove_database(path):
    for suffix in ("", "-wal", "-shm", "-journal"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


class Run:
    """One run: where everything is, and the results so far by name."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.build = arguments.build
        self.work = arguments.work
        self.cli = self.build / "cli/profdb"
        self.results = {}

    def database(self, name):
        return self.work / f"{name}.db"

    def import_release(self, name, source, *more):
        remove_database(self.database(name))
        return measure([self.cli, "import", source, "--db", self.database(name), *more])

    # ---- data ----

    def release(self, rows):
        """The folder of a synthetic release; kept from run to run."""
        folder = self.work / f"synthetic-{rows}"
        stamp = folder / "complete"
        generator = HERE / "generate_release.py"
        if not stamp.exists() or stamp.stat().st_mtime < generator.stat().st_mtime:
            say(f"generating {rows:,} synthetic rows")
            measure([sys.executable, generator, folder, "--rows", rows])
            stamp.touch()
        return folder

    def import_points(self):
        """The rows to interpolate between: the real ones, or the synthetic sample's."""
        real = self.arguments.shared / REAL_DATA
        if real.is_dir():
            aliases = [word for alias in REAL_ALIASES for word in ("--kernel-alias", alias)]
            self.import_release("real", real, "--mapping", SOURCE / REAL_MAPPING, *aliases)
            return "measured on an Ascend 910B"
        say(f"no {real}: interpolating between the rows of the synthetic sample instead")
        measure([sys.executable, SOURCE / "examples/generate_release.py", self.work / "sample"])
        self.import_release("real", self.work / "sample/0.18.0")
        return "SYNTHETIC sample"

    def write_leaves(self):
        """The measured products of the small release as leaf operators, one per line."""
        shapes = "SELECT input_shapes FROM measurement_row WHERE unusable_reason IS NULL"
        with sqlite3.connect(self.database("small")) as db, open(self.work / "leaves.jsonl", "w") as file:
            for (text,) in db.execute(shapes):
                (m, k), (n, _) = json.loads(text)
                tensors = [{"shape": shape, "dtype": "bfloat16"} for shape in ([m, k], [k, n], [m, n])]
                leaf = {"op": "aten.mm.default", "inputs": tensors[:2], "outputs": tensors[2:]}
                file.write(json.dumps(leaf) + "\n")

    def prepare(self):
        """Everything but the large release, whose import is measured; returns what the points are."""
        self.work.mkdir(parents=True, exist_ok=True)
        self.import_release("small", self.release(SMALL_ROWS))
        points = self.import_points()
        self.write_leaves()
        return points

    # ---- measurements ----

    def measure_import(self):
        rows = self.arguments.rows
        source = self.release(rows)
        csv = source / "MatMulV2.csv"
        plain = self.work / "plain.db"
        floors, subjects = [], []
        say(f"sqlite3 .import of {csv.name}, {rows:,} rows, and profdb import of the same")
        for _ in range(self.arguments.imports):
            remove_database(plain)
            floors.append(measure(["sqlite3", plain, ".mode csv", f".import {csv} row"]))
            subjects.append(self.import_release("large", source))
        remove_database(plain)
        self.results["import"] = {
            "floor_us": statistics.median(u.wall_s for u in floors) * 1e6,
            "floor_cpu_us": statistics.median(u.cpu_s for u in floors) * 1e6,
            "subject_us": statistics.median(u.wall_s for u in subjects) * 1e6,
            "subject_cpu_us": statistics.median(u.cpu_s for u in subjects) * 1e6,
            "peak_mib": max(u.peak_mib for u in subjects),
            "size_ratio": self.database("large").stat().st_size / csv.stat().st_size,
        }

    def check_answers(self, command, leaves):
        """A stream that is not answered line by line with measurements would be no measurement."""
        with open(self.work / "answers.jsonl", "w+", encoding="utf-8") as answers:
            measure([*command, leaves], output=answers)
            answers.seek(0)
            measured = sum(json.loads(line)["source"] == "MEASURED" for line in answers)
        if measured != SMALL_ROWS:
            sys.exit(f"bench: {measured:,} of {SMALL_ROWS:,} measured leaves are answered as MEASURED")

    def measure_jsonl(self):
        leaves = self.work / "leaves.jsonl"
        lines = leaves.read_text().splitlines(keepends=True)
        stream = self.work / "stream.jsonl"
        stream.write_text("".join(random.Random(1).choices(lines, k=self.arguments.lines)))
        command = [self.cli, "lookup", "--db", self.database("small"), "--jsonl"]
        self.check_answers(command, leaves)
        usages = [measure([*command, stream], core=0) for _ in range(self.arguments.streams)]
        stream.unlink()
        self.results["jsonl"] = {
            "per_s": self.arguments.lines / statistics.median(u.wall_s for u in usages),
            "per_s_cpu": self.arguments.lines / statistics.median(u.cpu_s for u in usages),
        }

    def engine_command(self, *more):
        databases = [f"--{name}={self.database(name)}" for name in ("real", "small", "large")]
        return [self.build / "bench/profdb_bench", *databases, f"--work={self.work}", *self.arguments.flags, *more]

    def measure_engine(self, benchmark_filter, *flags, output=sys.stderr):
        """Google Benchmark's own table goes to `output` meanwhile."""
        out = self.work / "google_benchmark.json"
        flags = [f"--benchmark_filter={benchmark_filter}", f"--benchmark_out={out}", *flags]
        measure(self.engine_command(*flags), output=output)
        for benchmark in json.loads(out.read_text())["benchmarks"]:
            counters = [f"{who}_{clock}us" for who in ("floor", "subject") for clock in ("", "cpu_", "process_cpu_")]
            more = ["growth_mib", "points", "dropped", "lost"]
            result = {key: benchmark[key] for key in counters + more if key in benchmark}
            self.results[result_name(benchmark["name"])] = result

    def benchmarks(self):
        """The results that measure_engine can give."""
        command = self.engine_command("--benchmark_list_tests")
        answer = subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True)
        return {result_name(line) for line in answer.stdout.split()}

    def python_environment(self):
        return {**os.environ, "PYTHONPATH": str(self.build / "python")}

    def python_trouble(self):
        """Why Python cannot be measured, such as a module that is not built; empty where it can."""
        probe = [self.arguments.python, "-c", "import profdb.tensor_cast"]
        answer = subprocess.run(probe, env=self.python_environment(), capture_output=True, text=True)
        return answer.stderr.strip().splitlines()[-1] if answer.returncode != 0 else ""

    def measure_python(self):
        command = [self.arguments.python, HERE / "python_calls.py", self.database("small"), self.work / "leaves.jsonl"]
        answer = subprocess.run(list(map(str, command)), env=self.python_environment(), check=True, capture_output=True)
        for name, result in json.loads(answer.stdout).items():
            floor = self.results.get("repeated/prepared", {})
            self.results[name] = {**result, **{key: floor[key] for key in floor if key in ("floor_us", "floor_cpu_us")}}

    def notes(self, points, python_note):
        first = self.results.get("first_3d", {})
        logs = [self.results.get(f"logging/{kind}", {}) for kind in ("burst", "sustained")]
        lost, dropped = (sum(log.get(name, 0) for log in logs) for name in ("lost", "dropped"))
        yield f"P: bare prepared SQLite statement in autocommit, same row, same key, same file. Points: {points}"
        yield f"({first.get('points', 0):,.0f} of MatMulV2); all other rows are synthetic."
        yield f"Log entries lost: {lost:,.0f}; dropped and counted because the queue stayed full: {dropped:,.0f}."
        yield from load_note()
        if python_note:
            yield python_note


def result_name(benchmark):
    """Google Benchmark puts the number of iterations behind the name."""
    return benchmark.split("/iterations")[0]


def load_note():
    load = os.getloadavg()[0]
    if load > 1.5:
        yield f"The machine was busy (load {load:.1f} on {os.cpu_count()} cores): trust CPU time over wall time."


def shared_dir(build):
    cache = (build / "CMakeCache.txt").read_text()
    return Path(re.search("^PROFDB_SHARED_DIR:PATH=(.*)$", cache, re.MULTILINE).group(1))


def parse():
    parser = argparse.ArgumentParser(description="Measure profdb beside its floors.")
    parser.add_argument("size", choices=("small", "full", "sanity"), nargs="?", default="small")
    parser.add_argument("--rows", type=int, help="rows of the large release (full: 5,000,000; small: 200,000)")
    parser.add_argument("--imports", type=int, help="imports to take the median of (full: 1; small: 3)")
    parser.add_argument("--build", type=Path, default=SOURCE / "build/release", help="where profdb is built")
    parser.add_argument("--work", type=Path, default=SOURCE / "build/bench", help="folder for data and results")
    parser.add_argument("--shared", type=Path, help="folder with real data (default: PROFDB_SHARED_DIR of the build)")
    parser.add_argument("--python", default="/usr/bin/python3", help="the Python that the module is built for")
    arguments = parser.parse_args()
    defaults = {  # rows, imports, lines, streams, flags of profdb_bench
        "full": (5_000_000, 1, 500_000, 5, []),
        "small": (200_000, 3, 500_000, 5, []),
        "sanity": (2_000, 1, 2_000, 1, ["--repetitions=3", "--calls=20", "--leaves=100"]),
    }[arguments.size]
    arguments.shared = arguments.shared or shared_dir(arguments.build)
    arguments.rows = arguments.rows or defaults[0]
    arguments.imports = arguments.imports or defaults[1]
    arguments.lines, arguments.streams, arguments.flags = defaults[2:]
    return arguments


def main():
    arguments = parse()
    run = Run(arguments)
    points = run.prepare()
    run.measure_import()
    say("opening, then lookups")
    run.measure_engine("^open")
    run.measure_engine("-^open")
    say("JSONL and Python")
    run.measure_jsonl()
    python_note = run.python_trouble()
    if python_note:
        python_note = f"Python not measured: {python_note}"
    else:
        run.measure_python()
    lines = [*table(run.results, arguments.rows, arguments.size != "sanity"), "", *run.notes(points, python_note)]
    print("\n".join(lines))
    report = {"size": arguments.size, "rows": arguments.rows, "points": points, "load": os.getloadavg()}
    report["results"] = run.results
    (arguments.work / f"results-{arguments.size}.json").write_text(json.dumps(report, indent=2) + "\n")
    missing = {bound.result for bound in BOUNDS if not bound.result.startswith("python")} - run.results.keys()
    if missing:
        sys.exit(f"bench: not measured: {', '.join(sorted(missing))}")


if __name__ == "__main__":
    main()
