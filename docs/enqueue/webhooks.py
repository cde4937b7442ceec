"""Tells another service what became of our messages, each result at least once and in order. psycopg 3.

The login is a member of push_enqueue: it sees what it enqueued itself. The mark is kept in the table webhook_mark, which
has one row, and moves on after the delivery. After a crash in between, one batch is delivered again: the receiver
recognises it by the mark of each result. PGHOST, PGDATABASE and PGUSER name the database, BATCH says how many results
go into one request, and the argument is the URL that gets them.
"""

import json
import os
import select
import sys
import urllib.request

import psycopg
from psycopg.rows import dict_row

BATCH = int(os.environ.get("BATCH", "100"))
# Without a notification we look this often, in seconds: NOTIFY is a hint.
PATIENCE = 5


def deliver(url, results):
    """One request for a batch. Anything but 2xx raises, and the batch comes again."""
    body = json.dumps(results).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30):
        pass


def read(db, mark):
    """Results after the mark, the mark to go on from, and whether there is more at once."""
    *ended, last = db.execute("SELECT * FROM push.ended_since(%s, at_most => %s, listen => true)", (mark, BATCH))
    results = [
        {"mark": row["next_mark"], "id": row["id"], "status": row["status"], "reason": row["reason"]} for row in ended
    ]
    return results, last["next_mark"], last["more"]


def consume(db, url):
    db.execute("LISTEN push_ended")
    while True:
        mark = db.execute("SELECT mark FROM webhook_mark").fetchone()["mark"]
        results, next_mark, more = read(db, mark)
        if results:
            deliver(url, results)
        if next_mark != mark:
            db.execute("UPDATE webhook_mark SET mark = %s", (next_mark,))
        if not more:
            select.select([db.fileno()], [], [], PATIENCE)


if __name__ == "__main__":
    with psycopg.connect(autocommit=True, row_factory=dict_row) as connection:
        consume(connection, sys.argv[1])
