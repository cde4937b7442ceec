"""HTTP alone: programs that post to a sink as fast as they can, and print what that took."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from bench import processes, swift
from bench.bench import Bench
from bench.printed import figures
from bench.problem import Problem
from bench.sink import Taken
from bench.tls.certificates import TLS

PACKAGE, OTHER_PROGRAM = swift.ROOT / "Benchmarks", "AsyncHTTPClientBench"
C_LOOP, BATCHES, PERFORM, OTHER = (
    "C loop over libcurl", "HTTPTransport, batches", "HTTPTransport, `perform`", "AsyncHTTPClient")


@cache
def _built(product: str, package: Path = PACKAGE) -> Path:
    return swift.built(product, package)


@dataclass(frozen=True)
class Loop:
    """`program`: builds it and returns its file. `arguments`: those before the file to trust."""

    name: str
    program: Callable[[], Path]
    arguments: tuple[str, ...] = ()


def c_loop(bench: Bench, *arguments: str) -> Loop:
    return Loop(C_LOOP, lambda: bench.program("curl_loop"), arguments)


def ours(name: str, mode: str) -> Loop:
    return Loop(name, lambda: _built("TransportBench"), (mode,))


def other(*arguments: str) -> Loop:
    return Loop(OTHER, lambda: _built(OTHER_PROGRAM, PACKAGE / OTHER_PROGRAM), arguments)


@dataclass(frozen=True)
class Hub:
    """How the sink of a run behaves; as in `Sink`."""

    latency_ms: int = 0
    tls: TLS | None = None
    close_after: int = 0


@dataclass
class Run:
    """One program against one kind of hub, repeated. `taken`: what the sink counted the last time."""

    bench: Bench
    loop: Loop
    hub: Hub
    requests: int
    in_flight: int
    taken: Taken = field(init=False)

    def __post_init__(self) -> None:
        self.program = self.loop.program()

    def once(self) -> dict[str, float]:
        """Raises Problem unless the sink counted exactly these requests."""
        hub = self.hub
        sink = self.bench.sink(hub.latency_ms, tls=hub.tls, close_after=hub.close_after)
        try:
            trust = [sink.ca] if sink.ca else []
            ran = processes.run(
                [self.program, sink.url, str(self.requests), str(self.in_flight), *self.loop.arguments, *trust])
            said, self.taken = figures(ran.output), sink.stop()
        finally:
            sink.close()
        if said["failed"] or self.taken.requests != self.requests + said["warm_up"] or self.taken.refused:
            raise Problem(
                f"{self.loop.name}: {self.requests} requests were made, and the sink has {self.taken}: {ran.output}")
        sample = {"rate": said["rps"], "cpu_us": said["cpu_us/req"], "sink_us": self.taken.cpu / self.taken.requests * 1e6,
                  "peak_mb": ran.peak / 1e6}
        optional = {"epoll_ctl": said["epoll_ctl"] / self.requests} if "epoll_ctl" in said else {}
        return sample | optional | ({"longest_ms": said["longest_ms"]} if "longest_ms" in said else {})
