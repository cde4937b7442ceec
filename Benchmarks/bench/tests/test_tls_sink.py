import shutil
import socket
import ssl
import subprocess
import tempfile
import unittest
from pathlib import Path

from bench import compiled
from bench.sink import Sink
from bench.tests.test_sink import POST
from bench.tls.certificates import KEYS, VERSIONS, Certificates


class MadeCertificates(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.certificates = Certificates(Path(folder.name))


@unittest.skipUnless(shutil.which("cc") and shutil.which("openssl"), "no C compiler or no openssl here")
class SecureSinkTests(MadeCertificates):
    def start(self, version="1.3", kind="ECDSA", **options):
        sink = Sink(compiled.program("sink"), tls=self.certificates.tls(version, kind), **options)
        self.addCleanup(sink.said.close)
        self.addCleanup(sink.close)
        return sink

    def trust(self, sink):
        return ssl.create_default_context(cafile=sink.ca)

    def connect(self, sink, trust, name="127.0.0.1", session=None):
        plain = socket.create_connection(("127.0.0.1", int(sink.endpoint.rpartition(":")[2])), timeout=60)
        connection = trust.wrap_socket(plain, server_hostname=name, session=session)
        self.addCleanup(connection.close)
        return connection

    def answer(self, connection):
        text = b""
        while not text.endswith(b"\r\n\r\n"):
            more = connection.recv(65536)
            self.assertTrue(more, text)
            text += more
        return text

    def test_it_speaks_its_version_with_its_certificate_under_both_names_and_counts_as_without(self):
        for version in VERSIONS:
            for kind in KEYS:
                sink = self.start(version, kind)
                self.assertTrue(sink.connection_string.startswith("Endpoint=https://127.0.0.1:"))
                for name in ("127.0.0.1", "localhost"):
                    connection = self.connect(sink, self.trust(sink), name)
                    connection.sendall(POST)
                    self.assertTrue(self.answer(connection).startswith(b"HTTP/1.1 201 Created\r\n"))
                    self.assertEqual(connection.version(), f"TLSv{version}")
                taken = sink.stop()
                self.assertEqual((taken.requests, taken.bodies, taken.handshakes, taken.resumed), (2, 2, 2, 0))
                self.assertTrue(0 < taken.slowest <= taken.started)

    def test_it_speaks_no_other_version(self):
        sink = self.start("1.2")
        trust = self.trust(sink)
        trust.minimum_version = ssl.TLSVersion.TLSv1_3
        with self.assertRaises(ssl.SSLError):
            self.connect(sink, trust)
        self.assertEqual(sink.stop().handshakes, 0)

    def test_a_body_of_many_records_and_requests_in_one_record_are_whole(self):
        sink = self.start()
        connection = self.connect(sink, self.trust(sink))
        connection.sendall(POST.replace(b"Content-Length: 5", b"content-length: 60005") + b"x" * 60_000)
        self.answer(connection)
        connection.sendall(POST[:30])
        connection.sendall(POST[30:] + POST)
        text = self.answer(connection)
        while text.count(b"\r\n\r\n") < 2:
            text += self.answer(connection)
        taken = sink.stop()
        self.assertEqual((taken.requests, taken.bodies, taken.connections, taken.refused), (3, 3, 1, 0))

    def test_a_connection_that_is_closed_says_so_and_its_session_goes_on_in_the_next(self):
        for version in VERSIONS:
            sink = self.start(version, close_after=2)
            trust, session = self.trust(sink), None
            for _ in range(3):
                connection = self.connect(sink, trust, session=session)
                connection.sendall(POST)
                self.assertNotIn(b"Connection: close", self.answer(connection))
                connection.sendall(POST)
                self.assertIn(b"\r\nConnection: close\r\n", self.answer(connection))
                self.assertEqual(connection.recv(1), b"")  # an end without TLS's own would raise
                session = connection.session
                connection.close()
            taken = sink.stop()
            self.assertEqual((taken.requests, taken.connections, taken.handshakes, taken.resumed), (6, 3, 3, 2), version)

    def test_the_answer_of_a_slow_hub_is_the_last_one_too(self):
        sink = self.start(latency_ms=5, close_after=1)
        connection = self.connect(sink, self.trust(sink))
        connection.sendall(POST)
        self.assertIn(b"\r\nConnection: close\r\n", self.answer(connection))
        self.assertEqual(connection.recv(1), b"")

    def test_speaking_plain_to_it_ends_the_connection_and_nothing_else(self):
        sink = self.start()
        with socket.create_connection(("127.0.0.1", int(sink.endpoint.rpartition(":")[2])), timeout=60) as plain:
            plain.sendall(POST)
            while plain.recv(100):  # an alert
                pass
        connection = self.connect(sink, self.trust(sink))
        connection.sendall(POST)
        self.answer(connection)
        taken = sink.stop()
        self.assertEqual((taken.requests, taken.connections, taken.handshakes), (1, 2, 1))

    def test_a_certificate_that_cannot_be_read_stops_it_at_once(self):
        broken = self.certificates.tls()
        program = compiled.program("sink")
        for options in (["--certificate", "/nowhere", "--key", broken.key], ["--certificate", broken.certificate],
                        [*broken.options, "--tls", "1.1"]):
            said = subprocess.run([program, *options], capture_output=True, text=True, timeout=60)
            self.assertNotEqual(said.returncode, 0)
            self.assertTrue(said.stderr)
            self.assertEqual(said.stdout, "")

    @unittest.skipUnless(shutil.which("pkg-config") and not subprocess.run(
        ["pkg-config", "--exists", "libcurl"]).returncode, "no libcurl here")
    def test_the_c_loop_trusts_the_given_authority_only_and_resumes_sessions(self):
        loop = compiled.program("curl_loop")
        sink = self.start(close_after=10)
        refused = subprocess.run([loop, sink.url, "10", "1"], capture_output=True, text=True)
        self.assertIn("failed=20 ", refused.stdout)
        ran = subprocess.run([loop, sink.url, "100", "1", "one-cache", sink.ca], capture_output=True, text=True)
        self.assertIn("failed=0 ", ran.stdout)
        taken = sink.stop()
        self.assertEqual((taken.requests, taken.handshakes, taken.resumed), (200, 20, 19))


class PlainSinkTests(unittest.TestCase):
    @unittest.skipUnless(shutil.which("cc"), "no C compiler here")
    def test_a_connection_can_be_closed_without_tls_too(self):
        sink = Sink(compiled.program("sink"), close_after=2)
        self.addCleanup(sink.said.close)
        self.addCleanup(sink.close)
        with socket.create_connection(("127.0.0.1", int(sink.endpoint.rpartition(":")[2])), timeout=60) as connection:
            connection.sendall(POST * 3)  # the third comes too late
            text = b""
            while more := connection.recv(65536):
                text += more
        self.assertEqual(text.count(b"201 Created"), 2)
        self.assertEqual(text.count(b"Connection: close"), 1)
        taken = sink.stop()
        self.assertEqual((taken.requests, taken.handshakes, taken.resumed, taken.most_open), (2, 0, 0, 1))
