"""Changes of devices: a queue of constant length, and the cost of applying some thousands from its front."""
from __future__ import annotations

import time
from dataclasses import dataclass

from bench import wal
from bench.bench import Bench
from bench.crew import AtWork, Crew
from bench.emulator import Emulator
from bench.problem import Problem
from bench.psql import Database
from bench.sink import HUB

# Rows per statement while filling: an interruption loses at most one, and each reports progress.
STEP = 100_000
TEMPLATES = r'{"news": {"body": "{\"aps\": {\"alert\": \"$(News_French)\"}}"}}'


def put(number: str, whole: bool = True) -> str:
    """The call that registers a device. `number`: SQL; `whole`: with a user and a template."""
    more = f", user_id => ({number})::text, templates => '{TEMPLATES}'" if whole else ""
    return (f"push.put_device(hub => '{HUB}', device => 'phone-' || {number}, platform => 'apns', "
            f"handle => '00FC13ADFF785122B4AD28809A3420982341241421348097878E577C991DE8F0', "
            f"tags => ARRAY['World', 'user_' || {number}]{more})")


@dataclass(frozen=True)
class Case:
    """`hub`: sink or emulator; `queued`: changes that wait when a round begins; `taken`: how many are applied when it
    ends."""

    name: str
    crew: Crew
    hub: str
    queued: int
    taken: int


@dataclass(frozen=True)
class Cost:
    """Seconds, CPU seconds and bytes. `applied`: changes, also those beyond the count."""

    wall: float
    client: float
    postgres: float
    hub: float
    wal: float
    peak: float
    applied: int


class Changes:
    """One case, repeated in one database. What a round applied is asked for again, for other devices, before the next."""

    def __init__(self, bench: Bench, case: Case) -> None:
        self.bench, self.case = bench, case
        self.database = bench.cluster.database(f"changes {case.name}")
        case.crew.schema(self.database)
        self.register()
        self.devices, self.applied = 0, 0
        # Starting and stopping do not count as cost of a change.
        self.empty = [self._run(0) for _ in range(2)]

    def register(self) -> None:
        """A worker writes the hub into push.hub when it begins, and only a hub that is there takes changes."""
        sink = self.bench.sink()
        try:
            with self.case.crew.at_work(self.database, sink):
                pass
        finally:
            sink.close()

    def round(self) -> dict[str, float]:
        self._fill()
        full = self._run(self.case.taken)

        def each(part: str) -> float:
            return max(getattr(full, part) - min(getattr(run, part) for run in self.empty), 0) / full.applied

        client, postgres = each("client") * 1e6, each("postgres") * 1e6
        return {
            "rate": self.case.taken / full.wall, "client_us": client, "postgres_us": postgres, "us": client + postgres,
            "hub_us": each("hub") * 1e6, "wal_bytes": each("wal"), "peak_mb": full.peak / 1e6,
        }

    def close(self) -> None:
        self.bench.cluster.drop(self.database)

    def _fill(self) -> None:
        there = self.database.number("SELECT count(*) FROM push.installation_due")
        while there < self.case.queued:
            rows = min(STEP, self.case.queued - there)
            fill(self.database, self.devices + 1, rows)
            self.devices += rows
            there += rows
            if self.case.queued > STEP:
                self.bench.say(f"  {there:,} of {self.case.queued:,} changes wait")
        self.database.execute("VACUUM ANALYZE")

    def _run(self, changes: int) -> Cost:
        cluster, hub = self.bench.cluster, self._hub(changes)
        try:
            with wal.watched(cluster) as written:
                before, seconds = cluster.cpu(), 0.0
                with self.case.crew.at_work(self.database, hub) as work:
                    if changes:
                        seconds = self._until(hub, changes, work)
                postgres = cluster.cpu() - before
            if isinstance(hub, Emulator):
                cpu, puts = hub.stop(), None
            else:
                taken = hub.stop()
                cpu, puts = taken.cpu, taken.puts + taken.refused
            applied = self._check(puts, changes)
        finally:
            hub.close()
        return Cost(
            seconds, sum(ran.cpu for ran in work.ran), postgres, cpu, written.bytes, max(ran.peak for ran in work.ran),
            applied)

    def _hub(self, changes: int):
        return Emulator(self.bench.emulator) if self.case.hub == "emulator" else self.bench.sink(tell_puts=changes)

    def _until(self, hub, changes: int, work: AtWork) -> float:
        """Seconds from the first to the last change."""
        if not isinstance(hub, Emulator):
            return hub.reached(600, work.check)
        until = time.monotonic() + 600
        done = self.applied + changes
        while self.database.number(f"SELECT count(*) FROM (SELECT FROM push.installation_result LIMIT {done}) r") < done:
            work.check()
            if time.monotonic() > until:
                raise Problem(f"{self.case.name}: {changes} changes took more than 600 s")
            time.sleep(0.2)
        # By the times of their results: the emulator does not say when it was asked.
        return float(self.database.value(
            f"""SELECT extract(epoch FROM max(at) - min(at))
                  FROM (SELECT at FROM push.installation_result ORDER BY at OFFSET {self.applied} LIMIT {changes}) r"""))

    def _check(self, puts: int | None, changes: int) -> int:
        """How many changes were applied. Raises Problem unless every change waits, or was sent and recorded once.

        `puts`: what the sink has seen; None: not known.
        """
        left = self.database.number("SELECT count(*) FROM push.installation_due") if changes else 0
        held = self.database.number("SELECT count(*) FROM push.installation_claim")
        rows, finished = map(int, self.database.value(
            "SELECT count(*) || ' ' || count(DISTINCT id) FROM push.installation_result WHERE status = 'applied'").split())
        applied = finished - self.applied
        expected = self.case.queued - applied if changes else 0
        if applied < changes or (left, held, rows) != (expected, 0, finished) or puts not in (None, applied):
            raise Problem(
                f"{self.case.name}: of {self.case.queued if changes else 0} changes {changes} were to be applied; {applied} are "
                f"recorded as applied, in {rows - self.applied} rows, {left} wait, {held} devices are held, and the hub saw "
                f"{'an unknown number' if puts is None else puts}")
        self.applied = finished
        return applied


def fill(database: Database, first: int, changes: int) -> None:
    """Asks for one change each of so many devices."""
    database.execute(f"SELECT count({put('n')}) FROM generate_series({first}, {first + changes - 1}) n")
