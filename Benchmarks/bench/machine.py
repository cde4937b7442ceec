"""The machine of a measurement: figures can only be compared together with it."""
from __future__ import annotations

import datetime
import os
import platform
import statistics
import tempfile
import time
from pathlib import Path


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()


def filesystem(folder: Path) -> str:
    """The type of the file system that a folder lies on: ext4, tmpfs."""
    best, kind = -1, "unknown"
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        point = before.split()[4]
        inside = folder.resolve().is_relative_to(point)
        if inside and len(point) >= best:
            best, kind = len(point), after.split()[0]
    return kind


def sync_microseconds(folder: Path) -> float:
    """How long one block takes to reach the disk, which a commit waits for. Next to nothing on a disk that does not sync."""
    times = []
    with tempfile.TemporaryFile(dir=folder) as file:
        for _ in range(100):
            os.pwrite(file.fileno(), bytes(8192), 0)
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - began)
    return statistics.median(times) * 1e6


def load() -> float:
    """How many processes wanted a core, averaged over the last minute."""
    return os.getloadavg()[0]


def facts(folder: Path) -> dict[str, str | float | int]:
    """The caller that started a server fills in `postgresql`."""
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "cores": len(os.sched_getaffinity(0)),
        "processor": processor(),
        "kernel": platform.release(),
        "postgresql": "",
        "filesystem": filesystem(folder),
        "fdatasync_us": round(sync_microseconds(folder)),
    }


def sentence(facts: dict[str, str | float | int], rounds: int, loads: tuple[float, float], command: str) -> str:
    """The line under every table."""
    server = f", PostgreSQL {facts['postgresql']}" if facts["postgresql"] else ""
    times = f"{rounds} rounds, median (least to most)" if rounds > 1 else "one round"
    return (
        f"Measured {facts['date']}: {facts['cores']} cores ({facts['processor']}), Linux {facts['kernel']}{server}, "
        f"{facts['filesystem']} with an `fdatasync` of {facts['fdatasync_us']} µs; load {loads[0]:.1f} before and "
        f"{loads[1]:.1f} after; {times}. `{command}`"
    )
