"""An audience in a table of its own, and a campaign to it: as docs/campaigns.md says."""
from __future__ import annotations

import json
from typing import Any

from bench.psql import Database
from bench.sides.fanfare import CONTENT
from bench.sink import HUB

NAME, VIEW = "spring", "marketing.people"
# Rows per INSERT while filling, each of which reports its progress.
STEP = 1_000_000
NATIVE = {"aps": {"alert": CONTENT}}
# 64 characters, as Apple's tokens.
HANDLE = "md5({n}::text) || md5((-{n})::text)"


def people(database: Database, rows: int, handles: bool) -> None:
    """A table with a row for each recipient, by the number of its primary key, and the view of the audience. `handles`: each
    has one, of 64 characters; otherwise a tag reaches it."""
    handle = HANDLE.format(n="n") if handles else "NULL"
    database.execute(
        "CREATE SCHEMA marketing; CREATE TABLE marketing.customer (id bigint PRIMARY KEY, handle text)")
    for first in range(1, rows + 1, STEP):
        database.execute(
            f"INSERT INTO marketing.customer SELECT n, {handle} "
            f"FROM generate_series({first}, {min(first + STEP - 1, rows)}) n")
    reached = "handle" if handles else "'user_' || id AS tag"
    database.execute(
        f"""CREATE VIEW {VIEW} AS SELECT id AS key, {reached} FROM marketing.customer;
            GRANT USAGE ON SCHEMA marketing TO push_audience;
            GRANT SELECT ON {VIEW} TO push_audience;
            VACUUM ANALYZE marketing.customer""")


def spec(handles: bool, more: dict[str, Any] | None = None, cap: dict[str, Any] | None = None) -> dict[str, Any]:
    """Every message a post of its own, as the plain rows beside them. `more`: members of the content."""
    content = {**(NATIVE if handles else CONTENT), **(more or {})}
    return {"hubs": [HUB], "audience": {"view": VIEW}, "content": {"": content}, "pack": False,
            **({"format": "apple"} if handles else {}), **({"cap": cap} if cap else {})}


def text(value: dict[str, Any]) -> str:
    """Without blanks: the sink looks for `"id":"`."""
    return json.dumps(value, separators=(",", ":"))


def create(database: Database, of: dict[str, Any]) -> None:
    database.execute(f"SELECT * FROM push.create_campaign('{NAME}', $spec${text(of)}$spec$)")


def start(key: str) -> str:
    """The statement that starts a run; it returns one row."""
    return f"SELECT * FROM push.start_run('{NAME}', '{key}');"


def plain(handles: bool, messages: int) -> str:
    """The same messages without a campaign."""
    named, reached = (
        ("handles, format", f"ARRAY[{HANDLE.format(n='n')}], 'apple'") if handles else ("tag", "'user_' || n"))
    content = text(NATIVE if handles else CONTENT)
    return (f"INSERT INTO push.message (hub, content, pack, {named}) SELECT '{HUB}', '{content}', false, {reached} "
            f"FROM generate_series(1, {messages}) n")


def bytes_on_disk(database: Database) -> int:
    """Of all our tables with their indexes."""
    return database.number(
        "SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class "
        "WHERE relnamespace = 'push'::regnamespace AND relkind = 'r'")
