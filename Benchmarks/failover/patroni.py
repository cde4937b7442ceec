#!/usr/bin/python3
"""Kills the primary of a Patroni cluster under load, and counts what Fanfare lost or repeated.

    Benchmarks/failover/patroni.py                      ten kills, asynchronous standbys
    Benchmarks/failover/patroni.py --synchronous        the same with synchronous_mode
    Benchmarks/failover/patroni.py --lag 2              the standbys received nothing of the last 2 seconds

Three nodes, one etcd, two workers and a hub that counts, all on loopback. Needs the Debian packages patroni, etcd-server
and postgresql-15, and the program built by `swift build -c release --product fanfare --scratch-path .build-release`.
What it prints stands in docs/reliability.md.
"""

import argparse
import collections
import http.server
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

PROGRAMS = pathlib.Path("/usr/lib/postgresql/15/bin")
ROOT = pathlib.Path(__file__).resolve().parents[2]
NODES = "abc"


class Hub:
    """A notification hub that takes everything and counts how often each message came."""

    def __init__(self):
        self.seen = collections.Counter()
        self.times = []
        self.lock = threading.Lock()
        hub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                with hub.lock:
                    hub.seen[int(json.loads(body)["n"])] += 1
                    hub.times.append(time.monotonic())
                self.send_response(201)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def port(self):
        return self.server.server_address[1]

    def first_after(self, moment):
        with self.lock:
            return next((t for t in self.times if t > moment), None)


class Cluster:
    """Three Patroni nodes and the etcd that elects their leader."""

    def __init__(self, home, synchronous):
        self.home, self.synchronous = home, synchronous
        base = random.randrange(20000, 29000)
        self.etcd_port, self.sql_ports, self.rest_ports = base, {}, {}
        for i, node in enumerate(NODES):
            self.sql_ports[node], self.rest_ports[node] = base + 10 + i, base + 20 + i
        self.processes = {}

    def as_postgres(self, *command, log):
        """A process group of its own, so that a kill takes everything the node runs."""
        prefix = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
        output = open(self.home / log, "ab")
        return subprocess.Popen(
            [*prefix, *map(str, command)], stdout=output, stderr=output, start_new_session=True, cwd=self.home,
            env={"PATH": f"{PROGRAMS}:/usr/bin:/bin", "HOME": str(self.home)})

    def start(self):
        url = f"http://127.0.0.1:{self.etcd_port}"
        peer = f"http://127.0.0.1:{self.etcd_port + 1}"
        self.etcd = self.as_postgres(
            "etcd", "--name", "e", "--data-dir", self.home / "etcd", "--listen-client-urls", url,
            "--advertise-client-urls", url, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
            "--initial-cluster", f"e={peer}", log="etcd.log")
        time.sleep(2)
        for node in NODES:
            self.write_settings(node)
            self.start_node(node)
            self.wait(lambda: self.role(node) is not None, 90, f"node {node} does not start")
        self.wait(lambda: self.leader() and len(self.running()) == 3, 90, "the cluster does not form")

    def write_settings(self, node):
        settings = {
            "scope": "fanfare", "name": node,
            "restapi": {"listen": f"127.0.0.1:{self.rest_ports[node]}",
                        "connect_address": f"127.0.0.1:{self.rest_ports[node]}"},
            "etcd3": {"hosts": f"127.0.0.1:{self.etcd_port}"},
            "bootstrap": {
                "dcs": {"ttl": 10, "loop_wait": 1, "retry_timeout": 3, "maximum_lag_on_failover": 67108864,
                        "synchronous_mode": self.synchronous,
                        "postgresql": {"use_pg_rewind": True, "parameters": {"wal_log_hints": "on"}}},
                "initdb": ["locale=C.UTF-8", "encoding=UTF8"],
                "pg_hba": ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"]},
            "postgresql": {
                "listen": f"127.0.0.1:{self.sql_ports[node]}", "connect_address": f"127.0.0.1:{self.sql_ports[node]}",
                "data_dir": str(self.home / node), "bin_dir": str(PROGRAMS), "pgpass": str(self.home / f"pgpass-{node}"),
                "authentication": {"superuser": {"username": "postgres"}, "replication": {"username": "postgres"},
                                   "rewind": {"username": "postgres"}},
                "parameters": {"unix_socket_directories": str(self.home)}}}
        (self.home / f"{node}.yml").write_text(json.dumps(settings, indent=1))   # JSON is YAML

    def start_node(self, node):
        self.processes[node] = self.as_postgres("patroni", self.home / f"{node}.yml", log=f"{node}.log")

    def kill_node(self, node):
        """As if the machine lost its power: Patroni, the postmaster and every session at once."""
        pid = int((self.home / node / "postmaster.pid").read_text().split()[0])
        children = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True).stdout.split()
        os.killpg(self.processes[node].pid, signal.SIGKILL)
        for victim in [pid, *map(int, children)]:
            try:
                os.kill(victim, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.processes[node].wait()

    def receivers(self, signal_name):
        """Stops or continues the processes that receive WAL on the standbys."""
        for node in NODES:
            pid = (self.home / node / "postmaster.pid").read_text().split()[0]
            subprocess.run(["pkill", f"-{signal_name}", "-P", pid, "-f", "walreceiver"])

    def role(self, node):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.rest_ports[node]}/patroni", timeout=1) as reply:
                answer = json.load(reply)
        except urllib.error.HTTPError as error:
            answer = json.load(error)
        except OSError:
            return None
        return answer.get("role") if answer.get("state") in ("running", "streaming") else None

    def leader(self):
        return next((n for n in NODES if self.role(n) in ("master", "primary")), None)

    def running(self):
        return [n for n in NODES if self.role(n)]

    def wait(self, condition, seconds, otherwise):
        until = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > until:
                sys.exit(f"patroni.py: {otherwise}; logs are in {self.home}")
            time.sleep(0.2)

    @property
    def conninfo(self):
        ports = ",".join(str(p) for p in self.sql_ports.values())
        return (f"host=127.0.0.1,127.0.0.1,127.0.0.1 port={ports} user=postgres dbname=postgres "
                "target_session_attrs=read-write connect_timeout=2")

    def sql(self, statement):
        return subprocess.run(["psql", self.conninfo, "-qAtX", "-c", statement], capture_output=True, text=True)

    def stop(self):
        for process in [*self.processes.values(), self.etcd]:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        subprocess.run(["pkill", "-KILL", "-f", str(self.home)])


