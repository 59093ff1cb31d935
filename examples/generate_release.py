#!/usr/bin/env python3
"""Writes a small profiling release of made-up numbers, to try profdb with.

Nothing here was measured. Latencies follow a roofline of a device that does not exist, SYNTHETIC_NPU:
max(flops / peak, bytes / bandwidth) + launch, times (1 + noise). Every run writes the same bytes, and the
noise of a row depends on that row alone, so a kernel can be added without changing the others.

A new kernel is one function below that yields its rows, with @kernel("ItsName") above it, and an operator
in mappings/SYNTHETIC_NPU/sample-0.1.yaml.
"""

import argparse
import csv
import hashlib
import math
import shutil
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

ORIGIN = "synthetic (profdb examples/generate_release.py)"
MAPPING = Path(__file__).resolve().parent.parent / "mappings" / "SYNTHETIC_NPU" / "sample-0.1.yaml"

# The made-up device, per microsecond.
CUBE_FLOPS = 150e6
VECTOR_FLOPS = 5e6
BANDWIDTH_BYTES = 1e6
LAUNCH_US = 3.0
NOISE = 0.02

AVERAGE = "Average Duration(us)"
MEDIAN = "Median Duration(us)"
ITEM_BYTES = {"DT_BF16": 2, "FLOAT": 4, "INT32": 4, "INT64": 8, "DT_UNDEFINED": 0}


@dataclass(frozen=True)
class Tensor:
    """One slot of a row; `shape` as the device stores it."""

    shape: tuple
    dtype: str = "DT_BF16"
    format: str = "ND"

    @property
    def bytes(self):
        return math.prod(self.shape) * ITEM_BYTES[self.dtype]


# An optional input that was not passed: the slot stays, empty.
ABSENT = Tensor((), "DT_UNDEFINED", "NULL")


@dataclass
class Row:
    """One measurement as a kernel function describes it."""

    inputs: list
    outputs: list
    flops: float
    core: str = "AI_CORE"
    peak: float = CUBE_FLOPS
    moved_bytes: int | None = None  # where the kernel does not read all of its inputs
    # Cells to spoil, as real files do: another text, or None for a cell that is not there at all.
    spoilt: dict = field(default_factory=dict)

    def latency_us(self):
        moved = self.moved_bytes
        if moved is None:
            moved = sum(tensor.bytes for tensor in self.inputs + self.outputs)
        return max(self.flops / self.peak, moved / BANDWIDTH_BYTES) + LAUNCH_US


def tensor(*shape, dtype="DT_BF16"):
    return Tensor(shape, dtype)


