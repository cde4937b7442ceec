"""What metrics cost: a worker that is scraped every second beside one that is not, and one reading of the page."""
from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing

from bench import processes
from bench.backlog import Backlog, Case
from bench.bench import Bench
from bench.crew import Crew
from bench.figures import Spread, compared, shown, spread_shown
from bench.interleave import interleaved
from bench.problem import Problem
from bench.scraping import Scraper, free_address
from bench.table import Table

ABOUT = "messages/s and CPU of a worker that is scraped every second; CPU and bytes of one reading of /metrics"
TABLES = ("metrics", "metrics-page")
COLUMNS = ["worker", "messages/s", "of the first row's", "CPU µs a message: worker", "of the first row's", "PostgreSQL"]
PAGE_COLUMNS = ["hubs", "series", "kB", "CPU ms a reading", "ms a reading"]
TAKEN = 100_000


def cases(bench: Bench) -> list[Case]:
    """An older build first, if one is given: all others are compared with the first."""
    def case(name: str, **crew: object) -> Case:
        taken = bench.size(TAKEN)
        return Case(name, Crew(bench, hubs=10, console=free_address(), **crew), taken, taken)

    older = [case("older build", program=bench.older)] if bench.older else []
    return [*older, case("not scraped"), case("scraped every second", scrapes=True)]


def pages(bench: Bench) -> list[Case]:
    """Each sends messages of every hub before its page is read, so that the series of every hub are there."""
    taken = bench.size(20_000)
    return [Case(f"page of {hubs} hubs", Crew(bench, hubs=hubs, console=free_address()), taken, taken) for hubs in (10, 341)]


def run(bench: Bench) -> Iterator[Table]:
    if chosen := [case for case in cases(bench) if bench.wants(case.name)]:
        yield _beside(bench, chosen)
    if chosen := [case for case in pages(bench) if bench.wants(case.name)]:
        yield _read(bench, chosen)


def _beside(bench: Bench, chosen: list[Case]) -> Table:
    backlogs = [Backlog(bench, case) for case in chosen]
    samples: dict[str, list[dict[str, float]]] = {case.name: [] for case in chosen}
    for round, backlog, sample in interleaved(backlogs, bench.rounds, lambda backlog, _: backlog.round()):
        samples[backlog.case.name].append(sample)
        bench.record(table="metrics", side=backlog.case.name, round=round, messages=backlog.case.taken, **sample)
    for backlog in backlogs:
        backlog.close()
    first = samples[chosen[0].name]
    return Table("metrics", COLUMNS, [_row(name, taken, first) for name, taken in samples.items()], [
        f"`fanfare run`, 10 hubs, {bench.size(TAKEN):,} messages of a post each, 64 in flight to a hub; the sink answers at "
        "once. CPU is that of whole processes, less that of workers that find nothing, scraped as well. *Of the first row's*: "
        "the median of the rounds' ratios (the ratio of the medians)."])


def _row(name: str, taken: list[dict[str, float]], first: list[dict[str, float]]) -> list[str]:
    of = {part: [sample[part] for sample in taken] for part in taken[0]}

    def ratio(part: str) -> str:
        return "–" if taken is first else compared(of[part], [sample[part] for sample in first])

    return [name, spread_shown(Spread.of(of["rate"])), ratio("rate"), spread_shown(Spread.of(of["client_us"])),
            ratio("client_us"), shown(Spread.of(of["postgres_us"]).median)]


def _read(bench: Bench, chosen: list[Case]) -> Table:
    rows = []
    for case in chosen:
        samples = _readings(bench, case)
        for round, sample in enumerate(samples):
            bench.record(table="metrics-page", side=case.name, round=round, **sample)
        of = {part: [sample[part] for sample in samples] for part in samples[0]}
        rows.append([str(case.crew.hubs), shown(of["series"][-1]), shown(of["bytes"][-1] / 1000),
                     spread_shown(Spread.of(of["cpu_ms"])), spread_shown(Spread.of(of["ms"]))])
    return Table("metrics-page", PAGE_COLUMNS, rows, [
        "One idle process that has sent messages of every hub, and has what the database says of what is pending. CPU of the "
        "whole process during 50 readings over one connection, less that of as long a time without any."])


def _readings(bench: Bench, case: Case) -> list[dict[str, float]]:
    """The cost of one reading, in each round."""
    database = bench.cluster.database(f"metrics {case.name}")
    case.crew.schema(database)
    case.crew.fill(database, case.queued)
    database.execute("VACUUM ANALYZE")
    sink = bench.sink(tell_at=case.queued)
    try:
        with case.crew.at_work(database, sink) as work:
            sink.reached(600, work.check)
            with closing(Scraper(case.crew.console)) as scraper:
                _wait_for(scraper, b"fanfare_backlog_messages{")
                worker = work.started[0].process.pid
                samples = [_sample(scraper, worker, 10 if bench.quick else 50) for _ in range(bench.rounds)]
    finally:
        sink.close()
    bench.cluster.drop(database)
    return samples


def _wait_for(scraper: Scraper, words: bytes) -> None:
    until = time.monotonic() + 60
    while words not in scraper.page():
        if time.monotonic() > until:
            raise Problem(f"/metrics has no {words.decode()} after a minute")
        time.sleep(0.2)


def _sample(scraper: Scraper, worker: int, readings: int) -> dict[str, float]:
    cpu, began = processes.tree_cpu(worker), time.monotonic()
    for _ in range(readings):
        page = scraper.page()
    took, used = time.monotonic() - began, processes.tree_cpu(worker) - cpu
    cpu = processes.tree_cpu(worker)
    time.sleep(took)
    idle = processes.tree_cpu(worker) - cpu
    return {
        "series": sum(not line.startswith(b"#") for line in page.splitlines()), "bytes": len(page),
        "cpu_ms": max(used - idle, 0) * 1000 / readings, "ms": took * 1000 / readings,
    }
