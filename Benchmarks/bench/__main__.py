"""bin/bench: see its head, or Benchmarks/README.md."""
from __future__ import annotations

import argparse
import importlib
import json
import pkgutil
import shlex
import signal
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from bench import groups, machine, table
from bench.bench import Bench
from bench.cluster import base
from bench.problem import Problem
from bench.swift import ROOT

# Each table stands on one of them, between its markers.
PAGES = (ROOT / "docs" / "performance.md", ROOT / "docs" / "measurements.md")


def all_groups() -> dict[str, ModuleType]:
    names = sorted(module.name for module in pkgutil.iter_modules(groups.__path__))
    return {name: importlib.import_module(f"bench.groups.{name}") for name in names}


def parsed(arguments: list[str], known: dict[str, ModuleType]) -> argparse.Namespace:
    about = "\n".join(f"  {name:<10} {module.ABOUT}" for name, module in known.items())
    parser = argparse.ArgumentParser(
        prog="bin/bench", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Measures Fanfare, its parts and its peers on this machine, side by side.",
        epilog=f"groups (default: all):\n{about}\n\nhow to read the figures: Benchmarks/README.md")
    parser.add_argument("groups", nargs="*", metavar="GROUP")
    parser.add_argument("--rounds", type=int, default=5, help="how often every side is measured (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="few messages: shows that all works, and no figure to keep")
    parser.add_argument("--side", action="append", default=[], metavar="NAME", help="only this side of a group; repeatable")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every single measurement there")
    parser.add_argument("--write", action="store_true", help="put the tables into their pages of docs/")
    parser.add_argument("--no-strace", action="store_true", help="count no system calls")
    parser.add_argument("--fanfare", type=Path, metavar="FILE", help="a release build to measure (default: build one)")
    parser.add_argument("--emulator", type=Path, metavar="FILE", help="the same of fanfare-emulator")
    parser.add_argument(
        "--older", type=Path, metavar="FILE", help="a release build from before a change, beside it in the groups metrics and console")
    asked = parser.parse_args(arguments)
    if unknown := [name for name in asked.groups if name not in known]:
        parser.error(f"there is no group {unknown[0]}; there are: {', '.join(known)}")
    if asked.rounds < 1:
        parser.error("--rounds must be at least 1")
    if asked.write and (asked.quick or asked.side):
        parser.error("--write wants whole figures: without --quick and --side")
    for file in (asked.fanfare, asked.emulator, asked.older):
        if file and not file.is_file():
            parser.error(f"there is no file {file}")
    return asked


def shown(asked: argparse.Namespace) -> str:
    """The command that repeats the measurement, without options that only fit this machine."""
    words = ["bin/bench", *asked.groups, "--rounds", str(asked.rounds)]
    words += ["--quick"] * asked.quick + ["--no-strace"] * asked.no_strace
    words += ["--older", "FILE"] if asked.older else []  # without it there is a row less
    return shlex.join([*words, *(word for side in asked.side for word in ("--side", side))])


def main(arguments: list[str]) -> int:
    known = all_groups()
    asked = parsed(arguments, known)
    # Raised as an exception, so that server, sinks and files are removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    bench = Bench(
        rounds=asked.rounds, quick=asked.quick, sides=frozenset(asked.side), with_strace=not asked.no_strace,
        given_fanfare=asked.fanfare and asked.fanfare.resolve(),
        given_emulator=asked.emulator and asked.emulator.resolve(), older=asked.older and asked.older.resolve())
    command = shown(asked)
    runs = []
    try:
        if asked.write:  # fails now, and not after hours
            for name in [name for group in asked.groups or known for name in known[group].TABLES]:
                table.page_of(PAGES, name)
        for name in asked.groups or known:
            bench.say(f"{name}: {known[name].ABOUT}")
            facts, before = machine.facts(base()), machine.load()
            for made in known[name].run(bench):  # no table when none of its sides was selected
                if "cluster" in bench.__dict__:
                    facts["postgresql"] = bench.cluster.version
                line = machine.sentence(facts, asked.rounds, (before, machine.load()), command)
                made = replace(made, notes=[*made.notes, line])
                runs.append({"table": made.name, "machine": facts})
                print(f"\n{made.name}\n\n{made.markdown()}", flush=True)
                if asked.write:
                    table.write(table.page_of(PAGES, made.name), [made])
        if not runs:
            raise Problem(f"no side is named {' or '.join(asked.side)}")
    except (Problem, ValueError) as problem:
        print(f"bin/bench: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        bench.close()
        if asked.json:
            asked.json.write_text(json.dumps({"command": command, "runs": runs, "samples": bench.raw}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