def fractal_nz(rows, columns):
    """A logical [rows, columns] matrix as the 16x16 tiles that the device keeps."""
    return Tensor((rows // 16, columns // 16, 16, 16), format="FRACTAL_NZ")


def matmul(a, b, m, k, n, *, lead=(), extra=()):
    return Row([a, b, *extra], [tensor(*lead, m, n)], flops=2 * m * k * n * math.prod(lead))


def vector(inputs, outputs, flops_per_element=1, **more):
    """A row of a kernel that runs on the vector cores; memory decides its latency."""
    flops = flops_per_element * math.prod(inputs[0].shape)
    return Row(inputs, outputs, flops, core="AI_VECTOR_CORE", peak=VECTOR_FLOPS, **more)


KERNELS = {}


def kernel(name):
    def register(rows):
        KERNELS[name] = rows
        return rows

    return register


TOKENS = (1, 8, 16, 32, 64, 128, 256, 512, 1000)  # 1000: so that 1024 pads from a measured row


@kernel("MatMulV2")
def matmul_v2():
    """A grid without its large corner: rows end where the product of M, K and N passes 2^35 (of 2^38)."""
    for k in (512, 1024, 2048, 4096, 8192):
        for n in (512, 1024, 2048, 4096, 8192):
            for m in (1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096):
                if m * k * n <= 2**35:
                    yield matmul(tensor(m, k), tensor(n, k), m, k, n)
    for _ in range(4):  # the same call again, as profilers record it
        yield matmul(tensor(64, 4096), tensor(4096, 4096), 64, 4096, 4096)
    for m in TOKENS:  # with a bias: addmm
        yield matmul(tensor(m, 4096), tensor(1024, 4096), m, 4096, 1024, extra=[tensor(1024)])


@kernel("MatMulV3")
def matmul_v3():
    for k in (1024, 4096):
        for n in (2048, 4096, 6144):
            for m in (1, 16, 64, 128, 256, 1024, 4096):
                yield matmul(tensor(m, k), fractal_nz(k, n), m, k, n)


@kernel("BatchMatMulV2")
def batch_matmul_v2():
    for batch in (8, 32):
        for n in (128, 512, 2048):
            for m in (1, 16, 64, 256, 1024):
                yield matmul(tensor(batch, m, 128), tensor(batch, 128, n), m, 128, n, lead=(batch,))


@kernel("GroupedMatmul")
def grouped_matmul():
    """Tokens sorted by expert against a stack of expert weights; the optional bias is absent."""
    for experts, k, n in ((8, 1024, 2048), (8, 2048, 1024), (16, 1024, 2048)):
        for m in (8, 16, 64, 128, 256, 512, 1024, 2048):
            yield matmul(tensor(m, k), tensor(experts, k, n), m, k, n, extra=[ABSENT])


@kernel("RmsNorm")
def rms_norm():
    for hidden in (1024, 4096):
        for tokens in TOKENS:
            repeats = 5 if (tokens, hidden) == (64, 4096) else 1
            for _ in range(repeats):
                yield norm_row(tokens, hidden)
    yield norm_row(2048, 8192, spoilt={AVERAGE: "0.00"})  # the median is used, as a fallback


def norm_row(tokens, hidden, **more):
    outputs = [tensor(tokens, hidden), tensor(tokens, 1, dtype="FLOAT")]
    return vector([tensor(tokens, hidden), tensor(hidden)], outputs, 4, **more)


@kernel("LayerNormV3")
def layer_norm_v3():
    for hidden in (1024, 4096):
        for tokens in TOKENS:
            statistics = tensor(tokens, 1, dtype="FLOAT")
            inputs = [tensor(tokens, hidden), tensor(hidden), tensor(hidden)]
            yield vector(inputs, [inputs[0], statistics, statistics], 6)


@kernel("ConcatD")
def concat_d():
    """Joined along the first dimension: a growing part and one of fixed length."""
    for width in (576, 4096):
        for rows in (1, 16, 64, 256, 1024, 4096):
            yield vector([tensor(rows, width), tensor(64, width)], [tensor(rows + 64, width)])
    # One cell short: the importer cannot tell which, and rejects the row.
    yield vector([tensor(8192, 576), tensor(64, 576)], [tensor(8256, 576)], spoilt={"Output Formats": None})


@kernel("GatherV2")
def gather_v2():
    for vocabulary, hidden in ((32000, 4096), (64000, 1024)):
        for tokens in (1, 8, 16, 64, 128, 256, 512, 1024):
            indices = tensor(tokens, dtype="INT64")
            axis = tensor(1, dtype="INT64")
            yield gather_row([tensor(vocabulary, hidden), indices, axis], tensor(tokens, hidden))


@kernel("GatherV3")
def gather_v3():
    """Takes over from GatherV2 for long prompts."""
    for vocabulary, hidden in ((32000, 4096), (64000, 1024)):
        for tokens in (2048, 4096, 8192):
            indices = tensor(tokens, dtype="INT64")
            yield gather_row([tensor(vocabulary, hidden), indices], tensor(tokens, hidden))


def gather_row(inputs, output):
    return vector(inputs, [output], 0, moved_bytes=2 * output.bytes + inputs[1].bytes)  # not the whole table


@kernel("Cast")
def cast():
    for width in (64, 2048):
        for tokens in TOKENS:
            yield vector([tensor(tokens, width)], [tensor(tokens, width, dtype="FLOAT")])
    # No average was recorded: the median is used. Then a row whose shapes were not recorded.
    yield vector([tensor(4096, 2048)], [tensor(4096, 2048, dtype="FLOAT")], spoilt={AVERAGE: "N/A"})
    yield vector([tensor(8192, 2048)], [tensor(8192, 2048, dtype="FLOAT")], spoilt={"Input Shapes": "N/A"})


@kernel("TensorMove")
def tensor_move():
    for tokens in TOKENS:
        yield vector([tensor(tokens, 4096)], [tensor(tokens, 4096)])


@kernel("SwiGlu")
def swiglu():
    """Gate and up projection stand side by side in the one input."""
    for width in (2048, 6144):
        for tokens in TOKENS:
            yield vector([tensor(tokens, width)], [tensor(tokens, width // 2)], 6)


@kernel("SoftmaxV2")
def softmax_v2():
    for experts in (64, 256):
        for tokens in TOKENS:
            scores = tensor(tokens, experts, dtype="FLOAT")
            yield vector([scores], [scores], 5)
    # Nothing usable in any latency column: kept as evidence, never a candidate.
    scores = tensor(2048, 64, dtype="FLOAT")
    yield vector([scores], [scores], 5, spoilt={AVERAGE: "0.00", MEDIAN: "0.00"})


def unit_hash(*parts):
    """A number in [0, 1) that depends on the parts alone."""
    digest = hashlib.sha256("|".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def list_cells(direction, tensors):
    return {
        f"{direction} Shapes": ";".join(",".join(map(str, t.shape)) for t in tensors),
        f"{direction} Data Types": ";".join(t.dtype for t in tensors),
        f"{direction} Formats": ";".join(t.format for t in tensors),
    }


def table(name, rows):
    """Yields each row as its cells, in column order, and what is to be spoilt of them."""
    seen = Counter()
    for row in rows:
        cells = {"OP State": "dynamic", "Accelerator Core": row.core}
        cells |= list_cells("Input", row.inputs) | list_cells("Output", row.outputs)
        signature = (name, *cells.values())
        noise = NOISE * (2 * unit_hash(*signature, seen[signature]) - 1)
        average = row.latency_us() * (1 + noise)
        # Averages of real runs lie a little above the median.
        median = average * (1 - 0.25 * NOISE * unit_hash(*signature, seen[signature], "median"))
        seen[signature] += 1
        cells |= {AVERAGE: f"{average:.2f}", MEDIAN: f"{median:.2f}", "Data Origin": ORIGIN}
        yield cells, row.spoilt


def write_kernel(path, name, rows):
    count = 0
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        for cells, spoilt in table(name, rows):
            if count == 0:
                writer.writerow(cells)
            writer.writerow(cell for cell in (cells | spoilt).values() if cell is not None)
            count += 1
    return count


def main():
    parser = argparse.ArgumentParser(
        description="Write a small release of synthetic (made-up, not measured) profiling data.",
        epilog="Example: python3 examples/generate_release.py sample-release",
    )
    parser.add_argument("out_dir", metavar="OUT_DIR", type=Path, help="folder to write; made if need be")
    out_dir = parser.parse_args().out_dir

    # Whatever else lies there would be imported along with the release.
    foreign = sorted(p.name for p in out_dir.glob("*.csv") if p.stem not in KERNELS)
    if foreign:
        sys.exit(f"{out_dir} holds other CSV files ({', '.join(foreign)}); name an empty folder")

    out_dir.mkdir(parents=True, exist_ok=True)
    count = sum(write_kernel(out_dir / f"{name}.csv", name, rows()) for name, rows in KERNELS.items())
    shutil.copyfile(MAPPING, out_dir / "op_mapping.yaml")
    print(f"{out_dir}: {count} rows of {len(KERNELS)} kernels, all synthetic (made up, not measured)")


if __name__ == "__main__":
    main()
