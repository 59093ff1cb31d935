"""Stored rows as calls: what a framework would have asked to run what was measured.

Reads the CSV files themselves, so that the same calls are drawn whatever a program makes of them. A row that
this simple reader does not understand is left out.
"""

import csv
import re
from pathlib import Path

import yaml

ROWS = 400  # of one kernel, evenly spread over its file
LONGEST_BATCH = 1024  # of a list of lengths in a call

FRAMEWORK_DTYPES = {"DT_BF16": "bfloat16", "FLOAT": "float32", "DT_UNDEFINED": None}


class NoCall(Exception):
    """A row that nothing here can make a call of."""


def framework_dtype(name):
    return FRAMEWORK_DTYPES.get(name, name.removeprefix("DT_").lower())


def logical(shape, format_name):
    """FRACTAL_NZ tiles as the matrix that they hold."""
    if format_name != "FRACTAL_NZ" or len(shape) < 4:
        return shape
    *lead, high, wide, h, w = shape
    return [*lead, high * w, wide * h]


class Row:
    """One row of a file, its tensors as those of a call; None for an empty slot."""

    def __init__(self, cells, renamed):
        self.cells = cells
        for name, alias in renamed.items():
            self.cells[name] = str(alias["constant"] if "constant" in alias else cells.get(alias.get("column"), ""))
        self.inputs = self.tensors("Input")
        self.outputs = [tensor for tensor in self.tensors("Output") if tensor]

    def cell(self, name):
        return self.cells.get(name) or ""

    def whole(self, name):
        try:
            return int(float(self.cell(name)))
        except ValueError as error:
            raise NoCall(name) from error

    def tensors(self, direction):
        lists = [
            self.cell(f"{direction} {what}").strip().strip('"').split(";")
            for what in ("Shapes", "Data Types", "Formats")
        ]
        if lists[0] == [""]:
            return []
        if len({len(entries) for entries in lists}) != 1:
            raise NoCall(direction)
        return [self.tensor(*slot) for slot in zip(*lists)]

    @staticmethod
    def tensor(shape, dtype, format_name):
        shape = shape.strip()
        if shape == "":
            return None
        if shape != "()" and not re.fullmatch(r"\d+(,\d+)*", shape):
            raise NoCall(shape)
        dimensions = [] if shape == "()" else [int(number) for number in shape.split(",")]
        return {"shape": logical(dimensions, format_name), "dtype": framework_dtype(dtype)}


def role(tensor, name):
    if tensor is None:
        raise NoCall(name)
    return {"role": name, **tensor}


def slot(tensors, index):
    if index >= len(tensors) or tensors[index] is None:
        raise NoCall(index)
    return tensors[index]


def attributes(**named):
    return {name: value for name, value in named.items() if value != ""}


def plain(row, op):
    """Calls pass what rows hold, in that order; only addmm has the bias first."""
    inputs = list(row.inputs)
    while inputs and inputs[-1] is None:
        inputs.pop()
    if op.startswith("aten.addmm") and len(inputs) == 3:
        inputs = [inputs[2], *inputs[:2]]
    return inputs, {}


def attention(row, op):
    query, key = slot(row.inputs, 0), slot(row.inputs, 1)
    length, batch = row.whole("Runtime avg_seq_len"), row.whole("Runtime batch_size")
    heads = row.whole("Runtime num_key_value_heads") or query["shape"][-2]
    if not 1 <= batch <= LONGEST_BATCH or len(query["shape"]) < 3:
        raise NoCall("batch")
    cache = {**key, "shape": [key["shape"][0], 128, heads, query["shape"][-1]]}
    named = attributes(phase=row.cell("Runtime phase"), quant_mode=row.cell("Runtime quant_mode"))
    tensors = [role(query, "query"), role(cache, "key"), role(cache, "value")]
    return tensors, {"seq_lens": [length] * batch, **named}


