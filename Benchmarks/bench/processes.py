"""Runs the side of a benchmark, and says what it cost: time, CPU, memory."""
from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

from bench.problem import Problem

TICK = 1 / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Ran:
    """`cpu`: seconds, user and system, with all it started. `peak`: most bytes resident at a time, of itself alone.
    `waits`: how often one of its threads had nothing to do and was woken again (voluntary context switches)."""

    wall: float
    cpu: float
    peak: int
    waits: int
    output: str


def run(
    command: Sequence[str | Path], *, environment: Mapping[str, str] | None = None, input: str = "",
    timeout: float = 1800, statuses: Sequence[int] = (0,),
) -> Ran:
    """Runs a command to its end. Raises Problem with what it printed when it fails or takes longer than `timeout`."""
    words = [str(word) for word in command]
    # Files: nobody has to read along, and nothing waits for a pipe that is full.
    with TemporaryFile("w+") as given, TemporaryFile("w+") as out, TemporaryFile("w+") as errors:
        given.write(input)
        given.seek(0)
        began = time.monotonic()
        process = subprocess.Popen(
            words, stdin=given, stdout=out, stderr=errors, env={**os.environ, **(environment or {})},
            start_new_session=True)
        memory, impatience = _Memory(process.pid), threading.Timer(timeout, lambda: _end(process.pid))
        try:
            memory.start()
            impatience.start()
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            _end(process.pid)
            raise
        finally:
            impatience.cancel()
            memory.over.set()
        wall = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        errors.seek(0)
        output = out.read()
        if process.returncode not in statuses:
            how = f"was stopped after {timeout:.0f} s" if wall >= timeout else f"ended with {process.returncode}"
            raise Problem(f"{' '.join(words[:6])} {how}:\n{(output + errors.read())[-3000:]}")
    return Ran(wall, usage.ru_utime + usage.ru_stime, memory.peak, usage.ru_nvcsw, output)


def _end(process: int) -> None:
    try:
        os.killpg(process, signal.SIGKILL)
    except ProcessLookupError:
        pass


class _Memory(threading.Thread):
    """Looks at a process's high-water mark until it ends. (That of `wait4` is no lower than our own at the start.)"""

    def __init__(self, process: int) -> None:
        super().__init__(daemon=True)
        self.status = Path(f"/proc/{process}/status")
        self.peak = 0
        self.over = threading.Event()

    def run(self) -> None:
        while True:
            try:
                for line in self.status.read_text().splitlines():
                    if line.startswith("VmHWM:"):
                        self.peak = max(self.peak, int(line.split()[1]) * 1024)
            except OSError:
                return
            if self.over.wait(0.05):
                return


def tree_cpu(root: int) -> float:
    """CPU seconds that a process, what it started, and what of that has ended, have used. In steps of 10 ms."""
    total, parents = 0, {}
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            fields = Path(entry.path, "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue  # it ended meanwhile: its parent has counted it
        parents[int(entry.name)] = (int(fields[1]), sum(map(int, fields[11:15])))
    family, grown = {root}, True
    while grown:
        more = {child for child, (parent, _) in parents.items() if parent in family} - family
        family |= more
        grown = bool(more)
    for member in family & parents.keys():
        total += parents[member][1]
    return total * TICK
