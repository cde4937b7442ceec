"""Alternates the sides, so that other load affects all of them alike."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Side = TypeVar("Side")
Sample = TypeVar("Sample")


def order(sides: Sequence[Side], round: int) -> list[Side]:
    """The sides, beginning with another one each round, so that no side is always first."""
    first = round % len(sides) if sides else 0
    return [*sides[first:], *sides[:first]]


def interleaved(
    sides: Sequence[Side], rounds: int, measure: Callable[[Side, int], Sample]
) -> Iterator[tuple[int, Side, Sample]]:
    """Measures every side once a round, lazily: the caller gets each figure before the next measurement starts."""
    for round in range(rounds):
        for side in order(sides, round):
            yield round, side, measure(side, round)
