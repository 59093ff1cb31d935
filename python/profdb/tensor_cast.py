# Long: one adapter, with every form of record that it reads.
"""TensorCast's data source, answered from a profiling database.

    from profdb.tensor_cast import DataSource
    source = DataSource("sample.db", release="DEVICE/FRAMEWORK/VERSION", ep_size=16)
    result = source.lookup(op_invoke_info)          # a call record, or anything that looks like one
    if result is None:
        print(source.last_miss_reason, source.last_miss_details)
    else:
        print(result.latency_us, result.confidence, result.source.name, result.details)

A call record has `func` (an operator object or its name), `args`, and where there are any `kwargs`, `out` (or
`outputs`), `attrs` (a dict of runtime attributes, as in a leaf's `attrs`), `ep_size` and `tp_size` (in place of the
data source's). Records may be dicts, too. A tensor is whatever has a shape and a dtype; its `format`, if it has one
that is text, is the physical layout. torch is not imported.

Calls must be leaf operators: a composite is a miss, `composite_requires_leaf_ops`, and stays the simulator's to split.
"""

import enum
import threading
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple

from profdb import Engine, Error, PreparedLeaf, Result
from profdb._signatures import has_length_values, parameters_of, roles_of

__all__ = ["DataSource", "QueryResult", "QuerySource", "leaf_of", "operator_name"]


class QuerySource(enum.Enum):
    """Where a latency comes from. Equal to members of the same name in a simulator's own QuerySource."""

    MEASURED = "MEASURED"
    INTERPOLATED = "INTERPOLATED"
    COMPATIBLE = "COMPATIBLE"  # measured for a call that the hardware treats alike

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, enum.Enum) and type(other).__name__ == "QuerySource" and other.name == self.name
        )

    def __hash__(self) -> int:
        return hash(self.name)  # as enum.Enum has it


_SOURCES = {source.name: source for source in QuerySource}


class QueryResult:
    """A latency in microseconds and what it rests on. `result` is the whole answer."""

    __slots__ = ("latency_us", "confidence", "source", "result")

    def __init__(self, result: Result):
        self.latency_us: float = result.latency_us
        self.confidence: float = result.confidence
        self.source = _SOURCES[result.source]
        self.result = result

    @property
    def details(self) -> Dict[str, Any]:
        """The evidence under the contract's names, and how the answer was found."""
        answer = self.result
        found = {
            "kernel_type": answer.kernel,
            "interpolation_path": answer.path,
            "method": answer.method,
            "interpolation_dim": answer.dim,
            "axes": answer.axes,
            "match_rule": answer.match_rule,
        }
        return {**{name: value for name, value in found.items() if value}, **answer.details}

    def shape_debug_statistics(self) -> Dict[str, str]:
        """How the call's shapes were matched, as TensorCast's statistics show it."""
        rule = self.result.match_rule or self.result.method
        return {"shape_match_rule": rule} if rule else {}

    def __repr__(self) -> str:
        return f"QueryResult({self.latency_us} us, {self.source.name})"


class _Miss(threading.local):
    """The last miss of each thread."""

    result: Optional[Result] = None


