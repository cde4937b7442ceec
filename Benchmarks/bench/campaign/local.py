"""What it costs to send a run by everybody's own clock: a whole drain, without and with zones."""
from __future__ import annotations

from bench.bench import Bench
from bench.campaign.whole import Whole
from bench.campaign.zones import ZONES, ZonedRun
from bench.figures import Spread, median_ratio, shown, spread_shown
from bench.interleave import interleaved
from bench.table import Table

NAME = "campaign-local"
COLUMNS = ["side", "messages/s of the whole drain", "CPU µs a message: worker", "PostgreSQL", "both, of those of the first"]
MESSAGES = 1_000_000


def run(bench: Bench) -> Table | None:
    if not bench.wants("run, local"):
        return None
    sides = [Whole(bench, ZonedRun(bench, MESSAGES, local=local), 0) for local in (False, True)]
    samples: dict[str, list[dict[str, float]]] = {side.side.name: [] for side in sides}
    for round, side, sample in interleaved(sides, bench.rounds, lambda side, _: side.round()):
        samples[side.side.name].append(sample)
        bench.record(table=NAME, side=side.side.name, round=round, messages=side.messages, **sample)
    plain = samples[sides[0].side.name]
    return Table(NAME, COLUMNS, [_row(name, taken, plain) for name, taken in samples.items()], [
        f"`fanfare drain` of a run to a view of {bench.size(MESSAGES):,} rows in {len(ZONES)} zones, one post each, window 64; "
        "the sink answers at once. The hour has passed in all zones: none of them waits. Whole processes, less a drain that "
        "finds nothing; the ratio is the median of the rounds'."])


def _row(name: str, taken: list[dict[str, float]], plain: list[dict[str, float]]) -> list[str]:
    def of(part: str) -> str:
        return spread_shown(Spread.of([sample[part] for sample in taken]))

    def both(samples: list[dict[str, float]]) -> list[float]:
        return [sample["client_us"] + sample["postgres_us"] for sample in samples]

    return [name, of("rate"), of("client_us"), of("postgres_us"),
            "–" if taken is plain else shown(median_ratio(both(taken), both(plain)))]
