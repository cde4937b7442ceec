import shutil
import socket
import time
import unittest

from bench import compiled
from bench.sink import Sink, Taken

POST = b"POST /news/messages?api-version=2020-06 HTTP/1.1\r\nHost: sink\r\nContent-Length: 5\r\n\r\nhello"


@unittest.skipUnless(shutil.which("cc"), "no C compiler here")
class SinkTests(unittest.TestCase):
    def start(self, latency_ms=0):
        sink = Sink(compiled.program("sink"), latency_ms)
        self.addCleanup(sink.said.close)
        self.addCleanup(sink.close)
        return sink

    def connect(self, sink):
        connection = socket.create_connection(("127.0.0.1", int(sink.endpoint.rpartition(":")[2])), timeout=60)
        self.addCleanup(connection.close)
        return connection

    def answers(self, connection, count):
        """As many whole answers; empty when the connection ends before them."""
        text = b""
        while text.count(b"\r\n\r\n") < count:
            if not (more := connection.recv(65536)):
                return []
            text += more
        return text.split(b"\r\n\r\n")[:-1]

    def counts(self, sink):
        taken = sink.stop()
        return Taken(taken.requests, taken.bodies, taken.connections, taken.refused, 0)

    def test_it_answers_as_a_hub_does_and_keeps_the_connection(self):
        sink = self.start()
        connection = self.connect(sink)
        for _ in range(3):
            connection.sendall(POST)
            (answer,) = self.answers(connection, 1)
            self.assertTrue(answer.startswith(b"HTTP/1.1 201 Created\r\n"))
            self.assertIn(b"\r\nLocation: https://", answer)
        self.assertEqual(self.counts(sink), Taken(3, 3, 1, 0, 0))

    def test_requests_are_counted_whole_however_they_arrive(self):
        sink = self.start()
        connection = self.connect(sink)
        connection.sendall(POST[:40])
        time.sleep(0.01)
        connection.sendall(POST[40:-2])
        connection.sendall(POST[-2:] + POST + POST)
        self.assertEqual(len(self.answers(connection, 3)), 3)
        self.assertEqual(self.counts(sink), Taken(3, 3, 1, 0, 0))

    def test_a_long_body_is_one_request_and_one_that_is_too_long_is_none(self):
        sink = self.start()
        connection = self.connect(sink)
        connection.sendall(POST.replace(b"Content-Length: 5", b"content-length: 60005") + b"x" * 60_000)
        self.assertEqual(len(self.answers(connection, 1)), 1)
        connection.sendall(POST.replace(b"Content-Length: 5", b"Content-Length: 90000"))
        self.assertEqual(self.answers(connection, 1), [])
        self.assertEqual(self.counts(sink), Taken(1, 1, 1, 1, 0))

    def test_what_is_no_post_is_refused(self):
        sink = self.start()
        connection = self.connect(sink)
        connection.sendall(b"GET / HTTP/1.1\r\nHost: sink\r\n\r\n")
        self.assertEqual(self.answers(connection, 1), [])
        self.assertEqual(self.counts(sink), Taken(0, 0, 1, 1, 0))

    def test_a_slow_hub_lets_everybody_wait_equally(self):
        sink = self.start(latency_ms=50)
        connections = [self.connect(sink) for _ in range(5)]
        began = time.monotonic()
        for connection in connections:
            connection.sendall(POST)
        for connection in connections:
            self.assertEqual(len(self.answers(connection, 1)), 1)
        self.assertGreaterEqual(time.monotonic() - began, 0.05)
        self.assertEqual(self.counts(sink), Taken(5, 5, 5, 0, 0))