class DataSource:
    """Answers call records from one release of `database`. One data source, many threads.

    `release`, `ep_size`, `tp_size` and the other `options` are those of profdb.Engine. A collective's topology tier,
    where neither the record's attributes nor its keyword arguments carry it, comes from `topology_tier(rank_group)`.
    `max_calls` bounds how many distinct calls are kept prepared. Raises Error as Engine does.
    """

    def __init__(
        self,
        database: Any,
        *,
        release: Any = None,
        ep_size: Optional[int] = None,
        tp_size: Optional[int] = None,
        topology_tier: Optional[Callable[[Sequence[int]], Optional[int]]] = None,
        max_calls: int = 65536,
        **options: Any,
    ):
        self._database = database
        self._options = {"release": release, **options}
        self._deployment = (ep_size, tp_size)
        self._engine = Engine(database, ep_size=ep_size, tp_size=tp_size, **self._options)
        self._engines = {self._deployment: self._engine}
        self._engines_lock = threading.Lock()
        self._topology_tier = topology_tier
        self._max_calls = max_calls
        self._prepared: Dict[Any, PreparedLeaf] = {}
        self._miss = _Miss()

    @property
    def engine(self) -> Engine:
        """The engine for the data source's own EP and TP size."""
        return self._engine

    @property
    def last_miss_reason(self) -> str:
        """Why this thread's last lookup found nothing; "" after one that did."""
        missed = self._miss.result
        return "" if missed is None else missed.reason

    @property
    def last_miss_details(self) -> Dict[str, Any]:
        """The evidence of that miss: kernels tried, the target's axes and regime, the closest regime."""
        missed = self._miss.result
        return {} if missed is None else missed.details

    def lookup(self, call: Any) -> Optional[QueryResult]:
        """The call's latency, or None: then last_miss_reason says why. Raises Error("input") for a call that is none."""
        if type(call) is dict:
            call = _Record(call)
        result = self._engine_for(call).lookup(self.prepare(call))
        if not result.hit:
            self._miss.result = result
            return None
        self._miss.result = None
        return QueryResult(result)

    def store(self, call: Any, result: Any) -> None:
        """Part of TensorCast's interface; a profiling database changes by `profdb import` only."""
        raise NotImplementedError("this data source is read-only")

    def prepare(self, call: Any) -> PreparedLeaf:
        """The call as a prepared leaf, kept by everything that its answer depends on."""
        if type(call) is dict:
            call = _Record(call)
        key = _call_key(call)
        try:
            prepared = self._prepared.get(key)
        except TypeError:  # an operator or dtype that cannot be hashed
            key = repr(key)
            prepared = self._prepared.get(key)
        if prepared is None:
            prepared = PreparedLeaf(leaf_of(call, self._topology_tier))
            if len(self._prepared) >= self._max_calls:
                self._prepared.clear()
            self._prepared[key] = prepared
        return prepared

    def _engine_for(self, call: Any) -> Engine:
        ep_size, tp_size = getattr(call, "ep_size", None), getattr(call, "tp_size", None)
        if type(ep_size) is not int and type(tp_size) is not int:
            return self._engine
        wanted = (
            ep_size if type(ep_size) is int else self._deployment[0],
            tp_size if type(tp_size) is int else self._deployment[1],
        )
        engine = self._engines.get(wanted)
        if engine is None:
            with self._engines_lock:
                engine = self._engines.get(wanted)
                if engine is None:
                    engine = Engine(self._database, ep_size=wanted[0], tp_size=wanted[1], **self._options)
                    self._engines[wanted] = engine
        return engine


class _Record:
    """A dict as a call record."""

    def __init__(self, fields: Mapping[str, Any]):
        self.__dict__.update(fields)


def _error(message: str) -> Error:
    error = Error(message)
    error.kind = "input"
    return error


# ---- what a call consists of ----

_TENSOR, _SEQUENCE, _SCALAR, _OTHER = range(4)
_KINDS: Dict[type, int] = {
    tuple: _SEQUENCE, list: _SEQUENCE, type(None): _SCALAR, bool: _SCALAR, int: _SCALAR, float: _SCALAR, str: _SCALAR
}  # fmt: skip


def _kind(value: Any) -> int:
    kind = _KINDS.get(type(value))
    if kind is None:
        looks_like_a_tensor = hasattr(value, "shape") and hasattr(value, "dtype") and not isinstance(value, type)
        kind = _TENSOR if looks_like_a_tensor else _OTHER
        if looks_like_a_tensor:  # of other types one object may have the attributes and the next may not
            _KINDS[type(value)] = kind
    return kind


def _function(call: Any) -> Any:
    for name in ("func", "function", "op", "name"):
        function = getattr(call, name, None)
        if function is not None:
            return function
    raise _error("call: has no func; give the operator or its name")


