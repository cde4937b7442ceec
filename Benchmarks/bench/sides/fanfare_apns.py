"""The product with a hub of kind apns: one device token a message, over HTTP/2."""
from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from bench import provider
from bench.http2.service import HTTP2Service
from bench.processes import run
from bench.psql import Database
from bench.sides import Command
from bench.sides.fanfare import CONTENT, Fanfare
from bench.sink import HUB

# The same texts as the other sides send.
PUSH = {"aps": {"alert": CONTENT}}


@dataclass(frozen=True)
class FanfareAPNs(Fanfare):
    @property
    def name(self) -> str:
        return "fanfare, apns"

    def schema(self, database: Database) -> None:
        run([self.bench.fanfare, "migrate", "up", "--config", self._sender(database, "https://127.0.0.1:9")])

    def fill(self, database: Database, messages: int) -> None:
        database.execute(
            f"""INSERT INTO push.message (hub, handles, format, content)
                SELECT '{HUB}', ARRAY[{provider.DEVICE}], 'apple', '{json.dumps(PUSH)}'
                  FROM generate_series(1, {messages}) n""")

    def command(self, database: Database, sink: HTTP2Service) -> Command:
        return Command([self.bench.fanfare, "drain", "--config", self._sender(database, sink.endpoint, sink.ca)])

    def _sender(self, database: Database, endpoint: str, ca: Path | None = None) -> Path:
        return self._write(database, {
            "kind": "apns", "topic": provider.TOPIC, "teamId": provider.TEAM, "keyId": provider.KEY_ID,
            "key": provider.key(self.bench.folder), "endpoint": endpoint, "window": self.window}, ca)
