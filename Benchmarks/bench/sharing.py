"""Several `fanfare run` that share one backlog: what they cost together, and which part of it each of them sent."""
from __future__ import annotations

import time
from dataclasses import dataclass

from bench.bench import Bench
from bench.crew import AtWork, Crew
from bench.problem import Problem
from bench.processes import tree_cpu
from bench.psql import Database

# A claim's row is deleted when it ends, so who held which is noted as it begins.
NOTED = """
    CREATE SCHEMA bench;
    CREATE TABLE bench.claim (id bigint, worker int);
    CREATE FUNCTION bench.note() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO bench.claim VALUES (NEW.id, NEW.worker);
        RETURN NULL;
    END $$;
    CREATE TRIGGER noted AFTER INSERT ON push.claim FOR EACH ROW EXECUTE FUNCTION bench.note();
"""
# Messages that each process sent, one number a line; 0 for one that sent none.
PARTS = """
    SELECT count(r.id)
      FROM push.worker w
           LEFT JOIN bench.claim c ON c.worker = w.id
           LEFT JOIN (SELECT id, push.claim_of(post) AS claim FROM push.result WHERE status = 'accepted') r ON r.claim = c.id
     GROUP BY w.id
"""


@dataclass(frozen=True)
class Shared:
    """One case: `crew` empties a backlog of `messages` at a hub that answers after `latency_ms`."""

    crew: Crew
    messages: int
    latency_ms: int = 0

    @property
    def name(self) -> str:
        def counted(n: int, one: str, many: str) -> str:
            return f"{n} {one if n == 1 else many}"

        after = f", after {self.latency_ms} ms" if self.latency_ms else ""
        return f"{counted(self.crew.workers, 'process', 'processes')}, {counted(self.crew.hubs, 'hub', 'hubs')}{after}"


def of_equal(parts: list[int]) -> tuple[float, float]:
    """The smallest and the largest part, as a share of what each would have if all were equal."""
    equal = sum(parts) / len(parts)
    return min(parts) / equal, max(parts) / equal


@dataclass(frozen=True)
class Reading:
    """CPU seconds so far."""

    workers: float
    postgres: float


class Sharing:
    """One case, each round in a fresh copy of the schema and with a fresh sink. The backlog arrives in one transaction while
    all processes are idle, so none of them has a start."""

    def __init__(self, bench: Bench, case: Shared) -> None:
        self.bench, self.case = bench, case
        self.template = bench.cluster.database(f"template of {case.name}")
        case.crew.schema(self.template)
        self.template.execute(NOTED)
        self.bytes = self._size(self.template)

    def round(self) -> dict[str, float]:
        case, cluster = self.case, self.bench.cluster
        database = cluster.database("shared", template=self.template.name)
        sink = self.bench.sink(case.latency_ms, tell_at=case.messages)
        try:
            with case.crew.at_work(database, sink) as work:
                cluster.postgres.execute("CHECKPOINT")
                log = database.value(case.crew.filling(case.messages) + "; SELECT pg_current_wal_insert_lsn()")
                before = self._read(work)
                seconds = sink.reached(600, work.check)
                time.sleep(0.2)  # the last results are gathered and written
                after = self._read(work)
                wal = database.number(f"SELECT pg_current_wal_insert_lsn() - '{log}'::pg_lsn")
                connections = database.number(
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                    "AND backend_type = 'client backend' AND pid <> pg_backend_pid()")
                parts = [int(line) for line in database.execute(PARTS).splitlines()]
            taken = sink.stop()
        finally:
            sink.close()
        self._check(database, taken, parts)
        claims, size = database.number("SELECT count(*) FROM bench.claim"), self._size(database)
        cluster.drop(database)
        client = (after.workers - before.workers) * 1e6 / case.messages
        smallest, largest = of_equal(parts)
        postgres = (after.postgres - before.postgres) * 1e6 / case.messages
        return {
            "rate": case.messages / seconds, "client_us": client, "postgres_us": postgres, "us": client + postgres,
            "smallest": smallest, "largest": largest, "claims_per_1000": claims * 1000 / case.messages,
            "wal_bytes": wal / case.messages, "disk_bytes": (size - self.bytes) / case.messages,
            "peak_mb": max(ran.peak for ran in work.ran) / 1e6, "connections": connections,
        }

    def close(self) -> None:
        self.bench.cluster.drop(self.template)

    def _read(self, work: AtWork) -> Reading:
        return Reading(sum(tree_cpu(worker.process.pid) for worker in work.started), self.bench.cluster.cpu())

    @staticmethod
    def _size(database: Database) -> int:
        """Bytes on disk."""
        return database.number("SELECT pg_database_size(current_database())")

    def _check(self, database: Database, taken, parts: list[int]) -> None:
        """Raises Problem unless every message was posted once, recorded once, and is in the part of one process."""
        messages = self.case.messages
        left = database.number("SELECT (SELECT count(*) FROM push.due) + (SELECT count(*) FROM push.claim)")
        rows, finished = map(int, database.value(
            "SELECT count(*) || ' ' || count(DISTINCT id) FROM push.result WHERE status = 'accepted'").split())
        expected = (messages, 0, 0, messages, messages, messages, self.case.crew.workers)
        if (taken.requests, taken.refused, left, rows, finished, sum(parts), len(parts)) != expected:
            raise Problem(
                f"{self.case.name}: of {messages} messages the hub saw {taken.requests} ({taken.refused} more were refused), "
                f"{left} are left, {finished} are recorded as accepted, in {rows} rows, and the processes sent {parts}")
