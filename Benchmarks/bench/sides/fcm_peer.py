"""A worker of Benchmarks/peers that speaks FCM."""
from __future__ import annotations

from dataclasses import dataclass

from bench.account import account
from bench.psql import Database
from bench.sides import Command
from bench.sides.peer import Peer
from bench.sink import Sink


@dataclass(frozen=True)
class FCMPeer(Peer):
    def command(self, database: Database, sink: Sink) -> Command:
        ran = super().command(database, sink)
        text = account(self.bench.folder, sink.endpoint)
        return Command(ran.words, ran.environment | {"FCM_ENDPOINT": sink.endpoint, "SERVICE_ACCOUNT": text})
