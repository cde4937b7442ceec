"""An Apple developer's key for the sides that speak APNs. It is made for the run; the sink checks nothing of it."""
from __future__ import annotations

from pathlib import Path

from bench.processes import run

TEAM, KEY_ID, TOPIC = "BENCHTEAM0", "BENCHKEY00", "com.example.shop"
# The device token of message n, in SQL.
DEVICE = "lpad(to_hex(n), 64, '0')"


def key(folder: Path) -> str:
    """The text of its .p8 file, which stays in `folder`."""
    file = folder / "provider.p8"
    if not file.exists():
        run(["openssl", "genpkey", "-quiet", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", file])
    return file.read_text()
