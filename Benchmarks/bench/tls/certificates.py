"""Certificates for sinks over TLS, made for one run: an authority, and a server certificate for each kind of key."""
from __future__ import annotations

import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bench.problem import Problem

VERSIONS = ("1.3", "1.2")
KEYS = {"ECDSA": ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"], "RSA": ["rsa:2048"]}
# The addresses of every sink. Without the key identifiers, Python 3.13 refuses a certificate.
EXTENSIONS = """\
subjectAltName = IP:127.0.0.1, DNS:localhost
basicConstraints = critical, CA:FALSE
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
"""


@dataclass(frozen=True)
class TLS:
    """What a sink speaks, and only that. `version` is "1.3" or "1.2"; `kind`, "ECDSA" (P-256) or "RSA" (2048 bits), is the
    kind of its key; `ca` is the file that a client has to trust."""

    version: str
    kind: str
    certificate: Path
    key: Path
    ca: Path

    @property
    def name(self) -> str:
        return f"TLS {self.version}, {self.kind}"

    @property
    def options(self) -> list[str | Path]:
        """Those of the sink."""
        return ["--tls", self.version, "--certificate", self.certificate, "--key", self.key]


def named(side: str, tls: TLS | None) -> str:
    """The name of a side that speaks this."""
    return f"{side}, {tls.name if tls else 'plain'}"


class Certificates:
    """Made on first use, in a folder that is removed after the run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ca, self.ca_key = folder / "ca.pem", folder / "ca.key"
        self.server = cache(self._server)

    def tls(self, version: str = "1.3", kind: str = "ECDSA") -> TLS:
        return TLS(version, kind, *self.server(kind), self.ca)

    def _server(self, kind: str) -> tuple[Path, Path]:
        if not self.ca.exists():
            self._make_authority()
        certificate, key, asked = (self.folder / f"server-{kind}.{end}" for end in ("pem", "key", "csr"))
        extensions = self.folder / "server.cnf"
        extensions.write_text(EXTENSIONS)
        _openssl("req", "-new", "-newkey", *KEYS[kind], "-nodes", "-subj", "/CN=127.0.0.1", "-keyout", key, "-out", asked)
        _openssl("x509", "-req", "-in", asked, "-CA", self.ca, "-CAkey", self.ca_key, "-CAcreateserial", "-days", "30",
                 "-extfile", extensions, "-out", certificate)
        return certificate, key

    def _make_authority(self) -> None:
        _openssl("req", "-x509", "-newkey", *KEYS["RSA"], "-nodes", "-days", "30", "-subj", "/CN=Authority of the benchmark",
                 "-addext", "keyUsage=critical,keyCertSign", "-keyout", self.ca_key, "-out", self.ca)


def _openssl(*words: str | Path) -> None:
    try:
        ran = subprocess.run(["openssl", *map(str, words)], capture_output=True, text=True)
    except FileNotFoundError:
        raise Problem("there is no openssl here: bin/setup") from None
    if ran.returncode:
        raise Problem(f"openssl {words[0]} failed:\n{ran.stderr[-2000:]}")
