"""What the planner and the previews reckon, without a database: Benchmarks/Sources/PlanBench."""
from __future__ import annotations

from bench import swift
from bench.bench import Bench
from bench.compiled import FOLDER
from bench.plan.row import row
from bench.printed import figures
from bench.processes import run

NAME = "pure"
ROWS, TIMES = 400_000, 200
SHAPES = {
    "single": "rows with a text each", "packed": "rows that share a text, 20 a post", "languages": "four rows a text, one a language"}


def rows(bench: Bench) -> list[list[str]]:
    program = swift.built("PlanBench", FOLDER)
    ratios: dict[str, list[float]] = {shape: [] for shape in SHAPES}
    previews = []
    for round in range(bench.rounds):
        of = figures(run([program, "notes", str(bench.size(ROWS))]).output)
        previews.append(figures(run([program, "preview", str(bench.size(TIMES * 1000) // 1000)]).output)["ms"])
        for shape, taken in ratios.items():
            taken.append(of[f"{shape}_noted_us"] / of[f"{shape}_plain_us"])
        bench.record(table="plan", side=NAME, round=round, **of, preview_ms=previews[-1])
    return [
        *(row(f"the planner with notes, of its time without: {about}", ratios[shape], "1.3") for shape, about in SHAPES.items()),
        row("previews of 8 languages on 4 platforms, ms", previews, "20"),
    ]
