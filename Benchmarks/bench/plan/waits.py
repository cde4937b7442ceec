"""Looks every 10 ms whether a session waits for a lock, and who waits for whom."""
from __future__ import annotations

import threading
from collections import Counter

from bench.psql import Database
from bench.session import Session

# Locks as pg_locks shows them, not those of single pages in memory.
SQL = """
    SELECT coalesce(string_agg(
               format('%s waits for %s of %s', a.application_name, a.wait_event, coalesce(b.application_name, '?')), ', '), '')
      FROM pg_stat_activity a
           LEFT JOIN LATERAL unnest(pg_blocking_pids(a.pid)) p(pid) ON true
           LEFT JOIN pg_stat_activity b ON b.pid = p.pid
     WHERE a.datname = current_database() AND a.wait_event_type = 'Lock';"""
# The application_name of a command; a worker has its own name.
PLAN = "fanfare"


class LockWaits(threading.Thread):
    """`seen`: who was seen to wait for whom, and how often."""

    def __init__(self, database: Database) -> None:
        super().__init__(daemon=True)
        self.session, self.over, self.seen = Session(database), threading.Event(), Counter[str]()
        self.failed: Exception | None = None

    def run(self) -> None:
        try:
            while not self.over.wait(0.01):
                self.seen.update(found.split(", ") if (found := self.session.ask(SQL)) else [])
        except Exception as failed:
            self.failed = failed

    @property
    def of_plans(self) -> int:
        """How often a plan was seen to wait, or to let somebody wait."""
        return sum(times for what, times in self.seen.items() if PLAN in (what.split(" waits ")[0], what.split(" of ")[-1]))

    def __enter__(self) -> LockWaits:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Raises what it failed with."""
        self.over.set()
        self.join()
        self.session.close()
        if self.failed:
            raise self.failed
