"""A worker that sends as fast as it can, with its pages off, and with `/` open in three tabs."""
from __future__ import annotations

from bench.backlog import Backlog, Case
from bench.bench import Bench
from bench.console.crew import ConsoleCrew
from bench.console.tabs import Tabs
from bench.figures import Spread, spread_shown
from bench.interleave import interleaved
from bench.plan.row import row
from bench.scraping import free_address

NAME = "worker"
TAKEN = 400_000


def cases(bench: Bench) -> list[Case]:
    taken, address = bench.size(TAKEN), free_address()
    return [Case("pages off", ConsoleCrew(bench, hubs=10), taken, taken),
            Case("three tabs", ConsoleCrew(bench, hubs=10, pages=address, tabs=Tabs(address)), taken, taken)]


def rows(bench: Bench) -> list[list[str]]:
    # The first empty run signs the three in, and their cookies stay.
    backlogs = [Backlog(bench, case) for case in cases(bench)]
    samples: dict[str, list[dict[str, float]]] = {backlog.case.name: [] for backlog in backlogs}
    for round, backlog, sample in interleaved(backlogs, bench.rounds, lambda backlog, _: backlog.round()):
        samples[backlog.case.name].append(sample)
        bench.record(table="console", side=backlog.case.name, round=round, messages=backlog.case.taken, **sample)
    for backlog in backlogs:
        backlog.close()
    off, on = samples.values()

    def ratio(part: str) -> str:
        return spread_shown(Spread.of([b[part] / a[part] for a, b in zip(off, on)]))

    return [
        row("a worker's messages/s with its pages off", [sample["rate"] for sample in off], "–"),
        ["of those, with three tabs on `/`", ratio("rate"), "0.98"],
        ["CPU a message of worker and PostgreSQL, of that without", ratio("us"), "–"],
        row("resident at most, MB more", [b["peak_mb"] - a["peak_mb"] for a, b in zip(off, on)], "15"),
    ]
