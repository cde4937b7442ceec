"""A worker that serves the pages as well, and the pages without a worker."""
from __future__ import annotations

import http.client
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bench.console import people
from bench.console.tabs import Tabs
from bench.crew import AtWork, Crew
from bench.emulator import Emulator
from bench.problem import Problem
from bench.processes import Started
from bench.psql import Database
from bench.sink import Sink


@dataclass(frozen=True)
class ConsoleCrew(Crew):
    """`pages`: host:port of the pages, or off; for one worker. `tabs`: those that are open while it works."""

    pages: str = "off"
    tabs: Tabs | None = None

    def schema(self, database: Database) -> None:
        super().schema(database)
        people.create_login(database)

    def console_settings(self, database: Database) -> dict[str, object]:
        pages = {} if self.pages == "off" else people.settings(database, self.pages)
        return super().console_settings(database) | pages

    @contextmanager
    def at_work(self, database: Database, sink: Sink | Emulator) -> Iterator[AtWork]:
        with super().at_work(database, sink) as work:
            if not self.tabs:
                yield work
                return
            with self.tabs.open():
                yield work

    @contextmanager
    def serving(self, database: Database) -> Iterator[Started]:
        """`fanfare console run`, from when it answers until it has ended. Raises Problem unless it exits normally."""
        settings = self.settings_without_sink(database)
        # It ends with this process, also when that is killed.
        server = Started(["setpriv", "--pdeathsig=KILL", "--", self.fanfare, "console", "run", "--config", settings])
        try:
            wait_for(self.pages, server)
            yield server
            server.process.send_signal(signal.SIGTERM)
            server.ended(timeout=120)
        finally:
            server.close()


def wait_for(pages: str, server: Started) -> None:
    """Until the page for signing in is there. Raises Problem after a minute, and when the process has ended."""
    until = time.monotonic() + 60
    while True:
        connection = http.client.HTTPConnection(pages, timeout=10)
        try:
            connection.request("GET", "/sign-in")
            status = connection.getresponse().status
            if status == 200:
                return
            raise Problem(f"GET /sign-in answered {status}")
        except OSError:
            if not server.runs:
                server.ended(statuses=())
            if time.monotonic() > until:
                raise Problem("the pages did not answer within a minute") from None
            time.sleep(0.02)
        finally:
            connection.close()
