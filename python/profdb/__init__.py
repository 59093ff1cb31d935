"""How long does this operator call take on that device and software release, and how do we know?

    import profdb
    engine = profdb.Engine("sample.db", ep_size=16)
    result = engine.lookup({"op": "aten.mm.default", "inputs": [
        {"shape": [100, 4096], "dtype": "bfloat16"}, {"shape": [4096, 1024], "dtype": "bfloat16"}]})
    print(result.source, result.latency_us)

A miss is a Result with a reason, never an exception; `Error` is for what is no answer. Calls that repeat are
prepared once: `leaf = profdb.PreparedLeaf({...}); engine.lookup(leaf)`.
"""

from profdb._native import (
    CacheStats,
    Engine,
    EngineStats,
    Error,
    LogStats,
    PreparedLeaf,
    ReleaseInfo,
    Result,
    WarmReport,
    list_releases,
    version,
)

__version__ = version()

__all__ = [
    "CacheStats",
    "Engine",
    "EngineStats",
    "Error",
    "LogStats",
    "PreparedLeaf",
    "ReleaseInfo",
    "Result",
    "WarmReport",
    "list_releases",
    "version",
]

for _public in (CacheStats, Engine, EngineStats, LogStats, PreparedLeaf, ReleaseInfo, Result, WarmReport):
    _public.__module__ = __name__
del _public
