import base64
import hashlib
import threading
import time
import unittest
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from bench.bench import Bench
from bench.console import beside, people, size
from bench.console.browser import Browser
from bench.console.pages import Forgetting, median_of
from bench.console.settled import settle
from bench.console.statements import Counts, counted
from bench.console.tabs import Tabs, staggered
from bench.console.targets import targets
from bench.problem import Problem
from bench.psql import Database

IDS = {"accepted": 1, "rejected": 2, "in_doubt": 3, "due": 4}


class PureTests(unittest.TestCase):
    def test_what_frames_a_transaction_is_no_query_and_begin_and_commit_are_reckoned(self):
        self.assertEqual(counted([
            (1, "BEGIN READ ONLY"), (3, "SELECT pg_catalog.set_config(s.name, s.va"), (2, "SELECT * FROM push.hub_health"),
            (1, "COMMIT"), (1, "ROLLBACK"), (1, "SELECT pg_catalog.set_config($1, $2, $3)")]), Counts(queries=2, all=12))
        self.assertEqual(Counts(5, 11) - Counts(2, 3), Counts(3, 8))

    def test_every_page_has_one_name_one_address_and_a_bar(self):
        known = targets(IDS, "today")
        for values in ([target.name for target in known], [target.address for target in known]):
            self.assertEqual(len(set(values)), len(values))
        bars = {target.address: target.bar for target in known}
        self.assertEqual((bars["/"], bars["/failures"]), ("50", "100, at most 300"))
        for address in ["/hubs/news_7", "/messages", "/messages/3", "/devices", "/audit", "/about", "/actions", "/campaigns",
                        "/campaigns/spring", "/campaigns/spring/edit", "/campaigns/new", "/campaigns/spring/runs/today"]:
            self.assertIn(address, bars)

    def test_tabs_begin_at_different_times(self):
        self.assertEqual(staggered(4, 2), [0, 0.5, 1, 1.5])

    def test_the_median_of_pages_is_that_of_their_medians(self):
        self.assertEqual(median_of([[1, 2, 90], [3], [4, 4]]), 3)

    def test_symbols_count_for_the_module_that_they_were_made_for(self):
        self.assertEqual(size.by_module([
            "0000000000000010 0000000000000100 T $s7Console6RouterO",
            "0000000000000010 0000000000000100 t $s7Console6RouterOalias",
            "0000000000000200 0000000000000020 t $sSay7Console4PartOGMd",
            "0000000000000300 0000000000000008 r $s8Mustache8TemplateV5Pages",
            "0000000000000400 0000000000000040 T $s5Store5PagesV",
            "0000000000000500 0000000000000001 T $s13ConsoleOptionsV",
            "0000000000000600 T $s7Console4markyyF",
            "                 U $s7Console7elsewhereyyF",
        ]), {"Console": 0x120, "Pages": 0x40, "Mustache": 8})

    def test_a_stripped_binary_has_no_sizes(self):
        self.assertEqual(size.by_module(["0000000000000010 0000000000000100 T main"]), {})

    def test_both_sides_of_the_worker_send_as_many_and_one_is_watched(self):
        off, on = beside.cases(Bench())
        self.assertEqual((off.taken, off.crew.pages, off.crew.tabs), (on.taken, "off", None))
        self.assertEqual(on.crew.tabs.address, on.crew.pages)

    def test_one_in_five_fails_and_a_doubt_is_no_failure(self):
        text = settle(1, 1000, 5)
        self.assertLess(text.index("n % 500 = 0"), text.index("n % 5 = 1"))
        self.assertIn("BETWEEN 1 AND 1000", text)


class PeopleTests(unittest.TestCase):
    def test_the_hash_is_that_of_the_password(self):
        _, kind, cost, salt, key = people.password_hash().split("$")
        self.assertEqual((kind, cost), ("scrypt", "ln=15,r=8,p=3"))
        salt, key = (base64.b64decode(part + "=" * (-len(part) % 4)) for part in (salt, key))
        self.assertEqual(hashlib.scrypt(
            people.PASSWORD.encode(), salt=salt, n=2**15, r=8, p=3, maxmem=64 << 20, dklen=len(key)), key)

    def test_the_pages_have_a_login_of_their_own(self):
        settings = people.settings(Database("/folder", "world"), "127.0.0.1:1")
        self.assertIn("user=fanfare_console dbname='world'", settings["databaseURL"])
        self.assertEqual(sorted(settings["users"]), ["ana", "ben", "eve"])
        self.assertIn("user=postgres", Database("/folder", "world").url)


class Pages(BaseHTTPRequestHandler):
    """Signs everybody in; `/` is always the same, `/broken` is not there."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        name = self.rfile.read(int(self.headers["Content-Length"])).decode().partition("name=")[2].partition("&")[0]
        with self.server.lock:
            self.server.signed_in.append(name)
        self.answer(303, {"Set-Cookie": f"fanfare-console={name}; Path=/; HttpOnly"})

    def do_GET(self):
        person, mark = self.headers["Cookie"].partition("=")[2], f'"{self.headers["Cookie"]}"'
        with self.server.lock:
            self.server.asked.append((person, self.headers.get("If-None-Match")))
        if self.path == "/broken":
            self.answer(404, {}, b"nothing here")
        elif self.headers.get("If-None-Match") == mark:
            self.answer(304, {"ETag": mark})
        else:
            self.answer(200, {"ETag": mark}, b"a page")

    def answer(self, status, headers, body=b""):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class FollowingTests(unittest.TestCase):
    def setUp(self):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
        self.server.daemon_threads = True
        self.server.lock, self.server.signed_in, self.server.asked = threading.Lock(), [], []
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"127.0.0.1:{self.server.server_port}"

    def tearDown(self):
        self.server.shutdown()
        self.server.server_close()

    def test_each_person_signs_in_once_and_asks_with_the_mark_of_the_last_answer(self):
        tabs = Tabs(self.address, seconds=0.01)
        for _ in range(2):
            with tabs.open() as answers:
                while len(answers) < 9:
                    time.sleep(0.001)
        self.assertEqual(self.server.signed_in, ["ana", "ben", "eve"])
        for name in people.NAMES:
            marks = [mark for person, mark in self.server.asked if person == name]
            self.assertEqual(marks[:2], [None, f'"fanfare-console={name}"'])
        self.assertEqual({answer.status for answer in answers}, {200, 304})

    def test_a_page_that_is_not_there_fails_the_run(self):
        with self.assertRaisesRegex(Problem, "GET /broken answered 404 nothing here"):
            with Tabs(self.address, "/broken", seconds=0.01).open():
                while not self.server.asked:
                    time.sleep(0.001)

    def test_304_is_an_answer_only_to_somebody_who_has_the_page(self):
        with closing(Browser(self.address, "ana", "fanfare-console=ana")) as browser:
            page = browser.get("/")
            self.assertEqual((page.status, page.body), (200, b"a page"))
            self.assertEqual(browser.get("/", page.mark).status, 304)
            with self.assertRaises(Problem):
                browser.missing("/")

    def test_forgetting_looks_at_other_pages_each_time(self):
        asked = []

        class Missing:
            def missing(self, target):
                asked.append(target)

        forget = Forgetting(Missing())
        forget()
        forget()
        self.assertEqual(len(set(asked)), len(asked))
        # Of each three parts are kept.
        self.assertGreater(3 * len(asked) / 2, 256)
