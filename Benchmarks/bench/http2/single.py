"""One request at a time: HTTP/2 beside HTTP/1.1, both with TLS, each to a server in C with one thread and an epoll set."""
from __future__ import annotations

from functools import partial

from bench.bench import Bench
from bench.http2 import sides
from bench.http2.servers import H2Sink
from bench.http2.sides import Program, Sample
from bench.loops import C_LOOP, Loop
from bench.problem import Problem
from bench.table import Table
from bench.tls.samples import Samples

NAME = "transport-http2-single"
COLUMNS = ["side", "requests/s", "of HTTP/1.1", "CPU µs a request", "server, µs", "resident, MB"]
REQUESTS = 20_000
ABOUT = (
    "One request in flight, TLS 1.3, after a warm-up: the same push to an iPhone to `c/sink.c` over HTTP/1.1, and to "
    "`c/h2_sink.c` over HTTP/2. *of HTTP/1.1*: of the side above. Ratios are the median of the rounds' ratios (the ratio of the "
    "medians).")


def run(bench: Bench) -> Table | None:
    pairs = [
        (Loop(C_LOOP, lambda: bench.program("curl_loop"), ("apple-http1",)), sides.c_loop(bench)),
        (sides.transport("http1"), sides.transport())]
    every = {named(loop, version): (loop, version) for pair in pairs for version, loop in zip((1, 2), pair)}
    chosen = {name: which for name, which in every.items() if bench.wants(name)}
    if not chosen:
        return None
    samples = Samples.of_rounds(bench, NAME, {
        name: partial(_once, bench, Program(loop), version) for name, (loop, version) in chosen.items()})
    above = {named(second, 2): named(first, 1) for first, second in pairs}
    rows = [[name, samples.spread(name, "rate"), samples.ratio(name, above.get(name, name)),
             *(samples.median(name, part) for part in ("cpu_us", "server_us", "peak_mb"))] for name in chosen]
    return Table(NAME, COLUMNS, rows, [ABOUT])


def named(loop: Loop, version: int) -> str:
    return f"{loop.name}, {'HTTP/2' if version == 2 else 'HTTP/1.1'}, one in flight"


def _once(bench: Bench, program: Program, version: int) -> Sample:
    requests, tls = bench.size(REQUESTS), bench.certificates.tls()
    server = H2Sink(bench.program("h2_sink"), tls) if version == 2 else bench.sink(tls=tls)
    try:
        sample, taken = program.post(server.endpoint, tls.ca, requests, 1), server.stop()
    finally:
        server.close()
    if taken.requests != requests + sample["warm_up"] or taken.refused:
        raise Problem(f"{program.loop.name}: {requests} requests were made, and the server has {taken}")
    return sample | {"server_us": taken.cpu / taken.requests * 1e6}
