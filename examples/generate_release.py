#!/usr/bin/env python3
"""Writes three small profiling releases of made-up numbers, to try profdb with.

Nothing here was measured. Latencies follow a roofline of a device that does not exist, SYNTHETIC_NPU:
max(flops / peak, bytes / bandwidth) + launch, times (1 + noise). Every run writes the same bytes, and the
noise of a row depends on that row and its release alone, so a kernel can be added without changing the others.
Long: one small function per kernel, side by side.

A new kernel is one function below that yields its rows, with @kernel("ItsName") above it, and an operator in
mappings/SYNTHETIC_NPU/<release>.yaml.
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
MAPPINGS = Path(__file__).resolve().parent.parent / "mappings" / "SYNTHETIC_NPU"

# The made-up device, per microsecond. Later software launches faster.
LAUNCH_US = {"0.13.0": 4.0, "0.15.0": 3.5, "0.18.0": 3.0}
CUBE_FLOPS = 150e6
INT8_FLOPS = 2 * CUBE_FLOPS
VECTOR_FLOPS = 5e6
BANDWIDTH_BYTES = 1e6
LINK_BYTES = {0: 0.2e6, 1: 0.05e6}  # by topology tier: within a node, between nodes
HOP_US = 0.6
NOISE = 0.02

RELEASES = tuple(LAUNCH_US)
# This release keeps its collectives apart, where the mapping's communication_data_ref points.
COLLECTIVES_APART = "0.18.0"

AVERAGE = "Average Duration(us)"
MEDIAN = "Median Duration(us)"
ITEM_BYTES = {"DT_BF16": 2, "DT_FLOAT16": 2, "FLOAT": 4, "INT8": 1, "INT32": 4, "INT64": 8, "DT_UNDEFINED": 0}


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
    columns: dict = field(default_factory=dict)  # what shapes cannot say
    hidden_factor: float = 1.0  # something that decides the latency and stands in no column
    # Cells to spoil, as real files do: another text, or None for a cell that is not there at all.
    spoilt: dict = field(default_factory=dict)

    def busy_us(self):
        moved = self.moved_bytes
        if moved is None:
            moved = sum(tensor.bytes for tensor in self.inputs + self.outputs)
        return max(self.flops / self.peak, moved / BANDWIDTH_BYTES) * self.hidden_factor

    def cells(self):
        slots = list_cells("Input", self.inputs) | list_cells("Output", self.outputs)
        return {"OP State": "dynamic", "Accelerator Core": self.core} | slots | self.columns


@dataclass
class Collective:
    """One measurement of a collective; its file has other columns."""

    message_bytes: int
    num_devices: int
    tier: int | None = None
    spoilt: dict = field(default_factory=dict)

    def busy_us(self):
        return HOP_US * self.num_devices + self.message_bytes / LINK_BYTES[self.tier or 0]

    def cells(self):
        cells = {"message_bytes": self.message_bytes, "num_devices": self.num_devices, "dtype": "DT_BF16"}
        return cells if self.tier is None else cells | {"topology_tier": self.tier}


def list_cells(direction, tensors):
    return {
        f"{direction} Shapes": ";".join(",".join(map(str, t.shape)) for t in tensors),
        f"{direction} Data Types": ";".join(t.dtype for t in tensors),
        f"{direction} Formats": ";".join(t.format for t in tensors),
    }


def tensor(*shape, dtype="DT_BF16"):
    return Tensor(shape, dtype)


def fractal_nz(*shape, dtype="DT_BF16"):
    """A logical [.., rows, columns] matrix as the tiles of 16 times 32 bytes that the device keeps."""
    *lead, rows, columns = shape
    width = 32 // ITEM_BYTES[dtype]
    return Tensor((*lead, rows // width, columns // 16, 16, width), dtype, "FRACTAL_NZ")


def matmul(a, b, m, k, n, *, lead=(), extra=(), **more):
    return Row([a, b, *extra], [tensor(*lead, m, n)], flops=2 * m * k * n * math.prod(lead), **more)


def vector(inputs, outputs, flops_per_element=1, **more):
    """A row of a kernel that runs on the vector cores; memory decides its latency."""
    flops = flops_per_element * math.prod(inputs[0].shape)
    return Row(inputs, outputs, flops, core="AI_VECTOR_CORE", peak=VECTOR_FLOPS, **more)


KERNELS = {release: {} for release in RELEASES}


def kernel(name, *releases):
    """Registers a function as a source of rows for a kernel, in all releases unless some are named."""

    def register(rows):
        for release in releases or RELEASES:
            KERNELS[release].setdefault(name, []).append(rows)
        return rows

    return register


TOKENS = (1, 8, 16, 32, 64, 128, 256, 512, 1000)  # 1000: so that 1024 pads from a measured row
MANY_TOKENS = (2048, 4096, 8192)


# --- matrix multiplications ---


@kernel("MatMulV2", "0.18.0")
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


@kernel("MatMulV2", "0.13.0", "0.15.0")
def matmul_v2_of_one_model():
    """What a single model runs: its weights at several token counts, so M is the only axis with rows."""
    for k, n in ((4096, 1024), (4096, 6144), (3072, 4096)):
        for m in TOKENS:
            yield matmul(tensor(m, k), tensor(n, k), m, k, n)


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


@kernel("QuantBatchMatmulV3")
def quant_batch_matmul_v3():
    """INT8 by INT8 with one scale per output column, which takes no part in a lookup."""
    for k in (1024, 2048, 4096):
        for n in (1024, 2048, 4096):
            for m in (16, 128, 512, 2048):
                a, b = tensor(m, k, dtype="INT8"), fractal_nz(k, n, dtype="INT8")
                yield matmul(a, b, m, k, n, extra=[tensor(n, dtype="INT64")], peak=INT8_FLOPS)


# --- mixture of experts ---


def dispatch_ffn_row(tokens, experts, columns):
    """W8A8: tokens go to their experts' devices, through both multiplications, and back."""
    hidden, inner, topk = 2048, 768, 8
    inputs = [
        tensor(tokens, hidden),
        fractal_nz(experts, hidden, 2 * inner, dtype="INT8"),
        fractal_nz(experts, inner, hidden, dtype="INT8"),
        tensor(tokens, topk, dtype="INT32"),
        tensor(experts * 2 * inner, dtype="INT64"),
        tensor(experts * hidden, dtype="INT64"),
        tensor(tokens, topk, dtype="FLOAT"),
    ]
    flops = 2 * tokens * topk * 3 * hidden * inner
    moved = sum(t.bytes for t in inputs) + 4 * tokens * topk * hidden
    outputs = [tensor(tokens, hidden)]
    return Row(inputs, outputs, flops, "MIX_AIC", INT8_FLOPS, moved_bytes=moved, columns=columns)


