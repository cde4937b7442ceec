"""Sides in turn, so that what else the machine does hits all of them alike."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Side = TypeVar("Side")
Sample = TypeVar("Sample")


def order(sides: Sequence[Side], round: int) -> list[Side]:
    """The sides, beginning with another one each round: nobody is always first, or always after the same one."""
    first = round % len(sides) if sides else 0
    return [*sides[first:], *sides[:first]]


def interleaved(
    sides: Sequence[Side], rounds: int, measure: Callable[[Side, int], Sample]
) -> Iterator[tuple[int, Side, Sample]]:
    """Measures every side once a round; whoever asks for the next one has the last one's figures already."""
    for round in range(rounds):
        for side in order(sides, round):
            yield round, side, measure(side, round)
