import random
import unittest

from bench.histogram import Histogram


class HistogramTests(unittest.TestCase):
    def test_small_numbers_are_exact(self):
        of = Histogram(range(1, 101))
        self.assertEqual([of.percentile(p) for p in (0, 1, 50, 90, 99, 99.9, 100)], [1, 1, 50, 90, 99, 100, 100])

    def test_every_size_is_off_by_less_than_one_percent_and_never_too_low(self):
        for power in range(40):
            for value in {1 << power, (1 << power) + 1, (1 << power) * 3 // 2, (2 << power) - 1}:
                found = Histogram([value, 1 << 50]).percentile(50)
                self.assertGreaterEqual(found, value)
                self.assertLess(found, value * 1.008 + 1)

    def test_it_says_what_sorting_says(self):
        chance = random.Random(6)
        values = sorted(int(chance.lognormvariate(9, 2)) for _ in range(10_000))
        of = Histogram(values)
        for percent in (1, 50, 90, 99, 99.9):
            exact = values[round(len(values) * percent / 100) - 1]
            self.assertTrue(exact <= of.percentile(percent) <= exact * 1.008 + 1, percent)
        self.assertEqual(of.percentile(100), values[-1])

    def test_the_slowest_is_kept_as_it_was(self):
        of = Histogram([5] * 9_999 + [123_456_789])
        self.assertEqual((of.most, of.percentile(99.99), of.percentile(100)), (123_456_789, 5, 123_456_789))

    def test_two_together_are_one_of_all(self):
        one, other = Histogram([1, 2, 3]), Histogram([4, 5, 6_000_000])
        one.merge(other)
        self.assertEqual((one.count, one.most, one.percentile(50)), (6, 6_000_000, 3))

    def test_nothing_has_no_percentile_and_no_time_is_negative(self):
        with self.assertRaises(ValueError):
            Histogram().percentile(50)
        with self.assertRaises(ValueError):
            Histogram([-1])
