"""A client of APNs that shows every frame it gets: what a test asks of an emulator's HTTP/2.

    python apns_client.py PORT CA_FILE TOKEN [no-alpn] [host] STEP...

With no-alpn it names no protocol in the handshake; with host its requests have that in place of :authority. Steps are done in order on one connection, and what arrives is printed, a line each:

    send HANDLE     one request; returns with its answer, its reset or the end of the connection
    begin HANDLE    the same without waiting
    burst N         N requests at once, to the handles 0001 to N; returns when each has ended
    flood N         the same without waiting, however many the server allows
    ping            a PING, without waiting
    await WORDS     returns when a line that begins with the words has been printed
    end             returns with the end of the connection
"""

import json
import socket
import ssl
import sys

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.settings

port, authority, token, *steps = sys.argv[1:]
options = set()
while steps[0] in ("no-alpn", "host"):
    options.add(steps.pop(0))


class Connection(h2.connection.H2Connection):
    counts = True

    @property
    def open_outbound_streams(self):
        return super().open_outbound_streams if self.counts else 0


class Client:
    def __init__(self):
        context = ssl.create_default_context(cafile=authority)
        if "no-alpn" not in options:
            context.set_alpn_protocols(["h2"])
        self.socket = context.wrap_socket(socket.create_connection(("127.0.0.1", int(port))), server_hostname="localhost")
        self.connection = Connection(h2.config.H2Configuration(header_encoding="utf-8"))
        self.connection.initiate_connection()
        self.flush()
        self.open, self.lines, self.is_closed, self.status = set(), [], False, {}
        self.unread = b""

    def flush(self):
        self.socket.sendall(self.connection.data_to_send())

    def say(self, line):
        print(line, flush=True)
        self.lines.append(line)

    def begin(self, handle):
        stream = self.connection.get_next_available_stream_id()
        self.connection.send_headers(stream, [
            (":method", "POST"), (":scheme", "https"), (":path", f"/3/device/{handle}"),
            ("host" if "host" in options else ":authority", f"localhost:{port}"), ("authorization", f"bearer {token}"), ("apns-topic", "com.example.MyApp"), ("apns-push-type", "alert"),
        ])
        self.connection.send_data(stream, b'{"aps":{"alert":"Hello"}}', end_stream=True)
        self.open.add(stream)
        self.flush()
        return stream

    def read(self):
        try:
            data = self.socket.recv(65536)
        except ConnectionResetError:
            data = b""
            self.say("cut")
        if not data:
            self.is_closed = True
            return self.say("closed")
        self.unread += data
        # Frame by frame: h2 takes nothing after a GOAWAY, although the streams below it go on (RFC 9113 section 6.8).
        while len(self.unread) >= 9 and len(self.unread) >= (size := 9 + int.from_bytes(self.unread[:3])):
            frame, self.unread = self.unread[:size], self.unread[size:]
            for event in self.connection.receive_data(frame):
                self.take(event)
        if not self.is_closed:
            try:
                self.flush()
            except (BrokenPipeError, ConnectionResetError):
                pass

    def take(self, event):
        match event:
            case h2.events.RemoteSettingsChanged():
                changed = event.changed_settings.get(h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS)
                if changed:
                    self.say(f"streams {changed.new_value}")
            case h2.events.ResponseReceived():
                self.status[event.stream_id] = dict(event.headers)[":status"]
            case h2.events.DataReceived():
                if not event.data:
                    self.say(f"empty {event.stream_id}")
                reason = json.loads(event.data)["reason"] if event.data else ""
                self.status[event.stream_id] += f" {reason}" if reason else ""
                self.connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            case h2.events.StreamEnded():
                self.open.discard(event.stream_id)
                self.say(f"answer {event.stream_id} {self.status[event.stream_id]}")
            case h2.events.StreamReset():
                self.open.discard(event.stream_id)
                self.say(f"reset {event.stream_id} {h2.errors.ErrorCodes(event.error_code).name}")
            case h2.events.ConnectionTerminated():
                text = (event.additional_data or b"").decode()
                # Streams above the last one were not processed.
                self.open = {stream for stream in self.open if stream <= event.last_stream_id}
                self.connection.state_machine.state = h2.connection.ConnectionState.CLIENT_OPEN
                self.say(f"goaway {event.last_stream_id} {h2.errors.ErrorCodes(event.error_code).name} {text}")
            case h2.events.PingAckReceived():
                self.say("pong")

    def run(self, steps):
        while steps:
            step = steps.pop(0)
            match step:
                case "send":
                    stream = self.begin(steps.pop(0))
                    while stream in self.open and not self.is_closed:
                        self.read()
                case "begin":
                    self.begin(steps.pop(0))
                case "flood":
                    self.connection.counts = False
                    for number in range(1, int(steps.pop(0)) + 1):
                        self.begin(f"{number:04d}")
                    self.connection.counts = True
                case "burst":
                    for number in range(1, int(steps.pop(0)) + 1):
                        self.begin(f"{number:04d}")
                    while self.open and not self.is_closed:
                        self.read()
                case "ping":
                    self.connection.ping(b"12345678")
                    self.flush()
                case "await":
                    words = steps.pop(0)
                    while not any(line.startswith(words) for line in self.lines) and not self.is_closed:
                        self.read()
                case "end":
                    while not self.is_closed:
                        self.read()
                case _:
                    sys.exit(f"no such step: {step}")


Client().run(steps)
