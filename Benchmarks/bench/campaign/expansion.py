"""Expansion alone: messages made of an audience, before any of them is sent."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bench import wal
from bench.bench import Bench
from bench.campaign import audience
from bench.campaign.sides import Run, reached
from bench.figures import Spread, shown, spread_shown
from bench.interleave import interleaved
from bench.problem import Problem
from bench.processes import run as run_process
from bench.psql import Database
from bench.table import Table

NAME = "campaign-expansion"
COLUMNS = ["recipients reached by", "recipients/s", "ms a slice", "CPU µs a recipient: PostgreSQL", "WAL bytes a recipient"]
RECIPIENTS, SLICE = 1_000_000, 10_000


class Expansion:
    """Each round expands a run to its end in a fresh copy of an audience."""

    def __init__(self, bench: Bench, handles: bool, cap: dict[str, Any] | None = None) -> None:
        self.bench, self.handles, self.recipients = bench, handles, bench.size(RECIPIENTS)
        self.template = bench.cluster.database(f"template of {self.name}")
        Run(bench, RECIPIENTS, handles=handles, cap=cap).schema(self.template)

    @property
    def name(self) -> str:
        return f"expansion, {reached(self.handles)}"

    def round(self) -> dict[str, float]:
        database = self.bench.cluster.database("expansion", template=self.template.name)
        database.execute("VACUUM ANALYZE")
        try:
            return self.expand(database)
        finally:
            self.bench.cluster.drop(database)

    def expand(self, database: Database, key: str = "bench") -> dict[str, float]:
        """A run, from its start to its last message."""
        cluster = self.bench.cluster
        database.execute(audience.start(key))
        stream = database.number("SELECT max(id) FROM push.stream")
        slices = -(-self.recipients // SLICE)
        script = f"SELECT rows FROM push_worker.expand_v1({stream}, {SLICE});\n" * slices
        command = ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", database.url]
        empty = run_process(command).wall
        with wal.watched(cluster) as written:
            before = cluster.cpu()
            ran = run_process(command, input=script)
            postgres = cluster.cpu() - before
        self._check(database, key, sum(map(int, ran.output.split())))
        seconds = ran.wall - empty
        return {"rate": self.recipients / seconds, "slice_ms": seconds * 1000 / slices,
                "postgres_us": postgres * 1e6 / self.recipients, "wal_bytes": written.bytes / self.recipients}

    def close(self) -> None:
        self.bench.cluster.drop(self.template)

    def _check(self, database: Database, key: str, said: int) -> None:
        """Raises Problem unless every recipient has one message that is due."""
        due = database.number("SELECT count(*) FROM push.due")
        messages, reached = map(int, database.value(
            "SELECT count(*) || ' ' || count(DISTINCT coalesce(tag, handles[1])) FROM push.message "
            f"WHERE run = '{key}'").split())
        if {said, due, messages, reached} != {self.recipients}:
            raise Problem(f"{self.name}: of {self.recipients} recipients {said} were expanded; there are {messages} messages "
                          f"to {reached} of them, and {due} are due")


def sampled(bench: Bench, table: str, sides: Sequence[Expansion]) -> dict[str, list[dict[str, float]]]:
    """What each side's rounds cost, by its name; closes them."""
    samples: dict[str, list[dict[str, float]]] = {side.name: [] for side in sides}
    for round, side, sample in interleaved(sides, bench.rounds, lambda side, _: side.round()):
        samples[side.name].append(sample)
        bench.record(table=table, side=side.name, round=round, recipients=side.recipients, **sample)
    for side in sides:
        side.close()
    return samples


def run(bench: Bench) -> Table | None:
    sides = [handles for handles in (False, True) if bench.wants(f"expansion, {reached(handles)}")]
    if not sides:
        return None
    expansions = [Expansion(bench, handles) for handles in sides]
    samples = sampled(bench, NAME, expansions)
    return Table(NAME, COLUMNS, [_row(side, samples[side.name]) for side in expansions], [
        f"A view over a table of {bench.size(RECIPIENTS):,} rows, its primary key the key. `push_worker.expand_v1` alone, "
        f"{SLICE:,} recipients a call and a transaction, one after the other through one psql, with no worker and nothing "
        "sent. Time and CPU include the commits; time is less that of a psql that does nothing. The handles have 64 "
        "characters."])


def _row(side: Expansion, taken: list[dict[str, float]]) -> list[str]:
    of = {part: Spread.of([sample[part] for sample in taken]) for part in taken[0]}
    return [reached(side.handles), spread_shown(of["rate"]), spread_shown(of["slice_ms"]), shown(of["postgres_us"].median),
            shown(of["wal_bytes"].median)]