def _outputs(call: Any) -> Any:
    try:
        return call.out
    except AttributeError:
        return getattr(call, "outputs", None)


def _attributes(call: Any) -> Mapping[str, Any]:
    attributes = getattr(call, "attrs", None)
    return attributes if type(attributes) is dict or isinstance(attributes, Mapping) else {}


def operator_name(function: Any) -> str:
    """The name under which a mapping knows an operator: "aten.mm.default" for torch.ops.aten.mm.default, its
    `name()` ("aten::mm") and its text alike."""
    name = function
    if not isinstance(function, str):
        name = getattr(function, "name", None)
        if callable(name):
            name = name()
        if not isinstance(name, str):
            text = str(function)
            name = getattr(function, "__name__", text) if text.startswith("<") else text
    name = name[len("torch.ops.") :] if name.startswith("torch.ops.") else name
    if "::" in name:
        namespace, _, rest = name.partition("::")
        name = f"{namespace}.{rest}" if "." in rest else f"{namespace}.{rest}.default"
    return name


# ---- the key under which a call is kept ----


def _key(value: Any) -> Any:
    kind = _kind(value)
    if kind == _TENSOR:
        layout = getattr(value, "format", None)
        return (value.shape, value.dtype, layout if type(layout) is str else None)
    if kind == _SEQUENCE:
        return tuple([_key(item) for item in value])
    return value if kind == _SCALAR else type(value)  # a dtype, a device, a generator: no part of a leaf


def _named_key(values: Mapping[str, Any]) -> Any:
    return tuple([(name, type(value), _attribute_key(value)) for name, value in sorted(values.items())])


def _attribute_key(value: Any) -> Any:
    if isinstance(value, Mapping):
        return _named_key(value)
    if _kind(value) == _SEQUENCE and set(map(type, value)) <= {int}:
        return tuple(value)
    if _kind(value) == _SEQUENCE:
        return tuple([(type(item), _attribute_key(item)) for item in value])  # true is not 1
    return _key(value)


def _call_key(call: Any) -> Any:
    function = _function(call)
    arguments = getattr(call, "args", ())
    keywords = getattr(call, "kwargs", None)
    attributes = _attributes(call)
    return (
        function,
        tuple([_key(argument) for argument in arguments]),
        _named_key(keywords) if keywords else None,
        _key(_outputs(call)),
        _named_key(attributes) if attributes else None,
        _length_values(function, arguments, keywords),
    )


_NAMES: Dict[Any, str] = {}


def _known_name(function: Any) -> str:
    try:
        name = _NAMES.get(function)
    except TypeError:  # not hashable
        return operator_name(function)
    if name is None:
        name = operator_name(function)
        if len(_NAMES) >= 4096:
            _NAMES.clear()
        _NAMES[function] = name
    return name


def _length_values(function: Any, arguments: Sequence[Any], keywords: Optional[Mapping[str, Any]]) -> Any:
    """The contents of the tensors whose values, not only shapes, an answer depends on."""
    name = _known_name(function)
    if not keywords and not has_length_values(name):
        return None
    named = _named(name, arguments, keywords or {})
    return tuple([tuple(_contents(named[length]) or ()) for length in ("seq_lens", "query_lens") if length in named])


def _tensors(arguments: Sequence[Any]) -> Tuple[bool, ...]:
    return tuple([_kind(argument) == _TENSOR for argument in arguments])