@kernel("DispatchFFNCombine", "0.18.0")
def dispatch_ffn_combine():
    for ep_size, experts in ((16, 8), (8, 16)):
        for tokens in (8, 64, 256, 576, 1024):
            yield dispatch_ffn_row(tokens, experts, {"EP Size": ep_size})


@kernel("DispatchFFNCombine", "0.15.0")
def dispatch_ffn_combine_without_ep():
    """No EP Size column: which deployment was measured is not known, and no call is answered."""
    for tokens in (8, 64, 256, 576, 1024):
        yield dispatch_ffn_row(tokens, 8, {})


# --- attention ---


@kernel("FusedInferAttentionScore")
def fused_infer_attention_score():
    """Decode: one token per request. Shapes show the cache's capacity, the Runtime columns what was in use."""
    mask = tensor(2048, 2048, dtype="INT8")
    for heads in (8, 16):
        for batch in (8, 16, 32):
            query, cache = tensor(batch, heads, 128), tensor(2048, 128, 128)
            for length in (512, 1024, 2048, 4096, 8192):
                columns = {
                    "Runtime avg_seq_len": length,
                    "Runtime sparse_mode": 3,
                    "Runtime num_key_value_heads": 1,
                    "Runtime input_layout": "TND",
                    "Runtime batch_size": batch,
                }
                flops = 4 * batch * heads * 128 * length
                read = 4 * batch * length * 128
                inputs = [query, cache, cache, ABSENT, mask]
                yield Row(inputs, [query], flops, "MIX_AIC", moved_bytes=read, columns=columns)


