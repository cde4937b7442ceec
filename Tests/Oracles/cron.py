"""The next times of random cron lines by cronsim, for CronOracleTests.

    cron.py SEED COUNT TIMES <names of zones, one a line

PYTHONTZPATH names the folder, so that both sides read the same time zone files. Prints lines of four fields with tabs
between: zone, instant that the search begins after, cron line, instants with spaces between. cronsim may find fewer than
TIMES: it looks ahead 50 years.
"""

import random
import sys
import zoneinfo
from datetime import datetime, timezone

from cronsim import CronSim

FIRST = int(datetime(2000, 1, 1, tzinfo=timezone.utc).timestamp())
LAST = int(datetime(2040, 1, 1, tzinfo=timezone.utc).timestamp())
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
DAYS = "sun mon tue wed thu fri sat".split()


def number(chance, low, high, names):
    value = chance.randint(low, high)
    if names and chance.random() < 0.3 and value - names[0] < len(names[1]):
        name = names[1][value - names[0]]
        return chance.choice([name, name.upper(), name.capitalize()])
    return str(value)


def term(chance, low, high, names):
    kind = chance.random()
    if kind < 0.6:
        return number(chance, low, high, names)
    # Ranges of two numbers at least: see the exceptions in CronOracleTests.
    first = chance.randint(low, high - 1)
    last = chance.randint(first + 1, high)
    text = f"{first}-{last}"
    return text if kind < 0.85 else f"{text}/{chance.randint(1, (high - low) // 2 + 1)}"


def field(chance, low, high, star, names=None):
    kind = chance.random()
    if kind < star:
        return "*"
    if kind < star + 0.1:
        return f"*/{chance.randint(1, high - low)}"
    return ",".join(term(chance, low, high, names) for _ in range(chance.choice([1, 1, 1, 2, 3])))


def line(chance):
    return " ".join([
        field(chance, 0, 59, 0.15),
        # Where clocks are changed, more often than elsewhere.
        field(chance, 0, 23, 0.25) if chance.random() < 0.6 else field(chance, 0, 4, 0.1),
        field(chance, 1, 31, 0.55),
        field(chance, 1, 12, 0.6, (1, MONTHS)),
        field(chance, 0, 7, 0.5, (0, DAYS)),
    ])


def main():
    seed, count, times = map(int, sys.argv[1:])
    chance = random.Random(seed)
    names = sys.stdin.read().split()
    zones = {name: zoneinfo.ZoneInfo(name) for name in names}
    for _ in range(count):
        name = chance.choice(names)
        start = chance.randint(FIRST, LAST)
        text = line(chance)
        found = []
        try:
            search = CronSim(text, datetime.fromtimestamp(start, zones[name]))
            for _ in range(times):
                found.append(str(int(next(search).timestamp())))
        except StopIteration:
            pass
        except Exception as error:  # CronSimError: days that never come
            found = [f"refused: {error}"]
        print(name, start, text, " ".join(found), sep="\t")


main()
