"""A run from its start to its end, beside plain rows that say the same."""
from __future__ import annotations

from bench.bench import Bench
from bench.campaign import audience
from bench.campaign.sides import Plain, Run, reached
from bench.drain import Drain
from bench.figures import Spread, compared, shown, spread_shown
from bench.interleave import interleaved
from bench.psql import Database
from bench.sink import Sink, Taken
from bench.table import Table

NAME = "campaign"
COLUMNS = ["reached by", "side", "messages/s at the sink", "of the plain rows'", "messages/s of the whole drain",
           "CPU µs a message: worker", "of the plain rows'", "PostgreSQL", "PostgreSQL with what came before",
           "WAL bytes a message", "bytes on disk a message", "resident, MB"]
MESSAGES = 200_000


class Whole(Drain):
    """A drain that knows how fast the requests came, what filling cost before, and how large the tables are at the end."""

    filled = 0.0
    size = empty_size = 0

    def _fill(self, database: Database, messages: int) -> None:
        before = self.bench.cluster.cpu()
        super()._fill(database, messages)
        self.filled = self.bench.cluster.cpu() - before

    def _checked(self, database: Database, sink: Sink, messages: int) -> Taken:
        taken = super()._checked(database, sink, messages)
        if messages:
            self.size = audience.bytes_on_disk(database)
        else:
            self.empty_size = audience.bytes_on_disk(database)
        return taken

    def round(self) -> dict[str, float]:
        sample = super().round()
        filled = self.filled * 1e6 / self.messages
        return sample | {
            "at_sink": self.messages / self.taken.reached, "filled_us": filled, "with_filling_us": sample["postgres_us"] + filled,
            "disk_bytes": (self.size - self.empty_size) / self.messages}


def run(bench: Bench) -> Table | None:
    pairs = [handles for handles in (False, True) if bench.wants(f"run, {reached(handles)}")]
    if not pairs:
        return None
    sides = [Whole(bench, kind(bench, MESSAGES, handles=handles), 0) for handles in pairs for kind in (Plain, Run)]
    samples: dict[str, list[dict[str, float]]] = {side.side.name: [] for side in sides}
    for round, side, sample in interleaved(sides, bench.rounds, lambda side, _: side.round()):
        samples[side.side.name].append(sample)
        bench.record(table=NAME, side=side.side.name, round=round, messages=side.messages, **sample)
    rows = []
    for handles in pairs:
        plain = samples[Plain(bench, handles=handles).name]
        for name, kind in (("plain rows", Plain), ("a run", Run)):
            rows.append(_row(reached(handles), name, samples[kind(bench, handles=handles).name], plain))
    return Table(NAME, COLUMNS, rows, [
        f"`fanfare drain` of {bench.size(MESSAGES):,} messages with the same body, one post each, window 64; the sink answers "
        "at once. The plain rows lie in the tables when the drain begins; a run was only started: the drain also expands it, "
        "closes its slices and ends it. So a run's PostgreSQL does in the drain what the INSERTs did before for the plain "
        "rows: *with what came before* has those (for a run only its start), WAL has not. *At the sink*: from the first to the "
        "last request. *Whole drain* and CPU: whole processes, less a drain that finds nothing. *On disk*: what all tables "
        "and indexes grew by (`pg_total_relation_size`), without a VACUUM. Ratios are the median of the rounds' ratios (the "
        "ratio of the medians)."])


def _row(by: str, name: str, taken: list[dict[str, float]], plain: list[dict[str, float]]) -> list[str]:
    of = {part: [sample[part] for sample in taken] for part in taken[0]}
    theirs = {part: [sample[part] for sample in plain] for part in plain[0]}
    median = {part: shown(Spread.of(values).median) for part, values in of.items()}

    def ratio(part: str) -> str:
        return "–" if taken is plain else compared(of[part], theirs[part])

    return [by, name, spread_shown(Spread.of(of["at_sink"])), ratio("at_sink"), spread_shown(Spread.of(of["rate"])),
            spread_shown(Spread.of(of["client_us"])), ratio("client_us"), median["postgres_us"], median["with_filling_us"],
            median["wal_bytes"], median["disk_bytes"], median["peak_mb"]]
