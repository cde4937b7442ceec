"""What three tabs on `/` ask of the database."""
from __future__ import annotations

import time
from contextlib import closing

from bench.bench import Bench
from bench.console.statements import Counter
from bench.console.tabs import Tabs
from bench.console.world import World
from bench.plan.row import row
from bench.problem import Problem

NAME = "tabs"
SECONDS = 60


def rows(bench: Bench, world: World) -> list[list[str]]:
    seconds = 6 if bench.quick else SECONDS
    queries, all, asked, unchanged = [], [], [], []
    tabs = Tabs(world.crew.pages)
    with closing(Counter(bench.cluster, world.database)) as counter, world.crew.serving(world.database):
        for round in range(bench.rounds):
            with tabs.open() as answers:
                time.sleep(2)  # the first looks read what is kept longer
                before, began, first = counter(), time.monotonic(), len(answers)
                time.sleep(seconds)
                cost, took, seen = counter() - before, time.monotonic() - began, answers[first:]
            if not seen:
                raise Problem("the tabs asked for nothing")
            queries.append(cost.queries / took)
            all.append(cost.all / took)
            asked.append(len(seen) / took)
            unchanged.append(100 * sum(answer.status == 304 for answer in seen) / len(seen))
            bench.record(table="console", side=NAME, round=round, queries=queries[-1], statements=all[-1], asked=asked[-1],
                         unchanged=unchanged[-1], ms=max(answer.ms for answer in seen))
    return [
        row("three tabs on `/`: requests/s", asked, "–"),
        row("of those answered with 304, %", unchanged, "–"),
        row("queries/s of all three", queries, "3"),
        row("statements/s, with what sets the rights of each", all, "3"),
    ]
