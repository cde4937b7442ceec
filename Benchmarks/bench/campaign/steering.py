"""Start, progress, pause and cancel of a run to ten million recipients."""
from __future__ import annotations

from bench.bench import Bench
from bench.campaign.steered import Steered
from bench.figures import Spread, spread_shown
from bench.table import Table

NAME = "campaign-steering"
COLUMNS = ["what", "measured", "bar"]
RECIPIENTS, SCHEDULED, SECONDS = 10_000_000, 5_000_000, 15
ROWS = [
    ("`push.start_run`, the call, ms", "start_ms", "–"),
    ("from its commit to the first request, ms", "first_ms", "1,000"),
    ("messages/s until the pause, at the sink", "rate", "–"),
    ("most messages expanded ahead", "ahead", "50,000"),
    ("`push.run_progress` while it runs, ms: median of a round", "progress_ms", "100"),
    ("the slowest of a round", "progress_most_ms", "100"),
    ("`push.pause_run`, all its calls, ms", "pause_ms", "1,000"),
    ("the longest of its calls, ms", "pause_longest_ms", "1,000"),
    ("messages it stopped", "paused", "–"),
    ("last request after it had returned, ms", "pause_last_ms", "1,000"),
    ("`push.resume_run`, all its calls, ms", "resume_ms", "–"),
    ("`push.cancel_run`, all its calls, ms", "cancel_ms", "1,000"),
    ("the longest of its calls, ms", "cancel_longest_ms", "1,000"),
    ("messages it stopped", "cancelled", "–"),
    ("last request after it had returned, ms", "cancel_last_ms", "1,000"),
    ("worker resident at most, MB", "peak_mb", "70"),
]


def run(bench: Bench) -> Table | None:
    if not bench.wants("steering"):
        return None
    seconds = 3 if bench.quick else SECONDS
    steered = Steered(bench, bench.size(RECIPIENTS), bench.size(SCHEDULED), seconds)
    samples = []
    for round in range(bench.rounds):
        samples.append(steered.round())
        bench.record(table=NAME, side="steering", round=round, **samples[-1])
    steered.close()
    rows = [[what, spread_shown(Spread.of([sample[part] for sample in samples])), bar] for what, part, bar in ROWS]
    return Table(NAME, COLUMNS, rows, [
        f"A view of {bench.size(RECIPIENTS):,} recipients by tag, one post each, no rate; {bench.size(SCHEDULED):,} other "
        "messages to the same hub are scheduled for the next day. One `fanfare run`, window 64, is idle for two seconds; the "
        f"run is started, paused after {seconds} s, resumed 3 s later and cancelled {seconds} s after that, through one psql; "
        "functions are called again until `next` is null. The sink answers at once and notes the time of each request. "
        "*Expanded ahead*: rows of `push.due` of the run that are due, counted every 50 ms, also while it is resumed; "
        "counting takes CPU from the run. 0 ms: no request came after the call had returned."])
