"""The protocol in the database alone: claim, intent and complete from a C loop, without HTTP."""
from __future__ import annotations

import math
from dataclasses import dataclass

from bench import processes, wal
from bench.bench import Bench
from bench.figures import Spread, shown, spread_shown
from bench.interleave import interleaved
from bench.printed import figures
from bench.problem import Problem
from bench.psql import Database
from bench.sides.fanfare import Fanfare
from bench.sink import HUB
from bench.table import Table

ABOUT = "messages/s from claim to result without HTTP: a C loop over the protocol's statements"
TABLES = ("store",)
COLUMNS = ["messages a post", "connections", "messages/s", "CPU µs a message: client", "PostgreSQL", "WAL bytes a message"]


@dataclass(frozen=True)
class Shape:
    per_post: int
    connections: int

    @property
    def name(self) -> str:
        return f"{self.per_post} a post, {self.connections} connection{'s' if self.connections > 1 else ''}"


SHAPES = [Shape(20, 1), Shape(20, 2), Shape(1, 1), Shape(1, 2)]


def emptied(
    bench: Bench, product: Fanfare, database: Database, shape: Shape, messages: int, before: int = 0
) -> dict[str, float]:
    """The cost of emptying a queue of `messages`. `before`: how many others in this database have their result.

    Raises Problem unless every message has its result.
    """
    cluster, posted = bench.cluster, database.number("SELECT count(*) FROM push.answers")
    with wal.watched(cluster) as written:
        used = cluster.cpu()
        ran = processes.run([bench.program("store_loop"), database.url, HUB, str(shape.per_post), str(shape.connections)])
        postgres = cluster.cpu() - used
    said = figures(ran.output)
    posts = database.number("SELECT count(*) FROM push.answers") - posted
    finished = product.finished(database) - before
    # A claim of fewer than 1,000 messages may end with a post that is not full.
    least = math.ceil(messages / shape.per_post)
    if finished != messages or said["messages"] != messages or said["posts"] != posts or posts < least:
        raise Problem(f"{shape.name}: of {messages} messages {finished} have a result, in {posts} posts: {ran.output}")
    return {"rate": said["rate"], "client_us": said["cpu_us/message"], "postgres_us": postgres * 1e6 / messages,
            "wal_bytes": written.bytes / messages}


def _once(bench: Bench, product: Fanfare, template: Database, shape: Shape, messages: int) -> dict[str, float]:
    """Fills a fresh copy of the schema, then lets the loop empty it."""
    database = bench.cluster.database("store", template=template.name)
    product.fill(database, messages)
    database.execute("VACUUM ANALYZE")
    sample = emptied(bench, product, database, shape, messages)
    bench.cluster.drop(database)
    return sample


def run(bench: Bench) -> list[Table]:
    product = Fanfare(bench)
    template = bench.cluster.database("template of the store")
    product.schema(template)
    shapes = [shape for shape in SHAPES if bench.wants(shape.name)]
    messages = bench.size(300_000)
    samples: dict[Shape, list[dict[str, float]]] = {shape: [] for shape in shapes}

    def measure(shape: Shape, round: int) -> dict[str, float]:
        return _once(bench, product, template, shape, messages)

    for round, shape, sample in interleaved(shapes, bench.rounds, measure):
        samples[shape].append(sample)
        bench.record(table="store", side=shape.name, round=round, messages=messages, **sample)
    rows = [_row(shape, taken) for shape, taken in samples.items()]
    notes = ["Claims of 1,000, one intent for all posts of a claim, one completion; from the first statement to the last."]
    return [Table("store", COLUMNS, rows, notes)] if rows else []


def _row(shape: Shape, taken: list[dict[str, float]]) -> list[str]:
    spread = {part: Spread.of([sample[part] for sample in taken]) for part in taken[0]}
    return [str(shape.per_post), str(shape.connections), spread_shown(spread["rate"]),
            *(shown(spread[part].median) for part in ("client_us", "postgres_us", "wal_bytes"))]
