"""What the transport needs for 512 requests in flight."""
from __future__ import annotations

from functools import partial

from bench.bench import Bench
from bench.http2.servers import H2Sink
from bench.http2.sides import OURS, Program, Sample
from bench.loops import ours
from bench.problem import Problem
from bench.table import Table
from bench.tls.samples import Samples

NAME = "transport-http2-memory"
COLUMNS = ["side", "connections", "resident, MB", "above idle, MB"]
IN_FLIGHT, REQUESTS, LATENCY_MS = 512, 20_000, 50
IDLE = f"{OURS}, idle"
# Each with its mode, its connections and the streams that the server allows on one of them.
SIDES = {
    IDLE: ("http2", 0, 1_000), f"{OURS}, {IN_FLIGHT} streams of one connection": ("http2", 1, 1_000),
    f"{OURS}, {IN_FLIGHT} streams of six connections": ("http2-six", 6, 100)}
ABOUT = (f"{IN_FLIGHT} in flight and as many that wait, TLS 1.3, to `c/h2_sink.c`, which answers after {LATENCY_MS} ms and has "
         "seen that number of streams open at a time. *idle*: the same program without a request. The difference is the median of the "
         "rounds' differences.")


def run(bench: Bench) -> Table | None:
    chosen = [name for name in SIDES if bench.wants(name)]
    if not chosen:
        return None
    samples = Samples.of_rounds(bench, NAME, {name: partial(_once, bench, *SIDES[name]) for name in chosen})
    rows = [[name, samples.count(name, "server_connections"), samples.spread(name, "peak_mb"),
             samples.difference(name, IDLE, "peak_mb", 1)] for name in chosen]
    return Table(NAME, COLUMNS, rows, [ABOUT])


def _once(bench: Bench, mode: str, connections: int, streams: int) -> Sample:
    # Not fewer in a quick run: with few requests the window would not be full.
    requests = REQUESTS if connections else 0
    options = ["--latency-ms", str(LATENCY_MS), "--streams", str(streams)]
    server = H2Sink(bench.program("h2_sink"), bench.certificates.tls(), *options)
    try:
        program = Program(ours(OURS, mode))
        sample, taken = program.post(server.endpoint, server.ca, requests, IN_FLIGHT), server.stop()
    finally:
        server.close()
    if taken.answered != requests + sample["warm_up"] or taken.connections != connections:
        raise Problem(f"{requests} requests were made over {connections} connections, and the server has {taken}")
    if connections and taken.most_streams != IN_FLIGHT:
        raise Problem(f"only {taken.most_streams} of {IN_FLIGHT} streams were open at a time")
    return sample | {"server_connections": taken.connections}
