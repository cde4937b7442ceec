"""Runs one side of a benchmark and measures its time, CPU and memory."""
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


class Started:
    """A running command. Its output goes to files, so that it never waits for a full pipe."""

    def __init__(
        self, command: Sequence[str | Path], *, environment: Mapping[str, str] | None = None, input: str = ""
    ) -> None:
        self.words = [str(word) for word in command]
        self.out, self.errors = TemporaryFile("w+"), TemporaryFile("w+")
        self.impatient = False
        with TemporaryFile("w+") as given:
            given.write(input)
            given.seek(0)
            self.began = time.monotonic()
            self.process = subprocess.Popen(
                self.words, stdin=given, stdout=self.out, stderr=self.errors, env={**os.environ, **(environment or {})},
                start_new_session=True)
        self.memory = _Memory(self.process.pid)
        self.memory.start()

    @property
    def runs(self) -> bool:
        """Whether it still runs. If not, `ended` says how it ended."""
        state = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        return state != "Z"

    def ended(self, *, timeout: float = 1800, statuses: Sequence[int] = (0,)) -> Ran:
        """Waits for its end. Raises Problem with what it printed when it fails or takes longer than `timeout` from now on."""
        impatience = threading.Timer(timeout, self._lose_patience)
        try:
            impatience.start()
            _, status, usage = os.wait4(self.process.pid, 0)
        except BaseException:
            self.kill()
            raise
        finally:
            impatience.cancel()
            self.memory.over.set()
        wall = time.monotonic() - self.began
        self.process.returncode = os.waitstatus_to_exitcode(status)
        with self.out as out, self.errors as errors:
            out.seek(0)
            errors.seek(0)
            output = out.read()
            if self.process.returncode not in statuses:
                how = f"was stopped after {timeout:.0f} s" if self.impatient else f"ended with {self.process.returncode}"
                raise Problem(f"{' '.join(self.words[:6])} {how}:\n{(output + errors.read())[-3000:]}")
        return Ran(wall, usage.ru_utime + usage.ru_stime, self.memory.peak, usage.ru_nvcsw, output)

    def _lose_patience(self) -> None:
        self.impatient = True
        self.kill()

    def kill(self) -> None:
        """Kills it with all its descendants, unless `ended` already returned."""
        if self.process.returncode is None:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass  # it ended by itself meanwhile

    def close(self) -> None:
        """Ends it, unless it has ended."""
        if self.process.returncode is None:
            self.kill()
            self.process.wait()
            self.memory.over.set()


def run(
    command: Sequence[str | Path], *, environment: Mapping[str, str] | None = None, input: str = "",
    timeout: float = 1800, statuses: Sequence[int] = (0,),
) -> Ran:
    """Runs a command to its end. Raises Problem with what it printed when it fails or takes longer than `timeout`."""
    return Started(command, environment=environment, input=input).ended(timeout=timeout, statuses=statuses)


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
    """CPU seconds of a process and all its descendants, including ended ones. In steps of 10 ms."""
    found = _processes()
    return sum(found[member][1] for member in _family(root, found)) * TICK


def tree(root: int) -> set[int]:
    """A process that runs and all its descendants that do, by their ids."""
    return _family(root, _processes())


def _processes() -> dict[int, tuple[int, int]]:
    """Of each process its parent and its CPU in ticks, with that of its ended children."""
    found = {}
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            fields = Path(entry.path, "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue  # it ended meanwhile: its parent has counted it
        found[int(entry.name)] = (int(fields[1]), sum(map(int, fields[11:15])))
    return found


def _family(root: int, found: dict[int, tuple[int, int]]) -> set[int]:
    family, grown = {root}, True
    while grown:
        more = {child for child, (parent, _) in found.items() if parent in family} - family
        family |= more
        grown = bool(more)
    return family & found.keys()


def resident(process: int) -> int:
    """Bytes that are resident now."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise Problem(f"process {process} has ended")


def waits(process: int) -> int:
    """How often its threads went idle and were woken again, so far. Ended threads do not count."""
    total = 0
    for status in Path(f"/proc/{process}/task").glob("*/status"):
        for line in status.read_text().splitlines():
            if line.startswith("voluntary_ctxt_switches:"):
                total += int(line.split()[1])
    return total
