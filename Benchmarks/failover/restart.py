#!/usr/bin/python3
"""Restarts PostgreSQL under a working `fanfare run`, and measures how long after the server's first answer the next post
leaves.

    Benchmarks/failover/restart.py                     20 restarts, away for 0 to 12 seconds
    Benchmarks/failover/restart.py --rounds 5 --program .build/debug/fanfare

One server and one hub on loopback, made for this and removed afterwards. Needs PostgreSQL's server programs, and the
program built by `swift build -c release --product fanfare --scratch-path .build-release`. What it prints stands in
docs/reliability.md.
"""

import argparse
import http.server
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

PROGRAMS = pathlib.Path("/usr/lib/postgresql/15/bin")
ROOT = pathlib.Path(__file__).resolve().parents[2]


class Hub:
    """A notification hub that takes everything after 50 ms and remembers when each post came."""

    def __init__(self):
        self.times = []
        hub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                hub.times.append(time.monotonic())
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                time.sleep(0.05)
                self.send_response(201)
                self.send_header("Content-Length", "0")
                self.send_header("TrackingId", "restart")
                self.end_headers()

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def connection(self):
        return f"Endpoint=http://127.0.0.1:{self.server.server_port}/;SharedAccessKeyName=k;SharedAccessKey=a2V5"

    def first_after(self, moment):
        return next((at for at in list(self.times) if at > moment), None)


class Server:
    def __init__(self, folder):
        self.folder, self.data = folder, folder / "data"
        self.prefix = []
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
            self.prefix = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--"]
        self.run("initdb", "-A", "trust", "-U", "postgres", "-D", self.data)
        with open(self.data / "postgresql.conf", "a") as settings:
            settings.write(f"listen_addresses = ''\nunix_socket_directories = '{folder}'\nmax_wal_size = '4GB'\n")
        self.start()

    def run(self, program, *arguments):
        subprocess.run(
            [*self.prefix, str(PROGRAMS / program), *map(str, arguments)], check=True, cwd="/",
            stdout=subprocess.DEVNULL)

    def start(self):
        self.run("pg_ctl", "-D", self.data, "-l", self.folder / "log", "-W", "start")

    def stop(self, mode):
        self.run("pg_ctl", "-D", self.data, "-m", mode, "-w", "stop")

    def answers(self):
        """Whether a session can be opened: the server's first byte is R, and E while it starts."""
        parameters = b"user\0postgres\0database\0postgres\0\0"
        try:
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(self.folder / ".s.PGSQL.5432"))
                client.sendall(struct.pack("!ii", len(parameters) + 8, 196608) + parameters)
                return client.recv(1) == b"R"
        except OSError:
            return False

    def wait(self):
        while not self.answers():
            time.sleep(0.002)
        return time.monotonic()

    def sql(self, text):
        psql = [str(PROGRAMS / "psql"), "-qAtX", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-U", "postgres"]
        ended = subprocess.run([*psql, "-c", text], check=True, capture_output=True, text=True)
        return ended.stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--longest", type=float, default=12, help="seconds the server is away at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", default=str(ROOT / ".build-release/release/fanfare"))
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="fanfare-restart-", dir="/tmp"))
    server = hub = worker = None
    try:
        server, hub = Server(folder), Hub()
        server.wait()
        settings = {
            "database": {"url": f"host={folder} user=postgres dbname=postgres"},
            "hubs": {"news": {"hub": "news", "connectionString": hub.connection, "window": 8}},
            "console": {"listen": "off"},
        }
        (folder / "config.json").write_text(json.dumps(settings))
        subprocess.run(
            [arguments.program, "migrate", "up", "--config", folder / "config.json"], check=True,
            stdout=subprocess.DEVNULL)
        server.sql(
            "INSERT INTO push.message (hub, tag, content, pack) SELECT 'news', 'A', '{\"message\": \"hi\"}', false"
            f" FROM generate_series(1, {arguments.rounds * 160 * 30})")
        with open(folder / "worker.log", "w") as log:
            worker = subprocess.Popen([arguments.program, "run", "--config", folder / "config.json"], stderr=log)
        while len(hub.times) < 50:
            time.sleep(0.01)
        waits = []
        for number in range(1, arguments.rounds + 1):
            time.sleep(chance.uniform(1, 4))
            mode = chance.choice(["immediate", "fast"])
            server.stop(mode)
            away = chance.uniform(0, arguments.longest)
            time.sleep(away)
            server.start()
            back = server.wait()
            while not (post := hub.first_after(back)):
                time.sleep(0.001)
            waits.append(post - back)
            print(f"{number:3} {mode:9} away {away:4.1f} s, next post after {post - back:.3f} s", flush=True)
        waits.sort()
        print(f"p50 {waits[len(waits) // 2]:.2f} s, max {waits[-1]:.2f} s of {len(waits)} restarts")
    finally:
        if worker:
            worker.send_signal(signal.SIGTERM)
            worker.wait()
        if server:
            print("lost:", server.sql("SELECT count(*) FROM push.lost"), "in doubt:",
                  server.sql("SELECT count(*) FROM push.in_doubt"))
            server.stop("fast")
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
