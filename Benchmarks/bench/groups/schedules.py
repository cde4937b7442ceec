"""What schedules cost: statements of an idle worker beside many scheduled campaigns, and how late many begin that fall on one
second."""
from __future__ import annotations

import json
import time
from collections.abc import Iterator

from bench import processes
from bench.bench import Bench
from bench.crew import AtWork, Crew
from bench.figures import Spread, shown, spread_shown
from bench.problem import Problem
from bench.psql import Database
from bench.sink import HUB
from bench.table import Table

ABOUT = "statements of an idle worker beside scheduled campaigns; how late a thousand begin that fall on one second"
TABLES = ("schedules-idle", "schedules-firing")
IDLE_COLUMNS = ["scheduled campaigns", "transactions/s", "CPU ms/s: worker", "PostgreSQL"]
FIRING_COLUMNS = ["workers", "campaigns", "the last begins after, s", "the median one after, s"]
SCHEDULED = 10_000
FIRING = 1_000


def run(bench: Bench) -> Iterator[Table]:
    sides = [f"{n:,} idle" for n in idle_sizes(bench)]
    if any(map(bench.wants, sides)):
        yield _idle(bench, [n for n, side in zip(idle_sizes(bench), sides) if bench.wants(side)])
    if crews := [n for n in (1, 2) if bench.wants(f"{n} firing")]:
        yield _firing(bench, crews)


def idle_sizes(bench: Bench) -> list[int]:
    return [0, bench.size(SCHEDULED)]


def campaigns(number: int) -> str:
    """The statement that makes them, each with a schedule and one recipient."""
    spec = json.dumps({
        "hubs": [HUB], "audience": {"tags": ["World"]}, "content": {"en": {"title": "Good morning"}},
        "schedule": {"cron": "0 9 * * *", "zone": "Europe/Berlin"}})
    return f"SELECT count(push.create_campaign('c' || n, '{spec}')) FROM generate_series(1, {number}) n"


def _idle(bench: Bench, sizes: list[int]) -> Table:
    rows = []
    seconds = 3 if bench.quick else 20
    for size in sizes:
        crew = Crew(bench)
        database = bench.cluster.database(f"schedules idle {size}")
        crew.schema(database)
        if size:
            database.execute(campaigns(size))
        database.execute("VACUUM ANALYZE")
        sink = bench.sink(tell_at=1)
        samples: list[dict[str, float]] = []
        try:
            with crew.at_work(database, sink) as work:
                _until(database, work, "SELECT count(*) FROM push.campaign WHERE next_at = '-infinity'", 0)
                for round in range(bench.rounds):
                    sample = _second(bench, database, work.started[0].process.pid, seconds)
                    samples.append(sample)
                    bench.record(table="schedules-idle", side=f"{size} idle", round=round, **sample)
        finally:
            sink.close()
        bench.cluster.drop(database)
        rows.append([f"{size:,}", *(spread_shown(Spread.of([sample[part] for sample in samples]))
                                    for part in ("transactions", "worker_ms", "postgres_ms"))])
    return Table("schedules-idle", IDLE_COLUMNS, rows, [
        f"One `fanfare run` that finds nothing to send, `dispatch.listen` off, looked at for {seconds} s in each round."])


def _second(bench: Bench, database: Database, worker: int, seconds: float) -> dict[str, float]:
    def counted() -> int:
        return database.number(
            "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()")

    began, before = time.monotonic(), counted()
    cpu, postgres = processes.tree_cpu(worker), bench.cluster.cpu()
    time.sleep(seconds)
    took, used, served = time.monotonic() - began, processes.tree_cpu(worker) - cpu, bench.cluster.cpu() - postgres
    # Sessions report what they did once a second; one of ours is in the difference.
    return {"transactions": (counted() - before - 1) / took, "worker_ms": used * 1000 / took,
            "postgres_ms": served * 1000 / took}


def _firing(bench: Bench, crews: list[int]) -> Table:
    rows = []
    number = bench.size(FIRING)
    for workers in crews:
        crew = Crew(bench, workers=workers)
        database = bench.cluster.database(f"schedules firing {workers}")
        crew.schema(database)
        database.execute(campaigns(number))
        database.execute("VACUUM ANALYZE")
        sink = bench.sink(tell_at=number)
        last, median = [], []
        try:
            with crew.at_work(database, sink) as work:
                _until(database, work, "SELECT count(*) FROM push.campaign WHERE next_at = '-infinity'", 0)
                for round in range(bench.rounds):
                    late = _fire(database, work, number, round)
                    last.append(late[0])
                    median.append(late[1])
                    bench.record(table="schedules-firing", side=f"{workers} firing", round=round, last=late[0], median=late[1])
        finally:
            sink.close()
        bench.cluster.drop(database)
        rows.append([str(workers), f"{number:,}", spread_shown(Spread.of(last)), shown(Spread.of(median).median)])
    return Table("schedules-firing", FIRING_COLUMNS, rows, [
        "By the database's clock: `started_at` of a run, less the time that all their schedules name. Each has one recipient; "
        "runs of the round before are over."])


def _fire(database: Database, work: AtWork, number: int, round: int) -> tuple[float, float]:
    at = database.value("SELECT date_trunc('second', clock_timestamp()) + interval '3 s'")
    database.execute(f"UPDATE push.campaign SET next_at = '{at}', fires_at = '{at}'")
    _until(database, work, "SELECT count(*) FROM push.run WHERE closed_at IS NOT NULL", number * (round + 1))
    late = database.value(
        f"""SELECT max(extract(epoch FROM started_at - '{at}')) || ' '
                   || percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM started_at - '{at}')::float8)
              FROM push.run WHERE started_at >= '{at}' AND state <> 'skipped'""")
    most, median = map(float, late.split())
    return most, median


def _until(database: Database, work: AtWork, sql: str, count: int) -> None:
    until = time.monotonic() + 120
    while database.number(sql) != count:
        work.check()
        if time.monotonic() > until:
            raise Problem(f"after two minutes not {count}: {sql}")
        time.sleep(0.1)
