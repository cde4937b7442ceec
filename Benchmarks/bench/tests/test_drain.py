import unittest

from bench.drain import Cost, Drain
from bench.problem import Problem
from bench.sink import Taken


class Counting:
    """A side and its sink with prescribed answers."""

    name = "side"

    def __init__(self, finished, taken):
        self.has_finished, self.taken = finished, taken

    def posts(self, messages):
        return messages

    def finished(self, database):
        return self.has_finished

    def stop(self):
        return self.taken


def drain(finished=10, taken=Taken(10, 10, 1, 0, 0.5)):
    made = Drain.__new__(Drain)  # without a database
    made.side = Counting(finished, taken)
    return made


class DrainTests(unittest.TestCase):
    def check(self, of):
        return of._checked(None, of.side, 10)

    def test_a_round_counts_when_every_message_was_posted_and_recorded_once(self):
        self.assertEqual(self.check(drain()).cpu, 0.5)

    def test_a_message_that_is_lost_or_sent_twice_fails_the_run(self):
        for wrong in [Taken(9, 9, 1, 0, 0), Taken(11, 11, 1, 0, 0), Taken(10, 9, 1, 0, 0), Taken(10, 10, 1, 1, 0)]:
            with self.assertRaisesRegex(Problem, "side: 10 requests were due"):
                self.check(drain(taken=wrong))

    def test_a_message_without_its_result_fails_the_run(self):
        with self.assertRaisesRegex(Problem, "9 are recorded as sent"):
            self.check(drain(finished=9))

    def test_starting_does_not_count_as_cost_of_a_message(self):
        of = drain()
        of.messages, of.empty = 100, [Cost(2, 1.5, 0.2, 0, 10, 0, 5), Cost(1, 1, 0.1, 0, 20, 0, 5)]
        of._run = lambda messages: Cost(3, 2, 0.3, 0.1, 1010, 50e6, 105)
        self.assertEqual(
            {part: round(value, 6) for part, value in of.round().items()},
            {"rate": 50, "client_us": 10_000, "postgres_us": 2_000, "sink_us": 1_000, "wal_bytes": 10, "peak_mb": 50,
             "waits": 1})

    def test_a_round_that_is_shorter_than_an_empty_one_measures_nothing(self):
        of = drain()
        of.messages, of.empty = 1, [Cost(2, 1, 0, 0, 0, 0, 0)]
        of._run = lambda messages: Cost(2, 1, 0, 0, 0, 0, 0)
        with self.assertRaisesRegex(Problem, "take more of them"):
            of.round()