def experts(row, op):
    weights = [slot(row.inputs, 1), slot(row.inputs, 2)]
    if any(len(weight["shape"]) != 3 for weight in weights):
        raise NoCall("weights")
    lists = [
        {"role": name, "repeat": weight["shape"][0], "of": {**weight, "shape": weight["shape"][1:]}}
        for name, weight in zip(("gmm1_weight", "gmm2_weight"), weights)
    ]
    return [role(slot(row.inputs, 0), "x"), role(slot(row.inputs, 3), "expert_indices"), *lists], {}


def indexer(row, op):
    named = ("query", "cache", "weights")
    query, cache, weights = (role(slot(row.inputs, i), name) for i, name in enumerate(named))
    metadata = [tensor for tensor in row.inputs[3:] if tensor]
    return [query, weights, cache, *metadata], attributes(
        phase=row.cell("Runtime phase"),
        api_path=row.cell("API Path"),
        query_lens=row.cell("Runtime actual_seq_lengths_values"),
        seq_lens=row.cell("Runtime actual_seq_lengths_kv_values"),
    )


def sparse_attention(row, op):
    query, cache, topk = (
        role(slot(row.inputs, i), name) for i, name in ((0, "query"), (1, "cache"), (3, "topk_indices"))
    )
    sink = {"role": "attn_sink", "shape": [query["shape"][-2]], "dtype": "float32"}
    metadata = [tensor for tensor in row.inputs[4:] if tensor and tensor["dtype"] in ("int32", "int64")]
    roles = ("block_table", "actual_seq_lengths_query", "actual_seq_lengths_kv")
    return [query, cache, sink, topk, *map(role, metadata, roles)], attributes(phase=row.cell("Runtime phase"))


def scatter(row, op):
    named = ("cache", "index", "update")
    cache, index, update = (role(slot(row.inputs, i), name) for i, name in enumerate(named))
    return [update, cache, index], {}


def collective(row, op):
    dtype = framework_dtype(row.cell("dtype") or "DT_BF16")
    devices, size = row.whole("num_devices"), {"float32": 4, "int8": 1}.get(dtype, 2)
    elements = row.whole("message_bytes") // size * (devices if "reduce_scatter" in op else 1)
    tier = row.cell("topology_tier")
    tier = int(tier) if tier.isdigit() else tier
    return [{"shape": [elements], "dtype": dtype}], attributes(num_devices=devices, topology_tier=tier)


BUILDERS = {
    "attention_special": attention,
    "moe_fused": experts,
    "attention_lightning_indexer": indexer,
    "attention_sparse_sharedkv": sparse_attention,
    "scatter_nd_update_mla": scatter,
    "communication": collective,
}


def call_of(row, op, entry):
    kind = "communication" if entry.get("category") == "communication" else entry.get("query_mode")
    inputs, attrs = BUILDERS.get(kind, plain)(row, op)
    call = {"op": op, "inputs": inputs, "outputs": row.outputs}
    return {**call, "attrs": attrs} if attrs else call


def rows_of(path, renamed):
    """Some of a file's rows, evenly spread."""
    with open(path, newline="", encoding="utf-8-sig") as file:
        cells = list(csv.DictReader(file))
    step = max(1, len(cells) / ROWS)
    for i in range(min(len(cells), ROWS)):
        try:
            yield Row(cells[int(i * step)], renamed)
        except (NoCall, TypeError):
            continue


def calls_of(mapping_file, files, aliases):
    """operator -> the calls that its kernels' rows were measured for. `aliases`: stem of a file -> kernel."""
    with open(mapping_file, encoding="utf-8") as file:
        mapping = yaml.safe_load(file)
    rows = {}  # of each kernel
    for path in map(Path, files):
        renamed = mapping.get("column_aliases", {}).get(path.stem, {})
        rows.setdefault(aliases.get(path.stem, path.stem), []).extend(rows_of(path, renamed))
    calls = {}
    for op, entry in mapping["operator_mappings"].items():
        for kernel in [entry.get("kernel_type"), *entry.get("alternate_kernel_types", [])]:
            for row in rows.get(kernel, []):
                try:
                    calls.setdefault(op, []).append(call_of(row, op, entry))
                except NoCall:
                    continue
    return calls
