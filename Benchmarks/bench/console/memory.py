"""What a worker has resident when all pages were looked at, beside one whose pages are off."""
from __future__ import annotations

import time
from dataclasses import replace

from bench.bench import Bench
from bench.console.tabs import Tabs
from bench.console.targets import targets
from bench.console.world import RUN, World
from bench.interleave import interleaved
from bench.plan.row import row
from bench.processes import resident

NAME = "memory"
PASSES, REST_SECONDS = 3, 5


def rows(bench: Bench, world: World) -> list[list[str]]:
    world.pause()
    tabs = Tabs(world.crew.pages)
    rest, peak = {False: [], True: []}, {False: [], True: []}
    # Signed in before: a password takes 32 MiB for the time of one guess.
    with world.crew.serving(world.database):
        tabs.browsers()
    for round, on, (now, most) in interleaved([False, True], bench.rounds, lambda on, _: _round(bench, world, tabs, on)):
        rest[on].append(now)
        peak[on].append(most)
        bench.record(table="console", side=NAME, round=round, pages=str(on), resident_mb=now, peak_mb=most)
    return [
        row("a worker that has nothing to send, its pages off: resident, MB", rest[False], "–"),
        row("MB more when three people have looked at all pages", [b - a for a, b in zip(rest[False], rest[True])], "15"),
        row("resident at most meanwhile, MB more", [b - a for a, b in zip(peak[False], peak[True])], "–"),
    ]


def _round(bench: Bench, world: World, tabs: Tabs, on: bool) -> tuple[float, float]:
    """Megabytes in the end, and at most."""
    crew = world.crew if on else replace(world.crew, pages="off")
    sink = bench.sink()
    try:
        with crew.at_work(world.database, sink) as work:
            if on:
                _look(world, tabs, 1 if bench.quick else PASSES)
            time.sleep(1 if bench.quick else REST_SECONDS)
            now = resident(work.started[0].process.pid)
    finally:
        sink.close()
    return now / 1e6, work.ran[0].peak / 1e6


def _look(world: World, tabs: Tabs, passes: int) -> None:
    browsers = tabs.browsers()
    for _ in range(passes):
        for target in targets(world.examples, RUN):
            for browser in browsers:
                browser.get(target.address)
    for browser in browsers:
        browser.close()
