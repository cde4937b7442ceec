"""Probes of a worker while the database stands still and twenty pages are asked for at once."""
from __future__ import annotations

import http.client
import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from bench import processes
from bench.bench import Bench
from bench.cluster import Cluster
from bench.console.browser import Browser
from bench.console.tabs import Tabs
from bench.console.targets import Target, targets
from bench.console.world import RUN, World
from bench.crew import AtWork
from bench.plan.row import row
from bench.problem import Problem
from bench.scraping import free_address

NAME = "probes"
# Shorter than the 10 s after which a worker says that it is not ready.
SECONDS, PAGES, PROBES = 6, 20, ("/livez", "/readyz")


def rows(bench: Bench, world: World) -> list[list[str]]:
    world.pause()
    crew = replace(world.crew, console=free_address())
    tabs, chosen = Tabs(crew.pages), targets(world.examples, RUN)[:PAGES]
    probed, pages = [], []
    sink = bench.sink()
    try:
        with crew.at_work(world.database, sink) as work:
            _wait_for(crew.console, work)
            cookies = {browser.person: browser.cookie for browser in tabs.browsers()}
            for round in range(bench.rounds):
                with standing_still(bench.cluster), asked(crew.pages, chosen, cookies) as answered:
                    took = _probed(crew.console, 3 if bench.quick else SECONDS)
                probed += took
                pages += answered
                bench.record(table="console", side=NAME, round=round, probes=len(took), most_ms=max(took), pages=len(answered),
                             page_ms=max(answered, default=0.0))
    finally:
        sink.close()
    return [
        row("a probe while the database stands still and 20 pages are asked for at once, ms", probed, "50"),
        row("those pages, ms", pages, "–"),
    ]


@contextmanager
def standing_still(cluster: Cluster) -> Iterator[None]:
    """No process of the server runs meanwhile."""
    stopped = sorted(processes.tree(cluster.server.pid))
    try:
        for process in stopped:
            _send(process, signal.SIGSTOP)
        yield
    finally:
        for process in stopped:
            _send(process, signal.SIGCONT)


def _send(process: int, number: signal.Signals) -> None:
    try:
        os.kill(process, number)
    except ProcessLookupError:
        pass  # a session that has ended


@contextmanager
def asked(address: str, chosen: Sequence[Target], cookies: dict[str, str]) -> Iterator[list[float]]:
    """A connection for each asks for a page, again when it has it; gives how long each page took, ms. Raises Problem at the end if
    one got none."""
    took: list[float] = []
    problems: list[Exception] = []
    over = threading.Event()
    people = sorted(cookies.items())

    def ask(number: int) -> None:
        browser = Browser(address, *people[number % len(people)])
        try:
            while not over.is_set():
                took.append(browser.get(chosen[number].address).ms)
        except (OSError, http.client.HTTPException, Problem) as problem:
            problems.append(problem)
        finally:
            browser.close()

    threads = [threading.Thread(target=ask, args=(number,), daemon=True) for number in range(len(chosen))]
    for thread in threads:
        thread.start()
    try:
        yield took
    finally:
        over.set()
        for thread in threads:
            thread.join()
    if problems:
        raise Problem(f"a page was not answered while the database stood still: {problems[0]}")


def _probed(address: str, seconds: float) -> list[float]:
    """How long each answer took, ms. Each comes over a connection of its own, as a cluster's probes do."""
    took, until = [], time.monotonic() + seconds
    while time.monotonic() < until:
        for target in PROBES:
            took.append(_probe(address, target))
        time.sleep(0.05)
    return took


def _probe(address: str, target: str) -> float:
    began = time.monotonic()
    connection = http.client.HTTPConnection(address, timeout=30)
    try:
        connection.request("GET", target)
        answer = connection.getresponse()
        answer.read()
    finally:
        connection.close()
    if answer.status != 200:
        raise Problem(f"GET {target} answered {answer.status}")
    return (time.monotonic() - began) * 1e3


def _wait_for(address: str, work: AtWork) -> None:
    until = time.monotonic() + 60
    while True:
        try:
            _probe(address, "/readyz")
            return
        except (OSError, Problem):
            work.check()
            if time.monotonic() > until:
                raise Problem("the worker is not ready after a minute") from None
            time.sleep(0.1)
