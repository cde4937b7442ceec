"""Campaigns: how fast audiences are expanded, without and with a cap, a run beside plain rows, in zones, and steering ten
million recipients."""
from __future__ import annotations

from collections.abc import Iterator

from bench.bench import Bench
from bench.campaign import caps, expansion, hours, local, steering, whole
from bench.table import Table

ABOUT = ("recipients/s of expansion, what a cap and zones cost, a run beside plain rows, and start, pause and cancel with 10 "
         "million recipients")
PARTS = (expansion, caps, whole, local, hours, steering)
TABLES = tuple(part.NAME for part in PARTS)


def run(bench: Bench) -> Iterator[Table]:
    for part in PARTS:
        if table := part.run(bench):
            yield table
