"""The hub that every side posts to: Benchmarks/c/sink.c, started for each run, so that its counts are those of the run."""
from __future__ import annotations

import os
import select
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.problem import Problem
from bench.tls.certificates import TLS

# The sink does not check the key, but every side signs with it.
KEY_NAME, KEY, HUB = "DefaultFullSharedAccessSignature", "c2luaw==", "news"


@dataclass(frozen=True)
class Taken:
    """`requests`: with POST; `puts`: registrations of devices, `tokens`: exchanges for an access token, both counted apart. `resumed`: the handshakes that
    continued an earlier session; `most_open`: connections at a time. Seconds: `started`, from the first connection until
    every connection had its first request; `slowest`, the longest time that one of them took for that; `reached`, from the
    first request to the one to tell at, when nobody waited for it."""

    requests: int
    bodies: int
    connections: int
    refused: int
    cpu: float
    puts: int = 0
    tokens: int = 0
    handshakes: int = 0
    resumed: int = 0
    most_open: int = 0
    started: float = 0
    slowest: float = 0
    reached: float = 0


class Sink:
    """Listens on a free port of 127.0.0.1 until `stop`. `tls`: None is plain HTTP. `close_after`: ends each connection after
    so many answers; 0: never. `late_tag`: only posts whose tag begins so wait for `latency_ms`; empty: all."""

    def __init__(
        self, program: Path, latency_ms: int = 0, tell_at: int = 0, stamps: Path | None = None, tell_puts: int = 0,
        tls: TLS | None = None, close_after: int = 0, late_tag: str = "",
    ) -> None:
        options = ["--latency-ms", str(latency_ms), "--tell-at", str(tell_at), "--tell-puts", str(tell_puts),
                   "--close-after", str(close_after), *(["--stamps", stamps] if stamps else []), *(tls.options if tls else []),
                   *(["--late-tag", late_tag] if late_tag else [])]
        # With `tell_at` the puts, with `tell_puts` the other requests that had come when `reached` returned.
        self.others = 0
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig=TERM", "--", program, *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, start_new_session=True)
        assert self.process.stdout
        self.said = self.process.stdout
        first = self.said.readline().strip()
        if not first.startswith("port="):
            raise Problem(f"the sink did not start: {first or 'it said nothing'}")
        self.endpoint = f"{'https' if tls else 'http'}://127.0.0.1:{first.removeprefix('port=')}"
        # The file that a side has to trust; None: it speaks plain HTTP.
        self.ca = tls.ca if tls else None

    @property
    def connection_string(self) -> str:
        return f"Endpoint={self.endpoint}/;SharedAccessKeyName={KEY_NAME};SharedAccessKey={KEY}"

    @property
    def tokens(self) -> str:
        """Where FCM's token endpoint is, without its path."""
        return self.endpoint

    @property
    def url(self) -> str:
        """The URL of a send."""
        return f"{self.endpoint}/{HUB}/messages?api-version=2020-06"

    def reached(self, timeout: float, meanwhile: Callable[[], None] = lambda: None) -> float:
        """Waits until it has taken `tell_at` requests, or `tell_puts` puts, and returns the seconds since the first of them.

        Raises Problem after `timeout` seconds, and what `meanwhile`, called several times a second, raises.
        """
        until = time.monotonic() + timeout
        while not select.select([self.said], [], [], 0.2)[0]:
            meanwhile()
            if time.monotonic() > until:
                raise Problem(f"the sink did not see enough requests in {timeout:.0f} s")
        line = self.said.readline()
        if not line.startswith("reached="):
            raise Problem(f"the sink ended by itself: {line.strip() or 'it said nothing'}")
        said = {name: int(value) for name, _, value in (word.partition("=") for word in line.split())}
        self.others = said["others"]
        return said["after_ns"] / 1e9

    def stop(self) -> Taken:
        if self.process.poll() is not None:
            raise Problem(f"the sink ended by itself, with {self.process.returncode}: {self.said.read()}")
        self.process.terminate()
        said = self.said.read().split()
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        counts = {name: int(value) for name, _, value in (word.partition("=") for word in said)}
        if self.process.returncode or "requests" not in counts:
            raise Problem(f"the sink ended with {self.process.returncode} and said: {' '.join(said) or 'nothing'}")
        return Taken(
            counts["requests"], counts["bodies"], counts["connections"], counts["refused"],
            usage.ru_utime + usage.ru_stime, counts["puts"], counts["tokens"], counts["handshakes"], counts["resumed"], counts["most_open"],
            counts["started_ns"] / 1e9, counts["slowest_ns"] / 1e9, counts.get("after_ns", 0) / 1e9)

    def close(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
            self.process.wait()
        self.said.close()
