"""The ways to enqueue, each as a command of PostgreSQL's own clients: psql, and pgbench for one statement after another."""
from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.problem import Problem
from bench.psql import Database
from bench.sink import HUB

CONTENT = json.dumps({"title": "Breaking news " * 6, "body": "World news in English. " * 7})

BARE = """
    CREATE SCHEMA bare;
    CREATE TABLE bare.message (LIKE push.message INCLUDING DEFAULTS INCLUDING IDENTITY INCLUDING STORAGE);
    ALTER TABLE bare.message ADD PRIMARY KEY (id);
"""

Command = tuple[list[str | Path], str]


@dataclass(frozen=True)
class Way:
    """`sql(table, n)`: the statements for n rows; `at_a_time`: how many rows one statement writes, 0: all.

    `client`: psql once, pgbench per statement (`simple` or `prepared`), or copy. `against`: the way it is compared with;
    None: the same way into the bare table.
    """

    name: str
    rows: int
    sql: Callable[[str, int], str]
    client: str = "psql"
    at_a_time: int = 0
    bare: bool = True
    against: str = ""

    @property
    def compared_with(self) -> tuple[str, bool]:
        return (self.against, False) if self.against else (self.name, True)

    def command(self, folder: Path, database: Database, rows: int, bare: bool) -> Command:
        """The command and its standard input."""
        table = f"{'bare' if bare else 'push'}.message"
        text = self.sql(table, self.at_a_time or rows)
        psql: list[str | Path] = ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-o", "/dev/null", "-d", database.url]
        match self.client:
            case "psql":
                return psql, text
            case "copy":
                line = f"{HUB}\tuser_%d\t{CONTENT}\n"
                return [*psql, "-c", text], "".join(line % n for n in range(rows))
            case protocol:
                file = folder / "statement.sql"
                file.write_text(text)
                turns = str(rows // self.at_a_time)
                return ["pgbench", "-n", "-M", protocol, "-t", turns, "-f", file, database.url], ""

    @property
    def alternates(self) -> bool:
        """Whether one session can send single statements of both sides in random order."""
        return self.bare and self.at_a_time == 1

    def alternating(self, folder: Path, database: Database, rows: int) -> list[str | Path]:
        """pgbench with both statements in one session, so that other load affects both alike."""
        files: list[str | Path] = []
        for table in ("push.message", "bare.message"):
            file = folder / f"{table}.sql"
            file.write_text(self.sql(table, 1))
            files += ["-f", file]
        return ["pgbench", "-n", "-M", self.client, "-t", str(rows), *files, database.url]


def times(printed: str) -> tuple[float, float]:
    """The mean time of a statement of ours and of a bare one, in ms, as pgbench prints them. Raises Problem for another text."""
    found = re.findall(r"^ - latency average = ([\d.]+) ms$", printed, re.MULTILINE)
    if len(found) != 2:
        raise Problem(f"pgbench printed {len(found)} latencies instead of two:\n{printed[-1000:]}")
    return float(found[0]), float(found[1])


def ways() -> list[Way]:
    def one(table: str, _: int) -> str:
        return f"INSERT INTO {table} (hub, tag, content) VALUES ('{HUB}', 'World', '{CONTENT}');\n"

    def hundred(table: str, n: int) -> str:
        row = f"('{HUB}', 'World', '{CONTENT}')"
        return f"INSERT INTO {table} (hub, tag, content) VALUES {', '.join([row] * n)};\n"

    def many(_: str, n: int) -> str:
        entry = json.dumps({"hub": HUB, "tag": "World", "content": json.loads(CONTENT)})
        return f"SELECT count(*) FROM push.enqueue_many('[{', '.join([entry] * n)}]');\n"

    def select(column: str = "", value: str = "") -> Callable[[str, int], str]:
        return lambda table, n: (
            f"INSERT INTO {table} (hub, tag, content{column}) SELECT '{HUB}', 'user_' || n, '{CONTENT}'{value} "
            f"FROM generate_series(1, {n}) n")

    plain = "INSERT ... SELECT, 100,000 rows"
    return [
        Way("INSERT of one row", 5_000, one, "simple", 1),
        Way("INSERT of one row, prepared", 10_000, one, "prepared", 1),
        Way("INSERT of 100 rows", 50_000, hundred, "simple", 100),
        Way("COPY", 200_000, lambda table, _: f"COPY {table} (hub, tag, content) FROM STDIN", "copy"),
        Way("push.enqueue", 10_000, lambda *_: f"SELECT push.enqueue('{HUB}', 'World', '{CONTENT}');\n", "prepared", 1,
            bare=False, against="INSERT of one row, prepared"),
        Way("push.enqueue_many, 100 messages", 20_000, many, "simple", 100, bare=False, against="INSERT of 100 rows"),
        Way("INSERT ... SELECT, a million rows", 1_000_000, select()),
        Way(plain, 100_000, select()),
        Way("the same with dedupe_key", 100_000, select(", dedupe_key", ", 'order-' || n"), bare=False, against=plain),
        Way("the same with content_key", 100_000, select(", locale, content_key", ", 'en', 'story-' || n"), bare=False,
            against=plain),
    ]
