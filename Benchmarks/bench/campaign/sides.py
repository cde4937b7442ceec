"""The sides of a run end to end: a campaign to a view, and rows that were inserted one for each recipient."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bench.campaign import audience
from bench.processes import run
from bench.psql import Database
from bench.sides.fanfare import Fanfare


@dataclass(frozen=True)
class Plain(Fanfare):
    """`handles`: to handles instead of tags."""

    handles: bool = False

    @property
    def name(self) -> str:
        return f"plain rows, {reached(self.handles)}"

    def fill(self, database: Database, messages: int) -> None:
        database.execute(audience.plain(self.handles, messages))


@dataclass(frozen=True)
class Run(Plain):
    """The run is started when the drain begins, and not expanded. `cap`: of its campaign."""

    cap: dict[str, Any] | None = None

    @property
    def name(self) -> str:
        return f"a run, {reached(self.handles)}"

    def schema(self, database: Database) -> None:
        super().schema(database)
        sink = self.bench.sink()
        try:  # it writes the hub into push.hub, which a spec names
            run(self.command(database, sink).words)
        finally:
            sink.close()
        audience.people(database, self.bench.size(self.messages), self.handles)
        audience.create(database, audience.spec(self.handles, cap=self.cap))

    def fill(self, database: Database, messages: int) -> None:
        database.execute(audience.start("bench"))


def reached(handles: bool) -> str:
    return "handles" if handles else "tags"
