"""The product with a hub of kind fcm: one registration token a message. Over TLS it speaks HTTP/2."""
from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from bench.account import PROJECT, account
from bench.http2.service import HTTP2Service
from bench.psql import Database
from bench.processes import run
from bench.sides import Command
from bench.sides.fanfare import CONTENT, Fanfare
from bench.sink import HUB, Sink

NOWHERE = "http://127.0.0.1:9"
# The same texts as the other sides send.
MESSAGE = {"message": {"notification": CONTENT}}


@dataclass(frozen=True)
class FanfareFCM(Fanfare):
    @property
    def name(self) -> str:
        return "fanfare, fcm"

    def schema(self, database: Database) -> None:
        run([self.bench.fanfare, "migrate", "up", "--config", self._sender(database, NOWHERE, NOWHERE)])

    def fill(self, database: Database, messages: int) -> None:
        database.execute(
            f"""INSERT INTO push.message (hub, handles, format, content)
                SELECT '{HUB}', ARRAY['token_' || n], 'fcmv1', '{json.dumps(MESSAGE)}'
                  FROM generate_series(1, {messages}) n""")

    def command(self, database: Database, sink: Sink | HTTP2Service) -> Command:
        settings = self._sender(database, sink.endpoint, sink.tokens, sink.ca)
        return Command([self.bench.fanfare, "drain", "--config", settings])

    def _sender(self, database: Database, endpoint: str, tokens: str, ca: Path | None = None) -> Path:
        return self._write(database, {
            "kind": "fcm", "project": PROJECT, "endpoint": endpoint, "window": self.window,
            "serviceAccount": account(self.bench.folder, tokens)}, ca)
