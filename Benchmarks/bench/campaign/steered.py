"""A run to ten million recipients, from its start to its end, while five million other messages are scheduled."""
from __future__ import annotations

import threading
import time

from bench.bench import Bench
from bench.campaign import audience
from bench.campaign.timeline import Steering, called
from bench.crew import AtWork, Crew
from bench.pace import numbers
from bench.problem import Problem
from bench.psql import Database
from bench.session import Session
from bench.sink import HUB, Taken

# Rows per INSERT while filling.
STEP = 1_000_000
# One pointer for each message of a run that waits; a paused one lies in the far future.
AHEAD = (f"SELECT count(*) FROM push.due WHERE hub = (SELECT id FROM push.hub WHERE name = '{HUB}') AND priority = 2 "
         "AND due_at < now() + interval '1 hour';")


class Sampler(threading.Thread):
    """Counts every 50 ms how many messages of the run wait, in a session of its own."""

    def __init__(self, database: Database) -> None:
        super().__init__(daemon=True)
        self.session, self.over = Session(database), threading.Event()
        self.counts: list[int] = []
        self.failed: Exception | None = None

    def run(self) -> None:
        try:
            while not self.over.wait(0.05):
                self.counts.append(int(self.session.ask(AHEAD)))
        except Exception as failed:
            self.failed = failed

    def close(self) -> None:
        """Raises what it failed with."""
        self.over.set()
        self.join()
        self.session.close()
        if self.failed:
            raise self.failed


class Steered:
    """One database with the audience and what is scheduled; each round is a new run there, with a new worker and sink."""

    def __init__(self, bench: Bench, recipients: int, scheduled: int, seconds: int) -> None:
        self.bench, self.recipients, self.scheduled, self.seconds = bench, recipients, scheduled, seconds
        self.crew, self.rounds = Crew(bench), 0
        self.database = bench.cluster.database("steered")
        self.crew.registered(self.database)  # a spec names the hub
        bench.say(f"  {recipients:,} recipients and {scheduled:,} other messages are made")
        audience.people(self.database, recipients, handles=False)
        # With an id, so that the sink notes the time of each request.
        audience.create(self.database, audience.spec(False, {"id": "1"}))
        for first in range(0, scheduled, STEP):
            self.database.execute(
                f"""INSERT INTO push.message (hub, tag, content, send_at)
                    SELECT '{HUB}', 'user_' || n, '{self.crew.content}', now() + interval '1 day' + n * interval '1 ms'
                      FROM generate_series({first + 1}, {min(first + STEP, scheduled)}) n""")

    def round(self) -> dict[str, float]:
        self.rounds += 1
        key = f"round {self.rounds}"
        self.database.execute("VACUUM ANALYZE")
        self.bench.cluster.postgres.execute("CHECKPOINT")
        stamps = self.bench.folder / "stamps of a run"
        sink = self.bench.sink(stamps=stamps)
        try:
            with self.crew.at_work(self.database, sink) as work, Session(self.database) as session:
                took = self._steer(work, session, key)
            taken = sink.stop()
        finally:
            sink.close()
        self._check(taken, key)
        return took.figures([at for _, at in numbers(stamps, 2)]) | {"peak_mb": max(ran.peak for ran in work.ran) / 1e6}

    def close(self) -> None:
        self.bench.cluster.drop(self.database)

    def _steer(self, work: AtWork, session: Session, key: str) -> Steering:
        time.sleep(2)  # the worker finds nothing to do
        began = time.monotonic_ns()
        session.ask(audience.start(key))
        started = time.monotonic_ns()
        sampler = Sampler(self.database)
        sampler.start()
        try:
            progress = self._watch(work, session, key)
            paused = called(session, "pause_run", key)
            time.sleep(3)
            resumed_at = time.monotonic_ns()
            resumed = called(session, "resume_run", key)
            self._watch(work, session, key)
            cancelled = called(session, "cancel_run", key)
            self._wait(session, key, work)
        finally:
            sampler.close()
        return Steering(began, started, paused, resumed_at, resumed, cancelled, progress, sampler.counts)

    def _watch(self, work: AtWork, session: Session, key: str) -> list[int]:
        """Lets it run for some seconds and asks for its progress every half second; how long that took, ns."""
        took, until = [], time.monotonic() + self.seconds
        while time.monotonic() < until:
            work.check()
            before = time.monotonic_ns()
            session.ask(f"SELECT to_json(p) FROM push.run_progress p WHERE campaign = '{audience.NAME}' AND key = '{key}';")
            took.append(time.monotonic_ns() - before)
            time.sleep(0.5)
        return took

    def _wait(self, session: Session, key: str, work: AtWork) -> None:
        """Three seconds, and until the run is cancelled."""
        time.sleep(3)
        until = time.monotonic() + 60
        while session.ask(f"SELECT count(*) FROM push.run WHERE key = '{key}' AND closed_at IS NOT NULL;") == "0":
            work.check()
            if time.monotonic() > until:
                raise Problem(f"{key}: a minute after push.cancel_run the run is not over")
            time.sleep(0.1)

    def _check(self, taken: Taken, key: str) -> None:
        """Raises Problem unless each message of the run was posted and recorded once or was cancelled, and the others wait."""
        state, expanded, accepted, cancelled, others = self.database.value(
            f"""SELECT concat_ws(' ', state, expanded, accepted, cancelled, rejected + expired + in_doubt + under_way + pending)
                  FROM push.run_progress WHERE campaign = '{audience.NAME}' AND key = '{key}'""").split()
        left = self.database.number(
            f"SELECT (SELECT count(*) FROM push.due) - {self.scheduled} + (SELECT count(*) FROM push.claim)")
        if (state, taken.requests, taken.refused, int(accepted) + int(cancelled), int(others), left) != (
                "cancelled", int(accepted), 0, int(expanded), 0, 0):
            raise Problem(f"{key} is {state}: of {expanded} messages {accepted} were accepted, {cancelled} cancelled, {others} "
                          f"neither; the sink has {taken}; {left} rows too many are in push.due and push.claim")
