"""A server that ends its connections, with GOAWAY or without a word: what is lost, repeated or in doubt, by its own count."""
from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from bench.bench import Bench
from bench.http2.servers import H2Sink
from bench.http2.sides import OURS, Program, Sample
from bench.loops import ours
from bench.problem import Problem
from bench.table import Table
from bench.tls.samples import Samples

NAME = "transport-http2-endings"
COLUMNS = ["the server", "requests/s", "time, of a server that stays", "connections", "not sent, and sent again", "lost", "twice",
           "in doubt", "read and not answered", "on the way"]
REQUESTS, IN_FLIGHT, EVERY = 100_000, 64, 1_000
STAYS = f"{OURS}, the server stays"
SIDES = {
    STAYS: [], f"{OURS}, GOAWAY every {EVERY:,}": ["--goaway-every", str(EVERY)],
    f"{OURS}, cut every {EVERY:,}": ["--cut-every", str(EVERY)]}
ABOUT = (
    f"requests over HTTP/2 with TLS 1.3, {IN_FLIGHT} in flight, to `c/h2_sink.c`, which knows of each one whether it "
    "read and answered it. *GOAWAY*: the server answers what it took, then closes. *cut*: it closes without a word; of what "
    "it read last it answers nothing, and of what was on the way neither. What the transport reports as not sent is sent again, what "
    "is in doubt is not. *time*: the median of the rounds' ratios (the ratio of the medians). A round with a lost or repeated "
    "request, or with one in doubt that the server answered or never read, fails.")


# As Tally.swift and h2_sink.c write them.
ANSWERED, IN_DOUBT = 1, 2
TIMES, WAS_ANSWERED = 7, 8


@dataclass(frozen=True)
class Fates:
    """`lost`: without an outcome, or answered by our word and not by the server's. `twice`: read more than once. `needless`: in
    doubt, but answered or never read."""

    lost: int
    twice: int
    in_doubt: int
    needless: int

    @classmethod
    def of(cls, ends: bytes, records: bytes) -> Fates:
        """`ends`: of each request, the outcome by the transport. `records`: what the server knows of it; it may end earlier."""
        pairs = list(zip(ends, records.ljust(len(ends), b"\0"), strict=True))
        return cls(
            lost=sum(end not in (ANSWERED, IN_DOUBT) or (end == ANSWERED and not known & WAS_ANSWERED) for end, known in pairs),
            twice=sum(known & TIMES > 1 for _, known in pairs),
            in_doubt=sum(end == IN_DOUBT for end, _ in pairs),
            needless=sum(end == IN_DOUBT and (known & TIMES == 0 or known & WAS_ANSWERED != 0) for end, known in pairs))


def run(bench: Bench) -> Table | None:
    chosen = [name for name in SIDES if bench.wants(name)]
    if not chosen:
        return None
    samples = Samples.of_rounds(bench, NAME, {name: partial(_once, bench, SIDES[name]) for name in chosen})
    counts = ("server_connections", "sent_again", "lost", "twice", "in_doubt", "unanswered", "on_the_way")
    rows = [[name.removeprefix(f"{OURS}, "), samples.spread(name, "rate"),
             samples.ratio(STAYS, name) if STAYS in samples.taken else "–", *(samples.count(name, part) for part in counts)]
            for name in chosen]
    return Table(NAME, COLUMNS, rows, [f"{bench.size(REQUESTS):,} {ABOUT}"])


def _once(bench: Bench, options: list[str]) -> Sample:
    requests = bench.size(REQUESTS)
    ends, records = bench.folder / "ends", bench.folder / "records"
    server = H2Sink(bench.program("h2_sink"), bench.certificates.tls(), "--record", records, *options)
    try:
        program = Program(ours(OURS, "endings"))
        sample, taken = program.post(server.endpoint, server.ca, requests, IN_FLIGHT, ends), server.stop()
    finally:
        server.close()
    fates = Fates.of(ends.read_bytes(), records.read_bytes())
    allowed = taken.unanswered + taken.on_the_way
    if fates.lost or fates.twice or fates.needless or fates.in_doubt > allowed or taken.refused:
        raise Problem(f"of {requests} requests: {fates}; the server has {taken}")
    return sample | {
        "lost": fates.lost, "twice": fates.twice, "in_doubt": fates.in_doubt, "unanswered": taken.unanswered,
        "on_the_way": taken.on_the_way, "server_connections": taken.connections}
