"""What signing in costs: time, and CPU of the process."""
from __future__ import annotations

from contextlib import closing

from bench.bench import Bench
from bench.console.browser import Browser
from bench.console.people import NAMES
from bench.console.world import World
from bench.plan.row import row
from bench.processes import tree_cpu

NAME = "sign-in"
TIMES = 10


def rows(bench: Bench, world: World) -> list[list[str]]:
    times = 2 if bench.quick else TIMES
    took, cpu = [], []
    with world.crew.serving(world.database) as server:
        for round in range(bench.rounds):
            before = tree_cpu(server.process.pid)
            for _ in range(times):
                with closing(Browser(world.crew.pages, NAMES[0])) as browser:
                    took.append(browser.sign_in().ms)
            cpu.append((tree_cpu(server.process.pid) - before) * 1e3 / times)
            bench.record(table="console", side=NAME, round=round, ms=took[-1], cpu_ms=cpu[-1])
    return [row("signing in, ms", took, "50 to 500"), row("CPU ms of the process", cpu, "50 to 500")]
