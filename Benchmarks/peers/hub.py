"""A template send to a notification hub, for peers without a client of their own. Signs one token per hour."""
from __future__ import annotations

import base64
import hashlib
import hmac
import os
import ssl
import time
from urllib.parse import quote

import aiohttp
from yarl import URL

from side import HUB


def _parts() -> dict[str, str]:
    return dict(part.split("=", 1) for part in os.environ["HUB_CONNECTION_STRING"].split(";") if part)


def url() -> URL:
    """Parsed once, not for every post."""
    return URL(f"{_parts()['Endpoint']}{HUB}/messages?api-version=2020-06")


def headers() -> dict[str, str]:
    """The headers that all posts of an hour share."""
    parts = _parts()
    scope, end = quote(f"{parts['Endpoint']}{HUB}".lower(), safe=""), int(time.time()) + 3600
    digest = hmac.new(parts["SharedAccessKey"].encode(), f"{scope}\n{end}".encode(), hashlib.sha256).digest()
    signature = quote(base64.b64encode(digest).decode(), safe="")
    return {
        "Authorization": f"SharedAccessSignature sr={scope}&sig={signature}&se={end}&skn={parts['SharedAccessKeyName']}",
        "Content-Type": "application/json;charset=utf-8",
        "ServiceBusNotification-Format": "template",
    }


def session(window: int) -> aiohttp.ClientSession:
    """One session for the whole worker and a connection for each post in flight, as aiohttp's documentation advises
    (docs/client_advanced: reuse the session; `limit`; one SSL context that trusts an authority of one's own)."""
    ca = os.environ.get("HUB_CA_FILE")
    trust = ssl.create_default_context(cafile=ca) if ca else True
    return aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=window, ssl=trust), headers=headers())


async def post(session: aiohttp.ClientSession, url: URL, tag: str, body: bytes) -> None:
    async with session.post(url, data=body, headers={"ServiceBusNotification-Tags": tag}) as answer:
        if answer.status != 201:
            raise RuntimeError(f"the hub answered {answer.status}")
        await answer.read()
