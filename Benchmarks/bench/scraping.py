"""Reading /metrics as Prometheus does, beside workers that are measured."""
from __future__ import annotations

import http.client
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

from bench.problem import Problem

ACCEPT = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.4"


def free_address() -> str:
    """An address of this machine that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


class Scraper:
    """One connection that stays open. Raises Problem for anything but a page."""

    def __init__(self, address: str) -> None:
        self.connection = http.client.HTTPConnection(address, timeout=10)

    def page(self) -> bytes:
        self.connection.request("GET", "/metrics", headers={"Accept": ACCEPT})
        answer = self.connection.getresponse()
        page = answer.read()
        if answer.status != 200 or not page.endswith(b"# EOF\n"):
            raise Problem(f"GET /metrics answered {answer.status}:\n{page[-300:].decode(errors='replace')}")
        return page

    def close(self) -> None:
        self.connection.close()


@contextmanager
def scraped(address: str, seconds: float) -> Iterator[list[int]]:
    """Reads the page at once and every so many seconds, and gives the length of each. Raises Problem at the end if a reading
    failed."""
    lengths: list[int] = []
    problems: list[Exception] = []
    over = threading.Event()

    def scrape() -> None:
        try:
            with closing(Scraper(address)) as scraper:
                due = time.monotonic()
                while True:
                    lengths.append(len(scraper.page()))
                    due += seconds
                    if over.wait(max(0, due - time.monotonic())):
                        break
        except (OSError, http.client.HTTPException, Problem) as problem:
            problems.append(problem)

    thread = threading.Thread(target=scrape, daemon=True)
    thread.start()
    try:
        yield lengths
    finally:
        over.set()
        thread.join()
    if problems:
        raise Problem(f"a scrape failed: {problems[0]}")
