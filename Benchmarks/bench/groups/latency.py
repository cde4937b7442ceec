"""Latency from the commit of an INSERT to the request at the hub, and the cost of polling."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from bench import hint, polling, urgent
from bench.bench import Bench
from bench.crew import Crew
from bench.drain import Drain
from bench.figures import Spread, shown, spread_shown
from bench.histogram import Histogram
from bench.interleave import interleaved
from bench.pace import Latencies, Pace, measured
from bench.sides.fanfare import Fanfare
from bench.table import Table

ABOUT = ("ms from the commit of an INSERT to its request: idle, asleep, at half load, urgent beside slow bulk; what polling and "
         "wake-ups cost")
TABLES = ("latency", "latency-urgent", "latency-polling", "latency-hint")
COLUMNS = ["system", "messages", "INSERT, ms: p50", "p99", "from commit to request, ms: p50", "p90", "p99", "p99.9", "most",
           "p99 of the rounds", "from when the INSERT was due, ms: p50", "p99"]


@dataclass(frozen=True)
class System:
    name: str
    pace: Pace
    works: bool = True
    listens: bool = False


def run(bench: Bench) -> Iterator[Table]:
    if any(bench.wants(system.name) for system in systems(bench, 0)):
        yield _latency(bench)
    yield from urgent.run(bench)
    yield from polling.run(bench)
    yield from hint.run(bench)


def systems(bench: Bench, rate: float) -> list[System]:
    """`rate`: messages/s that a drain reached."""
    seconds, rows = (3, 10) if bench.quick else (20, 10)
    inserts = rate / 2 / rows
    idle = Pace(320 if bench.quick else 2_020, per_second=30)
    seldom = Pace(5 if bench.quick else 21, per_second=0.4, warm=1)
    return [
        System("no worker", Pace(120 if bench.quick else 520, per_second=30), works=False), System("idle", idle),
        System("half load", Pace(int(inserts * (seconds + 1)), inserts, rows, connections=16, warm=int(inserts))),
        System("seldom", seldom), System("seldom, asleep", seldom, listens=True),
        System("seldom, woken", replace(seldom, wakes=True), listens=True)]


def _latency(bench: Bench) -> Table:
    reached = Drain(bench, Fanfare(bench, 60_000), 0).round()["rate"] if bench.wants("half load") else 0
    chosen = [system for system in systems(bench, reached) if bench.wants(system.name)]
    template = bench.cluster.database("template of latency")
    Crew(bench).schema(template)
    found: dict[str, list[Latencies]] = {system.name: [] for system in chosen}

    def measure(system: System, _: int) -> Latencies:
        database = bench.cluster.database("latency", template=template.name)
        database.execute("VACUUM ANALYZE")
        crew = Crew(bench, listen=system.listens) if system.works else None
        latencies = measured(bench, database, crew, system.pace)
        bench.cluster.drop(database)
        return latencies

    for round, system, latencies in interleaved(chosen, bench.rounds, measure):
        found[system.name].append(latencies)
        of = latencies.commit if system.works else latencies.insert
        bench.record(table="latency", side=system.name, round=round, messages=of.count,
                     **{f"p{percent}_ms": of.percentile(percent) / 1000 for percent in (50, 90, 99, 99.9, 100)})
    about = "One hub. Idle: INSERTs of one row, 30 a second, each at a random time within its share of the second."
    if reached:
        about += (f" Half load: half of the {shown(reached)} messages/s that `fanfare drain` reached just before, by INSERTs of "
                  "10 rows over 16 connections; their cost is on the same cores.")
    about += (" Seldom: one every 2.5 s, so that a worker with `dispatch.listen` mostly sleeps before it; a sleeping "
              "worker looks four times a second, and wakes when the INSERT's transaction calls `push.wake_up()`.")
    method = ("Every INSERT has a fixed time and does not wait for slower ones before it, so no delay is hidden: the last two "
              "columns count from that time. Percentiles are over all rounds, by a log-linear histogram (error below 0.8 %). "
              "The time of a commit is when the client learns of it, on the clock that stamps the hub's requests "
              "(CLOCK_MONOTONIC). While awake, or without `dispatch.listen`, Fanfare looks every 8 to 10 ms.")
    return Table("latency", COLUMNS, [_row(system, found[system.name]) for system in chosen], [about, method])


def _row(system: System, rounds: list[Latencies]) -> list[str]:
    total = Latencies()
    for latencies in rounds:
        total.merge(latencies)
    inserts = [_ms(total.insert, percent) for percent in (50, 99)]
    if not system.works:
        return [system.name, f"{total.insert.count:,}", *inserts, *["–"] * 8]
    each = spread_shown(Spread.of([latencies.commit.percentile(99) / 1000 for latencies in rounds]))
    return [system.name, f"{total.commit.count:,}", *inserts,
            *(_ms(total.commit, percent) for percent in (50, 90, 99, 99.9, 100)), each,
            *(_ms(total.due, percent) for percent in (50, 99))]


def _ms(histogram: Histogram, percent: float) -> str:
    return shown(histogram.percentile(percent) / 1000)
