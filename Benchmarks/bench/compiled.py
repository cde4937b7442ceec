"""The C programs of Benchmarks/c, compiled on demand and kept until a source changes."""
from __future__ import annotations

import os
import subprocess
from pathlib import Path

from bench.problem import Problem

FOLDER = Path(__file__).parent.parent
# The sinks speak TLS themselves; the loops have it from libcurl, and h2_loop asks OpenSSL for HTTP/2.
LIBRARIES = {
    "sink": ["libssl", "libcrypto"], "curl_loop": ["libcurl"], "store_loop": ["libpq"], "pace": ["libpq"],
    "h2_sink": ["libnghttp2", "libssl", "libcrypto"], "h2_loop": ["libcurl", "libnghttp2", "libssl", "libcrypto"]}
# Parts of a program that another one has, too.
SHARED = {
    "h2_sink": ["sink_tls.c", "sink_tls.h", "apple_post.h"], "h2_loop": ["apple_post.h"], "curl_loop": ["apple_post.h"]}


def sources(name: str) -> list[Path]:
    """NAME.c, and its parts: NAME_*.c with their headers, and what it shares."""
    folder = FOLDER / "c"
    shared = [folder / part for part in SHARED.get(name, [])]
    return [folder / f"{name}.c", *sorted(folder.glob(f"{name}_*.[ch]")), *shared]


def program(name: str) -> Path:
    files, built = sources(name), FOLDER / ".build" / "c" / name
    if built.exists() and built.stat().st_mtime > max(file.stat().st_mtime for file in files):
        return built
    built.parent.mkdir(parents=True, exist_ok=True)
    flags = [flag for library in LIBRARIES[name] for flag in _flags(library)]
    compiler, units = os.environ.get("CC", "cc"), [str(file) for file in files if file.suffix == ".c"]
    try:
        compiled = subprocess.run(
            [compiler, "-O2", "-Wall", *units, "-o", str(built), "-lpthread", *flags], capture_output=True, text=True)
    except FileNotFoundError:
        raise Problem(f"there is no C compiler here ({compiler}): bin/setup --bench") from None
    if compiled.returncode:
        raise Problem(f"{name}.c does not compile:\n{compiled.stderr[-2000:]}")
    return built


def _flags(library: str) -> list[str]:
    asked = subprocess.run(["pkg-config", "--cflags", "--libs", library], capture_output=True, text=True)
    if asked.returncode:
        raise Problem(f"{library} is missing: bin/setup --bench")
    return asked.stdout.split()
