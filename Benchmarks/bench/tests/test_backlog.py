import unittest

from bench.backlog import Backlog, Case
from bench.drain import Cost
from bench.problem import Problem


class Tables:
    """A database with prescribed answers."""

    def __init__(self, due, claims, results):
        self.due, self.claims, self.results = due, claims, results

    def number(self, sql):
        return self.claims if "claim" in sql else self.due

    def value(self, sql):
        return self.results


def backlog(due=40, claims=0, results="60 60", sent=0):
    made = Backlog.__new__(Backlog)  # without a database
    made.case, made.database, made.sent = Case("a hundred", None, 100, 50), Tables(due, claims, results), sent
    return made


class BacklogTests(unittest.TestCase):
    def test_a_round_counts_when_every_message_is_queued_or_was_posted_and_recorded_once(self):
        backlog()._check(60, 0, 50)
        backlog(results="75 75", sent=15)._check(60, 0, 50)

    def test_a_lost_left_over_or_repeated_message_fails_the_run(self):
        for wrong in [backlog(due=39), backlog(due=41), backlog(claims=1), backlog(results="59 59"),
                      backlog(results="61 60"), backlog(sent=1)]:
            with self.assertRaisesRegex(Problem, "a hundred: of 100 messages the hub was to see 50 and saw 60"):
                wrong._check(60, 0, 50)

    def test_too_few_requests_or_a_refused_one_fail_the_run(self):
        for requests, refused in [(49, 0), (60, 1)]:
            with self.assertRaises(Problem):
                backlog(due=100 - requests, results=f"{requests} {requests}")._check(requests, refused, 50)

    def test_messages_beyond_the_count_share_the_cost_but_not_the_time(self):
        of = backlog()
        of.empty = [Cost(0, 0.25, 0.5, 0, 10, 0, 5), Cost(0, 1, 1, 0, 20, 0, 9)]
        of._fill = lambda: None

        def run(messages):
            of.sent += 60
            return Cost(2, 0.85, 1.1, 0.1, 610, 50e6, 65)

        of._run = run
        self.assertEqual(
            {part: round(value, 6) for part, value in of.round().items()},
            {"rate": 25, "client_us": 10_000, "postgres_us": 10_000, "us": 20_000, "wal_bytes": 10, "peak_mb": 50, "waits": 1})
