import unittest

from bench.enqueuing import times, ways
from bench.problem import Problem

PRINTED = """transaction type: multiple scripts
latency average = 0.271 ms
SQL script 1: push.message.sql
 - weight: 1 (targets 50.0% of total)
 - latency average = 0.331 ms
 - latency stddev = 0.100 ms
SQL script 2: bare.message.sql
 - latency average = 0.218 ms
"""


class AlternatingTests(unittest.TestCase):
    def test_each_statement_has_its_own_time(self):
        self.assertEqual(times(PRINTED), (0.331, 0.218))

    def test_another_text_is_refused_with_what_was_printed(self):
        with self.assertRaisesRegex(Problem, "0 latencies instead of two:\nnothing"):
            times("nothing")

    def test_single_statements_alternate_and_nothing_else(self):
        self.assertEqual(
            [way.name for way in ways() if way.alternates], ["INSERT of one row", "INSERT of one row, prepared"])
