"""What the pages ask of the database: queries, and what begins and ends the transaction around each."""
from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from bench import statements
from bench.cluster import Cluster
from bench.problem import Problem
from bench.psql import Database
from bench.session import Session

# Sets the rights and the time limit of a transaction that BEGIN begins; each has it once.
RIGHTS = "select pg_catalog.set_config(s.name"
# Begin and end of a transaction. PostgreSQL counts a prepared one only the first time (pg_stat_statements of version 15), so they are
# reckoned: two for each RIGHTS.
ENDS = ("begin", "commit", "rollback")
# What a session is set to when it is opened, and the rights of a transaction of one query, which has no BEGIN.
SETTINGS = "select pg_catalog.set_config("


@dataclass(frozen=True)
class Counts:
    """`queries`: what reads rows; `all`: with what sets the rights of each transaction, and with BEGIN and COMMIT where it has them."""

    queries: int
    all: int

    def __sub__(self, before: Counts) -> Counts:
        return Counts(self.queries - before.queries, self.all - before.all)


def counted(calls: Iterable[tuple[int, str]]) -> Counts:
    """Of calls and the beginnings of their texts. Pure."""
    queries = all = 0
    for n, text in calls:
        text = text.lower()
        if text.startswith(RIGHTS):
            all += 3 * n
        elif text.startswith(SETTINGS):
            all += n
        elif not text.startswith(ENDS):
            queries, all = queries + n, all + n
    return Counts(queries, all)


class Counter:
    """Counts what reaches one database in sessions that begin after this."""

    def __init__(self, cluster: Cluster, database: Database) -> None:
        if not cluster.counts_statements:
            raise Problem("statements cannot be counted: the extension pg_stat_statements is missing")
        statements.counter(cluster, database)
        self.session, self.database = Session(cluster.postgres), database

    def __call__(self) -> Counts:
        said = self.session.ask(
            f"""SELECT coalesce(jsonb_agg(jsonb_build_array(s.calls, left(ltrim(s.query, E' \\n'), 40))), '[]')::text
                  FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
                 WHERE d.datname = '{self.database.name}';""")
        return counted((int(n), str(text)) for n, text in json.loads(said))

    def close(self) -> None:
        self.session.close()


def watching(counter: Callable[[], Counts], asks: Callable[[], object]) -> Counts:
    """What `asks` costs."""
    before = counter()
    asks()
    return counter() - before