def _named(name: str, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Dict[str, Any]:
    """The call's arguments by the names of the operator's parameters, as far as these are known."""
    return {**dict(zip(parameters_of(name, _tensors(arguments)), arguments)), **keywords}


def _contents(value: Any) -> Any:
    """A tensor's numbers as a list; None where it has none (a fake or meta tensor) or they are no whole numbers."""
    if isinstance(value, (list, tuple)):
        numbers = list(value)
    else:
        try:
            numbers = value.tolist()
        except Exception:  # pylint: disable=broad-except; each library has its own way to say that there are none
            return None
    if not isinstance(numbers, list) or set(map(type, numbers)) - {int}:
        return None
    return numbers


# ---- the call as a leaf ----

# What a leaf's attrs may carry and a call may pass by keyword.
_ATTRIBUTES = (
    "phase", "sparse_phase", "topk", "api_path", "quant_mode", "seq_lens", "query_lens", "rank_group", "num_devices",
    "topology_tier", "producer",
)  # fmt: skip


def _tensor(value: Any) -> Dict[str, Any]:
    dtype = value.dtype
    name = dtype.__name__ if isinstance(dtype, type) else str(dtype).rpartition(".")[2]  # "torch.bfloat16" and the like
    leaf: Dict[str, Any] = {"shape": [int(dimension) for dimension in value.shape], "dtype": name}
    layout = getattr(value, "format", None)
    if isinstance(layout, str) and layout:
        leaf["format"] = layout
    return leaf


def _flat_tensors(value: Any) -> list:
    if _kind(value) == _TENSOR:
        return [_tensor(value)]
    if _kind(value) == _SEQUENCE:
        return [tensor for item in value for tensor in _flat_tensors(item)]
    return []


def _holds_scalars(value: Any) -> bool:
    return any(_holds_scalars(item) if _kind(item) == _SEQUENCE else item is not None for item in value)


def _inputs(value: Any, role: Optional[str]) -> list:
    """What one argument adds to the leaf's inputs: one entry, or none for a scalar."""
    if _kind(value) == _TENSOR:
        entry = _tensor(value)
    elif _kind(value) == _SEQUENCE:
        tensors = _flat_tensors(value)
        if not tensors:
            return [] if _holds_scalars(value) else [None]
        entry = {"list": tensors}
    else:
        return [None] if value is None else []
    if role:
        entry["role"] = role
    return [entry]


def _group(value: Any) -> Optional[list]:
    """A list of ranks, or None."""
    numbers = _contents(value)
    return numbers if numbers else None


def _leaf_attributes(call: Any, name: str, topology_tier: Optional[Callable]) -> Dict[str, Any]:
    keywords = getattr(call, "kwargs", None) or {}
    named = _named(name, getattr(call, "args", ()), keywords)
    attributes: Dict[str, Any] = {}
    for attribute in _ATTRIBUTES:
        value = named.get(attribute)
        if attribute in ("seq_lens", "query_lens", "rank_group"):
            value = _group(value)
        if value is not None and _kind(value) != _TENSOR:
            attributes[attribute] = list(value) if isinstance(value, tuple) else value
    attributes.update(_attributes(call))
    if topology_tier is not None and "rank_group" in attributes and "topology_tier" not in attributes:
        attributes["topology_tier"] = topology_tier(attributes["rank_group"])
    return {attribute: value for attribute, value in attributes.items() if value is not None}


def leaf_of(call: Any, topology_tier: Optional[Callable[[Sequence[int]], Optional[int]]] = None) -> Dict[str, Any]:
    """The leaf operator (as for profdb.Engine.lookup) that a call record stands for.

    Tensors become inputs in call order with the roles that the operator's signature gives them, absent optional
    arguments null, lists of tensors lists; scalars are no inputs. Sequence lengths and rank groups become attributes.
    """
    if type(call) is dict:
        call = _Record(call)
    name = operator_name(_function(call))
    arguments = getattr(call, "args", ())
    keywords = getattr(call, "kwargs", None) or {}
    roles = roles_of(name, _tensors(arguments))
    inputs: list = []
    for position, argument in enumerate(arguments):
        inputs += _inputs(argument, roles.get(position))
    for keyword, argument in keywords.items():
        if argument is not None:  # an absent keyword holds no position
            inputs += _inputs(argument, roles.get(keyword))
    leaf: Dict[str, Any] = {"op": name, "inputs": inputs, "outputs": _flat_tensors(_outputs(call))}
    attributes = _leaf_attributes(call, name, topology_tier)
    if attributes:
        leaf["attrs"] = attributes
    return leaf
