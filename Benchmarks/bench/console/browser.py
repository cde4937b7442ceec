"""One person's connection to the pages, which stays open as a browser's does."""
from __future__ import annotations

import http.client
import time
import urllib.parse
from dataclasses import dataclass

from bench.console.people import PASSWORD
from bench.problem import Problem

# The server closes a connection that has been idle for a minute.
IDLE_SECONDS = 30


@dataclass(frozen=True)
class Answer:
    """`ms`: from the request to the last byte. `mark`: by which the server knows the page again (ETag)."""

    status: int
    ms: float
    mark: str
    body: bytes


class Browser:
    """`cookie`: of a person who has signed in before; empty: nobody has. It survives a restart of the server."""

    def __init__(self, address: str, person: str, cookie: str = "") -> None:
        self.person, self.cookie = person, cookie
        self.connection = http.client.HTTPConnection(address, timeout=60)
        self.used = 0.0

    def sign_in(self) -> Answer:
        """Raises Problem when the person may not."""
        body = urllib.parse.urlencode({"name": self.person, "password": PASSWORD})
        answer, headers = self._ask("POST", "/sign-in", body, {
            "Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"})
        self.cookie = headers.get("Set-Cookie", "").partition(";")[0]
        if answer.status != 303 or not self.cookie:
            raise Problem(f"{self.person} could not sign in: {answer.status} {_beginning(answer.body)}")
        return answer

    def get(self, target: str, mark: str = "") -> Answer:
        """`mark`: of what it has already. Raises Problem unless the answer is a page, or 304 for one that it has."""
        answer, _ = self._ask("GET", target, None, {
            "Cookie": self.cookie, "X-Fanfare-Live": "1", **({"If-None-Match": mark} if mark else {})})
        if answer.status not in ((200, 304) if mark else (200,)):
            raise Problem(f"GET {target} answered {answer.status} {_beginning(answer.body)}")
        return answer

    def missing(self, target: str) -> None:
        """Looks at a page that is not there. Raises Problem when it is."""
        answer, _ = self._ask("GET", target, None, {"Cookie": self.cookie})
        if answer.status != 404:
            raise Problem(f"GET {target} answered {answer.status} {_beginning(answer.body)}")

    def close(self) -> None:
        self.connection.close()

    def _ask(
        self, method: str, target: str, body: str | None, headers: dict[str, str]
    ) -> tuple[Answer, http.client.HTTPMessage]:
        if time.monotonic() - self.used > IDLE_SECONDS:
            self.connection.close()
            self.connection.connect()
        began = time.monotonic()
        self.connection.request(method, target, body, headers)
        answer = self.connection.getresponse()
        page = answer.read()
        self.used = time.monotonic()
        return Answer(answer.status, (self.used - began) * 1e3, answer.headers.get("ETag", ""), page), answer.headers


def _beginning(page: bytes) -> str:
    return page[:300].decode(errors="replace")
