"""One page of what is due: 1,000 pointers with ten million pending."""
from __future__ import annotations

import time

from bench.bench import Bench
from bench.crew import Crew
from bench.plan.row import row
from bench.problem import Problem
from bench.psql import Database
from bench.session import Session
from bench.sink import HUB

NAME = "page"
PENDING, PAGES, POINTERS = 10_000_000, 50, 1_000
# Read in a session of its own, which has no older figures.
SCANS = "SELECT coalesce(sum(seq_scan), 0) FROM pg_stat_user_tables WHERE schemaname LIKE 'push%' AND n_live_tup > 10000"


def rows(bench: Bench) -> list[list[str]]:
    crew, pending = Crew(bench), bench.size(PENDING)
    database = bench.cluster.database("pages of what is due")
    crew.registered(database)
    crew.fill_in_steps(database, pending)
    database.execute("VACUUM ANALYZE")
    firsts, others, before = [], [], database.number(SCANS)
    for round in range(bench.rounds):
        first, *more = turned(database, min(PAGES, pending // POINTERS))
        firsts.append(first)
        others += more
        bench.record(table="plan", side=NAME, round=round, first_ms=first, most_ms=max(more))
    scanned = database.number(SCANS) - before
    bench.cluster.drop(database)
    return [
        row(f"a page of 1,000 of {pending:,} that are due, ms", others, "60"),
        row("the first page of a session, ms", firsts, "60"),
        ["sequential scans of large tables meanwhile", str(scanned), "0"],
    ]


def turned(database: Database, pages: int) -> list[float]:
    """How long each page took, ms, one after the other in a new session."""
    took, position = [], "'-infinity', 0"
    with Session(database) as session:
        hub = session.ask(f"SELECT id FROM push.hub WHERE name = '{HUB}';")
        for _ in range(pages):
            began = time.monotonic()
            answer = session.ask(
                f"SELECT count(*), quote_literal(max(at)) || ', ' || max(pointer) "
                f"FROM push_worker.peek_v1({hub}, 1::smallint, {position}, {POINTERS});")
            took.append((time.monotonic() - began) * 1e3)
            count, position = answer.split("|")
            if int(count) != POINTERS:
                raise Problem(f"a page has {count} messages")
        session.ask("SELECT pg_stat_force_next_flush() IS NULL;")
    return took
