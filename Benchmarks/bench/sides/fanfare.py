"""The product: `fanfare drain` with its defaults, with committed intents and completions."""
from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path

from bench.bench import Bench
from bench.problem import Problem
from bench.processes import run
from bench.psql import Database
from bench.sides import Command
from bench.sink import HUB, KEY, KEY_NAME, Sink

# The message of every side, as in Benchmarks/peers/side.py.
CONTENT = {"title": "Breaking news " * 6, "body": "World news in English. " * 7}


@dataclass(frozen=True)
class Fanfare:
    bench: Bench
    messages: int = 100_000
    window: int = 64
    packed: bool = False

    @property
    def name(self) -> str:
        return "fanfare, 20 tags a post" if self.packed else "fanfare"

    def schema(self, database: Database) -> None:
        nowhere = f"Endpoint=http://127.0.0.1:9/;SharedAccessKeyName={KEY_NAME};SharedAccessKey={KEY}"
        run([self.bench.fanfare, "migrate", "up", "--config", self._settings(database, nowhere)])

    def fill(self, database: Database, messages: int) -> None:
        database.execute(
            f"""INSERT INTO push.message (hub, tag, content, pack)
                SELECT '{HUB}', 'user_' || n, '{json.dumps(CONTENT)}', {self.packed}
                  FROM generate_series(1, {messages}) n""")

    def posts(self, messages: int) -> int:
        return math.ceil(messages / 20) if self.packed else messages

    def command(self, database: Database, sink: Sink) -> Command:
        settings = self._settings(database, sink.connection_string, sink.ca)
        return Command([self.bench.fanfare, "drain", "--config", settings])

    def finished(self, database: Database) -> int:
        left = database.number("SELECT (SELECT count(*) FROM push.due) + (SELECT count(*) FROM push.claim)")
        if left:
            raise Problem(f"{self.name}: {left} rows are left in push.due and push.claim")
        return database.number("SELECT count(DISTINCT id) FROM push.result WHERE status = 'accepted'")

    def _settings(self, database: Database, connection: str, ca: Path | None = None) -> Path:
        hub = {"kind": "notification-hubs", "connectionString": connection, "window": self.window,
               "languages": {"en": "English"}, "fallback": "en"}
        return self._write(database, hub, ca)

    def _write(self, database: Database, hub: dict[str, object], ca: Path | None = None) -> Path:
        file = self.bench.folder / "config.json"
        file.touch(0o600)  # with a hub over TLS it counts as a secret, and is refused when everyone may read it
        file.write_text(json.dumps({
            **({"transport": {"caFile": str(ca)}} if ca else {}),
            "database": {"url": database.url},
            "hubs": {HUB: hub},
        }))
        return file
