"""`fanfare plan --due` of 100,000 rows: its time and memory, and what it costs the worker that sends meanwhile."""
from __future__ import annotations

import threading
from dataclasses import dataclass, field

from bench.bench import Bench
from bench.crew import Crew
from bench.interleave import interleaved
from bench.plan.row import row
from bench.plan.waits import LockWaits
from bench.problem import Problem
from bench.psql import Database
from bench.sink import HUB
from bench.table import Table

NAME, TABLE = "due", "plan-due"
COLUMNS = ["what", "measured", "bar"]
ROWS, BESIDE = 100_000, 400_000


def run(bench: Bench) -> Table | None:
    if not bench.wants(NAME):
        return None
    planned, beside = Planned(bench), Beside(bench)
    samples = []
    for round in range(bench.rounds):
        samples.append(planned.round())
        bench.record(table=TABLE, side=NAME, round=round, **samples[-1])
    planned.close()
    rates: dict[bool, list[float]] = {False: [], True: []}
    for round, plans, rate in interleaved([False, True], bench.rounds, lambda plans, _: beside.round(plans)):
        rates[plans].append(rate)
        bench.record(table=TABLE, side="beside", round=round, plans=str(plans), rate=rate)
    beside.close()
    count = bench.size(ROWS)
    return Table(TABLE, COLUMNS, [
        row(f"`fanfare plan --due` of {count:,} rows, s", [sample["seconds"] for sample in samples], "2"),
        row("CPU of the command, s", [sample["cpu"] for sample in samples], "–"),
        row("CPU of PostgreSQL, s", [sample["postgres"] for sample in samples], "–"),
        row("resident at most, MB", [sample["peak_mb"] for sample in samples], "200"),
        row("a worker's messages/s without it", rates[False], "–"),
        row("of those, with it", [a / b for a, b in zip(rates[True], rates[False])], "0.98"),
        ["sessions seen to wait for a lock of the plan, or the plan for one", str(beside.waits), "0"],
    ], [f"Half of the rows have a text of their own and half are packed, 20 a post. Whole processes, with start and connection. *With "
        f"it*: a worker sends {bench.size(BESIDE):,} messages as fast as it can, and one plan of {count:,} rows begins with it; "
        "each round's ratio. Locks are looked for every 10 ms."])


class Planned:
    """Half of the rows have a text of their own; the others are packed, 20 a post."""

    def __init__(self, bench: Bench) -> None:
        self.bench, self.crew = bench, Crew(bench)
        self.database = bench.cluster.database("planned")
        self.crew.registered(self.database)
        half = bench.size(ROWS) // 2
        self.crew.fill(self.database, half)
        self.database.execute(
            f"""INSERT INTO push.message (hub, tag, content)
                SELECT '{HUB}', 'user_' || n, '{self.crew.content}' FROM generate_series(1, {half}) n;
                VACUUM ANALYZE""")

    def round(self) -> dict[str, float]:
        before = self.bench.cluster.cpu()
        ran = self.crew.run(self.database, "plan", "--due")
        postgres = self.bench.cluster.cpu() - before
        if f" {self.bench.size(ROWS):,}  →" not in ran.output:
            raise Problem(f"not all rows were planned:\n{ran.output}")
        return {"seconds": ran.wall, "cpu": ran.cpu, "postgres": postgres, "peak_mb": ran.peak / 1e6}

    def close(self) -> None:
        self.bench.cluster.drop(self.database)


@dataclass
class Beside:
    """A worker sends 400,000 messages; in every other round somebody plans 100,000 of them, once."""

    bench: Bench
    waits: int = 0
    crew: Crew = field(init=False)
    template: Database = field(init=False)

    def __post_init__(self) -> None:
        self.crew = Crew(self.bench)
        self.template = self.bench.cluster.database("template of a planned queue")
        self.crew.registered(self.template)

    def round(self, plans: bool) -> float:
        """Messages/s at the sink."""
        cluster, messages = self.bench.cluster, self.bench.size(BESIDE)
        database = cluster.database("beside a plan", template=self.template.name)
        self.crew.fill(database, messages)
        database.execute("VACUUM ANALYZE")
        cluster.postgres.execute("CHECKPOINT")
        sink = self.bench.sink(tell_at=messages)
        failed: list[BaseException] = []

        def planned() -> None:
            try:
                self.crew.run(database, "plan", "--due", "--limit", str(self.bench.size(ROWS)))
            except BaseException as problem:
                failed.append(problem)

        try:
            with LockWaits(database) as waits, self.crew.at_work(database, sink) as work:
                planning = threading.Thread(target=planned, daemon=True)
                if plans:
                    planning.start()
                seconds = sink.reached(600, work.check)
                if plans:
                    planning.join()
            taken = sink.stop()
        finally:
            sink.close()
        if failed:
            raise failed[0]
        if taken.requests != messages or taken.refused:
            raise Problem(f"of {messages} messages the hub saw {taken.requests}, {taken.refused} more were refused")
        self.waits += waits.of_plans
        cluster.drop(database)
        return messages / seconds

    def close(self) -> None:
        self.bench.cluster.drop(self.template)
