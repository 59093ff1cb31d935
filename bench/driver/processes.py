"""Runs commands as processes of their own, and measures time, CPU time and memory of each."""

import os
import subprocess
import sys
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Usage:
    """What a finished process took."""

    wall_s: float
    cpu_s: float  # user and system
    peak_mib: float  # resident


def measure(command, core=None, output=subprocess.DEVNULL):
    """Runs a command to its end, on one core where `core` is given. Failure ends the run."""
    begin = time.monotonic()
    process = subprocess.Popen(
        [str(word) for word in command],
        stdout=output,
        preexec_fn=None if core is None else lambda: os.sched_setaffinity(0, {core}),
    )
    _, status, usage = os.wait4(process.pid, 0)
    wall_s = time.monotonic() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"bench: exit code {process.returncode} of: {' '.join(map(str, command))}")
    return Usage(wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
