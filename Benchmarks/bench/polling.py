"""What looking for messages costs a system that has none, and how long the first one waits, with more and more hubs."""
from __future__ import annotations

import time
from collections.abc import Iterator

from bench import processes, statements
from bench.bench import Bench
from bench.crew import MOST_HUBS, Crew
from bench.figures import Spread, shown, spread_shown
from bench.interleave import interleaved
from bench.pace import Latencies, Pace, measured
from bench.psql import Database
from bench.table import Table

TABLE = "latency-polling"
COLUMNS = ["hubs", "statements/s", "CPU ms a minute: worker", "PostgreSQL", "wake-ups/s", "from commit to request, ms: p50",
           "p99"]
# 0: no worker, PostgreSQL alone.
HUBS = (0, 1, 10, 100, MOST_HUBS)


def run(bench: Bench) -> Iterator[Table]:
    hubs = [number for number in HUBS if bench.wants(_name(number))]
    if not hubs:
        return
    templates = {number: _template(bench, number) for number in hubs if number}
    samples: dict[int, list[dict[str, float]]] = {number: [] for number in hubs}
    found = {number: Latencies() for number in hubs}
    pace = Pace(70 if bench.quick else 220, per_second=30)

    def measure(number: int, _: int) -> dict[str, float]:
        if not number:
            return _alone(bench)
        crew, template = Crew(bench, hubs=number), templates[number]
        sample = _idle(bench, crew, _fresh(bench, template))
        found[number].merge(measured(bench, _fresh(bench, template), crew, pace))
        return sample

    for round, number, sample in interleaved(hubs, bench.rounds, measure):
        samples[number].append(sample)
        bench.record(table=TABLE, side=_name(number), round=round, **sample)
    counts = {number: _statements(bench, Crew(bench, hubs=number), _fresh(bench, templates[number])) for number in templates}
    rows = [_row(number, samples[number], counts.get(number, 0), found[number]) for number in hubs]
    yield Table(TABLE, COLUMNS, rows, [
        "One process with nothing to do. It has three lanes for each hub, and one statement looks for all of them: every 8 to "
        "10 ms for up to ten hubs, in proportion less often for more. The latency is that of single messages to one of the "
        "hubs, 30 a second. What this costs whoever enqueues is what the INSERT of the table above takes beside an idle worker "
        "and without one."])


def _name(hubs: int) -> str:
    return f"polling, {hubs} hub{'' if hubs == 1 else 's'}" if hubs else "polling, no worker"


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
    """What a while with nothing to do takes, some time after the beginning."""
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
    """A second. Counting has its own price, so it has its own run."""
    sink, so_far = bench.sink(), statements.counter(bench.cluster, database)
    try:
        with crew.at_work(database, sink):
            time.sleep(2)
            before, began = so_far(), time.monotonic()
            time.sleep(_seconds(bench))
            return (so_far() - before) / (time.monotonic() - began)
    finally:
        sink.close()


def _row(hubs: int, taken: list[dict[str, float]], statements: float, found: Latencies) -> list[str]:
    of = {part: spread_shown(Spread.of([sample[part] for sample in taken])) for part in taken[0]}
    if not hubs:
        return ["no worker", "–", "–", of["postgres_ms"], "–", "–", "–"]
    return [str(hubs), shown(statements), of["worker_ms"], of["postgres_ms"], of["waits"],
            *(shown(found.commit.percentile(percent) / 1000) for percent in (50, 99))]
