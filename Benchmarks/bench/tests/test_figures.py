import unittest

from bench.figures import Spread, median_ratio, ratio_of_medians, shown, spread_shown


class SpreadTests(unittest.TestCase):
    def test_a_spread_is_the_median_with_both_ends(self):
        self.assertEqual(Spread.of([30, 10, 20]), Spread(20, 10, 30))
        self.assertEqual(Spread.of([10, 20]), Spread(15, 10, 20))

    def test_without_a_round_there_is_no_figure(self):
        with self.assertRaises(ValueError):
            Spread.of([])

    def test_rounds_that_look_the_same_are_shown_once(self):
        self.assertEqual(spread_shown(Spread(1.001, 1.0, 1.002)), "1.00")
        self.assertEqual(spread_shown(Spread(23_440, 21_900, 24_060)), "23,400 (21,900 to 24,100)")


class RatioTests(unittest.TestCase):
    def test_each_round_is_compared_with_itself(self):
        # The machine was ten times slower in the second round, but the ratio stays the same.
        self.assertEqual(median_ratio([200, 20, 202], [100, 10, 101]), 2)
        self.assertEqual(ratio_of_medians([200, 20, 202], [100, 10, 101]), 2)
        self.assertEqual(median_ratio([100, 50, 30], [50, 50, 10]), 2)
        self.assertEqual(ratio_of_medians([100, 50, 30], [50, 50, 10]), 1)

    def test_rounds_that_do_not_match_are_refused(self):
        with self.assertRaises(ValueError):
            median_ratio([1, 2], [1])


class ShownTests(unittest.TestCase):
    def test_three_digits_are_kept(self):
        for value, text in [(0, "0"), (0.0421, "0.042"), (1.234, "1.23"), (48.07, "48.1"), (999, "999"), (1004, "1,000"),
                            (1006, "1,010"), (23_449, "23,400"), (1_234_567, "1,230,000"), (-1.5, "-1.50")]:
            self.assertEqual(shown(value), text)
