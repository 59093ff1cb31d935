#!/usr/bin/env python3
"""Writes a synthetic MatMulV2 release of any size, to measure with: made-up numbers, nothing was measured.

K and N are multiples of 64 up to 16,384, every pair of them equally often; the M of a pair are token counts without
a pattern, one from each of equal spans. All (M, K, N) differ. The rows run with M outermost, as in real files. Every
run with the same number of rows writes the same bytes.
"""

import argparse
import math
import random
from pathlib import Path

STEP = 64
MAX_TOKENS = 16384
ORIGIN = "synthetic"
HEADER = (
    "OP State,Accelerator Core,Input Shapes,Input Data Types,Input Formats,Output Shapes,Output Data Types,"
    "Output Formats,Average Duration(us),Data Origin\n"
)
MAPPING = """\
# SYNTHETIC: the release beside this file is made up by bench/driver/generate_release.py.
version: "{rows}"
device: SYNTHETIC_NPU
framework: synthetic_bench
cann_version: none
pytorch_version: none
operator_mappings:
  "aten.mm.default":
    kernel_type: MatMulV2
    notes: "synthetic: weights stored as (N,K)"
"""


def grid(rows):
    """Values of K (and of N), and spans of M, that give `rows` measurements or a few more."""
    spans = max(16, rows // (MAX_TOKENS // STEP) ** 2)
    sizes = min(MAX_TOKENS // STEP, math.ceil(math.sqrt(rows / spans)))
    spans = math.ceil(rows / sizes**2)
    stride = MAX_TOKENS // STEP // sizes
    return [STEP * stride * (i + 1) for i in range(sizes)], spans


def latency_us(m, k, n, noise):
    flops = 2.0 * m * k * n
    moved = 2.0 * (m * k + k * n + m * n)
    return (3.0 + max(flops / 150e6, moved / 1e6)) * (1.0 + 0.02 * noise)


def write_rows(file, rows):
    draw = random.Random(rows).random
    sizes, spans = grid(rows)
    width = MAX_TOKENS // spans
    written = 0
    for span in range(spans):
        for n in sizes:
            lines = []
            for k in sizes:
                m = span * width + 1 + int(draw() * width)
                lines.append(
                    f'dynamic,AI_CORE,"{m},{k};{n},{k}",DT_BF16;DT_BF16,ND;ND,"{m},{n}",DT_BF16,ND,'
                    f"{latency_us(m, k, n, draw()):.2f},{ORIGIN}\n"
                )
            file.writelines(lines[: rows - written])
            written += len(lines)
            if written >= rows:
                return


def main():
    parser = argparse.ArgumentParser(description="Write a synthetic MatMulV2 release.")
    parser.add_argument("folder", type=Path, help="the release folder to write")
    parser.add_argument("--rows", type=int, default=5_000_000, help="number of rows (%(default)s)")
    arguments = parser.parse_args()
    if not 1 <= arguments.rows <= 100_000_000:
        parser.error("--rows: give a number from 1 to 100,000,000")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    (arguments.folder / "op_mapping.yaml").write_text(MAPPING.format(rows=arguments.rows))
    with open(arguments.folder / "MatMulV2.csv", "w", encoding="utf-8") as file:
        file.write(HEADER)
        write_rows(file, arguments.rows)
    print(f"{arguments.folder}: {arguments.rows:,} rows of MatMulV2, all synthetic (made up, not measured)")


if __name__ == "__main__":
    main()
