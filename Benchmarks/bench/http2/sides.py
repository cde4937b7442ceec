"""The sides of `transport` that speak HTTP/2."""
from __future__ import annotations

import re
from pathlib import Path

from bench import processes
from bench.bench import Bench
from bench.http2.servers import DEVICES
from bench.loops import C_LOOP as LIBCURL, Loop, other, ours
from bench.printed import figures
from bench.problem import Problem

C_LOOP, OURS, LIMIT = "C loop over nghttp2", "HTTPTransport", "h2load"
Sample = dict[str, float]


class Program:
    """A program that posts and prints what that took."""

    def __init__(self, loop: Loop) -> None:
        self.loop, self.file = loop, loop.program()

    def post(self, url: str, ca: Path, requests: int, in_flight: int, *more: str | Path) -> Sample:
        """`more`: arguments behind the file to trust. Raises Problem unless every request was answered, or is in doubt."""
        ran = processes.run([self.file, url, str(requests), str(in_flight), *self.loop.arguments, ca, *more])
        said = figures(ran.output)
        if said["failed"] != said.get("in_doubt", 0):
            raise Problem(f"{self.loop.name}: not all of {requests} requests were answered: {ran.output}")
        return said | {"rate": said["rps"], "cpu_us": said["cpu_us/req"], "peak_mb": ran.peak / 1e6}


class H2Load:
    """The load generator of nghttp2, as a limit: one request for all, of which HPACK indexes every line. Its CPU is that of the
    whole process, less that of one which makes a single request."""

    def __init__(self, folder: Path) -> None:
        # As apple_post.h has it.
        self.body = folder / "apple.json"
        self.body.write_text('{"aps":{"alert":{"title":"' + 3 * "Breaking news " + '","body":"' + 5 * "World news in English. "
                             + '"},"category":"NEWS_CATEGORY"},"id":"01234567890123456789012345678901"}')

    def post(self, url: str, ca: Path, requests: int, in_flight: int) -> Sample:
        """Does not look at the certificate."""
        nothing, ran = self._run(url, 1, 1), self._run(url, requests, in_flight)
        return {"rate": h2load_rate(ran.output, requests), "cpu_us": (ran.cpu - nothing.cpu) / requests * 1e6,
                "peak_mb": ran.peak / 1e6}

    def _run(self, url: str, requests: int, in_flight: int) -> processes.Ran:
        lines = {"authorization": "bearer " + 213 * "a", "apns-topic": "com.example.shop", "apns-push-type": "alert",
                 "content-type": "application/json", "apns-id": "00000000-0000-8000-8000-000000000000",
                 "apns-expiration": "1700000000"}
        headers = [word for name, value in lines.items() for word in ("-H", f"{name}: {value}")]
        return processes.run(["h2load", f"-n{requests}", "-c1", "-t1", f"-m{in_flight}", *headers, "-d", self.body,
                              f"{url}/{DEVICES[0]}"])


def h2load_rate(output: str, requests: int) -> float:
    """Requests a second, from what h2load prints. Raises Problem unless all were answered with 2xx."""
    rate, good = re.search(r"^finished in \S+, (\S+) req/s", output, re.M), re.search(r"^status codes: (\d+) 2xx", output, re.M)
    if not rate or not good or int(good[1]) != requests:
        raise Problem(f"h2load: {requests} requests were made:\n{output[-1000:]}")
    return float(rate[1])


def c_loop(bench: Bench) -> Loop:
    return Loop(C_LOOP, lambda: bench.program("h2_loop"))


def libcurl(bench: Bench) -> Loop:
    return Loop(LIBCURL, lambda: bench.program("curl_loop"), ("apple-http2",))


def transport(mode: str = "http2") -> Loop:
    return ours(OURS, mode)


def async_http_client() -> Loop:
    return other("http2")
