"""`fanfare template learn` of a million installations."""
from __future__ import annotations

import json
from pathlib import Path

from bench.bench import Bench
from bench.crew import Crew
from bench.plan.row import row
from bench.problem import Problem
from bench.sink import HUB

NAME = "learn"
INSTALLATIONS, TEMPLATES = 1_000_000, 40


def rows(bench: Bench) -> list[list[str]]:
    crew, count = Crew(bench), bench.size(INSTALLATIONS)
    database = bench.cluster.database("templates")
    crew.registered(database)
    file = written(bench, count)
    seconds, peaks = [], []
    for round in range(bench.rounds):
        database.execute("TRUNCATE push.device_template")
        ran = crew.run(database, "template", "learn", "--hub", HUB, file)
        seconds.append(ran.wall)
        peaks.append(ran.peak / 1e6)
        bench.record(table="plan", side=NAME, round=round, seconds=ran.wall, peak_mb=peaks[-1])
        kept = database.number("SELECT count(*) FROM push.device_template")
        if kept != TEMPLATES:
            raise Problem(f"{kept} templates are kept, not {TEMPLATES}")
    file.unlink()
    bench.cluster.drop(database)
    return [
        row(f"`fanfare template learn` of {count:,} installations, s", seconds, "60"),
        row("resident at most, MB", peaks, "150"),
    ]


def written(bench: Bench, count: int) -> Path:
    """Installations as `fanfare installation export` prints them, with two of 40 templates each."""
    file = bench.folder / "installations.jsonl"

    def template(number: int) -> dict[str, object]:
        return {"body": json.dumps({"aps": {"alert": {"title": f"$(title_{number})", "body": f"$(body_{number})"}}}),
                "tags": [f"news_{number}"]}

    with file.open("w") as lines:
        for n in range(count):
            templates = {f"news-{k}": template(k) for k in ((2 * n) % TEMPLATES, (2 * n + 1) % TEMPLATES)}
            lines.write(json.dumps({
                "installationId": f"device-{n}", "platform": "apns", "pushChannel": f"{n:064x}",
                "tags": [f"user_{n}"], "templates": templates}) + "\n")
    return file
