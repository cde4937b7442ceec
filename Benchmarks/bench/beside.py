"""A drain of messages, with and without changes of devices that wait beside them."""
from __future__ import annotations

from bench.bench import Bench
from bench.changes import fill
from bench.problem import Problem
from bench.processes import Started, run
from bench.sides.fanfare import Fanfare

MESSAGES, CHANGES = 50_000, 20_000


class Beside:
    """One side: `changes` wait beside the messages. Each round drains a fresh copy of the schema into a fresh sink."""

    def __init__(self, bench: Bench, changes: int) -> None:
        self.bench = bench
        self.messages, self.changes = bench.size(MESSAGES), bench.size(changes) if changes else 0
        self.product = Fanfare(bench, self.messages)
        self.template = bench.cluster.database(f"template beside {changes}")
        self.product.schema(self.template)
        sink = bench.sink()
        try:  # it writes the hub into push.hub, and only a hub that is there takes changes
            run(self.product.command(self.template, sink).words)
        finally:
            sink.close()

    def round(self) -> dict[str, float]:
        cluster = self.bench.cluster
        database = cluster.database("beside", template=self.template.name)
        self.product.fill(database, self.messages)
        if self.changes:
            fill(database, 1, self.changes)
        database.execute("VACUUM ANALYZE")
        cluster.postgres.execute("CHECKPOINT")
        sink = self.bench.sink(tell_at=self.messages)
        drain = Started(self.product.command(database, sink).words)
        try:
            seconds = sink.reached(600)
            meanwhile = sink.others
            ran = drain.ended(timeout=600)
            taken = sink.stop()
        finally:
            drain.close()
            sink.close()
        self._check(self.product.finished(database), database.number(
            "SELECT count(*) FROM push.installation_result WHERE status = 'applied'"), taken)
        cluster.drop(database)
        return {"seconds": seconds, "rate": self.messages / seconds, "meanwhile": meanwhile, "wall": ran.wall}

    def _check(self, sent: int, applied: int, taken) -> None:
        """Raises Problem unless every message was posted and recorded once, and so was every change."""
        if (sent, applied) != (self.messages, self.changes) or (taken.requests, taken.puts, taken.refused) != (
                self.messages, self.changes, 0):
            raise Problem(
                f"of {self.messages} messages {sent} are recorded as sent, of {self.changes} changes {applied} as applied, and "
                f"the sink has {taken}")
