"""What a good developer writes in an afternoon: asyncpg, claims of 1,000 with SKIP LOCKED, aiohttp, results in batches.

On uvloop, as the documentation of asyncpg and aiohttp advises. No intent before a post, no fence, no retries: after a kill
it is unknown what was sent.
"""
from __future__ import annotations

import asyncio

import asyncpg
import uvloop

import hub
import outbox
import side


async def send_all() -> None:
    window, url = side.window(), hub.url()
    waiting: asyncio.Queue[asyncpg.Record | None] = asyncio.Queue(2000)
    sent: asyncio.Queue[int | None] = asyncio.Queue()

    async def claim() -> None:
        while rows := await pool.fetch(outbox.CLAIM):
            for row in rows:
                await waiting.put(row)
        for _ in range(window):
            await waiting.put(None)

    async def post() -> None:
        while row := await waiting.get():
            await hub.post(session, url, row["tag"], row["content"].encode())  # JSON is passed through as text
            sent.put_nowait(row["id"])

    async def record() -> None:
        while (first := await sent.get()) is not None:
            await asyncio.sleep(0.02)  # collects results that come meanwhile
            ids, more = [first], True
            while not sent.empty() and more:
                id = sent.get_nowait()
                more = id is not None
                ids += [id] if more else []
            await pool.execute("UPDATE outbox SET state = 'sent', sent_at = now() WHERE id = ANY ($1)", ids)
            if not more:
                return

    async with asyncpg.create_pool(min_size=2, max_size=2) as pool, hub.session(window) as session:
        recording = asyncio.create_task(record())
        await asyncio.gather(claim(), *(post() for _ in range(window)))
        sent.put_nowait(None)
        await recording


if __name__ == "__main__":
    side.main(outbox.schema, outbox.fill, lambda: uvloop.run(send_all()), outbox.finished)
