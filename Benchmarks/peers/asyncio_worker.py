"""A notification hub behind the claim loop, by aiohttp. On uvloop, as the documentation of asyncpg and aiohttp advises."""
from __future__ import annotations

import uvloop

import claim_loop
import hub
import outbox
import side


async def send_all() -> None:
    url = hub.url()
    async with hub.session(side.window()) as session:
        # JSON is passed through as text.
        await claim_loop.send_all(lambda row: hub.post(session, url, row["tag"], row["content"].encode()))


if __name__ == "__main__":
    side.main(outbox.schema, outbox.fill, lambda: uvloop.run(send_all()), outbox.finished)
