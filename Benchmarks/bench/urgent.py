"""Whether urgent messages wait behind bulk: their latency alone, and beside bulk posts that fill the hub's window for long."""
from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench.bench import Bench
from bench.crew import Crew
from bench.figures import Spread, shown, spread_shown
from bench.interleave import interleaved
from bench.pace import Latencies, Pace, inserted, latencies, numbers, wait_until_sent
from bench.problem import Problem
from bench.psql import Database
from bench.sink import HUB, Taken
from bench.table import Table

TABLE = "latency-urgent"
COLUMNS = ["urgent messages", "count", "INSERT, ms: p50", "p99", "from commit to request, ms: p50", "p90", "p99", "p99.9",
           "most", "p99 of the rounds", "above alone", "their answers, ms: p99", "found the window full"]
TAG, WINDOW = "bulk", 64
# Posts that are answered at once: each answer lets the window grow, and slow ones alone would take a minute.
WARM = 200


@dataclass(frozen=True)
class Side:
    """`bulk`: messages of priority 2 that are due beside, far more than leave in a round."""

    name: str
    bulk: int = 0


ALONE, BESIDE = Side("urgent alone"), Side("urgent beside slow bulk", bulk=10_000)


@dataclass
class Sample:
    """`answers`: ms that 99 % of the urgent posts waited for theirs at most. `full`: how many of the `inserts` that count were
    committed while the window was full of bulk. `bulk`: how many of bulk the hub saw, of which so many are `in_doubt`."""

    latencies: Latencies
    answers: int
    full: int
    inserts: int
    bulk: int
    in_doubt: int

    @property
    def p99(self) -> float:
        return self.latencies.commit.percentile(99) / 1000


def run(bench: Bench) -> Iterator[Table]:
    sides = [side for side in (ALONE, BESIDE) if bench.wants(side.name)]
    if not sides:
        return
    template = bench.cluster.database("template of urgent")
    crew = Crew(bench, window=WINDOW)
    crew.schema(template)
    pace, seconds = Pace(140 if bench.quick else 1_220, per_second=30, priority=0), 3 if bench.quick else 20
    samples: dict[Side, list[Sample]] = {side: [] for side in sides}
    for round, side, sample in interleaved(
            sides, bench.rounds, lambda side, _: _once(bench, crew, template, side, pace, seconds)):
        samples[side].append(sample)
        bench.record(table=TABLE, side=side.name, round=round, messages=sample.latencies.commit.count, full=sample.full,
                     answers_p99_ms=sample.answers, bulk=sample.bulk, in_doubt=sample.in_doubt,
                     **{f"p{percent}_ms": sample.latencies.commit.percentile(percent) / 1000
                        for percent in (50, 90, 99, 99.9, 100)})
    yield Table(TABLE, COLUMNS, [_row(side, samples) for side in sides], [_about(samples.get(BESIDE, []), seconds)])


def _about(beside: Sequence[Sample], seconds: int) -> str:
    return (
        f"One hub with a window of {WINDOW}, and INSERTs of one row of priority 0, 30 a second, each at a random time within "
        f"its share of the second. *Beside slow bulk*: {BESIDE.bulk:,} messages of priority 2 are due, each a post of its own "
        f"that the hub answers after {seconds} s; it answers urgent ones at once. The first INSERT is made when {WINDOW} bulk "
        "posts are open at the hub. *Found the window full*: that many were open when the INSERT was committed; later a few "
        "places may be empty, because bulk waits until there are enough for an intent. Of "
        f"{sum(sample.bulk for sample in beside)} bulk posts the worker gave up "
        f"{sum(sample.in_doubt for sample in beside)}, after 15 s without a byte: they are in doubt. *Above alone*: the "
        "p99 less that of the same round alone. *Their answers*: from the hand-over to the transport to the end of the answer, "
        "as recorded in `push.result`. Checked after each round: the hub saw each urgent message once and no bulk message "
        "twice, what it saw is recorded, and all other bulk messages are due.")


def _once(bench: Bench, crew: Crew, template: Database, side: Side, pace: Pace, seconds: int) -> Sample:
    database = bench.cluster.database("urgent", template=template.name)
    stamps, times = bench.folder / "stamps", bench.folder / "times"
    sink = bench.sink(seconds * 1000, tell_at=WARM + WINDOW, stamps=stamps, late_tag=TAG)
    try:
        with crew.at_work(database, sink) as work:
            crew.fill(database, WARM)
            wait_until_sent(database, work.check)
            if side.bulk:
                _fill(database, side.bulk, first=pace.messages)
                sink.reached(60, work.check)
            said = inserted(bench, database, pace, times)
            bench.record(pace=pace.per_second, offered=said["messages"] / said["seconds"], late=said["late"])
            wait_until_sent(database, work.check, "priority = 0")
        taken = sink.stop()
    finally:
        sink.close()
    urgent, bulk = divided(numbers(stamps, 2), pace.messages)
    posts = open_posts(bulk, _recorded(database))
    _check(database, side, taken, len(bulk), pace)
    written = numbers(times, 3)
    commits = [committed for _, _, committed in written[pace.warm:]]
    sample = Sample(latencies(written, urgent, pace), _answers(database), found_full(commits, posts, WINDOW), len(commits),
                    len(bulk), _in_doubt(database))
    if side.bulk and sample.full < sample.inserts / 2:
        raise Problem(f"only {sample.full} of {sample.inserts} urgent messages found the window full of bulk posts")
    bench.cluster.drop(database)
    return sample


