"""An installation of some size: ten million messages, half of them pending, a million failures, a thousand campaigns."""
from __future__ import annotations

import json
import time
from functools import cached_property

from bench import changes
from bench.bench import Bench
from bench.campaign import audience
from bench.console.crew import ConsoleCrew
from bench.console.settled import audit, expanded, run_history, settle, tally
from bench.crew import STEP
from bench.groups.schedules import campaigns
from bench.problem import Problem
from bench.psql import Database
from bench.scraping import free_address

MESSAGES, FAILURES_IN, HUBS, CAMPAIGNS = 10_000_000, 5, 100, 1_000
# A run under way: as many of its messages wait as workers make ahead.
RECIPIENTS, AHEAD, RUN = 1_000_000, 50_000, "today"
CHANGES = 100_000


class World:
    """Everything is due, and nobody sends: no worker runs unless a part starts one."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.crew = ConsoleCrew(bench, hubs=HUBS, pages=free_address())
        self.database = bench.cluster.database("console")
        share = 100 if bench.quick else 1
        self.messages, self.changes = MESSAGES // share, CHANGES // share
        self.recipients, self.ahead = RECIPIENTS // share, AHEAD // share
        self.campaigns = 100 if bench.quick else CAMPAIGNS
        self._campaigns()
        self._settled()
        self._pending()
        changes.fill(self.database, 1, self.changes)
        self.database.execute(audit(self.changes))
        bench.say(f"  {self.changes:,} changes of devices and as many entries of the audit are made")
        self.database.execute("VACUUM ANALYZE")
        bench.cluster.postgres.execute("CHECKPOINT")

    def _campaigns(self) -> None:
        """All but one have been run ten times, and begin by themselves once a day."""
        self.bench.say(f"  {self.campaigns:,} campaigns are made")
        self.crew.registered(self.database)
        self.database.execute(campaigns(self.campaigns - 1))
        sink = self.bench.sink()
        try:  # a worker reckons when each begins
            with self.crew.at_work(self.database, sink) as work:
                until = time.monotonic() + 120
                while self.database.number("SELECT count(*) FROM push.campaign WHERE next_at = '-infinity'"):
                    work.check()
                    if time.monotonic() > until:
                        raise Problem("after two minutes a worker has not reckoned when each campaign begins")
                    time.sleep(0.1)
        finally:
            sink.close()
        self.database.execute(run_history())

    def _settled(self) -> None:
        self.crew.fill_in_steps(self.database, self.messages // 2)
        first, last = map(int, self.database.value("SELECT min(id) || ' ' || max(id) FROM push.message").split())
        for id in range(first, last + 1, STEP):
            self.database.execute(settle(id, min(id + STEP - 1, last), FAILURES_IN))
        self.database.execute("TRUNCATE push.due")
        self.database.execute(tally(self.messages // 2))
        self.bench.say(f"  {self.messages // 2:,} messages have their results")

    def _pending(self) -> None:
        audience.people(self.database, self.recipients, handles=False)
        audience.create(self.database, audience.spec(False))
        self.database.execute(audience.start(RUN))
        self.database.execute(expanded(self.ahead))
        self.crew.fill_in_steps(self.database, self.messages - self.messages // 2 - self.ahead)

    @cached_property
    def examples(self) -> dict[str, int]:
        """Ids of messages: accepted, rejected, in_doubt; due, of the run."""
        found = self.database.value(
            f"""SELECT json_build_object(
                    'accepted', (SELECT r.id FROM push.result r WHERE r.status = 'accepted' LIMIT 1),
                    'rejected', (SELECT r.id FROM push.result r WHERE r.status = 'rejected' ORDER BY r.at DESC LIMIT 1),
                    'in_doubt', (SELECT r.id FROM push.result r WHERE r.status = 'in_doubt' ORDER BY r.id DESC LIMIT 1),
                    'due', (SELECT s.first_id FROM push.slice s JOIN push.stream t ON t.id = s.stream
                                   JOIN push.run r ON r.id = t.run WHERE r.key = '{RUN}' LIMIT 1))::text""")
        return json.loads(found)

    def pause(self) -> None:
        """Holds every hub, so that a worker sends nothing."""
        self.database.execute("SELECT count(push.pause_hub(name)) FROM push.hub")

    def resume(self) -> None:
        self.database.execute("SELECT count(push.resume_hub(name)) FROM push.hub")

    def close(self) -> None:
        self.bench.cluster.drop(self.database)
