"""Procrastinate: one task that posts through aiohttp.

Tuned by its documentation: concurrent jobs in one worker (howto/production/concurrency), deferred in batches
(howto/basics/batch_defer), a pool larger than its driver's default (howto/production/connections), no session that
listens, since no job arrives while it runs (the same page). Finished jobs are kept, which is the default; deleting them
(howto/production/delete_finished_jobs) was tried and made no difference. Its documentation does not mention uvloop.
"""
from __future__ import annotations

import asyncio
import json
import logging

import procrastinate
import psycopg

import hub
import side

# Otherwise a log line for every job and state would be measured; in production one sets the level, too.
logging.getLogger("procrastinate").setLevel(logging.WARNING)

app = procrastinate.App(connector=procrastinate.PsycopgConnector(min_size=4, max_size=20))
session = None
url = None


@app.task(name="push")
async def push(tag: str, content: dict[str, str]) -> None:
    await hub.post(session, url, tag, json.dumps(content).encode())


async def make_schema() -> None:
    async with app.open_async():
        await app.schema_manager.apply_schema_async()


async def defer_all(count: int) -> None:
    async with app.open_async():
        for first in range(1, count + 1, 1000):
            numbers = range(first, min(first + 1000, count + 1))
            await push.batch_defer_async(*({"tag": side.tag(n), "content": side.CONTENT} for n in numbers))


async def send_all() -> None:
    global session, url
    url = hub.url()
    async with app.open_async(), hub.session(side.window()) as session:
        await app.run_worker_async(
            concurrency=side.window(), wait=False, install_signal_handlers=False, listen_notify=False)


def finished() -> int:
    with psycopg.connect() as connection:
        return connection.execute("SELECT count(*) FROM procrastinate_jobs WHERE status = 'succeeded'").fetchone()[0]


if __name__ == "__main__":
    side.main(
        lambda: asyncio.run(make_schema()), lambda count: asyncio.run(defer_all(count)), lambda: asyncio.run(send_all()),
        finished)
