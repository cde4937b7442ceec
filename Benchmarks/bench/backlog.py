"""A queue of constant length, and the cost of taking some thousands from its front."""
from __future__ import annotations

from dataclasses import dataclass

from bench import wal
from bench.bench import Bench
from bench.crew import Crew
from bench.drain import Cost
from bench.problem import Problem
from bench.psql import Database

# Rows per INSERT while filling: an interruption loses at most one, and each reports progress.
STEP = 1_000_000


@dataclass(frozen=True)
class Case:
    """`queued`: messages in the queue when a round begins; `taken`: how many the hub has seen when it ends."""

    name: str
    crew: Crew
    queued: int
    taken: int


class Backlog:
    """One case, repeated in one database. What a round took is queued again before the next."""

    def __init__(self, bench: Bench, case: Case) -> None:
        self.bench, self.case = bench, case
        self.database = bench.cluster.database(f"backlog {case.name}")
        case.crew.schema(self.database)
        self.sent = 0
        # Starting and stopping do not count as cost of a message.
        self.empty = [self._run(0) for _ in range(2)]

    def round(self) -> dict[str, float]:
        self._fill()
        before = self.sent
        full = self._run(self.case.taken)
        sent = self.sent - before

        def each(part: str) -> float:
            return max(getattr(full, part) - min(getattr(run, part) for run in self.empty), 0) / sent

        client, postgres = each("client") * 1e6, each("postgres") * 1e6
        return {
            "rate": self.case.taken / full.wall, "client_us": client, "postgres_us": postgres, "us": client + postgres,
            "wal_bytes": each("wal"), "peak_mb": full.peak / 1e6, "waits": each("waits"),
        }

    def close(self) -> None:
        self.bench.cluster.drop(self.database)

    def _fill(self) -> None:
        there = self.database.number("SELECT count(*) FROM push.due")
        while there < self.case.queued:
            rows = min(STEP, self.case.queued - there)
            self.case.crew.fill(self.database, rows)
            there += rows
            if self.case.queued > STEP:
                self.bench.say(f"  {there:,} of {self.case.queued:,} messages are queued")
        self.database.execute("VACUUM ANALYZE")

    def _run(self, messages: int) -> Cost:
        cluster = self.bench.cluster
        sink = self.bench.sink(tell_at=messages)
        try:
            with wal.watched(cluster) as written:
                before, seconds = cluster.cpu(), 0.0
                with self.case.crew.at_work(self.database, sink) as work:
                    if messages:
                        seconds = sink.reached(600, work.check)
                postgres = cluster.cpu() - before
            taken = sink.stop()
            self._check(taken.requests, taken.refused, messages)
        finally:
            sink.close()
        return Cost(
            seconds, sum(ran.cpu for ran in work.ran), postgres, taken.cpu, written.bytes,
            max(ran.peak for ran in work.ran), sum(ran.waits for ran in work.ran))

    def _check(self, requests: int, refused: int, messages: int) -> None:
        """Raises Problem unless every message is queued, or was posted and recorded once."""
        self.sent += requests
        left = self.database.number("SELECT count(*) FROM push.due") if messages else 0
        held = self.database.number("SELECT count(*) FROM push.claim")
        rows, finished = map(int, self.database.value(
            "SELECT count(*) || ' ' || count(DISTINCT id) FROM push.result WHERE status = 'accepted'").split())
        expected = self.case.queued - requests if messages else 0
        if refused or requests < messages or (left, held, rows, finished) != (expected, 0, self.sent, self.sent):
            raise Problem(
                f"{self.case.name}: of {self.case.queued if messages else 0} messages the hub was to see {messages} and saw "
                f"{requests} ({refused} more were refused); {left} are due, {held} claims are held, and of {self.sent} "
                f"messages posted {finished} are recorded as accepted, in {rows} rows")