# Of a batch of decodes, and of one long prompt: the same tokens, but other work.
REQUEST_GROUPS = ((16, "decode"), (1, "prefill"))


def request_metadata(batch):
    """Lengths of the queries, lengths of the cached sequences, and the blocks that hold them."""
    lengths = tensor(batch, dtype="INT32")
    return [lengths, lengths, tensor(batch, 512, dtype="INT32")]


@kernel("LightningIndexer", "0.18.0")
def lightning_indexer():
    for batch, _ in REQUEST_GROUPS:
        for tokens in (16, 64, 256):
            for blocks in (256, 1024, 4096):
                query, cache = tensor(tokens, 16, 128), tensor(blocks, 128, 1, 128)
                inputs = [query, cache, tensor(tokens, 16), *request_metadata(batch)]
                indices = tensor(tokens, 1, 2048, dtype="INT32")
                yield Row(
                    inputs,
                    [indices],
                    flops=2 * tokens * 16 * 128 * blocks * 128 / batch,
                    core="MIX_AIC",
                    columns={"API Path": "synthetic.lightning_indexer"},
                )


@kernel("SparseFlashAttention", "0.18.0")
def sparse_flash_attention():
    for batch, phase in REQUEST_GROUPS:
        for tokens in (16, 64, 256):
            query, cache = tensor(tokens, 16, 512), tensor(1024, 128, 1, 512)
            query_lengths, lengths, blocks = request_metadata(batch)
            topk_indices = tensor(tokens, 1, 2048, dtype="INT32")
            inputs = [query, cache, cache, topk_indices, blocks, query_lengths, lengths]
            inputs += [tensor(tokens, 16, 64), tensor(1024, 128, 1, 64)]  # the rotary parts
            yield Row(
                inputs,
                [query],
                flops=4 * tokens * 16 * 576 * 2048,
                core="MIX_AIC",
                moved_bytes=tokens * 2048 * 576 * 2 // (1 if phase == "decode" else 4),  # prompts share rows
                columns={"Runtime phase": phase},
            )


@kernel("ScatterNdUpdate", "0.18.0")
def scatter_nd_update():
    for tokens in (1, 16, 128, 512):
        yield scatter_row(1024, tokens)
    # The same call with latencies far apart: what tells them apart was not recorded, so none can be trusted.
    yield scatter_row(256, 128)
    yield scatter_row(256, 128, hidden_factor=40)


@kernel("ScatterNdUpdateAiCore", "0.18.0")
def scatter_nd_update_ai_core():
    for tokens in MANY_TOKENS:
        yield scatter_row(1024, tokens)


def scatter_row(blocks, tokens, **more):
    cache, update = tensor(blocks, 128, 1, 576), tensor(tokens, 576)
    index = tensor(tokens, 1, dtype="INT32")
    return vector([cache, index, update], [cache], 0, moved_bytes=2 * update.bytes, **more)


# --- normalisation, activation, quantisation ---


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


@kernel("LayerNormV3", "0.18.0")
def layer_norm_v3():
    for hidden in (1024, 4096):
        for tokens in TOKENS:
            yield layer_norm_row(tokens, hidden)


@kernel("LayerNormV3WithImplMode", "0.18.0")
def layer_norm_v3_with_impl_mode():
    for tokens in MANY_TOKENS:
        yield layer_norm_row(tokens, 4096)


def layer_norm_row(tokens, hidden):
    statistics = tensor(tokens, 1, dtype="FLOAT")
    inputs = [tensor(tokens, hidden), tensor(hidden), tensor(hidden)]
    return vector(inputs, [inputs[0], statistics, statistics], 6)


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


@kernel("DynamicQuant")
def dynamic_quant():
    for k in (1024, 2048, 4096):
        for m in (8, 64, 256, 1024):
            yield dynamic_quant_row(m, k)
    for m in (8, 64, 256, 1024):  # asymmetric: the offset is a third output
        yield dynamic_quant_row(m, 2048, parameters=2)


