"""A worker of Benchmarks/peers that speaks APNs."""
from __future__ import annotations

from dataclasses import dataclass

from bench import provider
from bench.http2.service import HTTP2Service
from bench.psql import Database
from bench.sides import Command
from bench.sides.peer import Peer


@dataclass(frozen=True)
class APNsPeer(Peer):
    def command(self, database: Database, sink: HTTP2Service) -> Command:
        return Command([*self._worker, "run"], self._environment(database) | {
            "APNS_ENDPOINT": sink.endpoint, "APNS_CA_FILE": str(sink.ca), "APNS_KEY": provider.key(self.bench.folder),
            "APNS_KEY_ID": provider.KEY_ID, "APNS_TEAM": provider.TEAM, "APNS_TOPIC": provider.TOPIC})
