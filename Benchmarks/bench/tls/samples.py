"""Sides that take turns, and the cells of a table about them."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bench.bench import Bench
from bench.figures import Spread, median_ratio, ratio_of_medians, shown, spread_shown
from bench.interleave import interleaved
from bench.sink import Taken

Measure = Callable[[], dict[str, float]]


def connections(taken: Taken) -> dict[str, float]:
    """What a sink knows about the connections of a round."""
    return {
        "connections": taken.connections, "most_open": taken.most_open, "handshakes": taken.handshakes,
        "resumed": taken.resumed, "started_ms": taken.started * 1e3, "slowest_ms": taken.slowest * 1e3,
    }


@dataclass(frozen=True)
class Samples:
    """The measurements of each side, one a round."""

    taken: Mapping[str, list[dict[str, float]]]

    @classmethod
    def of_rounds(cls, bench: Bench, table: str, sides: Mapping[str, Measure]) -> Samples:
        taken: dict[str, list[dict[str, float]]] = {name: [] for name in sides}
        for round, name, sample in interleaved(list(sides), bench.rounds, lambda name, _: sides[name]()):
            taken[name].append(sample)
            bench.record(table=table, side=name, round=round, **sample)
        return cls(taken)

    def of(self, side: str, part: str) -> list[float]:
        return [sample[part] for sample in self.taken[side]]

    def median(self, side: str, part: str) -> str:
        """`–` for what is not measured on this side."""
        return shown(Spread.of(self.of(side, part)).median) if part in self.taken[side][0] else "–"

    def count(self, side: str, part: str) -> str:
        """The median of whole numbers."""
        return f"{Spread.of(self.of(side, part)).median:,.0f}"

    def spread(self, side: str, part: str) -> str:
        return spread_shown(Spread.of(self.of(side, part)))

    def ratio(self, side: str, other: str, part: str = "rate") -> str:
        """The median of the rounds' ratios (the ratio of the medians); `–` without the other side, or of itself."""
        if other not in self.taken or side == other:
            return "–"
        ours, theirs = self.of(side, part), self.of(other, part)
        return f"{shown(median_ratio(ours, theirs))} ({shown(ratio_of_medians(ours, theirs))})"

    def difference(self, side: str, other: str, part: str, scale: float) -> str:
        """The median of the rounds' differences, times `scale`."""
        if other not in self.taken or side == other:
            return "–"
        pairs = zip(self.of(side, part), self.of(other, part), strict=True)
        return shown(Spread.of([(ours - theirs) * scale for ours, theirs in pairs]).median)
