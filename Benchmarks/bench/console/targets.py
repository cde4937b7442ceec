"""The pages that are measured, with their bars."""
from __future__ import annotations

import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass

from bench.campaign.audience import NAME
from bench.sink import HUB

# Milliseconds of a page: its median, and its slowest.
MEDIAN, SLOWEST, OVERVIEW = 100, 300, 50


@dataclass(frozen=True)
class Target:
    """`name`: in the tables."""

    name: str
    address: str
    median: int = MEDIAN
    slowest: int = SLOWEST

    @property
    def bar(self) -> str:
        return str(self.slowest) if self.median == self.slowest else f"{self.median}, at most {self.slowest}"


def targets(ids: Mapping[str, int], run: str) -> list[Target]:
    """`ids`: of messages, by status. `run`: of the campaign that is under way. Pure."""
    one = f"{HUB}_7"
    tag = urllib.parse.quote("user_4711")
    searches = {
        "": "the newest", f"hub={one}": "of a hub", "status=rejected": "rejected", f"hub={one}&status=in_doubt": "in doubt, of a hub",
        "status=due": "due", "reason=target_gone": "by reason", f"tag={tag}": "by tag", f"campaign={NAME}&run={run}": "of a run",
        "tenant=nobody": "by a tenant that no message has", "dedupe_key=nothing": "by a key that no message has",
        "since=30d": "since a time", f"id={ids['accepted']}": "by id",
    }
    return [
        Target("`/`", "/", OVERVIEW, OVERVIEW),
        Target("`/hubs/NAME`", f"/hubs/{one}"),
        *(Target(f"`/messages`, {about}", f"/messages{'?' * bool(query)}{query}") for query, about in searches.items()),
        *(Target(f"`/messages/ID`, {status.replace('_', ' ')}", f"/messages/{id}") for status, id in ids.items()),
        Target("`/failures`", "/failures"),
        Target("`/failures` of a hub", f"/failures?hub={one}"),
        Target("`/devices`", "/devices"),
        Target("`/devices`, one", "/devices?device=phone-77"),
        Target("`/audit`", "/audit"),
        Target("`/audit` of a person", "/audit?person=ana"),
        Target("`/about`", "/about"),
        Target("`/actions`", "/actions"),
        Target("`/campaigns`", "/campaigns"),
        Target("`/campaigns` by a part of the name", "/campaigns?name=c77"),
        Target("`/campaigns/NAME`", f"/campaigns/{NAME}"),
        Target("`/campaigns/NAME/edit`", f"/campaigns/{NAME}/edit"),
        Target("`/campaigns/new`", "/campaigns/new"),
        Target("`/campaigns/NAME/runs/KEY`", f"/campaigns/{NAME}/runs/{run}"),
    ]
