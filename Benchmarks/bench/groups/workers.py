"""Processes side by side: 1, 2 and 4 `fanfare run` that empty the same backlog, of one hub and of a hundred."""
from __future__ import annotations

from collections.abc import Iterator

from bench.bench import Bench
from bench.crew import Crew
from bench.figures import Spread, compared, shown, spread_shown
from bench.interleave import interleaved
from bench.sharing import Shared, Sharing
from bench.table import Table

ABOUT = "1, 2 and 4 processes side by side on 1 hub and on 100: messages/s, CPU, each one's part, memory, connections"
TABLES = ("workers", "workers-latency")
PROCESSES = (1, 2, 4)
COLUMNS = ["hubs", "processes", "messages/s", "CPU µs a message: workers", "PostgreSQL", "together, of one process",
           "smallest and largest part, of an equal one", "claims per 1,000", "WAL bytes a message", "disk bytes a message",
           "resident, MB a process", "database sessions"]
METHOD = ("`fanfare run` with its defaults (64 in flight to a hub), one post a message. The whole backlog is committed at "
          "once while all processes are idle, and CPU and WAL count from that commit until 0.2 s after the last request. All "
          "processes, PostgreSQL and the sink share the cores. *Part*: the messages that a process sent, known from its "
          "claims, which a trigger of the benchmark notes. *Together*: the median of the rounds' ratios (the ratio of the "
          "medians). *Disk bytes*: of the whole database, tables and indexes, with the message; content of 270 bytes.")


def cases(bench: Bench) -> dict[str, list[Shared]]:
    """By table. The first case of each number of hubs is what the others are compared with."""
    def shared(hubs: int, messages: int, latency_ms: int = 0) -> list[Shared]:
        return [Shared(Crew(bench, workers=n, hubs=hubs), bench.size(messages), latency_ms) for n in PROCESSES]

    return {
        "workers": [*shared(1, 100_000), *shared(100, 300_000)],
        "workers-latency": [*shared(1, 20_000, 50), *shared(100, 120_000, 50)],
    }


ANSWERS = {
    "workers": "The sink answers at once, so one process can use both cores, and more of them show what they cost each other.",
    "workers-latency": "The sink answers after 50 ms: with one hub the window of a process is its limit, and each process "
                       "adds one.",
}


def run(bench: Bench) -> Iterator[Table]:
    for table, all_cases in cases(bench).items():
        if chosen := [case for case in all_cases if bench.wants(case.name)]:
            yield _measured(bench, table, chosen)


def _measured(bench: Bench, table: str, chosen: list[Shared]) -> Table:
    sides = [Sharing(bench, case) for case in chosen]
    samples: dict[str, list[dict[str, float]]] = {case.name: [] for case in chosen}
    for round, side, sample in interleaved(sides, bench.rounds, lambda side, _: side.round()):
        samples[side.case.name].append(sample)
        bench.record(table=table, side=side.case.name, round=round, messages=side.case.messages, **sample)
    for side in sides:
        side.close()
    first: dict[int, str] = {}
    for case in chosen:
        first.setdefault(case.crew.hubs, case.name)
    rows = [_row(case, samples[case.name], samples[first[case.crew.hubs]]) for case in chosen]
    return Table(table, COLUMNS, rows, [f"{ANSWERS[table]} {METHOD}"])


def _row(case: Shared, taken: list[dict[str, float]], first: list[dict[str, float]]) -> list[str]:
    of = {part: [sample[part] for sample in taken] for part in taken[0]}
    median = {part: shown(Spread.of(values).median) for part, values in of.items()}
    ratio = "–" if taken is first else compared(of["us"], [sample["us"] for sample in first])
    parts = "–" if case.crew.workers == 1 else f"{median['smallest']} and {median['largest']}"
    return [str(case.crew.hubs), str(case.crew.workers), spread_shown(Spread.of(of["rate"])), median["client_us"],
            median["postgres_us"], ratio, parts, median["claims_per_1000"], median["wal_bytes"], median["disk_bytes"],
            median["peak_mb"], median["connections"]]
