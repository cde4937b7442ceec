"""The store under a held snapshot, as of a report, a dump or a forgotten psql. While such a transaction is open, vacuum cannot
remove deleted rows, and a queue leaves a dead row behind for each message."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from bench.bench import Bench
from bench.figures import Spread, compared, shown, spread_shown
from bench.groups.store import Shape, emptied
from bench.interleave import interleaved
from bench.problem import Problem
from bench.psql import Database
from bench.session import Session
from bench.sides.fanfare import Fanfare
from bench.table import Table

TABLE = "growth-snapshot"
COLUMNS = ["messages a post", "database", "messages/s", "of the fresh one's", "CPU µs a message: client", "PostgreSQL",
           "WAL bytes a message"]
SHAPES = [Shape(20, 1), Shape(1, 1)]


@contextmanager
def snapshot(database: Database) -> Iterator[None]:
    """Raises Problem when the transaction did not last."""
    with Session(database) as session:
        # The first statement takes the snapshot.
        first = session.ask("BEGIN ISOLATION LEVEL REPEATABLE READ;\nSELECT pg_current_snapshot();")
        yield
        last = session.ask("SELECT pg_current_snapshot();")
        if last != first:
            raise Problem(f"the snapshot {first} was not held: {last}")


def run(bench: Bench) -> Iterator[Table]:
    shapes = [shape for shape in SHAPES if bench.wants(_name(shape))]
    if not shapes:
        return
    product, gone = Fanfare(bench), bench.size(1_000_000)
    template = bench.cluster.database("template under a snapshot")
    product.schema(template)
    sides = [(shape, under) for shape in shapes for under in (False, True)]
    samples: dict[tuple[Shape, bool], list[dict[str, float]]] = {side: [] for side in sides}

    def measure(side: tuple[Shape, bool], _: int) -> dict[str, float]:
        return _once(bench, product, template, *side, gone)

    for round, (shape, under), sample in interleaved(sides, bench.rounds, measure):
        samples[shape, under].append(sample)
        bench.record(table=TABLE, side=_name(shape), held=under, round=round, gone_by=gone if under else 0, **sample)
    rows = [_row(shape, under, samples, gone) for shape, under in sides]
    yield Table(TABLE, COLUMNS, rows, [
        f"The loop of the group `store`, one connection, {bench.size(300_000):,} messages; in a fresh database, and in one "
        f"where another {gone:,} have been sent since a transaction took a snapshot that it still holds. Ratios are the "
        "median of the rounds' ratios (the ratio of the medians)."])


def _name(shape: Shape) -> str:
    return f"snapshot, {shape.per_post} a post"


def _once(
    bench: Bench, product: Fanfare, template: Database, shape: Shape, under: bool, gone: int
) -> dict[str, float]:
    database = bench.cluster.database("snapshot", template=template.name)
    before = 0
    with snapshot(database) if under else nullcontext():
        for messages in [gone, bench.size(300_000)] if under else [bench.size(300_000)]:
            product.fill(database, messages)
            database.execute("VACUUM ANALYZE")
            sample = emptied(bench, product, database, shape, messages, before)
            before += messages
    bench.cluster.drop(database)
    return sample


def _row(
    shape: Shape, under: bool, samples: dict[tuple[Shape, bool], list[dict[str, float]]], gone: int
) -> list[str]:
    of = {part: [sample[part] for sample in samples[shape, under]] for part in samples[shape, under][0]}
    ratio = compared(of["rate"], [sample["rate"] for sample in samples[shape, False]]) if under else "–"
    database = f"{gone:,} gone by under a snapshot" if under else "fresh"
    return [str(shape.per_post), database, spread_shown(Spread.of(of["rate"])), ratio,
            *(shown(Spread.of(of[part]).median) for part in ("client_us", "postgres_us", "wal_bytes"))]
