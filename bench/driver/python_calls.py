#!/usr/bin/env python3
"""Time per lookup from Python: prepared leaves, and call records through profdb.tensor_cast. Prints JSON."""

import argparse
import itertools
import json
import statistics
import time
import types

import profdb
import profdb.tensor_cast

REPETITIONS = 51


def call_record(leaf):
    """The leaf as a simulator's call: objects that look like tensors, not JSON."""

    def tensor(description):
        return types.SimpleNamespace(shape=tuple(description["shape"]), dtype=description["dtype"])

    return types.SimpleNamespace(
        func=leaf["op"],
        args=tuple(map(tensor, leaf["inputs"])),
        kwargs={},
        out=tensor(leaf["outputs"][0]),
    )


def median_us(lookup, items, calls):
    """Median over batches of lookups that go through the items in turn, after one pass over all of them."""
    for item in items:
        if lookup(item) is None:
            raise SystemExit("python_calls: a measured leaf is not answered")
    turn = itertools.cycle(items)
    wall, cpu = [], []
    for _ in range(REPETITIONS):
        batch = list(itertools.islice(turn, calls))
        begin, begin_cpu = time.perf_counter_ns(), time.thread_time_ns()
        for item in batch:
            lookup(item)
        cpu.append(time.thread_time_ns() - begin_cpu)
        wall.append(time.perf_counter_ns() - begin)
    return {
        "subject_us": statistics.median(wall) / calls / 1e3,
        "subject_cpu_us": statistics.median(cpu) / calls / 1e3,
    }


def main():
    parser = argparse.ArgumentParser(description="Time lookups from Python.")
    parser.add_argument("database")
    parser.add_argument("leaves", help="leaf operators, one per line")
    parser.add_argument("--calls", type=int, default=2000, help="lookups per batch (%(default)s)")
    arguments = parser.parse_args()
    with open(arguments.leaves, encoding="utf-8") as lines:
        leaves = [json.loads(line) for line in lines]
    engine = profdb.Engine(arguments.database)
    source = profdb.tensor_cast.DataSource(arguments.database)
    prepared = [profdb.PreparedLeaf(leaf) for leaf in leaves]
    calls = [call_record(leaf) for leaf in leaves]
    print(
        json.dumps(
            {
                "python/prepared": median_us(engine.lookup, prepared, arguments.calls),
                "python/adapter": median_us(source.lookup, calls, arguments.calls),
            }
        )
    )


if __name__ == "__main__":
    main()
