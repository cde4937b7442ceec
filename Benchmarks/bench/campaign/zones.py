"""An audience in 38 time zones, and a campaign that is sent by everybody's own clock or to all at once."""
from __future__ import annotations

from dataclasses import dataclass

from bench.campaign import audience
from bench.campaign.sides import Run
from bench.psql import Database

# All that are whole hours from UTC, and cities of those that are not.
ZONES = [*(f"Etc/GMT{12 - n:+d}".replace("+0", "") for n in range(27)),
         "America/St_Johns", "Asia/Kabul", "Asia/Kathmandu", "Asia/Kolkata", "Asia/Tehran", "Asia/Yangon",
         "Australia/Adelaide", "Australia/Darwin", "Australia/Lord_Howe", "Pacific/Chatham", "Pacific/Marquesas"]
# Midnight of the date where days begin last: it has passed everywhere.
LOCAL = {"time": "00:00", "default": "Etc/GMT+12"}


@dataclass(frozen=True)
class ZonedRun(Run):
    """A run to an audience whose rows have a zone. `local`: by everybody's own clock, whose hour has passed everywhere."""

    local: bool = False

    @property
    def name(self) -> str:
        return f"a run to {len(ZONES)} zones" if self.local else "a run to all at once"

    def schema(self, database: Database) -> None:
        super().schema(database)
        give_zones(database)
        if self.local:
            audience.create(database, {**audience.spec(self.handles), "local": LOCAL})


def give_zones(database: Database) -> None:
    """A zone for each recipient, and the index that docs/campaigns.md asks for."""
    names = ", ".join(f"'{zone}'" for zone in ZONES)
    database.execute(
        f"""ALTER TABLE marketing.customer ADD zone text;
            UPDATE marketing.customer SET zone = (ARRAY[{names}])[1 + id % {len(ZONES)}];
            CREATE INDEX ON marketing.customer (zone, id);
            CREATE OR REPLACE VIEW {audience.VIEW} AS
            SELECT id AS key, 'user_' || id AS tag, zone AS time_zone FROM marketing.customer""")
    database.execute("VACUUM FULL ANALYZE marketing.customer")
