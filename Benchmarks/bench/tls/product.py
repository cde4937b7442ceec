"""The whole product and a peer, plain and over TLS."""
from __future__ import annotations

from bench.bench import Bench
from bench.drain import Drain
from bench.sides import Side
from bench.sides.fanfare import Fanfare
from bench.sides.peer import Peer
from bench.table import Table
from bench.tls.certificates import KEYS, VERSIONS, named
from bench.tls.samples import Samples

NAME = "tls-product"
COLUMNS = ["side", "messages/s", "of plain", "CPU µs a message: worker", "PostgreSQL", "sink", "resident, MB"]
ABOUT = ("The sink answers at once; 64 posts in flight. Time and CPU are those of a whole process, less those of one that "
         "finds an empty queue. *of plain*: the median of the rounds' ratios (the ratio of the medians).")


def asyncio(bench: Bench) -> Side:
    return Peer(bench, "asyncio, asyncpg, aiohttp", "asyncio_worker", 60_000)


def run(bench: Bench) -> Table | None:
    every = [bench.certificates.tls(version, kind) for version in VERSIONS for kind in KEYS]
    ours, peer = Fanfare(bench, 60_000), asyncio(bench)
    sides = [(ours, tls) for tls in (None, *every)] + [(peer, tls) for tls in (None, every[0])]
    chosen = {named(side.name, tls): (side, tls) for side, tls in sides if bench.wants(named(side.name, tls))}
    if not chosen:
        return None
    samples = Samples.of_rounds(
        bench, NAME, {name: Drain(bench, side, 0, tls).round for name, (side, tls) in chosen.items()})
    rows = [[name, samples.spread(name, "rate"), samples.ratio(name, named(side.name, None)),
             *(samples.median(name, part) for part in ("client_us", "postgres_us", "sink_us", "peak_mb"))]
            for name, (side, _) in chosen.items()]
    return Table(NAME, COLUMNS, rows, [ABOUT])
