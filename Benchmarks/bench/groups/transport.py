"""HTTP alone: our transport, loops in C and AsyncHTTPClient, with the same requests; HTTP/1.1 here, HTTP/2 in bench/http2."""
from __future__ import annotations

from collections.abc import Iterator

from bench.bench import Bench
from bench.figures import Spread, median_ratio, ratio_of_medians, shown, spread_shown
from bench.http2 import endings, memory, rates, single
from bench.interleave import interleaved
from bench.loops import BATCHES, C_LOOP, OTHER, PERFORM, Hub, Run, c_loop, other, ours
from bench.table import Table

ABOUT = "requests/s and CPU of the transport over HTTP/1.1 and HTTP/2, against loops in C, AsyncHTTPClient and h2load"
HTTP2 = (rates, single, memory, endings)
TABLES = ("transport", *(part.NAME for part in HTTP2))
COLUMNS = ["side", "requests/s", "of the C loop's", "CPU µs a request", "requests per CPU second, of AsyncHTTPClient's",
           "resident, MB", "`epoll_ctl` a request"]
IN_FLIGHT = 64


def run(bench: Bench) -> Iterator[Table]:
    for part in (_http1, *(part.run for part in HTTP2)):
        if table := part(bench):
            yield table


def _http1(bench: Bench) -> Table | None:
    requests = bench.size(200_000)
    loops = [c_loop(bench), ours(BATCHES, "batch"), ours(PERFORM, "perform"), other()]
    runs = [Run(bench, loop, Hub(), requests, IN_FLIGHT) for loop in loops if bench.wants(loop.name)]
    samples: dict[str, list[dict[str, float]]] = {run.loop.name: [] for run in runs}
    for round, side, sample in interleaved(runs, bench.rounds, lambda side, _: side.once()):
        samples[side.loop.name].append(sample)
        bench.record(table="transport", side=side.loop.name, round=round, requests=requests, **sample)
    rows = [_row(name, samples) for name in samples]
    notes = [f"Plain HTTP/1.1 to a sink that answers at once, {IN_FLIGHT} in flight, after a warm-up. Ratios are the "
             "median of the rounds' ratios (the ratio of the medians)."]
    return Table("transport", COLUMNS, rows, notes) if rows else None


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