@kernel("DynamicQuant", "0.18.0")
def dynamic_quant_fp16():
    for m in (8, 64, 256, 1024):
        yield dynamic_quant_row(m, 2048, dtype="DT_FLOAT16")


def dynamic_quant_row(m, k, parameters=1, dtype="DT_BF16"):
    per_token = [tensor(m, dtype="FLOAT")] * parameters
    return vector([tensor(m, k, dtype=dtype)], [tensor(m, k, dtype="INT8"), *per_token], 3 + parameters)


# --- elementwise ---


@kernel("Add")
@kernel("Mul")
@kernel("Div", "0.13.0", "0.15.0")
def elementwise():
    for n in (1024, 2048, 4096):
        for m in (16, 64, 256, 1024):
            yield vector([tensor(m, n), tensor(m, n)], [tensor(m, n)])
    for m in (16, 64, 256, 1024):  # one row for all tokens
        yield vector([tensor(m, 4096), tensor(1, 4096)], [tensor(m, 4096)])


@kernel("AddAiCore", "0.15.0", "0.18.0")
@kernel("MulAiCore", "0.15.0", "0.18.0")
@kernel("RealDiv", "0.13.0", "0.15.0")
def elementwise_of_many_tokens():
    for m in MANY_TOKENS:
        yield vector([tensor(m, 4096), tensor(m, 4096)], [tensor(m, 4096)])
    for m in MANY_TOKENS:
        yield vector([tensor(m, 4096), tensor(1, 4096)], [tensor(m, 4096)])


# --- gather, concatenate, cast ---


@kernel("ConcatD", "0.13.0", "0.18.0")
def concat_d():
    """Joined along the first dimension: a growing part and one of fixed length."""
    for width in (576, 4096):
        for rows in (1, 16, 64, 256, 1024, 4096):
            yield vector([tensor(rows, width), tensor(64, width)], [tensor(rows + 64, width)])
    # One cell short: the importer cannot tell which, and rejects the row.
    yield vector([tensor(8192, 576), tensor(64, 576)], [tensor(8256, 576)], spoilt={"Output Formats": None})


VOCABULARIES = ((32000, 4096), (64000, 1024))


@kernel("GatherV2", "0.15.0", "0.18.0")
def gather_v2():
    for vocabulary, hidden in VOCABULARIES:
        for tokens in (1, 8, 16, 64, 128, 256, 512, 1024):
            yield gather_row(vocabulary, hidden, tokens, [tensor(1, dtype="INT64")])  # the axis


@kernel("GatherV2", "0.13.0")
def gather_v2_without_axis():
    """The mapping of this release compares all inputs, so the rows have those of the call."""
    for vocabulary, hidden in VOCABULARIES:
        for tokens in (1, 8, 16, 64, 128, 256, 512, 1024):
            yield gather_row(vocabulary, hidden, tokens)


@kernel("GatherV3")
def gather_v3():
    """Takes over from GatherV2 for long prompts."""
    for vocabulary, hidden in VOCABULARIES:
        for tokens in MANY_TOKENS:
            yield gather_row(vocabulary, hidden, tokens)


@kernel("GatherV2AiCore", "0.15.0", "0.18.0")
def gather_v2_ai_core():
    for tokens in (16384, 32768):
        yield gather_row(32000, 4096, tokens)


def gather_row(vocabulary, hidden, tokens, extra=()):
    table, indices, output = tensor(vocabulary, hidden), tensor(tokens, dtype="INT64"), tensor(tokens, hidden)
    moved = 2 * output.bytes + indices.bytes  # not the whole table
    return vector([table, indices, *extra], [output], 0, moved_bytes=moved)


@kernel("Cast")
def cast():
    for width in (64, 2048):
        for tokens in TOKENS:
            yield cast_row(tokens, width)
    # No average was recorded: the median is used. Then a row whose shapes were not recorded.
    yield cast_row(4096, 2048, spoilt={AVERAGE: "N/A"})
    yield cast_row(8192, 2048, spoilt={"Input Shapes": "N/A"})


