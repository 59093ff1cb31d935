"""Calls changed a little, so that answers come from between, beside and beyond what was measured.

A mutation takes a call, which it may change, a random.Random and the Pool of the source, and returns the changed
call, or None where it does not apply.
"""

from bisect import bisect_left
from collections import defaultdict

UNKNOWN_OP = "answers.unknown.default"
DTYPES = ("bfloat16", "float16", "float32", "int8", "int32", "int64", "float8_e4m3fn", "int4", "bool", "nothing")
FORMATS = ("ND", "FRACTAL_NZ", "NCHW")
ROLES = ("x", "query", "key", "cache", "weights", "update", "index", "topk_indices", "block_table", "mine")
LARGEST = 1 << 53
LONGEST_LIST = 1024


def tensors_of(call):
    """Every tensor of a call, in order, those of lists included."""
    for argument in call["inputs"]:
        if argument is None:
            continue
        if "list" in argument:
            yield from argument["list"]
        else:
            yield argument.get("of", argument)
    yield from call.get("outputs", [])


def op_of(call):
    """What a call asks for: an operator, or a kernel where it names none."""
    return call.get("op", call.get("kernel", ""))


def with_shape(argument):
    return argument is not None and "shape" in argument


class Pool:
    """What the calls of one source are made of, by operator where that matters."""

    def __init__(self, calls):
        self.dimensions = defaultdict(set)
        self.attributes = defaultdict(set)  # name -> values, as they are written
        self.lengths = defaultdict(set)  # sequence lengths, by operator
        self.ops = sorted({call["op"] for call in calls if "op" in call})
        for call in calls:
            for tensor in tensors_of(call):
                self.dimensions[op_of(call)].update(tensor["shape"])
            for name, value in call.get("attrs", {}).items():
                if name == "seq_lens" and isinstance(value, list):
                    self.lengths[op_of(call)].update(length for length in value if isinstance(length, int))
                elif isinstance(value, (str, int)):
                    self.attributes[name].add(value)
        self.dimensions = {op: sorted(values) for op, values in self.dimensions.items()}
        self.lengths = {op: sorted(values) for op, values in self.lengths.items()}
        self.attributes = {name: sorted(values, key=str) for name, values in sorted(self.attributes.items())}


