"""What a cap costs: an expansion without one, while nobody has to be looked up, and with everybody looked up."""
from __future__ import annotations

from typing import Any

from bench.bench import Bench
from bench.campaign.expansion import RECIPIENTS, SLICE, Expansion, sampled
from bench.figures import Spread, median_ratio, shown, spread_shown
from bench.psql import Database
from bench.table import Table

NAME = "campaign-caps"
COLUMNS = ["cap", "CPU µs a recipient: PostgreSQL", "of that without", "WAL bytes a recipient",
           "bytes of `push.reached` a recipient"]
KEPT = "SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('push.reached')"
# A run that reached nobody: with it there were enough runs that somebody could have had too many.
EMPTY_RUN = ("INSERT INTO push.capped_run SELECT id, (now() AT TIME ZONE 'UTC')::date, 0 FROM push.cap_group; "
             "TRUNCATE push.due")


class Capped(Expansion):
    """`count`: what the cap allows in a week, null: there is no cap. `earlier`: a run reached everybody before each round."""

    def __init__(self, bench: Bench, title: str, count: int | None, earlier: bool = False) -> None:
        self.title = title
        super().__init__(bench, handles=False, cap=None if count is None else {"count": count, "days": 7, "group": "bench"})
        if earlier:
            self.expand(self.template, "earlier")
            self.template.execute(EMPTY_RUN)

    @property
    def name(self) -> str:
        return f"cap, {self.title}"

    def expand(self, database: Database, key: str = "bench") -> dict[str, float]:
        before = database.number(KEPT)
        sample = super().expand(database, key)
        return {**sample, "kept_bytes": (database.number(KEPT) - before) / self.recipients}


SIDES: dict[str, dict[str, Any]] = {
    "none": {"count": None},
    "fewer runs than it allows": {"count": 2},
    "everybody looked up": {"count": 2, "earlier": True},
}


def run(bench: Bench) -> Table | None:
    wanted = [title for title in SIDES if bench.wants(f"cap, {title}")]
    if not wanted:
        return None
    sides = [Capped(bench, title, **SIDES[title]) for title in wanted]
    samples = sampled(bench, NAME, sides)
    return Table(NAME, COLUMNS, [_row(side, samples) for side in sides], [
        f"A view over a table of {bench.size(RECIPIENTS):,} rows; {SLICE:,} recipients a call and a transaction, through one "
        "psql, with no worker and nothing sent. CPU with the commits; *of that without*: the median of the rounds' own ratios. "
        "*Looked up*: an earlier run reached everybody, the cap allows two, and nobody is left out."])


def _row(side: Capped, samples: dict[str, list[dict[str, float]]]) -> list[str]:
    def of(part: str, name: str = side.name) -> list[float]:
        return [sample[part] for sample in samples[name]]

    plain = "cap, none"
    return [side.title, spread_shown(Spread.of(of("postgres_us"))),
            "" if side.name == plain or plain not in samples
            else shown(median_ratio(of("postgres_us"), of("postgres_us", plain))),
            shown(Spread.of(of("wal_bytes")).median), shown(Spread.of(of("kept_bytes")).median)]
