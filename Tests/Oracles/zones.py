"""Converts random times with Python's zoneinfo, for ZoneOracleTests.

    zones.py SEED COUNT <names of zones, one a line

PYTHONTZPATH names the folder, so that both sides read the same files. Prints, for each zone, a line with its name, then
"i INSTANT OFFSET" for instants and "w WALL INSTANT ..." for times on the wall with all instants at which the clocks show
them: none when the clocks skip it, two when it comes twice. Half of them lie within three hours of a change of the clocks.
"""

import random
import sys
import zoneinfo
from datetime import datetime, timedelta, timezone

EPOCH = datetime(1970, 1, 1)
UTC_EPOCH = EPOCH.replace(tzinfo=timezone.utc)
FIRST = int((datetime(1850, 1, 1) - EPOCH).total_seconds())
LAST = int((datetime(2500, 1, 1) - EPOCH).total_seconds())
FORTNIGHT = 14 * 86_400


def offset(zone, instant):
    here = (UTC_EPOCH + timedelta(seconds=instant)).astimezone(zone)
    return int(here.utcoffset().total_seconds())


def changes(zone, first, last):
    """The instants at which the offset changes, found by halving fortnights."""
    found = []
    before = offset(zone, first)
    for start in range(first, last, FORTNIGHT):
        after = offset(zone, start + FORTNIGHT)
        if after != before:
            low, high = start, start + FORTNIGHT
            while high - low > 1:
                middle = (low + high) // 2
                if offset(zone, middle) == before:
                    low = middle
                else:
                    high = middle
            found.append(high)
        before = after
    return found


def instants(zone, wall):
    naive = EPOCH + timedelta(seconds=wall)
    found = set()
    for fold in (0, 1):
        instant = wall - int(naive.replace(tzinfo=zone, fold=fold).utcoffset().total_seconds())
        if instant + offset(zone, instant) == wall:
            found.add(instant)
    return sorted(found)


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    chance = random.Random(seed)
    names = sys.stdin.read().split()
    share = -(-count // len(names))
    for name in names:
        zone = zoneinfo.ZoneInfo(name)
        # What the file lists, and years after its last change.
        near = changes(zone, FIRST, int((datetime(2060, 1, 1) - EPOCH).total_seconds()))
        near += changes(zone, int((datetime(2300, 1, 1) - EPOCH).total_seconds()), LAST)
        lines = [name]
        for number in range(share):
            if near and number % 2:
                time = chance.choice(near) + chance.randint(-10_800, 10_800)
            else:
                time = chance.randint(FIRST, LAST)
            if number % 4 < 2:
                lines.append(f"i {time} {offset(zone, time)}")
            else:
                # The clocks show near the change what it is there.
                wall = time + offset(zone, time)
                lines.append(" ".join(map(str, ["w", wall, *instants(zone, wall)])))
        print("\n".join(lines))


main()
