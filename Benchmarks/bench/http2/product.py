"""The whole product over HTTP/2: hubs of kind apns and fcm beside a notification hub over TLS, FCM over HTTP/1.1 and aioapns."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from bench.bench import Bench
from bench.drain import Drain
from bench.figures import Spread, shown
from bench.sides import Side
from bench.sides.apns_peer import APNsPeer
from bench.sides.fanfare import Fanfare
from bench.sides.fanfare_apns import FanfareAPNs
from bench.sides.fanfare_fcm import FanfareFCM
from bench.table import Table
from bench.tls.certificates import TLS, named
from bench.tls.samples import Samples

COLUMNS = ["side", "messages/s", "over HTTP/2, fanfare is", "with this part of the worker's CPU", "CPU µs a message: worker",
           "PostgreSQL", "sink", "resident, MB", "connections", "wake-ups a message"]
ALLOWED = "of what the latency allows"
APNS, FCM, FCM_HTTP1, AIOAPNS = "fanfare, apns", "fanfare, fcm, HTTP/2", "fanfare, fcm, HTTP/1.1", "asyncio, asyncpg, aioapns"
ABOUT = (
    "HTTP/2 with TLS 1.3 to `c/h2_sink.c`; a notification hub with TLS 1.3, and FCM plain, over HTTP/1.1 to `c/sink.c`. Each "
    "message is a post to one device, or to one tag. A round fails unless the sink has counted exactly as many posts as messages and "
    "answered each, and as many are recorded as accepted. Time and CPU are those of a whole process, less those of one that finds an empty "
    "queue. *over HTTP/2, fanfare is* this many times as fast as the side of this row: a hub of kind apns beside the notification "
    "hub and beside aioapns, one of kind fcm beside the same over HTTP/1.1; *with this part of the worker's CPU* a message. Ratios "
    "are the median of the rounds' ratios (the ratio of the medians).")


@dataclass(frozen=True)
class Variant:
    """`messages`: of Fanfare, and of aioapns."""

    table: str
    about: str
    latency_ms: int
    window: int
    messages: tuple[int, int]


VARIANTS = (
    Variant("product-http2", "The sink answers at once; 64 posts in flight.", 0, 64, (100_000, 20_000)),
    Variant("product-http2-latency", "The sink answers after 50 ms; 320 posts in flight.", 50, 320, (60_000, 20_000)))
TABLES = tuple(variant.table for variant in VARIANTS)


@dataclass(frozen=True)
class Entrant:
    side: Side
    tls: TLS | None = None
    over_http2: bool = False


def entrants(bench: Bench, variant: Variant) -> dict[str, Entrant]:
    ours, theirs = variant.messages
    tls, hub = bench.certificates.tls(), Fanfare(bench, ours, variant.window)
    fcm = FanfareFCM(bench, ours, variant.window)
    return {
        named(hub.name, tls): Entrant(hub, tls), APNS: Entrant(FanfareAPNs(bench, ours, variant.window), over_http2=True),
        FCM_HTTP1: Entrant(fcm), FCM: Entrant(fcm, over_http2=True),
        AIOAPNS: Entrant(APNsPeer(bench, AIOAPNS, "aioapns_worker", theirs, variant.window), over_http2=True)}


def beside(side: str) -> str | None:
    """The side over HTTP/2 that one is compared with."""
    return {FCM_HTTP1: FCM, APNS: None, FCM: None}.get(side, APNS)


def run(bench: Bench, variant: Variant) -> Table | None:
    chosen = {name: entrant for name, entrant in entrants(bench, variant).items() if bench.wants(name)}
    if not chosen:
        return None
    measures: dict[str, Callable[[], dict[str, float]]] = {
        name: partial(_once, Drain(bench, entrant.side, variant.latency_ms, entrant.tls, over_http2=entrant.over_http2))
        for name, entrant in chosen.items()}
    samples = Samples.of_rounds(bench, variant.table, measures)
    return Table(variant.table, columns(variant), [_row(samples, name, variant) for name in chosen], [f"{variant.about} {ABOUT}"])


def columns(variant: Variant) -> list[str]:
    return [*COLUMNS[:2], ALLOWED, *COLUMNS[2:]] if variant.latency_ms else COLUMNS


def _once(drain: Drain) -> dict[str, float]:
    return drain.round() | {"connections": drain.taken.connections}


def _row(samples: Samples, name: str, variant: Variant) -> list[str]:
    allowed = []
    if variant.latency_ms:
        rate = Spread.of(samples.of(name, "rate")).median
        allowed = [shown(rate * variant.latency_ms / 1000 / variant.window)]
    other = beside(name)
    ratios = [samples.ratio(other, name, part) if other in samples.taken else "–" for part in ("rate", "client_us")]
    return [name, samples.spread(name, "rate"), *allowed, *ratios,
            *(samples.median(name, part) for part in ("client_us", "postgres_us", "sink_us", "peak_mb")),
            samples.count(name, "connections"), samples.median(name, "waits")]
