"""One database of the private cluster, queried through psql, so that the harness needs no driver."""
from __future__ import annotations

import subprocess
from dataclasses import dataclass

from bench.problem import Problem


@dataclass(frozen=True)
class Database:
    folder: str
    name: str
    user: str = "postgres"

    @property
    def environment(self) -> dict[str, str]:
        """Variables for libpq clients, and for clients that read the same variables."""
        return {"PGHOST": self.folder, "PGPORT": "5432", "PGUSER": self.user, "PGDATABASE": self.name}

    @property
    def url(self) -> str:
        return f"host='{self.folder}' port=5432 user={self.user} dbname='{self.name}'"

    def execute(self, sql: str) -> str:
        """Runs SQL, each statement in a transaction of its own, and returns what psql printed, unaligned.

        Raises Problem with the server's words.
        """
        ended = subprocess.run(
            ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", self.url], input=sql, capture_output=True,
            text=True)
        if ended.returncode:
            raise Problem(f"{self.name}: {ended.stderr.strip()[-2000:]}\n{sql.strip()[:400]}")
        return ended.stdout.strip()

    def value(self, sql: str) -> str:
        return self.execute(sql).splitlines()[0]

    def number(self, sql: str) -> int:
        return int(self.value(sql))

    def answers(self) -> bool:
        return subprocess.run(["psql", "-X", "-q", "-d", self.url, "-c", ""], capture_output=True).returncode == 0
