"""Figures over many rounds: medians, spreads and ratios. Pure."""
from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Spread:
    """A median with the smallest and the largest of its rounds."""

    median: float
    least: float
    most: float

    @classmethod
    def of(cls, samples: Sequence[float]) -> Spread:
        if not samples:
            raise ValueError("no rounds were measured")
        return cls(statistics.median(samples), min(samples), max(samples))


def ratio_of_medians(ours: Sequence[float], theirs: Sequence[float]) -> float:
    return statistics.median(ours) / statistics.median(theirs)


def median_ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The median of each round's own ratio: other load in a round affects both sides alike."""
    if len(ours) != len(theirs):
        raise ValueError(f"{len(ours)} rounds cannot be compared with {len(theirs)}")
    return statistics.median(a / b for a, b in zip(ours, theirs))


def shown(value: float) -> str:
    """With three significant digits: 0.042, 1.23, 48.1, 23,400."""
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 1000:
        unit = 10 ** (len(str(int(size))) - 3)
        return f"{round(value / unit) * unit:,}"
    for limit, digits in ((100, 0), (10, 1), (1, 2)):
        if size >= limit:
            return f"{value:.{digits}f}"
    return f"{value:.3f}"


def spread_shown(spread: Spread) -> str:
    """The median, and its range unless all rounds look the same: `23,400 (21,900 to 24,100)`."""
    median, least, most = map(shown, (spread.median, spread.least, spread.most))
    return median if least == most else f"{median} ({least} to {most})"


def compared(ours: Sequence[float], theirs: Sequence[float]) -> str:
    """The median of the rounds' ratios, and the ratio of the medians: `1.05 × (1.04)`."""
    return f"{shown(median_ratio(ours, theirs))} × ({shown(ratio_of_medians(ours, theirs))})"
