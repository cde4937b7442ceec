import json
import unittest

from bench.bench import Bench
from bench.crew import Crew
from bench.groups.growth import content, dimensions


class CrewTests(unittest.TestCase):
    def shares(self, **crew):
        return Crew(Bench(), **crew).shares

    def test_workers_serve_the_same_hubs(self):
        self.assertEqual(self.shares(workers=3, hubs=2), [["news", "news_1"]] * 3)

    def test_one_process_serves_all_hubs(self):
        for hubs in (1, 2, 2_000):
            (names,) = self.shares(hubs=hubs)
            self.assertEqual((len(names), len(set(names))), (hubs, hubs))


class GrowthTests(unittest.TestCase):
    def test_a_queue_is_never_shorter_than_what_is_taken_from_it(self):
        for bench in (Bench(), Bench(quick=True)):
            cases = [case for dimension in dimensions(bench) for case in dimension.cases]
            for case in cases:
                self.assertGreaterEqual(case.queued, case.taken, case.name)
            self.assertEqual(len({case.name for case in cases}), len(cases))  # or --side would mean two

    def test_the_queue_grows_from_ten_thousand_to_ten_million(self):
        self.assertEqual(
            [(case.queued, case.taken) for case in dimensions(Bench())[0].cases],
            [(10_000, 10_000), (100_000, 60_000), (1_000_000, 60_000), (10_000_000, 60_000)])

    def test_content_has_its_size_and_is_the_same_every_time(self):
        for size in (100, 60_000):
            self.assertEqual((len(content(size)), content(size)), (size, content(size)))
            self.assertEqual(list(json.loads(content(size))), ["body"])
