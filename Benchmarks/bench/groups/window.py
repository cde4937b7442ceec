"""Throughput with 1 to 512 posts in flight, and a sink that answers at once or after 50 ms."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bench.bench import Bench
from bench.drain import Drain
from bench.figures import Spread, shown, spread_shown
from bench.interleave import interleaved
from bench.sides.fanfare import Fanfare
from bench.table import Table

ABOUT = "messages/s and CPU with 1 to 512 posts in flight, against a sink that answers at once and after 50 ms"
TABLES = ("window", "window-latency")
COLUMNS = ["in flight", "messages/s", "CPU µs a message: worker", "PostgreSQL", "WAL bytes a message", "wake-ups a message",
           "resident, MB"]


@dataclass(frozen=True)
class Variant:
    """`messages`: for each window, as many as keep it busy for some seconds."""

    table: str
    latency_ms: int
    messages: dict[int, int]

    def name(self, window: int) -> str:
        return f"{window} in flight, {self.latency_ms} ms"


VARIANTS = [
    Variant("window", 0, {1: 2_000, 4: 5_000, 16: 20_000, 64: 60_000, 256: 60_000, 512: 60_000}),
    Variant("window-latency", 50, {1: 100, 4: 400, 16: 2_000, 64: 6_000, 256: 20_000, 512: 40_000}),
]


def run(bench: Bench) -> Iterator[Table]:
    for variant in VARIANTS:
        if windows := [window for window in variant.messages if bench.wants(variant.name(window))]:
            yield _measured(bench, variant, windows)


def _measured(bench: Bench, variant: Variant, windows: list[int]) -> Table:
    drains = {
        window: Drain(bench, Fanfare(bench, variant.messages[window], window), variant.latency_ms) for window in windows}
    samples: dict[int, list[dict[str, float]]] = {window: [] for window in windows}
    for round, window, sample in interleaved(windows, bench.rounds, lambda window, _: drains[window].round()):
        samples[window].append(sample)
        bench.record(
            table=variant.table, side=variant.name(window), round=round, messages=drains[window].messages, **sample)
    rows = [_row(window, taken, variant) for window, taken in samples.items()]
    if variant.latency_ms:
        about = (f"The sink answers after {variant.latency_ms} ms, so that no sender can exceed the window divided by that "
                 "time; brackets show how much of that it reached.")
    else:
        about = "The sink answers at once: the window decides how many posts share one commit of their intent."
    columns = [*COLUMNS[:1], COLUMNS[1] + (" (of what the latency allows)" if variant.latency_ms else ""), *COLUMNS[2:]]
    method = "`fanfare drain`, one post per message, less a drain that finds an empty queue."
    return Table(variant.table, columns, rows, [f"{about} {method}"])


def _row(window: int, taken: list[dict[str, float]], variant: Variant) -> list[str]:
    spread = {part: Spread.of([sample[part] for sample in taken]) for part in taken[0]}
    rate = spread_shown(spread["rate"])
    if variant.latency_ms:
        allowed = window * 1000 / variant.latency_ms
        rate = f"{rate} [{shown(spread['rate'].median / allowed)}]"
    return [str(window), rate,
            *(shown(spread[part].median) for part in ("client_us", "postgres_us", "wal_bytes", "waits", "peak_mb"))]
