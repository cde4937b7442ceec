import http.client
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from urllib.parse import urlsplit

from bench import compiled
from bench.bench import Bench
from bench.http2.endings import ANSWERED, IN_DOUBT, Fates
from bench.http2 import product
from bench.http2.servers import H2Sink, Nghttpd
from bench.http2.service import HTTP2Service
from bench.http2.sides import H2Load, Program, h2load_rate
from bench.loops import Loop
from bench.problem import Problem
from bench.tls.certificates import Certificates
from bench.tls.samples import Samples

H2LOAD = """\
finished in 16.75ms, 5968.72 req/s, 176.96KB/s
requests: 100 total, 100 started, 100 done, 100 succeeded, 0 failed, 0 errored, 0 timeout
status codes: 100 2xx, 0 3xx, 0 4xx, 0 5xx
"""


class H2LoadTests(unittest.TestCase):
    def test_its_rate_is_read_and_an_answer_that_is_missing_is_said(self):
        self.assertEqual(h2load_rate(H2LOAD, 100), 5968.72)
        for output, requests in [(H2LOAD, 101), (H2LOAD.replace("100 2xx", "99 2xx"), 100), ("nothing", 1)]:
            with self.assertRaisesRegex(Problem, "requests were made"):
                h2load_rate(output, requests)


class FatesTests(unittest.TestCase):
    def test_what_both_sides_know_is_neither_lost_nor_repeated(self):
        self.assertEqual(Fates.of(bytes([ANSWERED, IN_DOUBT]), bytes([0b1001, 0b0001])), Fates(0, 0, 1, 0))

    def test_a_request_without_an_outcome_or_answered_by_our_word_alone_is_lost(self):
        self.assertEqual(Fates.of(bytes([0, 3, ANSWERED, ANSWERED]), bytes([0b1001, 0b1001, 0b0001])), Fates(4, 0, 0, 0))

    def test_a_request_that_was_read_again_is_repeated(self):
        self.assertEqual(Fates.of(bytes([ANSWERED, IN_DOUBT]), bytes([0b1010, 0b0010])), Fates(0, 2, 1, 0))

    def test_a_doubt_about_an_answered_request_or_one_that_was_never_read_is_needless(self):
        self.assertEqual(Fates.of(bytes([IN_DOUBT, IN_DOUBT]), bytes([0b1001])), Fates(0, 0, 2, 2))


class ProductTests(unittest.TestCase):
    def row(self, name, variant):
        hub, figures = "fanfare, TLS 1.3, ECDSA", {"postgres_us": 18, "sink_us": 4, "peak_mb": 50, "connections": 2, "waits": 1}
        rates = {hub: (4000, 40), product.APNS: (6000, 20), product.AIOAPNS: (1000, 400), product.FCM: (5000, 20)}
        samples = Samples({side: [figures | {"rate": rate, "client_us": cpu}] for side, (rate, cpu) in rates.items()})
        return product._row(samples, name, variant)

    def test_a_row_says_how_much_better_fanfare_is_over_http2(self):
        at_once, slowly = product.VARIANTS
        self.assertEqual(self.row("fanfare, TLS 1.3, ECDSA", at_once),
                         ["fanfare, TLS 1.3, ECDSA", "4,000", "1.50 (1.50)", "0.500 (0.500)", "40.0", "18.0", "4.00", "50.0", "2",
                          "1.00"])
        self.assertEqual(self.row(product.AIOAPNS, at_once)[2:4], ["6.00 (6.00)", "0.050 (0.050)"])
        self.assertEqual(self.row(product.APNS, slowly)[1:5], ["6,000", "0.938", "–", "–"])
        # The same over HTTP/1.1 was not measured.
        self.assertEqual(self.row(product.FCM, at_once)[2:4], ["–", "–"])
        for variant in product.VARIANTS:
            self.assertEqual(len(self.row(product.APNS, variant)), len(product.columns(variant)))


def nghttp(url, body, *options):
    """What it prints of a POST."""
    ran = subprocess.run(["nghttp", *options, "-d", body, url], capture_output=True, text=True, timeout=60)
    return ran.stdout


