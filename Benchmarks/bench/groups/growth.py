"""The cost of a message as the queue, the hubs or the payload grow, and under a held snapshot."""
from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass

from bench import held
from bench.backlog import Backlog, Case
from bench.bench import Bench
from bench.crew import Crew
from bench.figures import Spread, compared, shown, spread_shown
from bench.interleave import interleaved
from bench.table import Table

ABOUT = "CPU per message and messages/s with a longer queue, more hubs, more bytes, and a held snapshot"
TABLES = ("growth-queued", "growth-hubs", "growth-payload", "growth-snapshot")
COLUMNS = ["messages/s", "CPU µs a message: workers", "PostgreSQL", "together, of the first row's", "WAL bytes a message",
           "resident, MB a process", "wake-ups a message"]
METHOD = ("`fanfare run`, one post per message, 64 in flight to a hub; the sink answers at once. Messages/s from the first to "
          "the last request. CPU and WAL are those of whole processes, less those of workers that find nothing. *Together*: "
          "the median of the rounds' ratios (the ratio of the medians).")
TAKEN = 60_000


@dataclass(frozen=True)
class Dimension:
    """`grows`: heading of the first column."""

    table: str
    grows: str
    cases: list[Case]
    about: str


def dimensions(bench: Bench) -> list[Dimension]:
    def case(name: str, crew: Crew, taken: int = TAKEN, queued: int = 0) -> Case:
        taken = bench.size(taken)
        return Case(name, crew, max(bench.size(queued), taken), taken)

    lengths = (10_000, 100_000, 1_000_000, 10_000_000)
    sizes = (("100 B", 100, TAKEN), ("1 KB", 1_000, TAKEN), ("10 KB", 10_000, 20_000), ("60 KB", 60_000, 5_000))
    return [
        Dimension(
            "growth-queued", "queued", [case(f"{n:,}", Crew(bench), min(n, TAKEN), n) for n in lengths],
            f"The worker is stopped after the first {bench.size(TAKEN):,} messages of the queue; of the shortest queue it "
            "sends all."),
        Dimension(
            "growth-hubs", "hubs",
            [case(counted(n, "hub"), Crew(bench, hubs=n)) for n in (1, 10, 100, 300, 2_000)],
            f"{bench.size(TAKEN):,} messages in equal shares, and one process: the more hubs, the fewer messages share a claim."),
        Dimension(
            "growth-payload", "content", [case(name, Crew(bench, content=content(size)), n) for name, size, n in sizes],
            "Content that does not compress; PostgreSQL stores values above 2 KB outside of the table (TOAST)."),
    ]


def counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' if number > 1 else ''}"


def content(size: int) -> str:
    """A JSON object of this many bytes, which look random and are the same in every run."""
    rest = size - len(json.dumps({"body": ""}))
    return json.dumps({"body": random.Random(size).randbytes(size).hex()[:rest]})


def run(bench: Bench) -> Iterator[Table]:
    for dimension in dimensions(bench):
        if cases := [case for case in dimension.cases if bench.wants(case.name)]:
            yield _measured(bench, dimension, cases)
    yield from held.run(bench)


def _measured(bench: Bench, dimension: Dimension, cases: list[Case]) -> Table:
    backlogs = [Backlog(bench, case) for case in cases]
    samples: dict[str, list[dict[str, float]]] = {case.name: [] for case in cases}
    for round, backlog, sample in interleaved(backlogs, bench.rounds, lambda backlog, _: backlog.round()):
        case = backlog.case
        samples[case.name].append(sample)
        bench.record(
            table=dimension.table, side=case.name, round=round, queued=case.queued, messages=case.taken, **sample)
    for backlog in backlogs:
        backlog.close()
    first = samples[cases[0].name]
    rows = [_row(name, taken, first) for name, taken in samples.items()]
    return Table(dimension.table, [dimension.grows, *COLUMNS], rows, [f"{dimension.about} {METHOD}"])


def _row(name: str, taken: list[dict[str, float]], first: list[dict[str, float]]) -> list[str]:
    of = {part: [sample[part] for sample in taken] for part in taken[0]}
    median = {part: shown(Spread.of(values).median) for part, values in of.items()}
    ratio = "–" if taken is first else compared(of["us"], [sample["us"] for sample in first])
    return [name, spread_shown(Spread.of(of["rate"])), median["client_us"], median["postgres_us"], ratio,
            median["wal_bytes"], median["peak_mb"], median["waits"]]
