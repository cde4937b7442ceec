"""The peers' own Python: a virtual environment with exactly what Benchmarks/peers/requirements.txt names."""
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from bench.problem import Problem

FOLDER = Path(__file__).parent.parent
REQUIREMENTS = FOLDER / "peers" / "requirements.txt"


def python() -> Path:
    """Its interpreter. Makes the environment first, and again when the requirements changed."""
    folder = FOLDER / ".venv"
    stamp = folder / REQUIREMENTS.name
    if stamp.exists() and stamp.read_text() == REQUIREMENTS.read_text():
        return folder / "bin" / "python"
    print("bench: installing the peers into Benchmarks/.venv", file=sys.stderr)
    for command in (
        [sys.executable, "-m", "venv", "--clear", folder],
        [folder / "bin" / "pip", "install", "-q", "--disable-pip-version-check", "-r", REQUIREMENTS],
    ):
        made = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        if made.returncode:
            raise Problem(f"cannot install the peers (bin/setup --bench):\n{(made.stdout + made.stderr)[-2000:]}")
    stamp.write_text(REQUIREMENTS.read_text())
    return folder / "bin" / "python"
