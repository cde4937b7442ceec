"""Devices by SQL: what a worker applies, what it costs when more changes wait, and what they cost backends and messages."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.beside import CHANGES, MESSAGES, Beside
from bench.bench import Bench
from bench.changes import Case, Changes, put
from bench.crew import Crew
from bench.enqueuing import CONTENT, times
from bench.figures import Spread, compared, shown, spread_shown
from bench.interleave import interleaved
from bench.problem import Problem
from bench.processes import run as run_process
from bench.psql import Database
from bench.sides.fanfare import Fanfare
from bench.sink import HUB
from bench.table import Table

ABOUT = "changes/s of devices, CPU a change as more wait, push.put_device beside an INSERT, messages beside changes"
TABLES = ("devices", "devices-call", "devices-beside")
WINDOW = 64
TAKEN = 10_000


def run(bench: Bench) -> Iterator[Table]:
    if chosen := [case for case in cases(bench) if bench.wants(case.name)]:
        yield _applied(bench, chosen)
    if calls := [call for call in CALLS if bench.wants(call.name)]:
        yield _called(bench, calls)
    if bench.wants("messages beside changes"):
        yield _beside(bench)


def cases(bench: Bench) -> list[Case]:
    """The first one is what the others are compared with."""
    crew = Crew(bench, device_window=WINDOW)

    def case(hub: str, queued: int) -> Case:
        taken = bench.size(TAKEN)
        return Case(f"changes, {hub}, {queued:,} waiting", crew, hub, max(bench.size(queued), taken), taken)

    return [case("sink", 10_000), case("sink", 1_000_000), case("emulator", 10_000)]


def _applied(bench: Bench, chosen: list[Case]) -> Table:
    changes = [Changes(bench, case) for case in chosen]
    samples: dict[str, list[dict[str, float]]] = {case.name: [] for case in chosen}
    for round, side, sample in interleaved(changes, bench.rounds, lambda side, _: side.round()):
        samples[side.case.name].append(sample)
        bench.record(table="devices", side=side.case.name, round=round, queued=side.case.queued, changes=side.case.taken,
                     **sample)
    for side in changes:
        side.close()
    first = samples[chosen[0].name]
    rows = []
    for case in chosen:
        of = {part: [sample[part] for sample in samples[case.name]] for part in samples[case.name][0]}
        median = {part: shown(Spread.of(values).median) for part, values in of.items()}
        ratio = "–" if samples[case.name] is first else compared(of["us"], [sample["us"] for sample in first])
        rows.append([case.hub, f"{case.queued:,}", spread_shown(Spread.of(of["rate"])), median["client_us"],
                     median["postgres_us"], ratio, median["hub_us"], median["wal_bytes"], median["peak_mb"]])
    columns = ["hub", "waiting", "changes/s", "CPU µs a change: worker", "PostgreSQL", "together, of the first row's", "hub",
               "WAL bytes a change", "resident, MB"]
    return Table("devices", columns, rows, [
        f"One `fanfare run`, `deviceWindow` {WINDOW}; every change is a `push.put_device` of another device, with two tags, a "
        f"user and a template. The worker is stopped after the first {bench.size(TAKEN):,} of those that wait. Changes/s from "
        "the first to the last request, with the emulator from the first to the last result. CPU and WAL are those of whole "
        "processes, less those of workers that find nothing. *Together*: worker and PostgreSQL, the median of the rounds' "
        "ratios (the ratio of the medians)."])


@dataclass(frozen=True)
class Call:
    """A call of push.put_device beside an INSERT of one message. `client`: as pgbench's -M; `whole`: with a user and a
    template."""

    name: str
    client: str
    whole: bool
    statements: int = 10_000

    def scripts(self) -> dict[str, str]:
        """Of both sides, for pgbench."""
        return {
            "device": f"\\set n random(1, 1000000)\nSELECT {put(':n', self.whole)};\n",
            "message": f"INSERT INTO push.message (hub, tag, content) VALUES ('{HUB}', 'World', '{CONTENT}');\n",
        }

    def command(self, folder: Path, database: Database, statements: int) -> list[str | Path]:
        files: list[str | Path] = []
        for side, script in self.scripts().items():
            file = folder / f"{side}.sql"
            file.write_text(script)
            files += ["-f", file]
        return ["pgbench", "-n", "-M", self.client, "-t", str(statements), *files, database.url]


CALLS = [
    Call("push.put_device", "simple", False), Call("push.put_device, prepared", "prepared", False),
    Call("push.put_device with user and template", "simple", True),
    Call("push.put_device with user and template, prepared", "prepared", True),
]


def _called(bench: Bench, calls: list[Call]) -> Table:
    product = Fanfare(bench)
    template = bench.cluster.database("template of calls")
    product.schema(template)
    sink = bench.sink()
    try:  # it writes the hub into push.hub, and only a hub that is there takes changes
        run_process(product.command(template, sink).words)
    finally:
        sink.close()
    samples: dict[str, list[dict[str, float]]] = {call.name: [] for call in calls}
    for round, call, sample in interleaved(calls, bench.rounds, lambda call, _: _called_once(bench, template, call)):
        samples[call.name].append(sample)
        bench.record(table="devices-call", side=call.name, round=round, statements=bench.size(call.statements), **sample)
    rows = []
    for call in calls:
        of = {part: [sample[part] for sample in samples[call.name]] for part in samples[call.name][0]}
        rows.append([f"`{call.name.partition(' ')[0].rstrip(',')}`" + call.name.removeprefix("push.put_device"),
                     spread_shown(Spread.of(of["device_us"])), spread_shown(Spread.of(of["message_us"])),
                     compared(of["device_us"], of["message_us"])])
    return Table("devices-call", ["call", "µs", "µs of an INSERT of one message", "of the INSERT's"], rows, [
        f"Both statements in turn, in random order, {bench.size(CALLS[0].statements):,} in one session over a Unix socket, each "
        "a transaction of its own, its commit included; devices are chosen from a million, so most are new. Ratios are the "
        "median of the rounds' ratios (the ratio of the medians)."])


def _called_once(bench: Bench, template: Database, call: Call) -> dict[str, float]:
    """In a fresh copy. Raises Problem unless every row is there and waits."""
    statements = bench.size(call.statements)
    database = bench.cluster.database("calls", template=template.name)
    database.execute("VACUUM ANALYZE")
    bench.cluster.postgres.execute("CHECKPOINT")
    device, message = times(run_process(call.command(bench.folder, database, statements)).output)
    there = database.number(
        "SELECT least((SELECT count(*) FROM push.installation_change), (SELECT count(*) FROM push.installation_due)) "
        "+ least((SELECT count(*) FROM push.message), (SELECT count(*) FROM push.due))")
    if there != statements:
        raise Problem(f"{call.name}: of {statements} changes and messages {there} are there and wait")
    bench.cluster.drop(database)
    return {"device_us": device * 1000, "message_us": message * 1000}


def _beside(bench: Bench) -> Table:
    sides = [Beside(bench, changes) for changes in (0, CHANGES)]
    samples: dict[int, list[dict[str, float]]] = {side.changes: [] for side in sides}
    for round, side, sample in interleaved(sides, bench.rounds, lambda side, _: side.round()):
        samples[side.changes].append(sample)
        bench.record(table="devices-beside", side=f"{side.changes} changes", round=round, messages=side.messages, **sample)
    alone = [sample["seconds"] for sample in samples[0]]
    rows = []
    for changes, taken in samples.items():
        of = {part: [sample[part] for sample in taken] for part in taken[0]}
        rows.append([f"{changes:,} changes" if changes else "nothing", spread_shown(Spread.of(of["rate"])),
                     spread_shown(Spread.of(of["seconds"])), compared(of["seconds"], alone) if changes else "–",
                     shown(Spread.of(of["meanwhile"]).median) if changes else "–", spread_shown(Spread.of(of["wall"]))])
    columns = ["waiting beside", "messages/s", "seconds of the messages", "of those without changes",
               "changes applied meanwhile", "seconds of the whole drain"]
    return Table("devices-beside", columns, rows, [
        f"`fanfare drain` of {bench.size(MESSAGES):,} messages, one post each, window 64, `deviceWindow` 8; the sink answers at "
        "once. *Seconds of the messages*: from the first to the last of their requests; the drain goes on until the changes "
        "are applied too. Ratios are the median of the rounds' ratios (the ratio of the medians)."])