class Backend(threading.Thread):
    """Enqueues numbered messages and remembers which INSERTs were confirmed."""

    def __init__(self, cluster, rate):
        super().__init__(daemon=True)
        self.cluster, self.rate, self.next, self.confirmed, self.ends = cluster, rate, 0, set(), False

    def run(self):
        each = max(1, self.rate // 10)
        while not self.ends:
            first, self.next = self.next, self.next + each
            done = self.cluster.sql(
                "INSERT INTO push.message (hub, tag, content, pack) SELECT 'news', 'n' || n, "
                f"json_build_object('n', n::text), false FROM generate_series({first}, {first + each - 1}) n")
            if done.returncode == 0:
                self.confirmed.update(range(first, first + each))
            time.sleep(0.1)


def worker(program, home, number, cluster, hub):
    settings = {
        "database": {"url": cluster.conninfo},
        "hubs": {"news": {"kind": "notification-hubs", "hub": "counting", "connectionString":
                 f"Endpoint=http://127.0.0.1:{hub.port}/;SharedAccessKeyName=k;SharedAccessKey=a2V5"}},
        "console": {"listen": "127.0.0.1:0"}, "dispatch": {"leaseSeconds": 5}}
    file = home / f"worker{number}.json"
    file.write_text(json.dumps(settings))
    log = open(home / f"worker{number}.log", "ab")
    return subprocess.Popen([program, "run", "--config", file], stdout=log, stderr=log)


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--kills", type=int, default=10)
    parse.add_argument("--rate", type=int, default=200, help="messages a second")
    parse.add_argument("--synchronous", action="store_true", help="commits wait for a standby")
    parse.add_argument("--lag", type=float, default=0, help="seconds before each kill in which no standby receives")
    parse.add_argument("--program", default=str(ROOT / ".build-release/release/fanfare"))
    parse.add_argument("--keep", action="store_true", help="leave data and logs behind")
    options = parse.parse_args()

    home = pathlib.Path(tempfile.mkdtemp(prefix="fanfare-patroni-"))
    shutil.chown(home, "postgres") if os.getuid() == 0 else None
    home.chmod(0o755)
    hub, cluster = Hub(), Cluster(home, options.synchronous)
    workers = []
    try:
        cluster.start()
        made = subprocess.run([options.program, "migrate", "up"], capture_output=True, text=True,
                              env={**os.environ, "FANFARE_DATABASE_URL": cluster.conninfo})
        if made.returncode:
            sys.exit(made.stderr)
        workers = [worker(options.program, home, n, cluster, hub) for n in range(2)]
        cluster.wait(lambda: cluster.sql("SELECT count(*) FROM push.worker").stdout.strip() == "2", 30, "no workers")
        backend = Backend(cluster, options.rate)
        backend.start()
        silences = []
        for kill in range(options.kills):
            time.sleep(random.uniform(3, 6))
            victim = cluster.leader()
            if options.lag:
                cluster.receivers("STOP")
                time.sleep(options.lag)
            began = time.monotonic()
            cluster.kill_node(victim)
            if options.lag:
                cluster.receivers("TERM")      # what waits in its socket must not be received after all
                cluster.receivers("CONT")
            cluster.wait(lambda: cluster.leader() not in (None, victim), 60, "no new leader")
            promoted = time.monotonic()
            cluster.wait(lambda: hub.first_after(promoted) is not None, 60, "no post after the fail-over")
            silences.append((promoted - began, hub.first_after(promoted) - promoted))
            print(f"kill {kill + 1}: {victim} died, {cluster.leader()} leads after {silences[-1][0]:.1f} s, "
                  f"next post {silences[-1][1]:.2f} s later", flush=True)
            cluster.start_node(victim)
            cluster.wait(lambda: len(cluster.running()) == 3, 120, f"{victim} does not come back")
        time.sleep(2)
        backend.ends = True
        backend.join()
        cluster.wait(lambda: cluster.sql("SELECT (SELECT count(*) FROM push.due) + (SELECT count(*) FROM push.claim)"
                                         ).stdout.strip() == "0", 120, "work is left")
        report(cluster, hub, backend, silences)
    finally:
        for process in workers:
            process.terminate()
        for process in workers:
            process.wait()
        cluster.stop()
        if options.keep:
            print(f"kept: {home}")
        else:
            shutil.rmtree(home, ignore_errors=True)


def report(cluster, hub, backend, silences):
    rows = cluster.sql("SELECT m.content ->> 'n', s.status FROM push.message m "
                       "JOIN push.message_status s ON s.id = m.id").stdout.split()
    status = {int(n): s for n, s in (row.split("|") for row in rows)}
    confirmed, seen = backend.confirmed, hub.seen
    lost = cluster.sql("SELECT problem, count(*) FROM push.lost GROUP BY 1").stdout.strip()
    figures = {
        "messages whose INSERT was confirmed": len(confirmed),
        "of these, gone with the old primary": len(confirmed - status.keys()),
        "of these, sent before they were gone": len([n for n in confirmed - status.keys() if seen[n]]),
        "messages sent twice": len([n for n in seen if seen[n] > 1]),
        "recorded as accepted, not sent": len([n for n, s in status.items() if s == "accepted" and not seen[n]]),
        "sent, and not recorded as accepted or in doubt":
            len([n for n, s in status.items() if seen[n] and s not in ("accepted", "in_doubt")]),
        "in doubt": len([n for n, s in status.items() if s == "in_doubt"]),
        "final": len([n for n, s in status.items() if s in ("accepted", "in_doubt")]),
        "rows of push.lost": lost or 0,
        "seconds without a leader, longest": round(max(s[0] for s in silences), 1),
        "seconds from the new leader to the next post, longest": round(max(s[1] for s in silences), 2),
        "timelines": cluster.sql("SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8)").stdout.strip(),
    }
    width = max(map(len, figures))
    for name, value in figures.items():
        print(f"{name:{width}}  {value}")


if __name__ == "__main__":
    main()
