"""The synthetic sample database that the tests ask, and the CSV files that it was imported from.

PROFDB_SAMPLE names the folder with sample.db and releases/, PROFDB_SOURCE_DIR the source tree; ctest sets both.
"""

import csv
import json
import os
import pathlib
import statistics

SAMPLE = pathlib.Path(os.environ["PROFDB_SAMPLE"])
SOURCE = pathlib.Path(os.environ["PROFDB_SOURCE_DIR"])
DATABASE = SAMPLE / "sample.db"
RELEASE = "SYNTHETIC_NPU/synthetic/0.18.0"


def leaves():
    """The 46 sample calls; by examples/README.md the first 36 are hits."""
    return [json.loads(line) for line in (SOURCE / "examples/leaf_ops.jsonl").read_text().splitlines()]


def csv_latency(kernel, shapes):
    """The median latency in microseconds of a kernel's rows with these input shapes, read from its CSV."""
    with open(SAMPLE / "releases/0.18.0" / f"{kernel}.csv", newline="") as file:
        values = [
            float(row["Average Duration(us)"]) for row in csv.DictReader(file) if row["Input Shapes"].strip('"') == shapes
        ]
    return statistics.median(values)


MM_100 = {
    "op": "aten.mm.default",
    "inputs": [{"shape": [100, 4096], "dtype": "bfloat16"}, {"shape": [4096, 1024], "dtype": "bfloat16"}],
}


def mm_100_us():
    """M 100 lies between the measured 64 and 128 at K 4096, N 1024: 36/64 of the way (contract §5). The rows keep the
    weight as (N,K)."""
    low = csv_latency("MatMulV2", "64,4096;1024,4096")
    high = csv_latency("MatMulV2", "128,4096;1024,4096")
    return low + (high - low) * (100 - 64) / (128 - 64)
