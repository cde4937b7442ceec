import unittest
from types import SimpleNamespace

from bench.bench import Bench
from bench.groups import workers
from bench.groups.workers import cases
from bench.problem import Problem
from bench.sharing import Shared, Sharing, of_equal
from bench.sink import Taken


class Tables:
    """A database with prescribed answers."""

    def __init__(self, left, results):
        self.left, self.results = left, results

    def number(self, sql):
        return self.left

    def value(self, sql):
        return self.results


def checked(requests=100, refused=0, left=0, results="100 100", parts=(60, 40)):
    made = Sharing.__new__(Sharing)  # without a database
    made.case = Shared(SimpleNamespace(workers=2, hubs=1), 100)
    made._check(Tables(left, results), Taken(requests, requests, 1, refused, 0.5), list(parts))


class SharingTests(unittest.TestCase):
    def test_a_round_counts_when_every_message_is_in_the_part_of_one_process(self):
        checked()
        checked(parts=(100, 0))

    def test_anything_else_fails_the_run(self):
        for wrong in [{"requests": 101}, {"refused": 1}, {"left": 1}, {"results": "101 100"}, {"results": "99 99"},
                      {"parts": (60, 39)}, {"parts": (100,)}, {"parts": (50, 25, 25)}]:
            with self.assertRaisesRegex(Problem, "2 processes, 1 hub: of 100 messages"):
                checked(**wrong)

    def test_parts_are_compared_with_an_equal_one(self):
        self.assertEqual([of_equal(parts) for parts in ([7], [50, 50], [40, 60, 50], [10, 0])],
                         [(1, 1), (1, 1), (0.8, 1.2), (0, 2)])


class WorkersTests(unittest.TestCase):
    def test_one_process_comes_first_for_each_number_of_hubs(self):
        for of in cases(Bench()).values():
            self.assertEqual([(case.crew.hubs, case.crew.workers) for case in of],
                             [(1, 1), (1, 2), (1, 4), (100, 1), (100, 2), (100, 4)])

    def test_processes_of_the_same_number_of_hubs_share_the_same_backlog(self):
        for of in cases(Bench()).values():
            for hubs in (1, 100):
                self.assertEqual(len({case.messages for case in of if case.crew.hubs == hubs}), 1)

    def test_each_case_has_a_name_of_its_own_and_each_table_a_note(self):
        names = [case.name for of in cases(Bench()).values() for case in of]
        self.assertEqual(len(set(names)), len(names))
        self.assertIn("4 processes, 100 hubs, after 50 ms", names)
        self.assertEqual(set(workers.ANSWERS), set(workers.TABLES))
