"""TLS: what it costs the product, a peer and the transport, a cold start of 512 connections, and a hub that closes them."""
from __future__ import annotations

from collections.abc import Iterator

from bench.bench import Bench
from bench.table import Table
from bench.tls import product, resumption, start, transport

ABOUT = "messages/s, CPU and memory over TLS and without, a cold start of 512 connections, handshakes and resumption"
PARTS = (product, transport, start, resumption)
TABLES = tuple(part.NAME for part in PARTS)


def run(bench: Bench) -> Iterator[Table]:
    for part in PARTS:
        if table := part.run(bench):
            yield table
