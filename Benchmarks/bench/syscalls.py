"""Counts system calls. Under strace a process is many times slower, so never in timed rounds."""
from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.processes import run


def can_count() -> bool:
    """Whether strace is installed and may trace; some containers forbid it."""
    return bool(shutil.which("strace")) and subprocess.run(
        ["strace", "-c", "-f", "-o", "/dev/null", "true"], capture_output=True).returncode == 0


def counted(
    command: Sequence[str | Path], environment: Mapping[str, str], statuses: Sequence[int] = (0,)
) -> dict[str, int]:
    """System calls of a command and all its threads and children, by name."""
    with tempfile.NamedTemporaryFile("r", prefix="fanfare-bench-") as summary:
        run(["strace", "-c", "-f", "-o", summary.name, *command], environment=environment, statuses=statuses)
        return parsed(summary.read())


def parsed(summary: str) -> dict[str, int]:
    """strace's table: `% time, seconds, usecs/call, calls, [errors,] syscall`, between two dashed lines."""
    calls: dict[str, int] = {}
    for line in summary.splitlines():
        words = line.split()
        if len(words) in (5, 6) and words[3].isdigit() and words[-1] != "total":
            calls[words[-1]] = calls.get(words[-1], 0) + int(words[3])
    return calls
