"""An alternative: a worker of Benchmarks/peers."""
from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from bench.bench import Bench
from bench.processes import run
from bench.psql import Database
from bench.sides import Command
from bench.sink import Sink

FOLDER = Path(__file__).parent.parent.parent / "peers"


@dataclass(frozen=True)
class Peer:
    bench: Bench
    name: str
    worker: str
    messages: int
    window: int = 64
    settings: dict[str, str] = field(default_factory=dict)

    def schema(self, database: Database) -> None:
        self._do(database, "schema")

    def fill(self, database: Database, messages: int) -> None:
        self._do(database, "fill", str(messages))

    def posts(self, messages: int) -> int:
        return messages

    def command(self, database: Database, sink: Sink) -> Command:
        hub = {"HUB_CONNECTION_STRING": sink.connection_string} | ({"HUB_CA_FILE": str(sink.ca)} if sink.ca else {})
        return Command([*self._worker, "run"], self._environment(database) | hub)

    def finished(self, database: Database) -> int:
        return int(self._do(database, "finished"))

    @property
    def _worker(self) -> list[Path]:
        return [self.bench.python, FOLDER / f"{self.worker}.py"]

    def _environment(self, database: Database) -> dict[str, str]:
        return database.environment | {"WINDOW": str(self.window)} | self.settings

    def _do(self, database: Database, *task: str) -> str:
        return run([*self._worker, *task], environment=self._environment(database)).output
