"""The sides of a comparison. Each drains a queue of its own into the same sink, in one process."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from bench.http2.service import HTTP2Service
from bench.psql import Database
from bench.sink import Sink


@dataclass(frozen=True)
class Command:
    words: Sequence[str | Path]
    environment: dict[str, str] = field(default_factory=dict)


class Side(Protocol):
    """`name`: its name in the tables. `messages`: how many keep it busy for some ten seconds, in a full run."""

    @property
    def name(self) -> str: ...
    @property
    def messages(self) -> int: ...

    def schema(self, database: Database) -> None:
        """Makes what it needs in an empty database. Called once a run; the other databases are copies."""

    def fill(self, database: Database, messages: int) -> None:
        """Enqueues messages; not timed."""

    def posts(self, messages: int) -> int:
        """How many requests the sink has to see."""

    def command(self, database: Database, sink: Sink | HTTP2Service) -> Command:
        """Sends everything, and ends."""

    def finished(self, database: Database) -> int:
        """How many messages are recorded as sent, with nothing left anywhere."""
