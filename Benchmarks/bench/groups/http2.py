"""Hubs over HTTP/2: the whole product beside a notification hub over TLS, FCM over HTTP/1.1 and aioapns."""
from __future__ import annotations

from collections.abc import Iterator

from bench.bench import Bench
from bench.http2 import product
from bench.table import Table

ABOUT = "messages/s and CPU of hubs of kind apns and fcm over HTTP/2, beside a notification hub over TLS and aioapns"
TABLES = product.TABLES


def run(bench: Bench) -> Iterator[Table]:
    for variant in product.VARIANTS:
        if table := product.run(bench, variant):
            yield table
