"""Latencies as an HDR histogram keeps them: buckets that grow with the value, so that every figure is as exact as the next,
and the slowest of all are kept. Log-linear as HdrHistogram's, without its file format. Pure."""
from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

# 128 equal buckets between a power of two and the next: a value is off by less than 0.8 %.
BITS = 7


class Histogram:
    """Of whole numbers from 0 on, in whatever unit they come."""

    def __init__(self, values: Iterable[int] = ()) -> None:
        self.buckets: Counter[int] = Counter()
        self.count = self.most = 0
        for value in values:
            self.add(value)

    def add(self, value: int) -> None:
        if value < 0:
            raise ValueError(f"{value} is below 0")
        shift = max(value.bit_length() - BITS - 1, 0)
        # Up to 255 every value has its own bucket; from there on each power of two has the next 128.
        self.buckets[(shift << BITS) + (value >> shift)] += 1
        self.count += 1
        self.most = max(self.most, value)

    def merge(self, other: Histogram) -> None:
        self.buckets += other.buckets
        self.count += other.count
        self.most = max(self.most, other.most)

    def percentile(self, percent: float) -> int:
        """The value that this percentage does not exceed: the upper end of its bucket, never above the maximum."""
        if not self.count:
            raise ValueError("nothing was recorded")
        rank, seen = max(1, math.ceil(self.count * percent / 100 - 1e-9)), 0
        for bucket in sorted(self.buckets):
            seen += self.buckets[bucket]
            if seen >= rank:
                return min(_highest(bucket), self.most)
        raise AssertionError("the buckets hold fewer than were counted")


def _highest(bucket: int) -> int:
    shift = max((bucket >> BITS) - 1, 0)
    return ((bucket - (shift << BITS) + 1) << shift) - 1
