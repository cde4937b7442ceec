"""An outbox table as a team would make it: one row per message, a state, an index on open rows."""
from __future__ import annotations

import json

import psycopg

import side

CLAIM = """
    UPDATE outbox SET state = 'sending', claimed_at = now()
     WHERE id IN (SELECT id FROM outbox WHERE state = 'queued' ORDER BY id LIMIT 1000 FOR UPDATE SKIP LOCKED)
    RETURNING id, tag, content"""


def schema() -> None:
    with psycopg.connect(autocommit=True) as connection:
        connection.execute("""
            CREATE TABLE outbox (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                tag text NOT NULL, content jsonb NOT NULL, state text NOT NULL DEFAULT 'queued',
                created_at timestamptz NOT NULL DEFAULT now(), claimed_at timestamptz, sent_at timestamptz)""")
        connection.execute("CREATE INDEX outbox_open ON outbox (id) WHERE state = 'queued'")


def fill(count: int, address: str = "'user_' || n") -> None:
    """`address`: the tag of message n, in SQL."""
    with psycopg.connect(autocommit=True) as connection:
        connection.execute(
            f"INSERT INTO outbox (tag, content) SELECT {address}, %s::jsonb FROM generate_series(1, %s) n",
            (json.dumps(side.CONTENT), count))


def finished() -> int:
    with psycopg.connect() as connection:
        return connection.execute("SELECT count(*) FROM outbox WHERE state = 'sent'").fetchone()[0]
