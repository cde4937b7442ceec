import unittest

from bench.pace import Pace, latencies
from bench.problem import Problem

MS = 1_000_000


class LatencyTests(unittest.TestCase):
    def test_a_message_waits_from_its_commit_and_from_when_it_was_due(self):
        times = [(0, 1 * MS, 3 * MS), (100 * MS, 105 * MS, 109 * MS)]
        stamps = [(1, 20 * MS), (0, 10 * MS), (2, 110 * MS), (3, 119 * MS)]
        found = latencies(times, stamps, Pace(2, 10, rows=2, warm=0))
        self.assertEqual([found.insert.percentile(p) // 10 for p in (50, 100)], [200, 400])
        self.assertEqual([found.commit.percentile(p) // 100 for p in (25, 50, 75, 100)], [10, 70, 100, 170])
        self.assertEqual([found.due.percentile(p) // 100 for p in (25, 50, 75, 100)], [100, 100, 190, 200])

    def test_the_first_are_there_to_warm_up(self):
        found = latencies([(0, 0, 9 * MS), (0, 0, MS)], [(0, 90 * MS), (1, 2 * MS)], Pace(2, 10, warm=1))
        self.assertEqual((found.insert.most, found.commit.most, found.due.most, found.commit.count), (1000, 1000, 2000, 1))

    def test_a_request_may_be_there_before_the_client_hears_of_its_commit(self):
        found = latencies([(0, 0, 9 * MS)], [(0, 8 * MS)], Pace(1, 10, warm=0))
        self.assertEqual((found.commit.most, found.due.most), (0, 8000))

    def test_without_a_hub_only_the_insert_is_timed(self):
        found = latencies([(0, 0, MS)], [], Pace(1, 10, warm=0))
        self.assertEqual((found.insert.count, found.commit.count), (1, 0))

    def test_a_message_seen_twice_or_never_fails_the_run(self):
        for stamps in [[(0, 1), (0, 2)], [(0, 1), (2, 2)], [(0, 1)]]:
            with self.assertRaises(Problem):
                latencies([(0, 0, 0)] * 2, stamps, Pace(2, 10, warm=0))
