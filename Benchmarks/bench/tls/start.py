"""A cold start: a full window, and not one connection yet."""
from __future__ import annotations

from bench.bench import Bench
from bench.drain import Drain
from bench.loops import C_LOOP, Hub, Run, c_loop, ours
from bench.sides.fanfare import Fanfare
from bench.table import Table
from bench.tls.certificates import TLS, named
from bench.tls.samples import Measure, Samples, connections

NAME = "tls-start"
COLUMNS = ["side", "connections", "handshakes", "ms until each had a request", "ms of the slowest connection",
           "ms of the slowest post", "resident, MB", "KB a connection above plain"]
# After 50 ms the sink would answer fanfare's first posts before the last of 512 leave, over fewer connections.
IN_FLIGHT, LATENCY_MS = 512, 100
# The same in a quick run: with fewer the window would not be full.
MESSAGES = 20_000
ABOUT = (
    f"{IN_FLIGHT} in flight, to a sink that answers after {LATENCY_MS} ms. Each run starts cold. *until each had a request*: "
    "at the sink, from the first connection it accepted to the first request of the last one. *slowest connection*: at the "
    "sink, the longest time from accepting a connection to its first request. *slowest post*: in the program, from giving a "
    "post to the transport to its answer; fanfare does not say, and no post of its start waits longer than *until each had a "
    "request* and then for the answer. The loops start with all posts at once, fanfare with one, and with one more for each "
    "answer.")


def run(bench: Bench) -> Table | None:
    kinds = [None, bench.certificates.tls(kind="ECDSA"), bench.certificates.tls(kind="RSA")]
    sides = [(name, tls) for name in ("fanfare", C_LOOP, "HTTPTransport") for tls in kinds]
    chosen = {_named(name, tls): (name, tls) for name, tls in sides if bench.wants(_named(name, tls))}
    if not chosen:
        return None
    samples = Samples.of_rounds(bench, NAME, {side: _measure(bench, *which) for side, which in chosen.items()})
    rows = [[side, *(samples.count(side, part) for part in ("most_open", "handshakes")),
             samples.spread(side, "started_ms"), samples.spread(side, "slowest_ms"),
             samples.spread(side, "longest_ms") if name != "fanfare" else "–", samples.median(side, "peak_mb"),
             samples.difference(side, _named(name, None), "peak_mb", 1000 / IN_FLIGHT)]
            for side, (name, _) in chosen.items()]
    return Table(NAME, COLUMNS, rows, [ABOUT])


def _named(side: str, tls: TLS | None) -> str:
    return f"{named(side, tls)}, cold"


def _measure(bench: Bench, name: str, tls: TLS | None) -> Measure:
    if name == "fanfare":
        drain = Drain(bench, Fanfare(bench, MESSAGES, window=IN_FLIGHT), LATENCY_MS, tls)
        drain.messages = MESSAGES
        return lambda: drain.round() | connections(drain.taken)
    loop = c_loop(bench) if name == C_LOOP else ours(name, "start")
    run = Run(bench, loop, Hub(LATENCY_MS, tls), MESSAGES, IN_FLIGHT)
    return lambda: run.once() | connections(run.taken)
