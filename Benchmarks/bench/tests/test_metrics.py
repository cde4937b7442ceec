import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from bench.bench import Bench
from bench.groups.metrics import cases, pages
from bench.problem import Problem
from bench.scraping import free_address, scraped


class MetricsTests(unittest.TestCase):
    def test_an_older_build_comes_first_and_only_the_last_is_scraped(self):
        self.assertEqual([case.name for case in cases(Bench())], ["not scraped", "scraped every second"])
        older = cases(Bench(older=Path("/old")))
        self.assertEqual([case.crew.program for case in older], [Path("/old"), None, None])
        self.assertEqual([case.crew.scrapes for case in older], [False, False, True])

    def test_every_side_has_a_name_of_its_own_and_serves_its_page(self):
        sides = [*cases(Bench(older=Path("/old"))), *pages(Bench())]
        self.assertEqual(len({case.name for case in sides}), len(sides))
        self.assertTrue(all(case.crew.console.startswith("127.0.0.1:") for case in sides))


class Page(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    page = b"fanfare_up 1\n# EOF\n"

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.page)))
        self.end_headers()
        self.wfile.write(self.page)

    def log_message(self, *_):
        pass


class Cut(Page):
    page = b"fanfare_up"


class ScrapingTests(unittest.TestCase):
    def scrape(self, handler):
        server = HTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            with scraped(f"127.0.0.1:{server.server_port}", 0.01) as lengths:
                while len(lengths) < 3 and handler is Page:
                    time.sleep(0.001)
            return lengths
        finally:
            server.shutdown()
            server.server_close()

    def test_pages_are_read_until_the_end(self):
        self.assertEqual(set(self.scrape(Page)), {len(Page.page)})

    def test_a_page_that_is_not_whole_fails_the_run(self):
        with self.assertRaisesRegex(Problem, "GET /metrics answered 200"):
            self.scrape(Cut)

    def test_an_address_where_nobody_listens_fails_the_run(self):
        with self.assertRaisesRegex(Problem, "a scrape failed"):
            with scraped(free_address(), 0.01):
                pass