def _fill(database: Database, messages: int, first: int) -> None:
    """Bulk, numbered from `first` on: the sink stamps the numbers."""
    database.execute(
        f"""INSERT INTO push.message (hub, tag, content, pack, priority)
            SELECT '{HUB}', '{TAG}_' || n, ('{{"id":"' || n || '","body":"World news in English."}}')::json, false, 2
              FROM generate_series({first}, {first + messages - 1}) n""")


def _recorded(database: Database) -> list[tuple[int, int]]:
    """The bulk messages that were sent: their numbers, and the ms until the worker had an answer or gave up."""
    lines = database.execute(
        "SELECT m.content->>'id', a.milliseconds FROM push.message m JOIN push.result r USING (id)"
        " JOIN push.answers a ON a.post = r.post WHERE m.priority = 2 AND r.status IN ('accepted', 'in_doubt')").splitlines()
    return [(int(number), int(milliseconds)) for number, milliseconds in (line.split("|") for line in lines)]


def _answers(database: Database) -> int:
    return database.number(
        "SELECT percentile_disc(0.99) WITHIN GROUP (ORDER BY r.milliseconds)"
        " FROM push.result r JOIN push.message m USING (id) WHERE m.priority = 0")


def _in_doubt(database: Database) -> int:
    return database.number("SELECT count(*) FROM push.result WHERE status = 'in_doubt'")


def divided(
    stamps: Sequence[tuple[int, ...]], urgent: int
) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """The stamps of the first `urgent` numbers, and those of bulk. Pure."""
    return [stamp for stamp in stamps if stamp[0] < urgent], [stamp for stamp in stamps if stamp[0] >= urgent]


def open_posts(stamps: Sequence[tuple[int, ...]], recorded: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """From when until when each bulk post was open, in ns. Pure.

    Raises Problem unless each that the hub saw was seen once and recorded once, and no other was recorded.
    """
    seen, lasted = dict(stamps), dict(recorded)
    if not len(seen) == len(stamps) == len(lasted) == len(recorded) or seen.keys() != lasted.keys():
        raise Problem(
            f"the hub saw {len(seen)} bulk messages in {len(stamps)} posts, and {len(lasted)} are recorded as sent, in "
            f"{len(recorded)} rows")
    return [(at, at + lasted[message] * 1_000_000) for message, at in seen.items()]


def found_full(commits: Sequence[int], posts: Sequence[tuple[int, int]], window: int) -> int:
    """At how many of these times at least `window` posts were open. Pure."""
    begun, over = (sorted(times) for times in zip(*posts)) if posts else ([], [])
    return sum(bisect_right(begun, at) - bisect_right(over, at) >= window for at in commits)


def _check(database: Database, side: Side, taken: Taken, bulk: int, pace: Pace) -> None:
    """Raises Problem unless all others that the hub saw are recorded as accepted, once, and the rest of the bulk is due.
    `bulk`: how many of them the hub saw."""
    due, others = map(int, database.value(
        "SELECT (SELECT count(*) FROM push.due WHERE priority = 2) || ' ' || "
        "(SELECT count(*) FROM push.claim) + (SELECT count(*) FROM push.due WHERE priority < 2)").split())
    rows, messages = map(int, database.value(
        "SELECT count(*) || ' ' || count(DISTINCT id) FROM push.result r JOIN push.message m USING (id)"
        " WHERE r.status = 'accepted' AND m.priority < 2").split())
    sent = WARM + pace.messages
    if (taken.requests, taken.refused, rows, messages, due, others) != (sent + bulk, 0, sent, sent, side.bulk - bulk, 0):
        raise Problem(
            f"{side.name}: {sent} messages were enqueued, and {side.bulk} of bulk, of which the hub saw {bulk}; the sink has "
            f"{taken}; {messages} are recorded as accepted, in {rows} rows, {due} of bulk are due, and {others} others are due "
            "or held")


def _row(side: Side, samples: dict[Side, list[Sample]]) -> list[str]:
    of, total = samples[side], Latencies()
    for sample in of:
        total.merge(sample.latencies)
    inserts, commits = [
        [shown(histogram.percentile(percent) / 1000) for percent in percents]
        for histogram, percents in ((total.insert, (50, 99)), (total.commit, (50, 90, 99, 99.9, 100)))]
    above, full = "–", "–"
    if side.bulk:
        full = f"{100 * sum(sample.full for sample in of) / sum(sample.inserts for sample in of):.1f} %"
        if alone := samples.get(ALONE):
            above = spread_shown(Spread.of([ours.p99 - theirs.p99 for ours, theirs in zip(of, alone)]))
    return [side.name.removeprefix("urgent "), f"{total.commit.count:,}", *inserts, *commits,
            spread_shown(Spread.of([sample.p99 for sample in of])), above,
            spread_shown(Spread.of([float(sample.answers) for sample in of])), full]
