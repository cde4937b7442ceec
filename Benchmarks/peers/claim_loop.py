"""What a good developer writes in an afternoon around a client that does not block: asyncpg, claims of 1,000 with SKIP LOCKED,
WINDOW sends at a time, results in batches. No intent before a send, no fence, no retries: after a kill it is unknown what was
sent."""
from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import asyncpg

import outbox
import side


async def send_all(send: Callable[[asyncpg.Record], Awaitable[None]]) -> None:
    window = side.window()
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
            await send(row)
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

    async with asyncpg.create_pool(min_size=2, max_size=2) as pool:
        recording = asyncio.create_task(record())
        await asyncio.gather(claim(), *(post() for _ in range(window)))
        sent.put_nowait(None)
        await recording
