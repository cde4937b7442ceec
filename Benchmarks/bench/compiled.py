"""The C programs of Benchmarks/c, compiled on demand and kept until their source changes."""
from __future__ import annotations

import os
import subprocess
from pathlib import Path

from bench.problem import Problem

FOLDER = Path(__file__).parent.parent
LIBRARIES = {"sink": [], "curl_loop": ["libcurl"], "store_loop": ["libpq"], "pace": ["libpq"]}


def program(name: str) -> Path:
    source, built = FOLDER / "c" / f"{name}.c", FOLDER / ".build" / "c" / name
    if built.exists() and built.stat().st_mtime > source.stat().st_mtime:
        return built
    built.parent.mkdir(parents=True, exist_ok=True)
    flags = [flag for library in LIBRARIES[name] for flag in _flags(library)]
    command = [os.environ.get("CC", "cc"), "-O2", "-Wall", str(source), "-o", str(built), "-lpthread", *flags]
    try:
        compiled = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        raise Problem(f"there is no C compiler here ({command[0]}): bin/setup --bench") from None
    if compiled.returncode:
        raise Problem(f"{source.name} does not compile:\n{compiled.stderr[-2000:]}")
    return built


def _flags(library: str) -> list[str]:
    asked = subprocess.run(["pkg-config", "--cflags", "--libs", library], capture_output=True, text=True)
    if asked.returncode:
        raise Problem(f"{library} is missing: bin/setup --bench")
    return asked.stdout.split()