def moved(value, known, random):
    """Another value for `value`: one that is known, one between two known ones, or one at their edges."""
    kind = random.random()
    if kind < 0.35 and known:
        return random.choice(known)
    if kind < 0.80 and len(known) > 1:
        # Mostly close to where the value was: far away nothing agrees with the rest of the call.
        at = bisect_left(known, value) if random.random() < 0.7 else random.randrange(len(known))
        at = min(max(at, 1), len(known) - 1)
        low, high = known[at - 1], known[at]
        return low + int((high - low) * random.random())
    if kind < 0.87:
        return max(0, value + random.choice((-1, 1)))
    if kind < 0.93:
        block = random.choice((8, 16, 32, 64))
        return (value + block - 1) // block * block
    return random.choice((0, 1, value // 2, value * 2, (known or [1])[-1] + 1))


def move_dimension(call, random, pool):
    """One size, mostly wherever it occurs: a call's tensors share their sizes."""
    tensors = [tensor for tensor in tensors_of(call) if tensor["shape"]]
    if not tensors:
        return None
    chosen, at = tensors[0], 0  # mostly an axis; most other sizes must be as they were measured
    if random.random() < 0.5:
        chosen = random.choice(tensors)
        at = random.randrange(len(chosen["shape"]))
    old = chosen["shape"][at]
    new = min(moved(old, pool.dimensions.get(op_of(call), []), random), LARGEST)
    if random.random() < 0.12:
        chosen["shape"] = [*chosen["shape"][:at], new, *chosen["shape"][at + 1 :]]
        return call
    for tensor in tensors:
        tensor["shape"] = [new if size == old else size for size in tensor["shape"]]
    for name, value in call.get("attrs", {}).items():
        if isinstance(value, list) and value and len(value) == old and 0 < new <= LONGEST_LIST:
            call["attrs"][name] = (value * (new // old + 1))[:new]
    return call


def move_length(call, random, pool):
    """The sequence lengths of attention."""
    lengths = call.get("attrs", {}).get("seq_lens")
    if not isinstance(lengths, list) or not lengths:
        return None
    new = max(1, moved(int(lengths[0]), pool.lengths.get(op_of(call), []), random))
    call["attrs"]["seq_lens"] = [new] * len(lengths)
    if random.random() < 0.3:  # the mean decides
        call["attrs"]["seq_lens"][0] = new + random.randrange(20)
    return call


def change_dtype(call, random, pool):
    tensors = list(tensors_of(call))
    if not tensors:
        return None
    chosen = random.choice(tensors)
    old, new = chosen["dtype"], random.choice(DTYPES)
    for tensor in tensors if random.random() < 0.5 else [chosen]:
        if tensor["dtype"] == old:
            tensor["dtype"] = new
    return call


def change_format(call, random, pool):
    """States a format, another one, or none."""
    tensors = list(tensors_of(call))
    if not tensors:
        return None
    for tensor in tensors if random.random() < 0.4 else [random.choice(tensors)]:
        tensor.pop("format", None)
        if random.random() < 0.6:
            tensor["format"] = random.choice(FORMATS)
    return call


def change_roles(call, random, pool):
    arguments = [argument for argument in call["inputs"] if argument is not None]
    if not arguments:
        return None
    kind = random.random()
    if kind < 0.4:
        for argument in arguments:
            argument.pop("role", None)
    elif kind < 0.7:
        random.choice(arguments).pop("role", None)
    else:
        random.choice(arguments)["role"] = random.choice(ROLES)
    return call


def absent_argument(call, random, pool):
    if call["inputs"] and random.random() < 0.5:
        call["inputs"][random.randrange(len(call["inputs"]))] = None
    else:
        call["inputs"].insert(random.randrange(len(call["inputs"]) + 1), None)
    return call


def change_list(call, random, pool):
    """A tensor as a list, or a list as its tensors; the meaning may stay, or not."""
    if not call["inputs"]:
        return None
    at = random.randrange(len(call["inputs"]))
    argument = call["inputs"][at]
    if argument is None:
        return None
    role = {"role": argument["role"]} if "role" in argument else {}
    if "shape" in argument:
        tensor = {name: value for name, value in argument.items() if name != "role"}
        count = random.choice((1, 2, 8))
        whole = {"list": [tensor] * count} if random.random() < 0.5 else {"repeat": count, "of": tensor}
        call["inputs"][at] = role | whole
    elif "list" in argument:
        call["inputs"][at : at + 1] = argument["list"]
    elif random.random() < 0.5:
        argument["repeat"] = random.choice((0, 1, argument["repeat"] + 1))
    else:
        call["inputs"][at] = role | {"list": [dict(argument["of"]) for _ in range(argument["repeat"])]}
    return call


def change_attribute(call, random, pool):
    attributes = dict(call.get("attrs", {}))
    if attributes and random.random() < 0.4:
        del attributes[random.choice(sorted(attributes))]
    elif pool.attributes:
        name = random.choice(sorted(pool.attributes))
        attributes[name] = random.choice(pool.attributes[name])
    else:
        attributes["phase"] = random.choice(("decode", "prefill"))
    return {**call, "attrs": attributes}


def change_rank(call, random, pool):
    """A leading 1 more or less, a dimension split in two, the last two swapped."""
    tensors = [tensor for tensor in tensors_of(call) if tensor["shape"]]
    if not tensors:
        return None
    kind = random.random()
    for tensor in tensors if random.random() < 0.6 else [random.choice(tensors)]:
        shape = tensor["shape"]
        if kind < 0.4:
            tensor["shape"] = [1, *shape]
        elif kind < 0.6:
            tensor["shape"] = shape[1:] if shape[0] == 1 else shape
        elif kind < 0.8:
            tensor["shape"] = [shape[0] // 2, 2, *shape[1:]] if shape[0] % 2 == 0 else shape
        elif len(shape) > 1:
            tensor["shape"] = [*shape[:-2], shape[-1], shape[-2]]
    return call


def change_outputs(call, random, pool):
    outputs = list(call.get("outputs", []))
    if outputs and random.random() < 0.6:
        outputs.pop(random.randrange(len(outputs)))
    elif with_shape(next(iter(call["inputs"]), None)):
        first = call["inputs"][0]
        outputs.append({"shape": first["shape"], "dtype": first["dtype"]})
    return {**call, "outputs": outputs}


def change_inputs(call, random, pool):
    """One less, one twice, or two swapped."""
    inputs = call["inputs"]
    if not inputs:
        return None
    kind, at = random.random(), random.randrange(len(inputs))
    if kind < 0.4:
        del inputs[at]
    elif kind < 0.7:
        inputs.append(inputs[at])
    else:
        inputs[0], inputs[at] = inputs[at], inputs[0]
    return call


def change_op(call, random, pool):
    return {**call, "op": UNKNOWN_OP if random.random() < 0.2 else random.choice(pool.ops)}


def add_prior(call, random, pool):
    return {**call, "prior": {"latency_us": round(random.uniform(0, 100), 3)}}


# How often each is drawn, of all.
MUTATIONS = {
    move_dimension: 75,
    move_length: 20,
    change_dtype: 4,
    change_format: 4,
    change_roles: 3,
    absent_argument: 2,
    change_list: 2,
    change_attribute: 3,
    change_rank: 4,
    change_outputs: 2,
    change_inputs: 2,
    change_op: 2,
    add_prior: 4,
}


def mutate(call, random, pool):
    """The call after one mutation that applies to it, and mostly one or two more."""
    names, weights = list(MUTATIONS), list(MUTATIONS.values())
    for mutation in random.choices(names, weights, k=random.choice((1, 1, 1, 2, 3))):
        call = mutation(call, random, pool) or call
    return call
