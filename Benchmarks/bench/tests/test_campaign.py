import unittest

from bench.bench import Bench
from bench.campaign import audience
from bench.campaign.expansion import Expansion
from bench.campaign.sides import Plain, Run
from bench.campaign.steered import Steered
from bench.campaign.steering import ROWS
from bench.campaign.timeline import Calls, Steering, called
from bench.problem import Problem
from bench.sink import Taken

MS = 1_000_000


class Tables:
    """A database with prescribed answers."""

    def __init__(self, number, value):
        self.prescribed = number, value

    def number(self, sql):
        return self.prescribed[0]

    def value(self, sql):
        return self.prescribed[1]


class Rows:
    """A session with prescribed answers; `asked` has the statements."""

    def __init__(self, *rows):
        self.rows, self.asked = list(rows), []

    def ask(self, sql):
        self.asked.append(sql)
        return self.rows.pop(0)


class AudienceTests(unittest.TestCase):
    def test_a_run_says_what_the_plain_rows_say(self):
        for handles in (False, True):
            (content,) = audience.spec(handles)["content"].values()
            self.assertIn(audience.text(content), audience.plain(handles, 10))

    def test_the_sink_finds_the_id(self):
        self.assertIn('"id":"1"', audience.text(audience.spec(False, {"id": "1"})))

    def test_every_message_is_a_post_of_its_own(self):
        self.assertIs(audience.spec(False)["pack"], False)
        self.assertEqual(Run(Bench()).posts(1000), 1000)
        self.assertEqual(Plain(Bench(), handles=True).posts(1000), 1000)

    def test_sides_have_names_of_their_own(self):
        names = {kind(Bench(), handles=handles).name for kind in (Plain, Run) for handles in (False, True)}
        self.assertEqual(len(names), 4)


class ExpansionTests(unittest.TestCase):
    def check(self, said=10, due=10, messages="10 10"):
        made = Expansion.__new__(Expansion)  # without a database
        made.recipients, made.handles = 10, False
        made._check(Tables(due, messages), "bench", said)

    def test_a_round_counts_when_every_recipient_has_one_message_that_is_due(self):
        self.check()

    def test_anything_else_fails_the_run(self):
        for wrong in [{"said": 9}, {"due": 9}, {"messages": "11 10"}, {"messages": "10 9"}]:
            with self.assertRaisesRegex(Problem, "of 10 recipients"):
                self.check(**wrong)


class CallsTests(unittest.TestCase):
    def test_a_function_is_called_until_next_is_null(self):
        session = Rows("monday|10|0|(0,,,t,0)", "monday|5|2|")
        stop = called(session, "pause_run", "monday")
        self.assertEqual((stop.calls, stop.stopped), (2, 15))
        self.assertTrue(0 < stop.longest <= stop.ended - stop.began)
        self.assertIn("push.pause_run('spring', 'monday', after => NULL)", session.asked[0])
        self.assertIn("after => '(0,,,t,0)'", session.asked[1])


class SteeringTests(unittest.TestCase):
    def steering(self, **other):
        def stop(began, ended, stopped):
            return Calls(began * MS, ended * MS, 30 * MS, 2, stopped)

        parts = {
            "began": 90 * MS, "started": 100 * MS, "paused": stop(1000, 1100, 7), "resumed_at": 4000 * MS,
            "resumed": stop(4000, 4050, 7), "cancelled": stop(6000, 6200, 9), "progress": [3 * MS, 1 * MS, 2 * MS],
            "ahead": [5, 9, 8]}
        return Steering(**(parts | other))

    def test_times_are_between_the_calls_and_the_requests(self):
        figures = self.steering().figures([at * MS for at in (300, 500, 1120, 4100, 6150)])
        expected = {
            "start_ms": 10, "first_ms": 200, "ahead": 9, "progress_ms": 2, "progress_most_ms": 3, "pause_ms": 100,
            "pause_longest_ms": 30, "pause_last_ms": 20, "resume_ms": 50, "cancel_ms": 200, "cancel_last_ms": 0, "paused": 7, "cancelled": 9}
        self.assertEqual({part: figures[part] for part in expected}, expected)
        self.assertAlmostEqual(figures["rate"], 2 / 0.7)

    def test_a_request_long_after_the_pause_is_found(self):
        figures = self.steering().figures([at * MS for at in (300, 3990)])
        self.assertEqual(figures["pause_last_ms"], 2890)

    def test_a_run_that_sends_nothing_fails_the_run(self):
        for requests in ([], [5000 * MS]):
            with self.assertRaisesRegex(Problem, "sent nothing"):
                self.steering().figures(requests)

    def test_each_row_of_the_table_is_measured(self):
        measured = self.steering().figures([300 * MS]) | {"peak_mb": 1}
        for what, part, _ in ROWS:
            self.assertIn(part, measured, what)


class SteeredTests(unittest.TestCase):
    def check(self, progress="cancelled 100 60 40 0", left=0, taken=Taken(60, 60, 1, 0, 0.5)):
        made = Steered.__new__(Steered)  # without a database
        made.database, made.scheduled = Tables(left, progress), 50
        made._check(taken, "monday")

    def test_a_round_counts_when_each_message_was_sent_once_or_cancelled(self):
        self.check()

    def test_anything_else_fails_the_run(self):
        for wrong in [{"progress": "cancelling 100 60 40 0"}, {"progress": "cancelled 100 60 39 1"},
                      {"progress": "cancelled 101 60 40 0"}, {"left": 1}, {"taken": Taken(61, 61, 1, 0, 0)},
                      {"taken": Taken(60, 60, 1, 1, 0)}]:
            with self.assertRaisesRegex(Problem, "monday is cancel"):
                self.check(**wrong)
