"""The cost of push.wake_up() for backends, while workers are awake and while one sleeps."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bench.bench import Bench
from bench.crew import Crew
from bench.figures import Spread, compared, spread_shown
from bench.interleave import interleaved
from bench.pace import Pace, inserted
from bench.problem import Problem
from bench.psql import Database
from bench.table import Table

TABLE = "latency-hint"
COLUMNS = ["connections", "INSERT alone, transactions/s", "and push.wake_up(), all awake", "of alone", "one asleep", "of alone"]
# How many INSERTs, by number of connections: enough for some seconds.
INSERTS = {1: 5_000, 16: 30_000}
ALONE, AWAKE, ASLEEP = "alone", "awake", "asleep"


@dataclass(frozen=True)
class Side:
    connections: int
    case: str

    @property
    def name(self) -> str:
        return f"wake_up, {self.connections} connection{'' if self.connections == 1 else 's'}"


def run(bench: Bench) -> Iterator[Table]:
    sides = [side for connections in INSERTS for case in (ALONE, AWAKE, ASLEEP)
             if bench.wants((side := Side(connections, case)).name)]
    if not sides:
        return
    template = bench.cluster.database("template of hint")
    Crew(bench).schema(template)
    rates: dict[Side, list[float]] = {side: [] for side in sides}
    for round, side, rate in interleaved(sides, bench.rounds, lambda side, _: _once(bench, template, side)):
        rates[side].append(rate)
        bench.record(table=TABLE, side=f"{side.name}, {side.case}", round=round, rate=rate)
    yield Table(TABLE, COLUMNS, [_row(rates, connections) for connections in sorted({side.connections for side in sides})], [
        "Transactions of one INSERT of one row, each connection as fast as it can, over a Unix socket; the call shares one "
        "round trip with the INSERT. No worker runs, so that nothing else uses the cores; there is only a row in `push.worker`. "
        "*One asleep* is the worst case: this worker stays asleep, so every transaction notifies, and a commit that notifies "
        "waits for every other commit that does. A real worker is awake after the first. Ratios are the median of the rounds' "
        "ratios (the ratio of the medians)."])


def _once(bench: Bench, template: Database, side: Side) -> float:
    """Transactions a second in a fresh copy. Raises Problem unless every message is due."""
    database = bench.cluster.database("hint", template=template.name)
    database.execute("VACUUM ANALYZE")
    asleep = side.case == ASLEEP
    # It has no heartbeat, so beat_at is infinity: otherwise it would count as dead.
    database.execute(f"INSERT INTO push.worker (name, version, asleep, beat_at, timeline, lowest_claim) VALUES ('bench', 'bench', {asleep}, 'infinity', push_internal.current_timeline(), 0)")
    if (database.value("SELECT push.wake_up()") == "t") != asleep:
        raise Problem(f"push.wake_up() does not see that the worker is {side.case}")
    pace = Pace(bench.size(INSERTS[side.connections]), per_second=1e9, connections=side.connections, wakes=side.case != ALONE)
    said = inserted(bench, database, pace, bench.folder / "times")
    due = database.number("SELECT count(*) FROM push.due")
    if due != pace.inserts:
        raise Problem(f"{pace.inserts} messages were enqueued, and {due} are due")
    bench.cluster.drop(database)
    return said["messages"] / said["seconds"]


def _row(rates: dict[Side, list[float]], connections: int) -> list[str]:
    alone, awake, asleep = (rates[Side(connections, case)] for case in (ALONE, AWAKE, ASLEEP))
    return [str(connections), spread_shown(Spread.of(alone)),
            *(cell for taken in (awake, asleep) for cell in (spread_shown(Spread.of(taken)), compared(taken, alone)))]
