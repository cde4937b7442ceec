"""When a run was steered, and what that means for the requests at the sink."""
from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from bench.campaign import audience
from bench.problem import Problem
from bench.session import Session


@dataclass(frozen=True)
class Calls:
    """The calls of one function that steers a run. CLOCK_MONOTONIC, ns: `began`, and `ended` when all had returned;
    `longest`: of one call."""

    began: int
    ended: int
    longest: int
    calls: int
    stopped: int


def called(session: Session, function: str, key: str) -> Calls:
    """Calls a function again until its next is null, as `fanfare campaign` does."""
    began = ended = time.monotonic_ns()
    longest, calls, stopped, following = 0, 0, 0, "NULL"
    while following:
        before, after = ended, "NULL" if following == "NULL" else f"'{following}'"
        row = session.ask(f"SELECT * FROM push.{function}('{audience.NAME}', '{key}', after => {after});").split("|")
        ended = time.monotonic_ns()
        longest, calls, stopped, following = max(longest, ended - before), calls + 1, stopped + int(row[1]), row[-1]
    return Calls(began, ended, longest, calls, stopped)


@dataclass(frozen=True)
class Steering:
    """When what was asked, CLOCK_MONOTONIC in ns; how long each look at the progress took; how many messages waited."""

    began: int
    started: int
    paused: Calls
    resumed_at: int
    resumed: Calls
    cancelled: Calls
    progress: Sequence[int]
    ahead: Sequence[int]

    def figures(self, requests: Sequence[int]) -> dict[str, float]:
        """`requests`: when each was at the sink. Pure. Raises Problem when there were none."""
        at = sorted(requests)
        sent = [time for time in at if self.started <= time < self.paused.began]
        if not sent or not self.progress:
            raise Problem("the run sent nothing before it was paused")
        before_resume = [time for time in at if time < self.resumed_at]
        progress = sorted(self.progress)
        return {
            "start_ms": (self.started - self.began) / 1e6, "first_ms": max(at[0] - self.started, 0) / 1e6,
            "rate": len(sent) * 1e9 / (self.paused.began - sent[0]), "ahead": max(self.ahead),
            "progress_ms": progress[len(progress) // 2] / 1e6, "progress_most_ms": progress[-1] / 1e6,
            "pause_ms": (self.paused.ended - self.paused.began) / 1e6, "pause_calls": self.paused.calls,
            "pause_longest_ms": self.paused.longest / 1e6, "paused": self.paused.stopped, "pause_last_ms": max(before_resume[-1] - self.paused.ended, 0) / 1e6,
            "resume_ms": (self.resumed.ended - self.resumed.began) / 1e6,
            "cancel_ms": (self.cancelled.ended - self.cancelled.began) / 1e6, "cancel_calls": self.cancelled.calls,
            "cancel_longest_ms": self.cancelled.longest / 1e6, "cancelled": self.cancelled.stopped, "cancel_last_ms": max(at[-1] - self.cancelled.ended, 0) / 1e6,
        }
