"""HTTP alone, plain and over TLS."""
from __future__ import annotations

from bench.bench import Bench
from bench.loops import BATCHES, C_LOOP, Hub, Loop, Run, c_loop, other, ours
from bench.table import Table
from bench.tls.certificates import named
from bench.tls.samples import Samples

NAME = "tls-transport"
COLUMNS = ["side", "requests/s", "of plain", "of the C loop's", "CPU µs a request", "sink", "resident, MB"]
IN_FLIGHT = 64
ABOUT = (f"HTTP/1.1 to a sink that answers at once, {IN_FLIGHT} in flight, after a warm-up. Ratios are the median of the "
         "rounds' ratios (the ratio of the medians).")


def run(bench: Bench) -> Table | None:
    loops: list[Loop] = [c_loop(bench), ours(BATCHES, "batch"), other()]
    sides = [(loop, tls) for loop in loops for tls in (None, bench.certificates.tls())]
    chosen = {named(loop.name, tls): (loop, tls) for loop, tls in sides if bench.wants(named(loop.name, tls))}
    if not chosen:
        return None
    requests = bench.size(200_000)
    samples = Samples.of_rounds(bench, NAME, {
        name: Run(bench, loop, Hub(tls=tls), requests, IN_FLIGHT).once for name, (loop, tls) in chosen.items()})
    rows = [[name, samples.spread(name, "rate"), samples.ratio(name, named(loop.name, None)),
             samples.ratio(name, named(C_LOOP, tls)),
             *(samples.median(name, part) for part in ("cpu_us", "sink_us", "peak_mb"))]
            for name, (loop, tls) in chosen.items()]
    return Table(NAME, COLUMNS, rows, [ABOUT])
