"""`fanfare plan --campaign` for an audience of ten million, by its first recipients."""
from __future__ import annotations

import re

from bench.bench import Bench
from bench.campaign import audience
from bench.crew import Crew
from bench.plan.row import row
from bench.problem import Problem

NAME = "campaign"
RECIPIENTS = 10_000_000


def rows(bench: Bench) -> list[list[str]]:
    crew, recipients = Crew(bench), bench.size(RECIPIENTS)
    database = bench.cluster.database("plan of a campaign")
    crew.registered(database)
    bench.say(f"  {recipients:,} recipients are made")
    audience.people(database, recipients, handles=False)
    audience.create(database, audience.spec(False))
    seconds, peaks = [], []
    for round in range(bench.rounds):
        ran = crew.run(database, "plan", "--campaign", audience.NAME)
        found = re.search(r"first 10,000 of ([0-9,]+) recipients", ran.output)
        # Of a view PostgreSQL's statistics say how many there are.
        if not found or abs(int(found[1].replace(",", "")) / recipients - 1) > 0.05:
            raise Problem(f"another audience was planned:\n{ran.output}")
        seconds.append(ran.wall)
        peaks.append(ran.peak / 1e6)
        bench.record(table="plan", side=NAME, round=round, seconds=ran.wall, peak_mb=peaks[-1])
    bench.cluster.drop(database)
    return [
        row(f"`fanfare plan --campaign` to {recipients:,} recipients, s", seconds, "3"),
        row("resident at most, MB", peaks, "–"),
    ]
