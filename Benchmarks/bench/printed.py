"""The line a measuring program prints: `rps=43210 cpu_us/req=18.51 failed=0`."""
from __future__ import annotations

from bench.problem import Problem


def figures(output: str) -> dict[str, float]:
    """The figures of its last line, by name."""
    lines = output.strip().splitlines()
    try:
        pairs = [word.partition("=") for word in lines[-1].split()]
        return {name: float(value) for name, _, value in pairs}
    except (IndexError, ValueError):
        raise Problem(f"a line of name=number was expected, not: {output[-300:] or 'nothing'}") from None
