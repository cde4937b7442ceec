"""How large the binary is, and what of it is the pages'."""
from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from bench.bench import Bench
from bench.figures import shown
from bench.problem import Problem
from bench.processes import run
from bench.swift import ROOT

NAME = "size"
MODULES = ("Console", "Pages", "Mustache")
# A mangled name has each module with the length of its name before it.
MANGLED = re.compile(r"(?<![0-9])(?:" + "|".join(f"{len(module)}({module})" for module in MODULES) + ")")
FILES = (".css", ".js", ".mustache", ".svg")


def rows(bench: Bench) -> list[list[str]]:
    program = bench.fanfare
    sizes = by_module(run(["nm", "--defined-only", "--print-size", program]).output.splitlines())
    if not sizes:
        raise Problem(f"{program} has no symbols: give a build that is not stripped")
    whole = stripped(bench, program)
    rows = [["`fanfare`, stripped, MB", megabytes(whole), "–"]]
    if bench.older:
        rows.append(["of those, more than the older build, MB", megabytes(whole - stripped(bench, bench.older)), "2"])
    rows += [[f"code and data of the module {module}, by their symbols, kB", shown(size / 1000), "–"]
             for module, size in sizes.items()]
    rows.append(["its style sheets, scripts, templates and icons, kB", shown(files() / 1000), "–"])
    for side, size in [*sizes.items(), ("files", files()), ("stripped", whole)]:
        bench.record(table="console", side=NAME, part=side, bytes=size)
    return rows


def by_module(lines: Iterable[str]) -> dict[str, int]:
    """Bytes of the symbols of each module, by what `nm --print-size` says. What the compiler made of another module's generic code for
    a type of one of them counts as that one's. Pure."""
    sizes = {module: 0 for module in MODULES}
    seen: set[tuple[str, str]] = set()
    for line in lines:
        words = line.split(None, 3)
        # Without a size it is a mark, and at the same place twice it is another name for the same.
        if len(words) != 4 or words[2] in "uU" or tuple(words[:2]) in seen:
            continue
        if found := MANGLED.search(words[3]):
            seen.add((words[0], words[1]))
            sizes[next(filter(None, found.groups()))] += int(words[1], 16)
    return sizes if any(sizes.values()) else {}


def stripped(bench: Bench, program: Path) -> int:
    """Bytes of a program without its symbols, as packages have it."""
    if not shutil.which("strip"):
        raise Problem("strip is missing: bin/setup --bench")
    copy = bench.folder / "stripped"
    subprocess.run(["strip", "--strip-unneeded", "-o", copy, program], check=True)
    size = copy.stat().st_size
    copy.unlink()
    return size


def files() -> int:
    """Bytes of what stands in files, and is compiled in without a symbol."""
    return sum(file.stat().st_size for module in ("Console", "Pages") for file in (ROOT / "Sources" / module).rglob("*")
               if file.suffix in FILES)


def megabytes(size: int) -> str:
    return f"{size / 1e6:.2f}"
