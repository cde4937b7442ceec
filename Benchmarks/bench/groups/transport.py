"""HTTP alone: our transport, a bare libcurl loop in C and AsyncHTTPClient, with the same requests and 64 in flight."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench import processes, swift
from bench.bench import Bench
from bench.figures import Spread, median_ratio, ratio_of_medians, shown, spread_shown
from bench.interleave import interleaved
from bench.printed import figures
from bench.problem import Problem
from bench.table import Table

ABOUT = "requests/s and CPU of the transport, against a C loop over libcurl and AsyncHTTPClient"
TABLES = ("transport",)
COLUMNS = ["side", "requests/s", "of the C loop's", "CPU µs a request", "requests per CPU second, of AsyncHTTPClient's",
           "resident, MB", "`epoll_ctl` a request"]
PACKAGE = swift.ROOT / "Benchmarks"
IN_FLIGHT = 64
C_LOOP, OTHER = "C loop over libcurl", "AsyncHTTPClient"


@dataclass(frozen=True)
class Loop:
    name: str
    program: Callable[[], Path]
    arguments: tuple[str, ...] = ()


def loops(bench: Bench) -> list[Loop]:
    def ours() -> Path:
        return swift.built("TransportBench", PACKAGE)
    return [
        Loop(C_LOOP, lambda: bench.program("curl_loop")),
        Loop("HTTPTransport, batches", ours, ("batch",)),
        Loop("HTTPTransport, `perform`", ours, ("perform",)),
        Loop(OTHER, lambda: swift.built("AsyncHTTPClientBench", PACKAGE)),
    ]


def run(bench: Bench) -> list[Table]:
    programs = {loop: loop.program() for loop in loops(bench) if bench.wants(loop.name)}
    requests = bench.size(200_000)
    samples: dict[str, list[dict[str, float]]] = {loop.name: [] for loop in programs}

    def measure(loop: Loop, round: int) -> dict[str, float]:
        return _once(bench, loop, programs[loop], requests)

    for round, loop, sample in interleaved(list(programs), bench.rounds, measure):
        samples[loop.name].append(sample)
        bench.record(table="transport", side=loop.name, round=round, requests=requests, **sample)
    rows = [_row(name, samples) for name in samples]
    notes = [f"Plain HTTP/1.1 to a sink that answers at once, {IN_FLIGHT} in flight, after a warm-up. Ratios are the "
             "median of the rounds' ratios (the ratio of the medians)."]
    return [Table("transport", COLUMNS, rows, notes)] if rows else []


def _once(bench: Bench, loop: Loop, program: Path, requests: int) -> dict[str, float]:
    """Raises Problem unless the sink counted exactly these requests."""
    sink = bench.sink()
    try:
        ran = processes.run([program, sink.url, str(requests), str(IN_FLIGHT), *loop.arguments])
        said, taken = figures(ran.output), sink.stop()
    finally:
        sink.close()
    if said["failed"] or taken.requests != requests + said["warm_up"] or taken.refused:
        raise Problem(f"{loop.name}: {requests} requests were made, and the sink has {taken}: {ran.output}")
    sample = {"rate": said["rps"], "cpu_us": said["cpu_us/req"], "peak_mb": ran.peak / 1e6}
    return sample | ({"epoll_ctl": said["epoll_ctl"] / requests} if "epoll_ctl" in said else {})


def _row(name: str, samples: dict[str, list[dict[str, float]]]) -> list[str]:
    def of(side: str, part: str) -> list[float]:
        return [sample[part] for sample in samples[side]]

    def ratio(part: str, other: str, turned: bool = False) -> str:
        if other not in samples or name == other:
            return "–"
        ours, theirs = of(name, part), of(other, part)
        if turned:
            ours, theirs = theirs, ours
        return f"{shown(median_ratio(ours, theirs))} ({shown(ratio_of_medians(ours, theirs))})"

    changes = shown(Spread.of(of(name, "epoll_ctl")).median) if "epoll_ctl" in samples[name][0] else "–"
    cpu, peak = (shown(Spread.of(of(name, part)).median) for part in ("cpu_us", "peak_mb"))
    return [name, spread_shown(Spread.of(of(name, "rate"))), ratio("rate", C_LOOP), cpu, ratio("cpu_us", OTHER, turned=True),
            peak, changes]