@unittest.skipUnless(shutil.which("cc") and shutil.which("openssl"), "no C compiler or no openssl here")
class ServerTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.tls = Certificates(cls.folder).tls()

    def start(self, *options):
        server = H2Sink(compiled.program("h2_sink"), self.tls, *options)
        self.addCleanup(server.close)
        return server

    def post(self, server, requests, in_flight, program="h2_loop", *arguments):
        return Program(Loop(program, lambda: compiled.program(program), arguments)).post(
            server.endpoint, server.ca, requests, in_flight)

    def test_it_counts_what_it_answers_and_how_much_was_open(self):
        records = self.folder / "records"
        server = self.start("--record", records)
        sample = self.post(server, 3000, 16)
        taken = server.stop()
        self.assertEqual((sample["failed"], sample["warm_up"]), (0, 2000))
        self.assertEqual((taken.requests, taken.answered, taken.connections, taken.refused), (5000, 5000, 1, 0))
        self.assertEqual(taken.bodies, 5000)
        self.assertEqual(taken.most_streams, 16)
        # The warm-up has the numbers of the first 2,000.
        self.assertEqual(records.read_bytes(), bytes([0b1010]) * 2000 + bytes([0b1001]) * 1000)

    def test_answers_that_wait_are_given(self):
        server = self.start("--latency-ms", "1")
        self.post(server, 100, 10)
        self.assertEqual(server.stop().answered, 200)

    @unittest.skipUnless(shutil.which("nghttp"), "no nghttp here")
    def test_any_id_is_answered_with_itself_and_fcm_with_a_name(self):
        body = self.folder / "body"
        body.write_text("{}")
        ours = "c0ffee00-0000-8000-8000-000000000001"
        device, other = "/3/device/00", "/elsewhere"
        server = self.start("--any-id")
        answer = nghttp(f"{server.endpoint}{device}", body, "-v", "-H", f"apns-id: {ours}")
        self.assertRegex(answer, rf"recv .*apns-id: {ours}")
        answer = nghttp(f"{server.endpoint}/v1/projects/sink/messages:send", body)
        self.assertTrue(answer.startswith('{"name":"projects/sink/messages/'), answer)
        nghttp(f"{server.endpoint}{other}", body, "-H", f"apns-id: {ours}")
        taken = server.stop()
        self.assertEqual((taken.requests, taken.bodies, taken.answered, taken.refused), (2, 2, 2, 1))
        numbered = self.start()
        nghttp(f"{numbered.endpoint}{device}", body, "-H", f"apns-id: {ours}")
        taken = numbered.stop()
        self.assertEqual((taken.requests, taken.refused), (0, 1))

    @unittest.skipUnless(shutil.which("nghttp"), "no nghttp here")
    def test_a_service_counts_posts_and_tokens_apart_and_refuses_posts_over_http1(self):
        bench = Bench()
        self.addCleanup(bench.close)
        body = self.folder / "body"
        body.write_text("{}")

        def taken(*paths):
            service = HTTP2Service(bench, 0)
            self.addCleanup(service.close)
            nghttp(f"{service.endpoint}/3/device/00", body)
            asked = http.client.HTTPConnection(urlsplit(service.tokens).netloc, timeout=60)
            self.addCleanup(asked.close)
            for path in paths:
                asked.request("POST", path, "{}")
                asked.getresponse().read()
            return service.stop()

        good, bad = taken("/token"), taken("/token", "/v1/projects/sink/messages:send")
        self.assertEqual((good.requests, good.bodies, good.tokens, good.refused, good.connections), (1, 1, 1, 0, 1))
        self.assertEqual((bad.requests, bad.tokens, bad.refused), (1, 1, 1))

    def test_with_a_goaway_it_answers_what_it_took_and_ends(self):
        server = self.start("--goaway-every", "50")
        with self.assertRaisesRegex(Problem, "ended with 1"):
            self.post(server, 100, 4)
        taken = server.stop()
        self.assertEqual((taken.answered, taken.unanswered, taken.on_the_way), (taken.requests, 0, 0))
        self.assertGreaterEqual(taken.requests, 50)
        self.assertLess(taken.requests, 54)

    def test_with_a_cut_it_answers_no_more_and_counts_what_was_under_way(self):
        server = self.start("--cut-every", "50")
        with self.assertRaisesRegex(Problem, "the server ended the connection"):
            self.post(server, 100, 4)
        taken = server.stop()
        self.assertEqual(taken.answered, 49)
        self.assertGreaterEqual(taken.unanswered, 1)
        self.assertLessEqual(taken.unanswered + taken.on_the_way, 4)

    def test_a_server_that_ended_or_never_began_is_said(self):
        server = self.start()
        server.process.kill()
        server.process.wait()
        with self.assertRaisesRegex(Problem, "h2_sink ended by itself, with -9"):
            server.stop()
        with self.assertRaisesRegex(Problem, "h2_sink did not start"):
            self.start("--no-such-option")

    @unittest.skipUnless(shutil.which("nghttpd") and shutil.which("h2load"), "no nghttpd or no h2load here")
    def test_nghttpd_answers_the_loops_and_h2load(self):
        server = Nghttpd(self.folder, self.tls)
        self.addCleanup(server.close)
        self.assertEqual(self.post(server, 100, 10)["failed"], 0)
        self.assertEqual(self.post(server, 100, 10, "curl_loop", "apple-http2")["failed"], 0)
        self.assertGreater(H2Load(self.folder).post(server.endpoint, server.ca, 100, 10)["rate"], 0)
        self.assertGreaterEqual(server.stop(), 0)

    def test_a_push_over_http1_is_answered_by_the_sink(self):
        bench = Bench()
        self.addCleanup(bench.close)
        sink = bench.sink(tls=self.tls)
        self.addCleanup(sink.said.close)
        self.addCleanup(sink.close)
        self.assertEqual(self.post(sink, 100, 1, "curl_loop", "apple-http1")["failed"], 0)
        self.assertEqual(sink.stop().requests, 200)
