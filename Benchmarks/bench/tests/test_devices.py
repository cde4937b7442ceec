import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

from bench.bench import Bench
from bench.beside import Beside
from bench.changes import Changes, Cost
from bench.emulator import CONNECTION
from bench.groups.devices import CALLS, cases
from bench.problem import Problem
from bench.sink import Taken


class Tables:
    """A database with prescribed answers."""

    def __init__(self, due, claims, results):
        self.due, self.claims, self.results = due, claims, results

    def number(self, sql):
        return self.claims if "claim" in sql else self.due

    def value(self, sql):
        return self.results


def changes(due=40, claims=0, results="60 60", applied=0):
    made = Changes.__new__(Changes)  # without a database
    made.case = SimpleNamespace(name="a hundred", queued=100, taken=50)
    made.database, made.applied = Tables(due, claims, results), applied
    return made


class ChangesTests(unittest.TestCase):
    def test_a_round_counts_when_every_change_waits_or_was_sent_and_recorded_once(self):
        self.assertEqual(changes()._check(60, 50), 60)
        self.assertEqual(changes()._check(None, 50), 60)
        of = changes(results="75 75", applied=15)
        self.assertEqual((of._check(60, 50), of.applied), (60, 75))

    def test_a_lost_repeated_or_held_change_fails_the_run(self):
        for wrong in [changes(due=39), changes(due=41), changes(claims=1), changes(results="61 60"),
                      changes(results="49 49", due=51)]:
            with self.assertRaisesRegex(Problem, "a hundred: of 100 changes 50 were to be applied"):
                wrong._check(None, 50)

    def test_what_the_sink_saw_and_what_is_recorded_are_the_same(self):
        for puts in (59, 61):
            with self.assertRaisesRegex(Problem, f"the hub saw {puts}"):
                changes()._check(puts, 50)

    def test_changes_beyond_the_count_share_the_cost_but_not_the_time(self):
        of = changes()
        of.empty = [Cost(0, 0.25, 0.5, 0, 10, 0, 0), Cost(0, 1, 1, 0, 20, 0, 0)]
        of._fill = lambda: None
        of._run = lambda changes: Cost(2, 0.85, 1.1, 0.6, 610, 50e6, 60)
        self.assertEqual(
            {part: round(value, 6) for part, value in of.round().items()},
            {"rate": 25, "client_us": 10_000, "postgres_us": 10_000, "us": 20_000, "hub_us": 10_000, "wal_bytes": 10,
             "peak_mb": 50})


class BesideTests(unittest.TestCase):
    def check(self, sent=100, applied=20, taken=Taken(100, 100, 1, 0, 0.5, 20)):
        made = Beside.__new__(Beside)  # without a database
        made.messages, made.changes = 100, 20
        made._check(sent, applied, taken)

    def test_a_round_counts_when_every_message_and_every_change_was_sent_and_recorded_once(self):
        self.check()

    def test_anything_else_fails_the_run(self):
        for wrong in [{"sent": 99}, {"applied": 19}, {"taken": Taken(101, 101, 1, 0, 0, 20)},
                      {"taken": Taken(100, 100, 1, 0, 0, 21)}, {"taken": Taken(100, 100, 1, 1, 0, 20)}]:
            with self.assertRaisesRegex(Problem, "of 100 messages"):
                self.check(**wrong)


class DevicesTests(unittest.TestCase):
    def test_a_queue_is_never_shorter_than_what_is_taken_from_it(self):
        for bench in (Bench(), Bench(quick=True)):
            for case in cases(bench):
                self.assertGreaterEqual(case.queued, case.taken, case.name)

    def test_a_million_that_wait_are_compared_with_ten_thousand(self):
        of = [(case.hub, case.queued, case.taken, case.crew.device_window) for case in cases(Bench())]
        self.assertEqual(of[:2], [("sink", 10_000, 10_000, 64), ("sink", 1_000_000, 10_000, 64)])

    def test_each_side_has_a_name_of_its_own(self):
        names = [case.name for case in cases(Bench())] + [call.name for call in CALLS]
        self.assertEqual(len(set(names)), len(names))

    def test_both_statements_go_through_one_session(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        words = CALLS[1].command(folder, SimpleNamespace(url="dbname=x"), 100)
        self.assertEqual(words.count("-f"), 2)
        self.assertNotIn("-c", words)
        texts = [Path(word).read_text() for word in words if isinstance(word, Path)]
        self.assertIn("push.put_device(", texts[0])
        self.assertIn("INSERT INTO push.message", texts[1])

    def test_the_emulator_says_how_to_reach_it(self):
        said = "  news                   Endpoint=http://127.0.0.1:34245/;SharedAccessKeyName=emulator;SharedAccessKey=ZW11bGF0b3I=\n"
        self.assertEqual(
            CONNECTION.search(said)[0],
            "Endpoint=http://127.0.0.1:34245/;SharedAccessKeyName=emulator;SharedAccessKey=ZW11bGF0b3I=")
