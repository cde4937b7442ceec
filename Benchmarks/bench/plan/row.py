"""One row of the table plan."""
from __future__ import annotations

from collections.abc import Sequence

from bench.figures import Spread, spread_shown


def row(what: str, samples: Sequence[float], bar: str) -> list[str]:
    """The median of all rounds and its range, beside the bar."""
    return [what, spread_shown(Spread.of(samples)), bar]
