"""One connection that stays open, so that a statement's time is its own and not that of connecting."""
from __future__ import annotations

import subprocess
import tempfile

from bench.problem import Problem
from bench.psql import Database


class Session:
    """psql with a pipe. Each `ask` returns one row."""

    def __init__(self, database: Database) -> None:
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", database.url], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self.errors, text=True, start_new_session=True)

    def ask(self, sql: str) -> str:
        """The one row that the last of these statements returns, unaligned. Raises Problem with the server's words."""
        assert self.process.stdin and self.process.stdout
        try:
            self.process.stdin.write(f"{sql}\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # psql has ended: the next line says why
        if line := self.process.stdout.readline():
            return line.rstrip("\n")
        self.errors.seek(0)
        raise Problem(f"psql ended: {self.errors.read().strip()[-2000:]}\n{sql[:400]}")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.errors):
            assert pipe
            try:
                pipe.close()
            except BrokenPipeError:
                pass  # what it did not read before its end

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
