"""What looking before a send costs: plans of what is due and of campaigns, previews, known templates."""
from __future__ import annotations

from collections.abc import Iterator

from bench.bench import Bench
from bench.plan import due, learned, page, pure, sample, whole
from bench.table import Table

ABOUT = "time and memory of fanfare plan, previews and template learn, a worker beside them, and how near a sample comes"
TABLES = (due.TABLE, "plan", sample.TABLE)
PARTS = (pure, page, whole, learned)


def run(bench: Bench) -> Iterator[Table]:
    if table := due.run(bench):
        yield table
    chosen = [part for part in PARTS if bench.wants(part.NAME)]
    if rows := [row for part in chosen for row in part.rows(bench)]:
        yield _table(rows)
    if table := sample.run(bench):
        yield table


def _table(rows: list[list[str]]) -> Table:
    return Table("plan", ["what", "measured", "bar"], rows, [
        "Whole processes, with start and connection. *The planner*: claims of 1,000 rows, with and without notes in turn, release "
        "build. *A page*: `push_worker.peek_v1`, 50 pages a round, one after the other in a new session."])
