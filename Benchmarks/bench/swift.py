"""Release builds of Swift programs. Their progress goes to standard error."""
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from bench.problem import Problem

ROOT = Path(__file__).parent.parent.parent


def built(product: str, package: Path = ROOT) -> Path:
    command = ["swift", "build", "-c", "release", "--package-path", str(package), "--product", product]
    print(f"bench: {' '.join(command)}", file=sys.stderr)
    if subprocess.run(command, stdout=sys.stderr).returncode:
        raise Problem(f"{product} does not build")
    shown = subprocess.run([*command, "--show-bin-path"], capture_output=True, text=True)
    return Path(shown.stdout.strip().splitlines()[-1]) / product
