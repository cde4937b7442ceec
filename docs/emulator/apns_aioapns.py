"""aioapns 4.0 against the emulator: one notification to each handle, by a provider token or a client certificate.

    python apns_aioapns.py ENDPOINT CA_FILE TOPIC KEY_FILE,KEY_ID,TEAM HANDLE...
    python apns_aioapns.py ENDPOINT CA_FILE TOPIC CERTIFICATE_FILE HANDLE...

Handles joined with + get theirs at the same time. Apple's addresses are fixed in the library; the lines below "Here" lead to
the emulator.
"""
import asyncio
import os
import ssl
import sys
import time
from urllib.parse import urlsplit

from aioapns import APNs, NotificationRequest, PushType
from aioapns.connection import APNsProductionClientProtocol
from aioapns.exceptions import MaxAttemptsExceeded

endpoint, authority, topic, credential, *handles = sys.argv[1:]
EXPIRATION = 2_000_000_000

# Here.
APNsProductionClientProtocol.APNS_SERVER = urlsplit(endpoint).hostname
APNsProductionClientProtocol.APNS_PORT = urlsplit(endpoint).port
# Seconds without a frame after which it closes a connection; 10 unless a test is in a hurry.
APNsProductionClientProtocol.INACTIVITY_TIME = int(os.environ.get("SILENCE", "10"))


async def send(client: APNs, handle: str) -> str:
    request = NotificationRequest(
        device_token=handle, priority=5, collapse_key="score", push_type=PushType.ALERT,
        time_to_live=EXPIRATION - int(time.time()),
        message={"aps": {"alert": {"title": "Party", "body": "You’re invited!"}, "category": "INVITE_CATEGORY"}})
    try:
        result = await client.send_notification(request)
    except MaxAttemptsExceeded:
        return f"{handle}: gave up"
    since = " since" if result.timestamp else ""
    return f"{handle}: {result.status} {result.description or '-'}{since}"


async def main() -> None:
    trust = ssl.create_default_context(cafile=authority)
    key, *ids = credential.split(",")
    if ids:
        with open(key, encoding="utf-8") as file:
            client = APNs(key=file.read(), key_id=ids[0], team_id=ids[1], topic=topic, ssl_context=trust)
    else:
        client = APNs(client_cert=credential, topic=topic, ssl_context=trust)
    for together in handles:
        for line in await asyncio.gather(*(send(client, handle) for handle in together.split("+"))):
            print(line, flush=True)


asyncio.run(main())
