"""What a group of benchmarks gets: the options, and the parts it may use, each made on first use."""
from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from bench import compiled, environment, machine, swift
from bench.cluster import Cluster
from bench.sink import Sink
from bench.tls.certificates import TLS, Certificates


@dataclass
class Bench:
    """`quick`: a twentieth of the messages, to see that everything works. `sides`: only these; empty: all. `older`: a build of
    fanfare from before a change, to compare with."""

    rounds: int = 5
    quick: bool = False
    sides: frozenset[str] = frozenset()
    with_strace: bool = True
    given_fanfare: Path | None = None
    given_emulator: Path | None = None
    older: Path | None = None
    raw: list[dict[str, Any]] = field(default_factory=list)

    def size(self, messages: int) -> int:
        """How many to take in this run of a full run's number; above 1,000 a multiple of 1,000."""
        return min(messages, max(1000, messages // 20 // 1000 * 1000)) if self.quick else messages

    def wants(self, side: str) -> bool:
        return not self.sides or side in self.sides

    @cached_property
    def cluster(self) -> Cluster:
        self.say("starting a private PostgreSQL")
        return Cluster()

    @cached_property
    def folder(self) -> Path:
        """For files that are removed after the run."""
        self._folder = tempfile.TemporaryDirectory(prefix="fanfare-bench-files-")
        return Path(self._folder.name)

    @cached_property
    def fanfare(self) -> Path:
        """The product, built for release unless an option names a build."""
        return self.given_fanfare or swift.built("fanfare")

    @cached_property
    def emulator(self) -> Path:
        """The emulator, built for release unless an option names a build."""
        return self.given_emulator or swift.built("fanfare-emulator")

    @cached_property
    def python(self) -> Path:
        """Python with the peers installed."""
        return environment.python()

    @cached_property
    def certificates(self) -> Certificates:
        return Certificates(self.folder)

    def program(self, name: str) -> Path:
        """A program of Benchmarks/c, compiled."""
        return compiled.program(name)

    def sink(
        self, latency_ms: int = 0, tell_at: int = 0, stamps: Path | None = None, tell_puts: int = 0,
        tls: TLS | None = None, close_after: int = 0, late_tag: str = "",
    ) -> Sink:
        return Sink(self.program("sink"), latency_ms, tell_at, stamps, tell_puts, tls, close_after, late_tag)

    def record(self, **sample: Any) -> None:
        """Keeps one measurement for --json, and shows it."""
        self.raw.append(sample | {"load": machine.load()})
        shown = (f"{value:.4g}" if isinstance(value, float) else str(value) for value in sample.values())
        self.say("  " + ", ".join(f"{name} {value}" for name, value in zip(sample, shown)))

    def say(self, line: str) -> None:
        print(f"bench {time.strftime('%H:%M:%S')} {line}", file=sys.stderr, flush=True)

    def close(self) -> None:
        if "cluster" in self.__dict__:
            self.cluster.close()
        if "folder" in self.__dict__:
            self._folder.cleanup()