@kernel("CastAiCore", "0.15.0", "0.18.0")
def cast_ai_core():
    for tokens in MANY_TOKENS:
        yield cast_row(tokens, 64)


def cast_row(tokens, width, **more):
    return vector([tensor(tokens, width)], [tensor(tokens, width, dtype="FLOAT")], **more)


@kernel("TensorMove")
def tensor_move(many=TOKENS):
    for tokens in many:
        yield vector([tensor(tokens, 4096)], [tensor(tokens, 4096)])


@kernel("TensorMoveAiCore", "0.18.0")
def tensor_move_ai_core():
    return tensor_move(MANY_TOKENS)


# --- collectives ---

MESSAGES = (2**10, 2**14, 2**18, 2**22, 2**26)


@kernel("hcom_allReduce_")
def all_reduce():
    """Within a node and between nodes: a call that does not say which is not answered."""
    for tier in LINK_BYTES:
        for devices in (8, 16):
            for message in MESSAGES:
                yield Collective(message, devices, tier)


@kernel("hcom_allGather_")
@kernel("hcom_reduceScatter_")
@kernel("hcom_alltoallv_")
def collective_of_one_tier():
    for devices in (8, 16):
        for message in MESSAGES:
            yield Collective(message, devices)


# --- writing ---


def unit_hash(*parts):
    """A number in [0, 1) that depends on the parts alone."""
    digest = hashlib.sha256("|".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def table(release, name, rows):
    """Yields each row as its cells, in column order, and what is to be spoilt of them."""
    seen = Counter()
    for row in rows:
        cells = row.cells()
        signature = (release, name, *cells.values())
        noise = NOISE * (2 * unit_hash(*signature, seen[signature]) - 1)
        average = (row.busy_us() + LAUNCH_US[release]) * (1 + noise)
        # Averages of real runs lie a little above the median.
        median = average * (1 - 0.25 * NOISE * unit_hash(*signature, seen[signature], "median"))
        seen[signature] += 1
        cells |= {AVERAGE: f"{average:.2f}", MEDIAN: f"{median:.2f}", "Data Origin": ORIGIN}
        yield cells, row.spoilt


def write_kernel(path, release, name, sources):
    count = 0
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        for cells, spoilt in table(release, name, (row for rows in sources for row in rows())):
            if count == 0:
                writer.writerow(cells)
            writer.writerow(cell for cell in (cells | spoilt).values() if cell is not None)
            count += 1
    return count


def files_of(out_dir, release):
    """Each kernel of a release and its file."""
    apart = release == COLLECTIVES_APART
    for name in KERNELS[release]:
        folder = out_dir / "hccl" / release if apart and name.startswith("hcom_") else out_dir / release
        yield name, folder / f"{name}.csv"


def write_release(out_dir, release):
    files = dict(files_of(out_dir, release))
    folders = {path.parent for path in files.values()}

    # Whatever else lies there would be imported along with the release.
    found = {path for folder in folders for path in folder.glob("*.csv")}
    foreign = sorted(str(path) for path in found - set(files.values()))
    if foreign:
        sys.exit(f"{out_dir} holds other CSV files ({', '.join(foreign)}); name an empty folder")

    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    sources = KERNELS[release]
    count = sum(write_kernel(path, release, name, sources[name]) for name, path in files.items())
    shutil.copyfile(MAPPINGS / f"{release}.yaml", out_dir / release / "op_mapping.yaml")
    print(f"{out_dir / release}: {count} rows of {len(files)} kernels, all synthetic (made up, not measured)")


def main():
    parser = argparse.ArgumentParser(
        description="Write three small releases of synthetic (made-up, not measured) profiling data.",
        epilog="Example: python3 examples/generate_release.py sample-releases",
    )
    parser.add_argument("out_dir", metavar="OUT_DIR", type=Path, help="folder to write; made if need be")
    out_dir = parser.parse_args().out_dir
    for release in RELEASES:
        write_release(out_dir, release)


if __name__ == "__main__":
    main()
