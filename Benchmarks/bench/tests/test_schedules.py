import json
import re
import unittest

from bench.bench import Bench
from bench.groups import schedules


class SchedulesTests(unittest.TestCase):
    def test_an_idle_worker_is_looked_at_with_and_without_campaigns(self):
        self.assertEqual(schedules.idle_sizes(Bench()), [0, 10_000])

    def test_every_campaign_has_a_schedule_and_one_recipient(self):
        spec = json.loads(re.search(r"'(\{.*\})'", schedules.campaigns(3)).group(1))
        self.assertEqual(spec["schedule"]["zone"], "Europe/Berlin")
        self.assertEqual(spec["audience"], {"tags": ["World"]})
