"""How bin/bench calls a peer, and what all peers share.

    WORKER schema      makes what the peer needs, in the empty database of the PG... variables
    WORKER fill N      enqueues N messages, by the peer's own means
    WORKER run         sends all of them to HUB_CONNECTION_STRING, at most WINDOW at a time, and ends; HUB_CA_FILE: what a
                       hub over TLS is trusted by
    WORKER finished    prints how many messages are recorded as sent
"""
from __future__ import annotations

import os
import sys
from collections.abc import Callable

HUB = "news"
# The message of every side: the same bytes, to a tag of its own.
CONTENT = {"title": "Breaking news " * 6, "body": "World news in English. " * 7}


def tag(number: int) -> str:
    return f"user_{number}"


def window() -> int:
    return int(os.environ["WINDOW"])


def main(
    schema: Callable[[], None], fill: Callable[[int], None], run: Callable[[], None], finished: Callable[[], int]
) -> None:
    match sys.argv[1:]:
        case ["schema"]:
            schema()
        case ["fill", count]:
            fill(int(count))
        case ["run"]:
            run()
        case ["finished"]:
            print(finished())
        case _:
            sys.exit(f"usage: {sys.argv[0]} schema | fill N | run | finished")
