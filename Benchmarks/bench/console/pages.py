"""How long each page takes when nobody has looked before, and when somebody else looked a moment ago."""
from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from bench.bench import Bench
from bench.console.browser import Browser
from bench.console.statements import Counter, Counts, watching
from bench.console.tabs import Tabs
from bench.console.targets import OVERVIEW, Target, targets
from bench.console.world import HUBS, RUN, World
from bench.figures import Spread, shown, spread_shown
from bench.problem import Problem
from bench.table import Table

NAME, TABLE = "pages", "console-pages"
COLUMNS = ["page", "ms", "bar", "kB", "queries", "statements", "again: answer", "ms", "bar", "statements"]
PASSES = 3
# More looks than the console keeps. Each of these pages has three, of a message that there is not.
OTHERS, NOWHERE = 90, 10**15
AGAIN_BAR = 5
BESIDE = Target("`/` of a worker", "/", OVERVIEW, OVERVIEW)


@dataclass
class Measured:
    """Of one page. `first`: ms of the first look of a process; `alone`: of others for which nothing was kept; `again`: of the same
    person's next look within a second."""

    first: list[float] = field(default_factory=list)
    alone: list[float] = field(default_factory=list)
    again: list[float] = field(default_factory=list)
    answers: set[int] = field(default_factory=set)
    bytes: int = 0
    cost: Counts | None = None
    cost_again: Counts | None = None


class Forgetting:
    """Makes the console forget what it has read, by looks at other pages."""

    def __init__(self, browser: Browser) -> None:
        self.browser, self.next = browser, NOWHERE

    def __call__(self) -> None:
        for self.next in range(self.next + 1, self.next + OTHERS + 1):
            self.browser.missing(f"/messages/{self.next}")


def run(bench: Bench, world: World) -> Table:
    known = targets(world.examples, RUN)
    found = {target: Measured() for target in known}
    tabs = Tabs(world.crew.pages)
    for round in range(bench.rounds):
        with world.crew.serving(world.database):
            _look(tabs, found, 1 if bench.quick else PASSES)
        for target, measured in found.items():
            bench.record(table=TABLE, side=target.address, round=round, first_ms=measured.first[-1], ms=measured.alone[-1],
                         again_ms=measured.again[-1])
    with closing(Counter(bench.cluster, world.database)) as counter, world.crew.serving(world.database):
        _count(tabs, found, counter)
    found[BESIDE] = Measured()
    for round in range(bench.rounds):
        _look_at_worker(bench, world, tabs, found[BESIDE])
        bench.record(table=TABLE, side=BESIDE.name, round=round, ms=found[BESIDE].alone[-1])
    return _table(bench, world, found)


def _look(tabs: Tabs, found: dict[Target, Measured], passes: int) -> None:
    one, other, third = tabs.browsers()
    forget = Forgetting(third)
    for target, measured in found.items():
        measured.first.append(one.get(target.address).ms)
    for _ in range(passes):
        for target, measured in found.items():
            forget()
            alone = one.get(target.address)
            # Names stand on a page, so each person has marks of their own.
            mark = other.get(target.address).mark
            again = other.get(target.address, mark)
            measured.alone.append(alone.ms)
            measured.again.append(again.ms)
            measured.answers.add(again.status)
            measured.bytes = len(alone.body)
    for browser in (one, other, third):
        browser.close()


def _look_at_worker(bench: Bench, world: World, tabs: Tabs, measured: Measured) -> None:
    """Its hubs are paused, so that as much stays due. It counts what is due itself, before anybody looks."""
    world.pause()
    world.database.execute("UPDATE push.pulse SET reading = NULL, taken_at = NULL")
    sink = bench.sink()
    try:
        with world.crew.at_work(world.database, sink) as work:
            until = time.monotonic() + 120
            while not world.database.number("SELECT count(taken_at) FROM push.pulse"):
                work.check()
                if time.monotonic() > until:
                    raise Problem("after two minutes a worker has not counted what is due")
                time.sleep(0.1)
            _look(tabs, {BESIDE: measured}, 1 if bench.quick else PASSES)
    finally:
        sink.close()
        world.resume()


def _count(tabs: Tabs, found: dict[Target, Measured], counter: Counter) -> None:
    one, other, third = tabs.browsers()
    forget = Forgetting(third)
    for target in found:  # what a session asks once
        one.get(target.address)
    for target, measured in found.items():
        forget()
        measured.cost = watching(counter, lambda: one.get(target.address))
        mark = other.get(target.address).mark
        measured.cost_again = watching(counter, lambda: other.get(target.address, mark))
    for browser in (one, other, third):
        browser.close()


def median_of(pages: Iterable[Sequence[float]]) -> float:
    """Of the medians of all pages. Pure."""
    return Spread.of([Spread.of(page).median for page in pages]).median


def _table(bench: Bench, world: World, found: dict[Target, Measured]) -> Table:
    rows = [[
        target.name, spread_shown(Spread.of(of.alone)), target.bar, shown(of.bytes / 1000),
        str(of.cost.queries) if of.cost else "–", str(of.cost.all) if of.cost else "–",
        " or ".join(map(str, sorted(of.answers))), spread_shown(Spread.of(of.again)), str(AGAIN_BAR),
        str(of.cost_again.all) if of.cost_again else "–"]
        for target, of in found.items()]
    of_all = median_of(of.alone for of in found.values())
    slowest = max((max(of.first), target.name) for target, of in found.items())
    return Table(TABLE, COLUMNS, rows, [
        f"{world.messages:,} messages to {HUBS} hubs: half have their results, one in five of those failed and one in 500 in doubt; the "
        f"others are due, {world.ahead:,} of them the first of a run to {world.recipients:,} recipients, and no worker runs. {world.campaigns:,} campaigns with ten "
        f"runs each, {world.changes:,} changes of devices and as many entries of the audit. `fanfare console run`; *ms*: from the request "
        "to the last byte of the page, over a connection of this machine that stays open, when nothing of it was kept; *queries*, and "
        "*statements* with what sets the rights of each transaction, and with BEGIN and COMMIT where one has several. *Of a worker*: the "
        "pages of `fanfare run`, which counts what is due itself, and whose hubs are paused meanwhile. *Again*: the same person's next "
        "look, within a second of "
        f"somebody else's. The median of all pages is {shown(of_all)} ms; the slowest first look of a process is that at "
        f"{slowest[1]}, {shown(slowest[0])} ms."])
