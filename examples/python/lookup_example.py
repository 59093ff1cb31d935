"""Asks a profiling database from Python: one call, a prepared call, many calls, a miss.

    python3 lookup_example.py sample.db
"""

import sys

import profdb


def mm(m: int) -> dict:
    return {
        "op": "aten.mm.default",
        "inputs": [{"shape": [m, 4096], "dtype": "bfloat16"}, {"shape": [4096, 1024], "dtype": "bfloat16"}],
    }


def main(database: str) -> None:
    engine = profdb.Engine(database, release="SYNTHETIC_NPU/synthetic/0.18.0")
    result = engine.lookup(mm(100))
    print(result.source, result.latency_us, result.method, result.axes, result.details["boundary"])

    leaf = profdb.PreparedLeaf(mm(100))  # checked and digested once
    total = sum(engine.lookup(leaf).latency_us for _ in range(100_000))
    print(f"100000 lookups, {total / 1000:.1f} ms of simulated time")

    for m, answer in zip((64, 100, 5000), engine.lookup_many([mm(64), mm(100), mm(5000)])):
        print(m, answer.source, answer.latency_us, answer.reason)

    try:
        engine.lookup({"op": "aten.mm.default", "inputs": [{"shape": [-1, 4096], "dtype": "bfloat16"}]})
    except profdb.Error as error:
        print(error.kind, error)
    print("SYNTHETIC data:", engine.release.synthetic)


if __name__ == "__main__":
    main(sys.argv[1])
