"""How long after its hour a zone of a local run gets its first request, with hours that come every two seconds."""
from __future__ import annotations

import time

from bench.bench import Bench
from bench.campaign import audience, zones
from bench.crew import Crew
from bench.figures import Spread, shown, spread_shown
from bench.problem import Problem
from bench.table import Table

NAME = "campaign-hours"
COLUMNS = ["recipients", "zones", "ms from the hour of a zone to its first request: median", "the last of them"]
RECIPIENTS, APART = 380_000, 2
LATE = """
    SELECT extract(epoch FROM min(p.at) - min(t.release_at)) * 1000
      FROM push.stream t
           JOIN push.slice s ON s.stream = t.id AND s.n = 1
           JOIN (SELECT o.at, unnest(o.ids) AS id FROM push.post o) p ON p.id BETWEEN s.first_id AND s.last_id
     GROUP BY t.id"""


def run(bench: Bench) -> Table | None:
    if not bench.wants("hours"):
        return None
    recipients, crew = bench.size(RECIPIENTS), Crew(bench)
    template = bench.cluster.database("template of hours")
    zones.ZonedRun(bench, RECIPIENTS, local=True).schema(template)
    medians, last = [], []
    for round in range(bench.rounds):
        late = _round(bench, crew, template.name, recipients)
        medians.append(Spread.of(late).median)
        last.append(max(late))
        bench.record(table=NAME, side="hours", round=round, median=medians[-1], last=last[-1])
    bench.cluster.drop(template)
    return Table(NAME, COLUMNS, [
        [f"{recipients:,}", str(len(zones.ZONES)), spread_shown(Spread.of(medians)), spread_shown(Spread.of(last))]], [
        f"One `fanfare run`, window 64, the sink answers at once. The clock is moved in push.stream.release_at: the zones begin "
        f"{APART} s apart, the first one 3 s after the start. A request counts when it is written, just before it is "
        f"sent. Round by round, median and worst of {len(zones.ZONES)} zones; in brackets those of the rounds."])


def _round(bench: Bench, crew: Crew, template: str, recipients: int) -> list[float]:
    database = bench.cluster.database("hours", template=template)
    database.execute("VACUUM ANALYZE")
    sink = bench.sink(tell_at=recipients)
    try:
        with crew.at_work(database, sink) as work:
            database.execute(
                f"""BEGIN;
                    {audience.start('bench')}
                    UPDATE push.stream t SET release_at = now() + (1 + {APART} * o.n) * interval '1 s'
                      FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM push.stream) o WHERE o.id = t.id;
                    COMMIT""")
            until = time.monotonic() + 120 + APART * len(zones.ZONES)
            while database.number("SELECT count(*) FROM push.run WHERE closed_at IS NULL"):
                work.check()
                if time.monotonic() > until:
                    raise Problem("the run was not over in time")
                time.sleep(0.5)
        return [float(line) for line in database.value(
            f"SELECT string_agg(l.late::text, ' ') FROM ({LATE}) l(late)").split()]
    finally:
        sink.close()
        bench.cluster.drop(database)
