"""The whole product against its alternatives: same messages, same sink, one process each. Over HTTP/2 in http2.py."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bench.bench import Bench
from bench.drain import Drain
from bench.figures import Spread, median_ratio, ratio_of_medians, shown, spread_shown
from bench.interleave import interleaved
from bench.sides import Side
from bench.sides.fanfare import Fanfare
from bench.sides.fanfare_fcm import FanfareFCM
from bench.sides.fcm_peer import FCMPeer
from bench.sides.peer import Peer
from bench.table import Table

ABOUT = "messages/s, CPU, memory, WAL and statements: fanfare drain and its peers, into the same sink"
TABLES = ("product", "product-latency")
COLUMNS = ["side", "messages/s", "fanfare is", "CPU µs a message: worker", "PostgreSQL", "sink", "resident, MB",
           "WAL bytes a message", "statements per 1,000", "system calls a message", "wake-ups a message"]
CLIENTS = ("azure-notification-hub-unofficial", "notificationhubs-rest-python")


@dataclass(frozen=True)
class Variant:
    table: str
    about: str
    latency_ms: int
    sides: list[Side]


def variants(bench: Bench) -> list[Variant]:
    """Each side, with as many messages as keep it busy for some ten seconds."""
    def peers(window: int, threads: int, *messages: int) -> list[Side]:
        workers: list[tuple[str, str, dict[str, str]]] = [
            ("asyncio, asyncpg, aiohttp", "asyncio_worker", {}), ("PgQueuer, aiohttp", "pgqueuer_worker", {}),
            ("Procrastinate, aiohttp", "procrastinate_worker", {})]
        workers += [(name, "client_worker", {"CLIENT": name, "THREADS": str(threads)}) for name in CLIENTS]
        return [Peer(bench, name, worker, count, window, settings)
                for (name, worker, settings), count in zip(workers, messages, strict=True)]

    def firebase(messages: int) -> Side:
        return FCMPeer(bench, "firebase-admin, 64 threads", "firebase_worker", messages, settings={"THREADS": "64"})

    ours, packed = [Fanfare(bench), FanfareFCM(bench)], Fanfare(bench, 400_000, packed=True)
    about = "The sink answers at once; 64 posts in flight; the clients that block have one thread."
    at_once = Variant("product", about, 0, [*ours, packed, *peers(64, 1, 60_000, 20_000, 5_000, 20_000, 10_000), firebase(5_000)])
    about = "The sink answers after 50 ms; 512 posts in flight; the clients that block have 64 threads."
    slowly = [Fanfare(bench, 60_000, window=512), FanfareFCM(bench, 60_000, window=512),
              *peers(512, 64, 60_000, 20_000, 5_000, 10_000, 8_000), firebase(5_000)]
    return [at_once, Variant("product-latency", about, 50, slowly)]


def run(bench: Bench) -> Iterator[Table]:
    for variant in variants(bench):
        if table := _measured(bench, variant):
            yield table


def _measured(bench: Bench, variant: Variant) -> Table | None:
    sides = [side for side in variant.sides if bench.wants(side.name)]
    if not sides:
        return None
    drains = {side.name: Drain(bench, side, variant.latency_ms) for side in sides}
    samples: dict[str, list[dict[str, float]]] = {name: [] for name in drains}
    taking_turns = interleaved(list(drains.values()), bench.rounds, lambda drain, _: drain.round())
    for round, drain, sample in taking_turns:
        samples[drain.side.name].append(sample)
        bench.record(table=variant.table, side=drain.side.name, round=round, messages=drain.messages, **sample)
    counts = {}
    for name, drain in drains.items():
        counts[name] = drain.counts()
        bench.record(table=variant.table, side=name, **counts[name])
    rows = [_row(name, samples, counts[name]) for name in drains]
    notes = [variant.about + " Time and CPU are those of a whole process, less those of one that finds an empty queue. "
             "*fanfare is* this many times as fast: the median of the rounds' ratios (the ratio of the medians)."]
    return Table(variant.table, COLUMNS, rows, notes)


def _row(name: str, samples: dict[str, list[dict[str, float]]], counts: dict[str, float]) -> list[str]:
    def of(side: str, part: str) -> list[float]:
        return [sample[part] for sample in samples[side]]

    def median(part: str) -> str:
        return shown(Spread.of(of(name, part)).median)

    compared = "–"
    if "fanfare" in samples and name != "fanfare":
        ours, theirs = of("fanfare", "rate"), of(name, "rate")
        compared = f"{shown(median_ratio(ours, theirs))} × ({shown(ratio_of_medians(ours, theirs))})"
    return [name, spread_shown(Spread.of(of(name, "rate"))), compared, median("client_us"), median("postgres_us"),
            median("sink_us"), median("peak_mb"), median("wal_bytes"), shown(counts["statements_per_1000"]),
            shown(counts["syscalls"]) if "syscalls" in counts else "–", median("waits")]
