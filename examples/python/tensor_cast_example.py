"""Swaps a simulator's CSV reader for a profiling database: the constructor changes, the loop does not.

    python3 tensor_cast_example.py sample.db

The classes stand in for a simulator's tensors and call records; any object with these attributes will do.
"""

import sys
from dataclasses import dataclass, field
from typing import Any, Dict, Tuple

from profdb.tensor_cast import DataSource


@dataclass(frozen=True)
class FakeTensor:
    shape: Tuple[int, ...]
    dtype: str = "torch.bfloat16"


@dataclass
class OpInvokeInfo:
    func: Any
    args: Tuple[Any, ...]
    out: Any = None
    kwargs: Dict[str, Any] = field(default_factory=dict)


def trace():
    """A few calls of one layer."""
    x = FakeTensor((100, 4096))
    yield OpInvokeInfo("tensor_cast.rms_norm.default", (x, FakeTensor((4096,))), out=x)
    yield OpInvokeInfo("aten.mm.default", (x, FakeTensor((4096, 1024))), out=FakeTensor((100, 1024)))
    yield OpInvokeInfo("aten.add.Tensor", (x, FakeTensor((1, 4096))), out=x)
    ranks = list(range(16))
    yield OpInvokeInfo("tensor_cast.all_reduce.default", (FakeTensor((512, 4096)), 0, ranks), out=FakeTensor((512, 4096)))
    yield OpInvokeInfo("aten.convolution.default", (FakeTensor((1, 3, 224, 224)), FakeTensor((64, 3, 16, 16))))


def main(database: str) -> None:
    data_source = DataSource(  # before: ProfilingDataSource(data_dir, ...)
        database, release="SYNTHETIC_NPU/synthetic/0.18.0", ep_size=16, topology_tier=lambda ranks: 0
    )
    for call in trace():
        result = data_source.lookup(call)
        if result is None:
            print(f"{call.func:32} miss: {data_source.last_miss_reason}")
        else:
            method = result.details.get("method", result.details.get("match_rule"))
            print(f"{call.func:32} {result.latency_us:8.3f} us  {result.source.name}, {method}")
    print(f"SYNTHETIC data: {data_source.engine.release.synthetic}")


if __name__ == "__main__":
    main(sys.argv[1])
