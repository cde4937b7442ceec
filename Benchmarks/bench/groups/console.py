"""What the pages of the console cost: each page with ten million messages, tabs that follow, a worker beside them, signing in, the
binary."""
from __future__ import annotations

import functools
from collections.abc import Iterator

from bench.bench import Bench
from bench.console import beside, live, memory, pages, probes, signing, size
from bench.console.world import World
from bench.table import Table

ABOUT = "time and statements of each page, tabs on /, a worker beside them, probes, signing in, memory and bytes of the binary"
TABLES = (pages.TABLE, "console")
# These look at the large installation; the last two hold its hubs.
IN_WORLD, ALONE = (live, signing, probes, memory), (beside, size)


def run(bench: Bench) -> Iterator[Table]:
    world = functools.cache(lambda: World(bench))
    if bench.wants(pages.NAME):
        yield pages.run(bench, world())
    rows = [row for part in IN_WORLD if bench.wants(part.NAME) for row in part.rows(bench, world())]
    if world.cache_info().currsize:
        world().close()
    rows += [row for part in ALONE if bench.wants(part.NAME) for row in part.rows(bench)]
    if rows:
        yield _table(bench, rows)


def _table(bench: Bench, rows: list[list[str]]) -> Table:
    return Table("console", ["what", "measured", "bar"], rows, [
        f"*Three tabs*: three people, each with a connection, who ask for `/` two seconds after their last answer, with what they have; "
        f"in {6 if bench.quick else live.SECONDS} s of `fanfare console run`, which counts the backlog itself, as no worker does. "
        f"*A worker*: `fanfare run`, 10 hubs, {bench.size(beside.TAKEN):,} messages of a post each, the sink answers at once; both sides "
        "in turn, each round's ratio. *All pages*: those of the table before, in a worker whose hubs are paused. *A probe*: "
        "`/livez` and `/readyz`, each over a connection of its own, while every process of PostgreSQL is stopped. *By their symbols*: of "
        "the release build before it is stripped, with generic code that was compiled for a type of the module."])
