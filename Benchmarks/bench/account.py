"""A Google service account for the sides that speak FCM. Its key is made for the run; the sink checks nothing of it."""
from __future__ import annotations

import json
from pathlib import Path

from bench.processes import run

PROJECT = "sink"


def account(folder: Path, endpoint: str) -> str:
    """The text of its file, which leads to the token endpoint of the sink. The key stays in `folder`."""
    key = folder / "account.pem"
    if not key.exists():
        run(["openssl", "genpkey", "-quiet", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", key])
    return json.dumps({
        "type": "service_account", "project_id": PROJECT, "private_key_id": "1", "private_key": key.read_text(),
        "client_email": f"bench@{PROJECT}.iam.gserviceaccount.com", "token_uri": f"{endpoint}/token"})
