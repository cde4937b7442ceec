"""One or several `fanfare run`: they do what `fanfare drain` does, without counting what is left."""
from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from bench.bench import Bench
from bench.emulator import Emulator
from bench.problem import Problem
from bench.processes import Ran, Started
from bench.processes import run as run_process
from bench.psql import Database
from bench.scraping import scraped
from bench.sides.fanfare import CONTENT
from bench.sink import HUB, KEY, KEY_NAME, Sink

# Rows per INSERT while filling.
STEP = 1_000_000


@dataclass
class AtWork:
    """`ran`: the cost of each process, after it ended."""

    started: list[Started]
    ran: list[Ran] = field(default_factory=list)

    def check(self) -> None:
        """Raises Problem when one of them has ended."""
        for worker in self.started:
            if not worker.runs:
                worker.ended(statuses=())


@dataclass(frozen=True)
class Crew:
    """`workers`: processes that serve the same hubs. `content`: of every message. `window`: posts in flight to each hub;
    `device_window`: changes of devices. `listen`: whether they sleep until push.wake_up(). `console`: host:port of the health
    pages and metrics, for one worker; `scrapes`: whether somebody reads its metrics every second. `program`: another build of
    fanfare."""

    bench: Bench
    workers: int = 1
    hubs: int = 1
    content: str = json.dumps(CONTENT)
    window: int = 64
    listen: bool = False
    device_window: int = 8
    console: str = "off"
    scrapes: bool = False
    program: Path | None = None

    @property
    def fanfare(self) -> Path:
        return self.program or self.bench.fanfare

    @property
    def shares(self) -> list[list[str]]:
        """The hubs of each process."""
        return [[HUB, *(f"{HUB}_{n}" for n in range(1, self.hubs))]] * self.workers

    def schema(self, database: Database) -> None:
        self.run(database, "migrate", "up")

    def registered(self, database: Database) -> None:
        """The schema, and the hubs in push.hub: a worker writes them there."""
        self.schema(database)
        sink = self.bench.sink()
        try:
            with self.at_work(database, sink):
                pass
        finally:
            sink.close()

    def run(self, database: Database, *words: str | Path) -> Ran:
        """One command of fanfare, with settings whose hubs do not answer."""
        return run_process([self.fanfare, *words, "--config", self.settings_without_sink(database)])

    def settings_without_sink(self, database: Database) -> Path:
        """The file of settings for commands that send nothing."""
        nowhere = f"Endpoint=http://127.0.0.1:9/;SharedAccessKeyName={KEY_NAME};SharedAccessKey={KEY}"
        names = sorted({name for share in self.shares for name in share})
        return self._settings(database, nowhere, "all", names)

    def console_settings(self, database: Database) -> dict[str, object]:
        """The member console of the settings."""
        return {"listen": self.console}

    def fill(self, database: Database, messages: int) -> None:
        """Enqueues messages for all hubs in turn; each message is a post of its own."""
        database.execute(self.filling(messages))

    def fill_in_steps(self, database: Database, messages: int) -> None:
        """The same for millions, a transaction for each. An interruption loses at most one, and each reports progress."""
        for first in range(0, messages, STEP):
            self.fill(database, min(STEP, messages - first))
            self.bench.say(f"  {min(first + STEP, messages):,} of {messages:,} messages are queued")

    def filling(self, messages: int) -> str:
        """The statement of `fill`."""
        return f"""INSERT INTO push.message (hub, tag, content, pack)
                   SELECT '{HUB}' || CASE WHEN n % {self.hubs} = 0 THEN '' ELSE '_' || n % {self.hubs} END, 'user_' || n,
                          '{self.content}', false
                     FROM generate_series(1, {messages}) n"""

    @contextmanager
    def at_work(self, database: Database, sink: Sink | Emulator) -> Iterator[AtWork]:
        """Begins when all are registered; at the end it stops them and waits for that. Raises Problem unless each exits
        normally."""
        work = AtWork([])
        try:
            for number, names in enumerate(self.shares):
                file = self._settings(database, sink.connection_string, str(number), names)
                # They end with this process, also when it is killed.
                work.started.append(
                    Started(["setpriv", "--pdeathsig=KILL", "--", self.fanfare, "run", "--config", file]))
            until = time.monotonic() + 60
            while database.number("SELECT count(*) FROM push.worker") < len(work.started):
                work.check()
                if time.monotonic() > until:
                    raise Problem(f"{len(work.started)} workers did not register within a minute")
                time.sleep(0.01)
            with scraped(self.console, 1) if self.scrapes else nullcontext():
                yield work
            for worker in work.started:
                worker.process.send_signal(signal.SIGTERM)
            work.ran += [worker.ended(timeout=120) for worker in work.started]
        finally:
            for worker in work.started:
                worker.close()

    def _settings(self, database: Database, connection: str, whose: str, hubs: list[str]) -> Path:
        file = self.bench.folder / f"crew-{whose}.json"
        hub = {"kind": "notification-hubs", "connectionString": connection, "window": self.window,
               "deviceWindow": self.device_window, "languages": {"en": "English"}, "fallback": "en"}
        file.touch(0o600)  # with a secret in it, it is refused when everyone may read it
        file.write_text(json.dumps({
            "database": {"url": database.url}, "console": self.console_settings(database),
            "dispatch": {"listen": self.listen},
            "hubs": {name: {"hub": HUB, **hub} for name in hubs},
        }))
        return file
