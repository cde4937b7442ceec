"""Counts statements. Only in rounds that are not timed, because counting costs a little."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bench.cluster import Cluster
from bench.psql import Database


@dataclass
class Counted:
    """`calls`: statements that clients sent, BEGIN and COMMIT included; without pg_stat_statements, transactions."""

    calls: int = 0


@contextmanager
def counted(cluster: Cluster, database: Database) -> Iterator[Counted]:
    """Counts the statements that reach one database. It may have no other connections."""
    so_far = counter(cluster, database)
    counted, before = Counted(), so_far()
    yield counted
    counted.calls = so_far() - before


def counter(cluster: Cluster, database: Database) -> Callable[[], int]:
    """A function that returns how many statements reached a database in sessions that began after this call."""
    if not cluster.counts_statements:
        return lambda: cluster.postgres.number(
            f"""SELECT pg_stat_force_next_flush();
                SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = '{database.name}'""")
    cluster.postgres.execute(
        f"""ALTER DATABASE "{database.name}" SET pg_stat_statements.track = 'top';
            SELECT pg_stat_statements_reset()""")
    return lambda: cluster.postgres.number(
        f"""SELECT coalesce(sum(calls), 0) FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
             WHERE d.datname = '{database.name}'""")
