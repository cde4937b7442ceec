import unittest

from bench.interleave import interleaved, order


class InterleaveTests(unittest.TestCase):
    def test_every_side_is_first_once(self):
        self.assertEqual([order("abc", round)[0] for round in range(4)], ["a", "b", "c", "a"])

    def test_every_side_runs_once_a_round(self):
        for round in range(5):
            self.assertEqual(sorted(order("abcd", round)), list("abcd"))

    def test_a_figure_is_given_before_the_next_side_runs(self):
        ran = []

        def measure(side, round):
            ran.append(side)
            return len(ran)

        for count, (round, side, sample) in enumerate(interleaved("ab", 3, measure), 1):
            self.assertEqual((ran[-1], len(ran), sample), (side, count, count))
        self.assertEqual("".join(ran), "abbaab")

    def test_what_fails_ends_the_run(self):
        def measure(side, round):
            raise RuntimeError("wrong count")

        with self.assertRaises(RuntimeError):
            list(interleaved("ab", 1, measure))
