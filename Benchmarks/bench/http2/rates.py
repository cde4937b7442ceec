"""Requests over HTTP/2 to nghttpd: our transport, nghttp2 from C, libcurl's own HTTP/2, AsyncHTTPClient and h2load."""
from __future__ import annotations

from functools import partial

from bench.bench import Bench
from bench.http2 import sides
from bench.http2.servers import STREAMS, Nghttpd
from bench.http2.sides import C_LOOP, LIMIT, OURS, H2Load, Program, Sample
from bench.loops import C_LOOP as LIBCURL, OTHER
from bench.table import Table
from bench.tls.samples import Samples

NAME = "transport-http2"
COLUMNS = ["side", "in flight", "requests/s", "CPU µs a request", "of the C loop's over nghttp2",
           "requests per CPU second, of libcurl's HTTP/2", "of AsyncHTTPClient's", "server, µs", "resident, MB"]
# In flight, and how many requests are made.
LOADS = {1: 20_000, 64: 200_000, 256: 200_000}
ABOUT = (
    f"HTTP/2 with TLS 1.3 over one connection to `nghttpd -n1`, which allows {STREAMS:,} streams, after a warm-up. A push to an "
    "iPhone with 11 header lines and a body of 264 bytes. *h2load* sends one and the same request. Ratios are the median of the "
    "rounds' ratios (the ratio of the medians).")


def named(side: str, in_flight: int) -> str:
    return f"{side}, HTTP/2, {in_flight} in flight"


def run(bench: Bench) -> Table | None:
    makers = {
        C_LOOP: lambda: Program(sides.c_loop(bench)), OURS: lambda: Program(sides.transport()),
        LIBCURL: lambda: Program(sides.libcurl(bench)), OTHER: lambda: Program(sides.async_http_client()),
        LIMIT: lambda: H2Load(bench.folder)}
    chosen = {named(side, in_flight): (side, in_flight)
              for in_flight in LOADS for side in makers if bench.wants(named(side, in_flight))}
    if not chosen:
        return None
    wanted = {side for side, _ in chosen.values()}
    made = {side: make() for side, make in makers.items() if side in wanted}
    samples = Samples.of_rounds(bench, NAME, {
        name: partial(_once, bench, made[side], in_flight) for name, (side, in_flight) in chosen.items()})
    return Table(NAME, COLUMNS, [_row(samples, name, *side) for name, side in chosen.items()], [ABOUT])


def _once(bench: Bench, side: Program | H2Load, in_flight: int) -> Sample:
    requests = bench.size(LOADS[in_flight])
    server = Nghttpd(bench.folder, bench.certificates.tls())
    try:
        sample = side.post(server.endpoint, server.ca, requests, in_flight)
        return sample | {"server_us": server.stop() / (requests + sample.get("warm_up", 0)) * 1e6}
    finally:
        server.close()


def _row(samples: Samples, name: str, side: str, in_flight: int) -> list[str]:
    rivals = [named(rival, in_flight) for rival in (LIBCURL, OTHER)]
    return [side, str(in_flight), samples.spread(name, "rate"), samples.spread(name, "cpu_us"),
            samples.ratio(name, named(C_LOOP, in_flight), "cpu_us"),
            *(samples.ratio(rival, name, "cpu_us") if rival in samples.taken else "–" for rival in rivals),
            samples.median(name, "server_us"), samples.median(name, "peak_mb")]
