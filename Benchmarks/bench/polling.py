"""The cost of polling for an idle system, and how long a single message waits, with 1 to 2,000 hubs."""
from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from bench import processes, statements
from bench.bench import Bench
from bench.crew import Crew
from bench.figures import Spread, shown, spread_shown
from bench.interleave import interleaved
from bench.pace import Latencies, Pace, measured
from bench.psql import Database
from bench.table import Table

TABLE = "latency-polling"
COLUMNS = ["hubs", "statements/s", "CPU ms a minute: worker", "PostgreSQL", "wake-ups/s", "from commit to request, ms: p50",
           "p99"]
HUBS = (1, 10, 100, 2_000)


@dataclass(frozen=True)
class Side:
    """`hubs`: 0 for PostgreSQL without a worker. `listens`: with dispatch.listen, asleep."""

    hubs: int = 0
    listens: bool = False

    @property
    def name(self) -> str:
        hubs = f"{self.hubs} hub{'' if self.hubs == 1 else 's'}" if self.hubs else "no worker"
        return f"polling, {hubs}{', asleep' if self.listens else ''}"

    def crew(self, bench: Bench) -> Crew:
        return Crew(bench, hubs=self.hubs, listen=self.listens)


SIDES = (Side(), *(Side(hubs, listens) for hubs in HUBS for listens in (False, True)))


def run(bench: Bench) -> Iterator[Table]:
    sides = [side for side in SIDES if bench.wants(side.name)]
    if not sides:
        return
    templates = {hubs: _template(bench, hubs) for hubs in sorted({side.hubs for side in sides} - {0})}
    samples: dict[Side, list[dict[str, float]]] = {side: [] for side in sides}
    found = {side: Latencies() for side in sides}
    pace = Pace(70 if bench.quick else 220, per_second=30)

    def measure(side: Side, _: int) -> dict[str, float]:
        if not side.hubs:
            return _alone(bench)
        template = templates[side.hubs]
        sample = _idle(bench, side.crew(bench), _fresh(bench, template))
        if not side.listens:  # at this pace no worker sleeps
            found[side].merge(measured(bench, _fresh(bench, template), side.crew(bench), pace))
        return sample

    for round, side, sample in interleaved(sides, bench.rounds, measure):
        samples[side].append(sample)
        bench.record(table=TABLE, side=side.name, round=round, **sample)
    counts = {side: _statements(bench, side.crew(bench), _fresh(bench, templates[side.hubs])) for side in sides if side.hubs}
    rows = [_row(side, samples[side], counts.get(side, 0), found[side]) for side in sides]
    yield Table(TABLE, COLUMNS, rows, [
        "One idle process. It has three lanes per hub. One statement looks for all that worked in the last minute: every 8 to "
        "10 ms for up to 32 lanes, proportionally less often for more. With more than 96 lanes, one look finds all others, "
        "ten times a second at most; asleep (`dispatch.listen`) four times a second. The latency is that of "
        "single messages to one of the hubs, 30 a second; for a sleeping worker it is in the table above. The table above also "
        "shows the cost for backends: the time of an INSERT beside an idle worker and without one."])


def _template(bench: Bench, hubs: int) -> Database:
    template = bench.cluster.database(f"template of polling, {hubs} hubs")
    Crew(bench, hubs=hubs).schema(template)
    return template


def _fresh(bench: Bench, template: Database) -> Database:
    database = bench.cluster.database("polling", template=template.name)
    database.execute("VACUUM ANALYZE")
    return database


def _seconds(bench: Bench) -> int:
    return 3 if bench.quick else 10


def _alone(bench: Bench) -> dict[str, float]:
    before = bench.cluster.cpu()
    time.sleep(_seconds(bench))
    return {"postgres_ms": (bench.cluster.cpu() - before) * 60_000 / _seconds(bench)}


def _idle(bench: Bench, crew: Crew, database: Database) -> dict[str, float]:
    """The cost of an idle period, some time after the start."""
    sink, seconds = bench.sink(), _seconds(bench)
    try:
        with crew.at_work(database, sink) as work:
            time.sleep(2)
            worker = work.started[0].process.pid
            cpu, postgres, waits = processes.tree_cpu(worker), bench.cluster.cpu(), processes.waits(worker)
            time.sleep(seconds)
            return {
                "worker_ms": (processes.tree_cpu(worker) - cpu) * 60_000 / seconds,
                "postgres_ms": (bench.cluster.cpu() - postgres) * 60_000 / seconds,
                "waits": (processes.waits(worker) - waits) / seconds}
    finally:
        sink.close()


def _statements(bench: Bench, crew: Crew, database: Database) -> float:
    """Statements a second. Counting costs something, so it has a run of its own."""
    sink, so_far = bench.sink(), statements.counter(bench.cluster, database)
    try:
        with crew.at_work(database, sink):
            time.sleep(2)
            before, began = so_far(), time.monotonic()
            time.sleep(_seconds(bench))
            return (so_far() - before) / (time.monotonic() - began)
    finally:
        sink.close()


def _row(side: Side, taken: list[dict[str, float]], statements: float, found: Latencies) -> list[str]:
    of = {part: spread_shown(Spread.of([sample[part] for sample in taken])) for part in taken[0]}
    if not side.hubs:
        return ["no worker", "–", "–", of["postgres_ms"], "–", "–", "–"]
    latency = ["–", "–"] if side.listens else [shown(found.commit.percentile(percent) / 1000) for percent in (50, 99)]
    return [f"{side.hubs}, asleep" if side.listens else str(side.hubs), shown(statements), of["worker_ms"], of["postgres_ms"],
            of["waits"], *latency]
