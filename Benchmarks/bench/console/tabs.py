"""Tabs that follow `/`, as the script of the pages does: each asks again two seconds after its last answer, with what it has."""
from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from bench.console.browser import Answer, Browser
from bench.console.people import NAMES
from bench.problem import Problem

SECONDS = 2.0


@dataclass
class Tabs:
    """One tab for each of three people, who sign in when they first need to."""

    address: str
    target: str = "/"
    seconds: float = SECONDS
    cookies: dict[str, str] = field(default_factory=dict)

    @contextmanager
    def open(self) -> Iterator[list[Answer]]:
        """Follows until the end, and gives the answers. Raises Problem then if one was neither a page nor 304."""
        answers: list[Answer] = []
        problems: list[Exception] = []
        over = threading.Event()
        browsers = self.browsers()

        def follow(browser: Browser, late: float) -> None:
            mark = ""
            try:
                while not over.wait(late):
                    answers.append(browser.get(self.target, mark))
                    mark, late = answers[-1].mark, self.seconds
            except (OSError, http.client.HTTPException, Problem) as problem:
                problems.append(problem)

        # Their looks do not fall together: that would be cheaper.
        threads = [threading.Thread(target=follow, args=(browser, late), daemon=True)
                   for browser, late in zip(browsers, staggered(len(browsers), self.seconds))]
        for thread in threads:
            thread.start()
        try:
            yield answers
        finally:
            over.set()
            for thread in threads:
                thread.join()
            for browser in browsers:
                browser.close()
        if problems:
            raise Problem(f"a tab got no page: {problems[0]}")

    def browsers(self) -> list[Browser]:
        """One for each person, signed in."""
        browsers = [Browser(self.address, name, self.cookies.get(name, "")) for name in NAMES]
        for browser in browsers:
            if not browser.cookie:
                browser.sign_in()
                self.cookies[browser.person] = browser.cookie
        return browsers


def staggered(tabs: int, seconds: float) -> Sequence[float]:
    """When each begins, in seconds from now. Pure."""
    return [seconds * tab / tabs for tab in range(tabs)]
