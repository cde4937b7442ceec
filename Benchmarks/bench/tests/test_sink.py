import shutil
import socket
import tempfile
import time
import unittest
from array import array
from pathlib import Path

from bench import compiled
from bench.problem import Problem
from bench.sink import Sink, Taken

POST = b"POST /news/messages?api-version=2020-06 HTTP/1.1\r\nHost: sink\r\nContent-Length: 5\r\n\r\nhello"


@unittest.skipUnless(shutil.which("cc"), "no C compiler here")
class SinkTests(unittest.TestCase):
    def start(self, latency_ms=0, **options):
        sink = Sink(compiled.program("sink"), latency_ms, **options)
        self.addCleanup(sink.said.close)
        self.addCleanup(sink.close)
        return sink

    def connect(self, sink):
        connection = socket.create_connection(("127.0.0.1", int(sink.endpoint.rpartition(":")[2])), timeout=60)
        self.addCleanup(connection.close)
        return connection

    def answers(self, connection, count):
        """This many complete answers; empty when the connection ends before that."""
        text = b""
        while text.count(b"\r\n\r\n") < count:
            if not (more := connection.recv(65536)):
                return []
            text += more
        return text.split(b"\r\n\r\n")[:-1]

    def counts(self, sink):
        taken = sink.stop()
        return Taken(taken.requests, taken.bodies, taken.connections, taken.refused, 0, taken.puts)

    def test_it_answers_as_a_hub_does_and_keeps_the_connection(self):
        sink = self.start()
        connection = self.connect(sink)
        for _ in range(3):
            connection.sendall(POST)
            (answer,) = self.answers(connection, 1)
            self.assertTrue(answer.startswith(b"HTTP/1.1 201 Created\r\n"))
            self.assertIn(b"\r\nLocation: https://", answer)
        self.assertEqual(self.counts(sink), Taken(3, 3, 1, 0, 0))

    def test_it_answers_as_fcm_does_and_counts_tokens_apart(self):
        sink = self.start()
        connection = self.connect(sink)
        connection.sendall(POST.replace(b"/news/messages?api-version=2020-06", b"/token"))
        (answer, _) = self.body(connection)
        self.assertIn(b'"access_token":"sink"', answer)
        connection.sendall(POST.replace(b"/news/messages?api-version=2020-06", b"/v1/projects/sink/messages:send"))
        (answer, head) = self.body(connection)
        self.assertTrue(head.startswith(b"HTTP/1.1 200 OK\r\n"))
        self.assertTrue(answer.startswith(b'{"name":"projects/sink/messages/'))
        taken = sink.stop()
        self.assertEqual((taken.requests, taken.bodies, taken.tokens, taken.refused), (1, 1, 1, 0))

    def body(self, connection):
        """The body of one answer, and its head."""
        text = b""
        while b"\r\n\r\n" not in text:
            text += connection.recv(65536)
        head, _, body = text.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        while len(body) < length:
            body += connection.recv(65536)
        return body, head

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

    def test_registrations_of_devices_are_counted_apart(self):
        sink = self.start(tell_puts=2)
        connection = self.connect(sink)
        connection.sendall(POST + POST.replace(b"POST", b"PUT") * 2 + POST)
        self.assertEqual(len(self.answers(connection, 4)), 4)
        self.assertGreaterEqual(sink.reached(300), 0)
        self.assertEqual(sink.others, 1)
        self.assertEqual(self.counts(sink), Taken(2, 2, 1, 0, 0, 2))

    def test_it_says_how_many_devices_were_registered_meanwhile(self):
        sink = self.start(tell_at=2)
        connection = self.connect(sink)
        connection.sendall(POST.replace(b"POST", b"PUT") * 3 + POST * 2)
        self.assertEqual(len(self.answers(connection, 5)), 5)
        sink.reached(300)
        self.assertEqual(sink.others, 3)

    def test_other_methods_than_post_and_put_are_refused(self):
        sink = self.start()
        connection = self.connect(sink)
        connection.sendall(b"GET / HTTP/1.1\r\nHost: sink\r\n\r\n")
        self.assertEqual(self.answers(connection, 1), [])
        self.assertEqual(self.counts(sink), Taken(0, 0, 1, 1, 0))

    def test_a_slow_hub_delays_all_connections_equally(self):
        sink = self.start(latency_ms=50)
        connections = [self.connect(sink) for _ in range(5)]
        began = time.monotonic()
        for connection in connections:
            connection.sendall(POST)
        for connection in connections:
            self.assertEqual(len(self.answers(connection, 1)), 1)
        self.assertGreaterEqual(time.monotonic() - began, 0.05)
        self.assertEqual(self.counts(sink), Taken(5, 5, 5, 0, 0))

    def test_only_posts_with_a_late_tag_wait_for_their_answers(self):
        sink = self.start(latency_ms=60_000, late_tag="bulk")
        slow = self.connect(sink)
        for tag in (b"bulk", b"bulk_7 || user_1"):
            slow.sendall(POST.replace(b"\r\nContent", b"\r\nServiceBusNotification-Tags: %s\r\nContent" % tag))
        for header in (b"", b"ServiceBusNotification-Tags: user_bulk", b"ServiceBusNotification-Tags: bul", b"X: bulk"):
            connection = self.connect(sink)
            connection.sendall(POST.replace(b"Host: sink", header or b"Host: sink"))
            self.assertEqual(len(self.answers(connection, 1)), 1)
        slow.setblocking(False)
        with self.assertRaises(BlockingIOError):
            slow.recv(1)
        self.assertEqual(self.counts(sink), Taken(6, 6, 5, 0, 0))

    def test_a_late_answer_comes(self):
        sink = self.start(latency_ms=50, late_tag="bulk")
        connection = self.connect(sink)
        began = time.monotonic()
        connection.sendall(POST.replace(b"Content", b"servicebusnotification-tags:bulk\r\nContent"))
        self.assertEqual(len(self.answers(connection, 1)), 1)
        self.assertGreaterEqual(time.monotonic() - began, 0.05)
        self.assertEqual(self.counts(sink), Taken(1, 1, 1, 0, 0))

    def test_it_reports_when_enough_requests_came_and_how_long_that_took(self):
        sink = self.start(tell_at=3)
        connection = self.connect(sink)
        looks = []

        def another():
            looks.append(len(looks))
            connection.sendall(POST)

        self.assertGreater(sink.reached(300, another), 0)
        self.assertGreaterEqual(len(looks), 3)
        self.answers(connection, len(looks))
        self.assertEqual(self.counts(sink), Taken(len(looks), len(looks), 1, 0, 0))

    def test_waiting_for_too_many_requests_fails(self):
        with self.assertRaisesRegex(Problem, "did not see enough"):
            self.start(tell_at=3).reached(0)

    def test_it_notes_when_each_message_was_there(self):
        with tempfile.TemporaryDirectory() as folder:
            stamps = Path(folder, "stamps")
            sink = self.start(stamps=stamps)
            connection = self.connect(sink)
            began = time.monotonic_ns()
            for body in [b'{"id":"17","body":"x"}', b'{"body":"no id"}', b'{"body":"x","id":"4000000000"}']:
                connection.sendall(POST.replace(b"5\r\n\r\nhello", b"%d\r\n\r\n%s" % (len(body), body)))
                self.assertEqual(len(self.answers(connection, 1)), 1)
            self.assertEqual(self.counts(sink), Taken(3, 3, 1, 0, 0))
            numbers = array("Q", stamps.read_bytes())
            self.assertEqual(list(numbers[::2]), [17, 4_000_000_000])
            self.assertTrue(began <= numbers[1] <= numbers[3] <= time.monotonic_ns())
