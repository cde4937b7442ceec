"""How near the plan of a sample comes to the requests that a run then makes: 20 audiences of 200,000."""
from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bench.bench import Bench
from bench.plan.row import row
from bench.problem import Problem
from bench.processes import run as run_process
from bench.psql import Database
from bench.sides.fanfare import Fanfare
from bench.sink import HUB, KEY, KEY_NAME
from bench.table import Table

NAME, TABLE = "sample", "plan-sample"
RECIPIENTS = 200_000
LOCALES = [f"{language}-{region}" for language in ("en", "fr", "de", "es", "pt", "ar", "zh", "ja") for region in
           ("US", "FR", "CA", "BE", "CH")]
EXPANDED = """
    DO $$ DECLARE made record; BEGIN
        FOR made IN SELECT id FROM push.stream LOOP
            WHILE NOT (SELECT e.done FROM push_worker.expand_v1(made.id, 10000) e) LOOP
                COMMIT;
            END LOOP;
        END LOOP;
    END $$"""
TEXTS = {
    "equal": {"": "World news for everyone"},
    "personal": {"": "{{name}}, there is news for you"},
    "half without a name": {"": "{{name|friend}}, there is news for you"},
    "one language": {"en-US": "News", "fr-FR": "Nouvelles"},
    "40 languages": {locale: f"News in {locale}" for locale in LOCALES},
}


@dataclass(frozen=True)
class Kind:
    """`texts`: a name of TEXTS. `handles`: reached by one of its own, else by a tag. `packs`: contents may share a post."""

    texts: str
    handles: bool
    packs: bool

    @property
    def spec(self) -> dict[str, Any]:
        def content(text: str) -> dict[str, Any]:
            return {"aps": {"alert": text}} if self.handles else {"title": text}

        contents = {locale: content(text) for locale, text in TEXTS[self.texts].items()}
        return {"hubs": [HUB], "audience": {"view": "marketing.people"}, "content": contents, "pack": self.packs,
                **({"fallback": next(iter(contents))} if "" not in contents else {}),
                **({"format": "apple"} if self.handles else {})}

    @property
    def view(self) -> str:
        """Columns of the view of `n`."""
        name = {"personal": "json_build_object('name', 'Ada ' || n)",
                "half without a name": "CASE WHEN n % 2 = 0 THEN json_build_object('name', 'Ada ' || n) END"}
        locale = {"one language": "'fr-FR'", "40 languages": f"(ARRAY{LOCALES})[n % 40 + 1]"}
        reached = "md5(n::text) || md5((-n)::text) AS handle" if self.handles else "'user_' || n AS tag"
        return (f"n AS key, {reached}, {locale.get(self.texts, 'NULL::text')} AS locale, "
                f"{name.get(self.texts, 'NULL::json')} AS properties")


@dataclass(frozen=True)
class Readers(Fanfare):
    """A hub that tells the 40 languages apart, with an audience in a table."""

    def schema(self, database: Database) -> None:
        nowhere = f"Endpoint=http://127.0.0.1:9/;SharedAccessKeyName={KEY_NAME};SharedAccessKey={KEY}"
        run_process([self.bench.fanfare, "migrate", "up", "--config", self._settings(database, nowhere)])
        sink = self.bench.sink()
        try:  # it writes the hub into push.hub, which a spec names
            run_process(self.command(database, sink).words)
        finally:
            sink.close()
        database.execute(
            f"""CREATE SCHEMA marketing; CREATE TABLE marketing.customer (n bigint PRIMARY KEY);
                INSERT INTO marketing.customer SELECT generate_series(1, {self.messages});
                GRANT USAGE ON SCHEMA marketing TO push_audience; VACUUM ANALYZE marketing.customer""")

    def plan(self, database: Database, *more: str) -> str:
        nowhere = f"Endpoint=http://127.0.0.1:9/;SharedAccessKeyName={KEY_NAME};SharedAccessKey={KEY}"
        settings = self._settings(database, nowhere)
        return run_process([self.bench.fanfare, "plan", *more, "--config", settings]).output

    def _write(self, database: Database, hub: dict[str, object], ca=None):
        words = {locale: locale.replace("-", "") for locale in LOCALES}
        return super()._write(database, {**hub, "languages": words, "fallback": "en-US"}, ca)


def kinds() -> Iterator[Kind]:
    for texts in TEXTS:
        for handles in (False, True):
            for packs in (True, False):
                yield Kind(texts, handles, packs)


def run(bench: Bench) -> Table | None:
    if not bench.wants(NAME):
        return None
    product = Readers(bench, bench.size(RECIPIENTS))
    template = bench.cluster.database("template of audiences")
    product.schema(template)
    off: dict[str, list[float]] = {"planned": [], "sent": []}
    for kind in kinds():
        sample = {**planned(bench, product, template, kind), "sent": sent(bench, product, template, kind)}
        for what, taken in off.items():
            taken.append(abs(sample["estimate"] / sample[what] - 1) * 100)
        bench.record(
            table=TABLE, side=NAME, texts=kind.texts, handles=str(kind.handles), packs=str(kind.packs), **sample)
    bench.cluster.drop(template)
    return Table(TABLE, ["requests by the first 10,000 recipients, off by %", "median of 20 audiences (least to most)", "bar"], [
        row("of the plan of all that were made", off["planned"], "5"),
        row("of the requests of a run that made them while it sent", off["sent"], "–")], [
        f"Audiences of {product.messages:,}: equal, personal, half without a name, in one language and in 40; each by tags and by "
        "handles, with contents that share posts and without. The plan of all is `fanfare plan --due` after "
        "`push_worker.expand_v1` has made every message. A run makes them while it sends, and a claim that finds fewer than "
        "1,000 fills its posts less."])


def made(bench: Bench, template: Database, kind: Kind) -> Database:
    """A copy with the audience and its campaign."""
    database = bench.cluster.database("audience", template=template.name)
    spec = json.dumps(kind.spec, separators=(",", ":"))
    database.execute(
        f"""CREATE VIEW marketing.people AS SELECT {kind.view} FROM marketing.customer;
            GRANT SELECT ON marketing.people TO push_audience;
            SELECT * FROM push.create_campaign('readers', $spec${spec}$spec$)""")
    return database


def planned(bench: Bench, product: Readers, template: Database, kind: Kind) -> dict[str, float]:
    """The requests by the sample, and by the plan of all messages."""
    database = made(bench, template, kind)
    hub, = json.loads(product.plan(database, "--campaign", "readers", "--json"))["hubs"]
    database.execute("SELECT * FROM push.start_run('readers', 'whole')")
    database.execute(EXPANDED)
    whole = re.search(r"→ +([0-9,]+) posts", product.plan(database, "--due", "--limit", str(product.messages)))
    if not whole:
        raise Problem(f"{kind}: the plan of all says nothing of posts")
    bench.cluster.drop(database)
    return {"estimate": hub["posts"] * hub["scale"], "planned": int(whole[1].replace(",", ""))}


def sent(bench: Bench, product: Readers, template: Database, kind: Kind) -> int:
    """The requests that the sink gets from a run."""
    database = made(bench, template, kind)
    database.execute("SELECT * FROM push.start_run('readers', 'whole')")
    sink = bench.sink()
    try:
        run_process(product.command(database, sink).words)
        taken = sink.stop()
    finally:
        sink.close()
    accepted = product.finished(database)
    if (accepted, taken.refused) != (product.messages, 0):
        raise Problem(f"{kind}: of {product.messages} recipients {accepted} were accepted, the sink has {taken}")
    bench.cluster.drop(database)
    return taken.requests
