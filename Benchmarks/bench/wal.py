"""Measures bytes of write-ahead log, which replicas, archives and disks have to take."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bench.cluster import Cluster


@dataclass
class Written:
    bytes: int = 0


@contextmanager
def watched(cluster: Cluster) -> Iterator[Written]:
    """Counts from a checkpoint on, so that every side pays for its own first write to each page."""
    cluster.postgres.execute("CHECKPOINT")
    before = cluster.postgres.value("SELECT pg_current_wal_insert_lsn()")
    written = Written()
    yield written
    written.bytes = cluster.postgres.number(f"SELECT pg_current_wal_insert_lsn() - '{before}'::pg_lsn")
