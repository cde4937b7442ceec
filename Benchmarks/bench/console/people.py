"""Who looks at the pages: three people who may do everything, and the login of their console."""
from __future__ import annotations

import base64
import functools
import hashlib
from dataclasses import replace

from bench.psql import Database

NAMES = ("ana", "ben", "eve")
PASSWORD = "correct horse battery staple"
LOGIN = "fanfare_console"
# What `fanfare console password` uses: 32 MiB for a guess.
LOG_N, R, P = 15, 8, 3


@functools.cache
def password_hash() -> str:
    """What `fanfare console password` prints for PASSWORD, with a salt that is always the same. Takes 0.3 s."""
    salt = b"salt of a bench."
    key = hashlib.scrypt(PASSWORD.encode(), salt=salt, n=1 << LOG_N, r=R, p=P, maxmem=64 << 20, dklen=32)
    return f"$scrypt$ln={LOG_N},r={R},p={P}${_base64(salt)}${_base64(key)}"


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode().rstrip("=")


def settings(database: Database, address: str) -> dict[str, object]:
    """Members of `console` that serve the pages at an address, with a login of their own."""
    user = {"may": "look,operate,campaigns,approve", "password": password_hash()}
    return {"pages": address, "name": "bench", "databaseURL": url(database), "users": {name: user for name in NAMES}}


def url(database: Database) -> str:
    return replace(database, user=LOGIN).url


def create_login(database: Database) -> None:
    """Once in a cluster, after the schema is there in one of its databases."""
    database.execute(
        f"""DO $$ BEGIN
                IF to_regrole('{LOGIN}') IS NULL THEN CREATE ROLE {LOGIN} LOGIN IN ROLE push_console; END IF;
            END $$""")
