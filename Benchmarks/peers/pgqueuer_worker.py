"""PgQueuer: one entrypoint that posts through aiohttp.

Tuned by its documentation (docs/guides/performance-tuning): larger batches because jobs are short, its autovacuum settings,
a direct asyncpg connection for the manager, durable tables, since a push must survive a crash; uvloop, as its own command
line and benchmark use it. No limit on tasks: the connections are the limit, and counting tasks would cost a query.
"""
from __future__ import annotations

import json
import logging
from datetime import timedelta

import asyncpg
import uvloop
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgDriver
from pgqueuer.models import Job
from pgqueuer.queries import Queries
from pgqueuer.types import QueueExecutionMode

import hub
import side

# The fastest of 50, 100, 250 and 1,000 with a real post in each job; larger batches only cost memory.
BATCH = 100

logging.getLogger("pgqueuer").setLevel(logging.WARNING)


async def make_schema() -> None:
    queries = Queries(AsyncpgDriver(await asyncpg.connect()))
    await queries.install()
    await queries.optimize_autovacuum()


async def enqueue_all(count: int) -> None:
    queries = Queries(AsyncpgDriver(await asyncpg.connect()))
    for first in range(1, count + 1, 1000):
        numbers = range(first, min(first + 1000, count + 1))
        payloads = [json.dumps({"tag": side.tag(n), "content": side.CONTENT}).encode() for n in numbers]
        await queries.enqueue(["push"] * len(payloads), payloads, [0] * len(payloads))


async def send_all() -> None:
    window, url = side.window(), hub.url()
    manager = PgQueuer(AsyncpgDriver(await asyncpg.connect()))
    async with hub.session(window) as session:

        @manager.entrypoint("push")
        async def push(job: Job) -> None:
            message = json.loads(job.payload)
            await hub.post(session, url, message["tag"], json.dumps(message["content"]).encode())

        await manager.run(batch_size=BATCH, dequeue_timeout=timedelta(seconds=1), mode=QueueExecutionMode.drain)


async def count_finished() -> int:
    connection = await asyncpg.connect()
    return await connection.fetchval("SELECT count(DISTINCT job_id) FROM pgqueuer_log WHERE status = 'successful'")


if __name__ == "__main__":
    side.main(
        lambda: uvloop.run(make_schema()), lambda count: uvloop.run(enqueue_all(count)), lambda: uvloop.run(send_all()),
        lambda: uvloop.run(count_finished()))
