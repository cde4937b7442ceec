"""The cost of enqueuing for a backend: every way to write a message, beside the same way into a bare table."""
from __future__ import annotations

from bench import wal
from bench.bench import Bench
from bench.enqueuing import BARE, Way, times, ways
from bench.figures import Spread, median_ratio, ratio_of_medians, shown, spread_shown
from bench.interleave import interleaved
from bench.problem import Problem
from bench.processes import run as run_process
from bench.psql import Database
from bench.sides.fanfare import Fanfare
from bench.table import Table

ABOUT = "rows/s, CPU and WAL of INSERT, COPY, push.enqueue and the keys, beside a bare table"
TABLES = ("enqueue",)
COLUMNS = ["how", "rows/s", "time, of a bare row's", "PostgreSQL CPU µs a row", "bare", "WAL bytes a row", "bare"]


def run(bench: Bench) -> list[Table]:
    template = bench.cluster.database("template of enqueuing")
    Fanfare(bench).schema(template)
    template.execute(BARE)
    chosen = [way for way in ways() if bench.wants(way.name)]
    # Each way directly followed by its bare counterpart, so that both see the same load.
    sides = [(way, bare) for way in chosen for bare in (False, True) if not bare or way.bare]
    samples: dict[tuple[Way, bool], list[dict[str, float]]] = {side: [] for side in sides}

    def measure(side: tuple[Way, bool], round: int) -> dict[str, float]:
        return _once(bench, template, *side)

    for round, (way, bare), sample in interleaved(sides, bench.rounds, measure):
        samples[way, bare].append(sample)
        bench.record(table="enqueue", side=way.name, bare=bare, round=round, rows=_rows(bench, way), **sample)
    notes = ["One session over a Unix socket, the whole command timed. *bare*: the same into a table with the same columns, "
             "defaults and primary key, without checks, trigger and partitions; for the functions and the keys, the same "
             "rows into `push.message` without them. Times are the median of the rounds' ratios (the ratio of the medians); for "
             "the INSERT of one row, both statements alternate in one session."]
    rows = [_row(way, samples) for way in chosen]
    return [Table("enqueue", COLUMNS, rows, notes)] if rows else []


def _rows(bench: Bench, way: Way) -> int:
    return bench.size(way.rows)


def _once(bench: Bench, template: Database, way: Way, bare: bool) -> dict[str, float]:
    """Runs one way in a fresh copy. Raises Problem unless every row is there and due."""
    cluster, rows = bench.cluster, _rows(bench, way)
    database = cluster.database("enqueue", template=template.name)
    command, input = way.command(bench.folder, database, rows, bare)
    with wal.watched(cluster) as written:
        before = cluster.cpu()
        ran = run_process(command, input=input)
        cpu = cluster.cpu() - before
    there = database.number(f"SELECT count(*) FROM {'bare' if bare else 'push'}.message")
    due = rows if bare else database.number("SELECT count(*) FROM push.due")
    if (there, due) != (rows, rows):
        raise Problem(f"{way.name}: of {rows} rows {there} are in the table and {due} are due")
    alternating = {}
    if way.alternates and not bare:
        ours, theirs = times(run_process(way.alternating(bench.folder, database, rows)).output)
        alternating = {"alternating": ours / theirs}
    cluster.drop(database)
    return {"rate": rows / ran.wall, "cpu_us": cpu * 1e6 / rows, "wal_bytes": written.bytes / rows, **alternating}


def _row(way: Way, samples: dict[tuple[Way, bool], list[dict[str, float]]]) -> list[str]:
    ours = {part: [sample[part] for sample in samples[way, False]] for part in samples[way, False][0]}
    base = next(((other, bare) for other, bare in samples if (other.name, bare) == way.compared_with), None)
    theirs = {part: [sample[part] for sample in samples[base]] for part in samples[base][0]} if base else None

    def bare(part: str) -> str:
        return shown(Spread.of(theirs[part]).median) if theirs else "–"

    compared = "–"
    if "alternating" in ours:
        compared = f"{spread_shown(Spread.of(ours['alternating']))} ×"
    elif theirs:
        rates = theirs["rate"], ours["rate"]
        compared = f"{shown(median_ratio(*rates))} × ({shown(ratio_of_medians(*rates))})"
    cpu, written = (shown(Spread.of(ours[part]).median) for part in ("cpu_us", "wal_bytes"))
    return [way.name, spread_shown(Spread.of(ours["rate"])), compared, cpu, bare("cpu_us"), written, bare("wal_bytes")]
