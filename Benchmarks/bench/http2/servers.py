"""What the sides speak HTTP/2 with: Debian's nghttpd, and Benchmarks/c/h2_sink.c. Each is started for one run."""
from __future__ import annotations

import os
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from bench.problem import Problem
from bench.tls.certificates import TLS

# As apple_post.h has them: nghttpd answers 200 when there is a file.
DEVICES = [f"3/device/{number:064x}" for number in range(64)]
# Streams that a server allows on a connection: what APNs does.
STREAMS = 1000


class Server:
    """A process that listens on 127.0.0.1 with a certificate of this run, until `stop`."""

    def __init__(self, command: list[str | Path], tls: TLS) -> None:
        self.ca = tls.ca
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig=TERM", "--", *map(str, command)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, start_new_session=True)
        assert self.process.stdout
        self.said = self.process.stdout

    @property
    def endpoint(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    port: int

    def ended(self) -> tuple[str, int, float]:
        """Ends it. What it had still to say, its exit status (negative: a signal) and its CPU seconds."""
        if self.process.poll() is not None:
            raise Problem(f"{self.process.args[3]} ended by itself, with {self.process.returncode}: {self.said.read()}")
        self.process.terminate()
        said = self.said.read()
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        return said, self.process.returncode, usage.ru_utime + usage.ru_stime

    def close(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
            self.process.wait()
        self.said.close()


class Nghttpd(Server):
    """One thread. It does not count: what a side says of its answers is all there is."""

    def __init__(self, folder: Path, tls: TLS) -> None:
        for device in DEVICES:
            file = folder / "nghttpd" / device
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("{}")
        self.port = _free_port()
        try:
            super().__init__(["nghttpd", "-n1", f"-m{STREAMS}", "-a127.0.0.1", "-d", folder / "nghttpd", str(self.port),
                              tls.key, tls.certificate], tls)
        except FileNotFoundError:
            raise Problem("there is no setpriv here: bin/setup") from None
        try:
            self._wait()
        except BaseException:
            self.close()
            raise

    def _wait(self) -> None:
        until = time.monotonic() + 30
        while True:
            try:
                return socket.create_connection(("127.0.0.1", self.port), timeout=30).close()
            except ConnectionRefusedError:
                if self.process.poll() is not None or time.monotonic() > until:
                    raise Problem("nghttpd did not start: bin/setup --bench") from None
                time.sleep(0.005)

    def stop(self) -> float:
        """Its CPU seconds."""
        said, status, cpu = self.ended()
        if status != -15:
            raise Problem(f"nghttpd ended with {status}: {said}")
        return cpu


@dataclass(frozen=True)
class Taken:
    """What h2_sink counted. `requests`: all that it read; of those `answered`, `unanswered` because of a cut, and
    `on_the_way` when it cut. `bodies`: those with a body. `left_out`: streams above the last one of a GOAWAY. `most_streams`:
    open at a time."""

    requests: int
    bodies: int
    answered: int
    unanswered: int
    on_the_way: int
    left_out: int
    connections: int
    most_streams: int
    refused: int
    cpu: float


class H2Sink(Server):
    """`options`: those of h2_sink.c."""

    def __init__(self, program: Path, tls: TLS, *options: str | Path) -> None:
        super().__init__([program, "--certificate", tls.certificate, "--key", tls.key, *options], tls)
        first = self.said.readline().strip()
        if not first.startswith("port="):
            self.close()
            raise Problem(f"h2_sink did not start: {first or 'it said nothing'}")
        self.port = int(first.removeprefix("port="))

    def stop(self) -> Taken:
        said, status, cpu = self.ended()
        counts = {name: int(value) for name, _, value in (word.partition("=") for word in said.split())}
        if status or "requests" not in counts:
            raise Problem(f"h2_sink ended with {status} and said: {said.strip() or 'nothing'}")
        return Taken(**counts, cpu=cpu)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
