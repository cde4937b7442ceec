import unittest

from bench.pace import Pace
from bench.problem import Problem
from bench.sink import Taken
from bench.urgent import ALONE, BESIDE, WARM, _check, divided, found_full, open_posts

MS = 1_000_000


class Tables:
    """A database with prescribed answers."""

    def __init__(self, *answers):
        self.answers = list(answers)

    def value(self, sql):
        return self.answers.pop(0)


def checked(side=BESIDE, requests=WARM + 30, refused=0, left="9980 0", results=f"{WARM + 10} {WARM + 10}", bulk=20):
    _check(Tables(left, results), side, Taken(requests, requests, 1, refused, 0.5), bulk, Pace(10, 30, priority=0))


class UrgentTests(unittest.TestCase):
    def test_numbers_after_those_of_urgent_messages_are_bulk(self):
        self.assertEqual(divided([(9, 4), (0, 2), (2, 3), (1, 5)], 2), ([(0, 2), (1, 5)], [(9, 4), (2, 3)]))

    def test_a_post_is_open_from_its_request_until_the_worker_has_an_answer_or_gives_up(self):
        self.assertEqual(open_posts([(9, 4 * MS), (8, 5 * MS)], [(8, 20), (9, 17)]), [(4 * MS, 21 * MS), (5 * MS, 25 * MS)])
        self.assertEqual(open_posts([], []), [])

    def test_a_bulk_message_that_was_not_seen_once_and_recorded_once_fails_the_run(self):
        for stamps, recorded in [([(9, 4), (9, 5)], [(9, 1)]), ([(9, 4)], [(9, 1), (9, 1)]), ([(9, 4)], []), ([], [(9, 1)]),
                                 ([(9, 4)], [(8, 1)])]:
            with self.assertRaisesRegex(Problem, f"in {len(stamps)} posts, .* in {len(recorded)} rows"):
                open_posts(stamps, recorded)

    def test_a_window_is_full_from_its_last_request_to_its_first_answer(self):
        posts = [(110, 210), (100, 200), (255, 400), (250, 350)]
        full = [at for at in range(90, 410) if found_full([at], posts, 2)]
        self.assertEqual(full, [*range(110, 200), *range(255, 350)])
        self.assertEqual(found_full([150, 252, 300], posts, 2), 2)
        self.assertEqual(found_full([150], [], 1), 0)

    def test_a_round_counts_when_the_bulk_that_the_hub_did_not_see_is_due(self):
        checked()
        checked(ALONE, WARM + 10, left="0 0", bulk=0)

    def test_anything_else_fails_the_run(self):
        for wrong in [{"requests": WARM + 31}, {"refused": 1}, {"left": "9979 0"}, {"left": "9980 1"},
                      {"results": f"{WARM + 11} {WARM + 10}"}, {"results": f"{WARM + 9} {WARM + 9}"}, {"bulk": 21}]:
            with self.assertRaisesRegex(Problem, "beside slow bulk: 210 messages were enqueued, and 10000 of bulk"):
                checked(**wrong)
