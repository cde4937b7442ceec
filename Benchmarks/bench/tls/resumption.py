"""What a hub costs that closes its connections, and whether the next connection continues a session."""
from __future__ import annotations

from dataclasses import replace

from bench.bench import Bench
from bench.drain import Drain
from bench.loops import Hub, Run, c_loop
from bench.sides.fanfare import Fanfare
from bench.table import Table
from bench.tls.certificates import TLS, named
from bench.tls.product import asyncio
from bench.tls.samples import Measure, Samples, connections

NAME = "tls-resumption"
COLUMNS = ["side", "the hub closes", "messages/s", "of a hub that never does", "CPU µs a message", "connections",
           "handshakes", "resumed"]
CLOSE_AFTER = 100
OWN, ONE = "C loop, a session cache for each handle", "C loop, one session cache"
ABOUT = (f"64 in flight. *closes*: each connection after {CLOSE_AFTER} answers, with `Connection: close` and TLS's own end. "
         "*resumed*: handshakes that continued a session and needed no certificate; the first of each of the 64 connections "
         "has none to continue, unless one of the others has ended. The counts of the loops include their warm-up.")


def run(bench: Bench) -> Table | None:
    secure = [bench.certificates.tls("1.3"), bench.certificates.tls("1.2")]
    sides = [("fanfare", None), *(("fanfare", tls) for tls in secure), (OWN, secure[0]), (ONE, secure[0]), (ONE, secure[1]),
             ("asyncio, asyncpg, aiohttp", secure[0])]
    chosen = [(name, tls) for name, tls in sides if bench.wants(_named(name, tls, 0))]
    if not chosen:
        return None
    samples = Samples.of_rounds(bench, NAME, {
        _named(name, tls, after): _measure(bench, name, tls, after) for name, tls in chosen for after in (0, CLOSE_AFTER)})
    rows = []
    for name, tls in chosen:
        for after in (0, CLOSE_AFTER):
            side = _named(name, tls, after)
            rows.append([
                _named(name, tls, 0), f"after {after}" if after else "never", samples.spread(side, "rate"),
                samples.ratio(side, _named(name, tls, 0)), samples.median(side, "us"),
                *(samples.count(side, part) for part in ("connections", "handshakes", "resumed"))])
    return Table(NAME, COLUMNS, rows, [ABOUT])


def _named(side: str, tls: TLS | None, close_after: int) -> str:
    return named(side, tls) + (f", closed after {close_after}" if close_after else "")


def _measure(bench: Bench, name: str, tls: TLS | None, close_after: int) -> Measure:
    if name in (OWN, ONE):
        loop = replace(c_loop(bench, *(["one-cache"] if name == ONE else [])), name=name)
        run = Run(bench, loop, Hub(tls=tls, close_after=close_after), bench.size(200_000), 64)

        def once() -> dict[str, float]:
            sample = run.once()
            return sample | {"us": sample["cpu_us"]} | connections(run.taken)
        return once
    drain = Drain(bench, Fanfare(bench, 60_000) if name == "fanfare" else asyncio(bench), 0, tls, close_after)

    def round() -> dict[str, float]:
        sample = drain.round()
        return sample | {"us": sample["client_us"]} | connections(drain.taken)
    return round
