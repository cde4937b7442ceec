"""APNs behind the claim loop, by aioapns. On uvloop, as the asyncio worker.

One client for the whole worker, with a provider token, as its README shows; it opens a second connection only when the first is
full. It takes a message as a dictionary, so the worker reads the JSON of a row.

APNS_ENDPOINT: where pushes go; APNS_CA_FILE: what that is trusted by; APNS_KEY, APNS_KEY_ID, APNS_TEAM: the key; APNS_TOPIC.
"""
from __future__ import annotations

import json
import os
import ssl
from urllib.parse import urlsplit

import asyncpg
import uvloop
from aioapns import APNs, NotificationRequest, PushType
from aioapns.connection import APNsProductionClientProtocol

import claim_loop
import outbox
import side

# As Fanfare's side has it (bench/provider.py).
DEVICE = "lpad(to_hex(n), 64, '0')"


def client() -> APNs:
    # The address stands in class attributes; there is no setting for it.
    endpoint = urlsplit(os.environ["APNS_ENDPOINT"])
    APNsProductionClientProtocol.APNS_SERVER = endpoint.hostname
    APNsProductionClientProtocol.APNS_PORT = endpoint.port
    return APNs(
        key=os.environ["APNS_KEY"], key_id=os.environ["APNS_KEY_ID"], team_id=os.environ["APNS_TEAM"],
        topic=os.environ["APNS_TOPIC"], ssl_context=ssl.create_default_context(cafile=os.environ["APNS_CA_FILE"]))


async def send_all() -> None:
    apns = client()

    async def send(row: asyncpg.Record) -> None:
        message = {"aps": {"alert": json.loads(row["content"])}}
        result = await apns.send_notification(NotificationRequest(row["tag"], message, push_type=PushType.ALERT))
        if not result.is_successful:
            raise RuntimeError(f"APNs answered {result.status} {result.description}")

    await claim_loop.send_all(send)
    apns.pool.close()


if __name__ == "__main__":
    side.main(outbox.schema, lambda count: outbox.fill(count, DEVICE), lambda: uvloop.run(send_all()), outbox.finished)
