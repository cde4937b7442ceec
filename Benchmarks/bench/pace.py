"""Messages at a steady pace, and the latency of each from the commit of its INSERT to its request at the hub."""
from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from bench import processes
from bench.bench import Bench
from bench.crew import Crew
from bench.histogram import Histogram
from bench.printed import figures
from bench.problem import Problem
from bench.psql import Database
from bench.sink import HUB


@dataclass(frozen=True)
class Pace:
    """`per_second` INSERTs of `rows` rows each, over connections that do not wait for each other. The first `warm` of the
    `inserts` are not counted. `wakes`: each calls push.wake_up() before it commits. `priority`: of all messages."""

    inserts: int
    per_second: float
    rows: int = 1
    connections: int = 4
    warm: int = 20
    wakes: bool = False
    priority: int = 1

    @property
    def messages(self) -> int:
        return self.inserts * self.rows


@dataclass
class Latencies:
    """In microseconds. `insert`: of one statement, from sending it to its commit. `commit`: from when the client knew of the
    commit to the whole request at the hub. `due`: to the request from when the INSERT was to begin, so that nothing hides in a
    client that waited."""

    insert: Histogram = field(default_factory=Histogram)
    commit: Histogram = field(default_factory=Histogram)
    due: Histogram = field(default_factory=Histogram)

    def merge(self, other: Latencies) -> None:
        self.insert.merge(other.insert)
        self.commit.merge(other.commit)
        self.due.merge(other.due)


def measured(bench: Bench, database: Database, crew: Crew | None, pace: Pace) -> Latencies:
    """Raises Problem unless the hub saw each message once and each is recorded as accepted; without a crew, unless each is
    due."""
    stamps, times = bench.folder / "stamps", bench.folder / "times"
    sink = bench.sink(stamps=stamps)
    try:
        with crew.at_work(database, sink) if crew else nullcontext() as work:
            said = inserted(bench, database, pace, times)
            bench.record(pace=pace.per_second * pace.rows, offered=said["messages"] / said["seconds"], late=said["late"])
            if work:
                wait_until_sent(database, work.check)
        taken = sink.stop()
    finally:
        sink.close()
    asked = "FROM push.result WHERE status = 'accepted'" if crew else "FROM push.due"
    rows, messages = map(int, database.value(f"SELECT count(*) || ' ' || count(DISTINCT id) {asked}").split())
    requests = pace.messages if crew else 0
    if (taken.requests, taken.refused, rows, messages) != (requests, 0, pace.messages, pace.messages):
        raise Problem(f"{pace.messages} messages were enqueued; the sink has {taken}, and {messages} {asked} in {rows} rows")
    return latencies(numbers(times, 3), numbers(stamps, 2), pace)


def inserted(bench: Bench, database: Database, pace: Pace, times: Path) -> dict[str, float]:
    """Enqueues, writes the times to `times`, and returns `messages`, the `seconds` it took, and how many INSERTs were `late`."""
    words = map(str, (pace.inserts, pace.per_second, pace.rows, pace.connections, int(pace.wakes), pace.priority))
    return figures(processes.run([bench.program("pace"), database.url, HUB, *words, times]).output)


def wait_until_sent(database: Database, check: Callable[[], None], which: str = "true") -> None:
    """Waits until nothing is due and nothing is held. `which`: a condition for rows of both tables."""
    until = time.monotonic() + 120
    while left := database.number(
            f"SELECT (SELECT count(*) FROM push.due WHERE {which}) + (SELECT count(*) FROM push.claim WHERE {which})"):
        check()
        if time.monotonic() > until:
            raise Problem(f"two minutes after the last INSERT {left} rows are left in push.due and push.claim")
        time.sleep(0.05)


def numbers(file: Path, each: int) -> list[tuple[int, ...]]:
    """What a program wrote: rows of so many numbers of 8 bytes."""
    written = array("Q", file.read_bytes())
    return list(zip(*(written[part::each] for part in range(each)), strict=True))


def latencies(times: Iterable[tuple[int, ...]], stamps: Iterable[tuple[int, ...]], pace: Pace) -> Latencies:
    """From what the two programs wrote, in nanoseconds: when each INSERT was due, sent and committed; and the number of each
    message with the time of its request. Pure.

    Raises Problem when a message was seen twice or never, unless none was seen at all.
    """
    arrived: dict[int, int] = {}
    for message, at in stamps:
        if message in arrived or message >= pace.messages:
            raise Problem(f"message {message} of {pace.messages} was seen at the hub once too often")
        arrived[message] = at
    if arrived and len(arrived) != pace.messages:
        raise Problem(f"of {pace.messages} messages the hub saw {len(arrived)}")
    found = Latencies()
    for insert, (due, sent, committed) in enumerate(times):
        if insert < pace.warm:
            continue
        found.insert.add((committed - sent) // 1000)
        for message in range(insert * pace.rows, (insert + 1) * pace.rows) if arrived else ():
            # A request may arrive before the client learns of its commit: that counts as zero.
            found.commit.add(max(arrived[message] - committed, 0) // 1000)
            found.due.add((arrived[message] - due) // 1000)
    return found
