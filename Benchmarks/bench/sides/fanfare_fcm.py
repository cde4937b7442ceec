"""The product with a hub of kind fcm: one registration token a message."""
from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from bench.account import PROJECT, account
from bench.psql import Database
from bench.processes import run
from bench.sides import Command
from bench.sides.fanfare import CONTENT, Fanfare
from bench.sink import HUB, Sink

# The same texts as the other sides send.
MESSAGE = {"message": {"notification": CONTENT}}


@dataclass(frozen=True)
class FanfareFCM(Fanfare):
    @property
    def name(self) -> str:
        return "fanfare, fcm"

    def schema(self, database: Database) -> None:
        run([self.bench.fanfare, "migrate", "up", "--config", self._sender(database, "http://127.0.0.1:9")])

    def fill(self, database: Database, messages: int) -> None:
        database.execute(
            f"""INSERT INTO push.message (hub, handles, format, content)
                SELECT '{HUB}', ARRAY['token_' || n], 'fcmv1', '{json.dumps(MESSAGE)}'
                  FROM generate_series(1, {messages}) n""")

    def command(self, database: Database, sink: Sink) -> Command:
        return Command([self.bench.fanfare, "drain", "--config", self._sender(database, sink.endpoint)])

    def _sender(self, database: Database, endpoint: str) -> Path:
        return self._write(database, {
            "kind": "fcm", "project": PROJECT, "endpoint": endpoint, "window": self.window,
            "serviceAccount": account(self.bench.folder, endpoint)})
