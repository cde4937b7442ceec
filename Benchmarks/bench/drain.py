"""One round of one side: the cost of emptying a full queue."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bench import statements, syscalls, wal
from bench.bench import Bench
from bench.http2.service import HTTP2Service
from bench.problem import Problem
from bench.processes import run
from bench.psql import Database
from bench.sides import Side
from bench.sink import Sink, Taken
from bench.tls.certificates import TLS


@dataclass(frozen=True)
class Cost:
    """Seconds, CPU seconds, bytes and counts of the whole run of a process, from start to end."""

    wall: float
    client: float
    postgres: float
    sink: float
    wal: float
    peak: float
    waits: float


class Drain:
    """Drains one side repeatedly, each time in a fresh copy of its empty schema, into a fresh sink (`tls`, `close_after`: as
    there; `over_http2`: it is an `HTTP2Service`, over its TLS). `taken`: what the sink counted the last time."""

    taken: Taken

    def __init__(
        self, bench: Bench, side: Side, latency_ms: int, tls: TLS | None = None, close_after: int = 0,
        over_http2: bool = False,
    ) -> None:
        self.bench, self.side, self.latency, self.tls, self.close_after = bench, side, latency_ms, tls, close_after
        self.over_http2 = over_http2
        self.messages = bench.size(side.messages)
        self.template = bench.cluster.database("template")
        side.schema(self.template)
        self.template = self._kept(f"template of {side.name}")
        # The cost of starting and stopping: an interpreter's imports do not count as cost of a message.
        self.empty = [self._run(0) for _ in range(3)]

    def _kept(self, name: str) -> Database:
        """The template under a name of its own."""
        postgres = self.bench.cluster.postgres
        postgres.execute(f'DROP DATABASE IF EXISTS "{name}"')
        postgres.execute(f'ALTER DATABASE "{self.template.name}" RENAME TO "{name}"')
        return Database(self.template.folder, name)

    def round(self) -> dict[str, float]:
        """The cost of each message, without that of a run with an empty queue."""
        full = self._run(self.messages)
        wall = full.wall - self._empty("wall")
        if wall <= 0:
            raise Problem(f"{self.side.name}: {self.messages} messages took no longer than none: take more of them")

        def each(part: str) -> float:
            return max(getattr(full, part) - self._empty(part), 0) / self.messages

        return {
            "rate": self.messages / wall, "client_us": each("client") * 1e6, "postgres_us": each("postgres") * 1e6,
            "sink_us": each("sink") * 1e6, "wal_bytes": each("wal"), "peak_mb": full.peak / 1e6, "waits": each("waits"),
        }

    def _empty(self, part: str) -> float:
        return min(getattr(run, part) for run in self.empty)

    def _run(self, messages: int) -> Cost:
        with self._filled(messages) as (database, sink):
            command = self.side.command(database, sink)
            with wal.watched(self.bench.cluster) as written:
                before = self.bench.cluster.cpu()
                ran = run(command.words, environment=command.environment)
                postgres = self.bench.cluster.cpu() - before
            self.taken = self._checked(database, sink, messages)
        return Cost(ran.wall, ran.cpu, postgres, self.taken.cpu, written.bytes, ran.peak, ran.waits)

    def counts(self) -> dict[str, float]:
        """Counts that do not depend on the machine: statements and system calls per message, in untimed rounds."""
        counted: dict[str, float] = {}
        messages = min(self.messages, 10_000)
        calls = [self._statements(n) for n in (0, messages)]
        counted["statements_per_1000"] = (calls[1] - calls[0]) * 1000 / messages
        if self.bench.with_strace and syscalls.can_count():
            messages = min(messages, 2_000)
            calls = [self._syscalls(n) for n in (0, messages)]
            counted["syscalls"] = (calls[1] - calls[0]) / messages
        return counted

    def _statements(self, messages: int) -> int:
        with self._filled(messages) as (database, sink):
            command = self.side.command(database, sink)
            with statements.counted(self.bench.cluster, database) as counted:
                run(command.words, environment=command.environment)
            self._checked(database, sink, messages)
        return counted.calls

    def _syscalls(self, messages: int) -> int:
        with self._filled(messages) as (database, sink):
            command = self.side.command(database, sink)
            calls = syscalls.counted(command.words, command.environment)
            self._checked(database, sink, messages)
        return sum(calls.values())

    @contextmanager
    def _filled(self, messages: int) -> Iterator[tuple[Database, Sink | HTTP2Service]]:
        database = self.bench.cluster.database("drain", template=self.template.name)
        if messages:
            self._fill(database, messages)
        database.execute("VACUUM ANALYZE")
        sink = self._started(messages)
        try:
            yield database, sink
        finally:
            sink.close()
            self.bench.cluster.drop(database)

    def _started(self, messages: int) -> Sink | HTTP2Service:
        if self.over_http2:
            return HTTP2Service(self.bench, self.latency)
        return self.bench.sink(
            self.latency, tell_at=self.side.posts(messages), tls=self.tls, close_after=self.close_after)

    def _fill(self, database: Database, messages: int) -> None:
        self.side.fill(database, messages)

    def _checked(self, database: Database, sink: Sink | HTTP2Service, messages: int) -> Taken:
        """Raises Problem unless every message was posted and recorded, once."""
        taken, finished = sink.stop(), self.side.finished(database)
        if (taken.requests, taken.bodies, taken.refused) != (self.side.posts(messages), self.side.posts(messages), 0):
            raise Problem(f"{self.side.name}: {self.side.posts(messages)} requests were due, and the sink has {taken}")
        if finished != messages:
            raise Problem(f"{self.side.name}: {messages} messages were enqueued, and {finished} are recorded as sent")
        return taken
