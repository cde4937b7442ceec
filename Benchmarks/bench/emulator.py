"""The emulator as the hub, started for each run."""
from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from bench.problem import Problem
from bench.sink import HUB

CONNECTION = re.compile(r"Endpoint=\S+;SharedAccessKeyName=\S+;SharedAccessKey=\S+")


class Emulator:
    """Listens on a free port of 127.0.0.1 until `stop`."""

    def __init__(self, program: Path) -> None:
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig=TERM", "--", program, "--listen", "127.0.0.1:0", "--hub", HUB, "--quiet"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True)
        assert self.process.stdout
        said = ""
        for line in self.process.stdout:
            said += line
            if found := CONNECTION.search(line):
                self.connection_string = found[0]
                return
        raise Problem(f"the emulator did not start: {said.strip() or 'it said nothing'}")

    def stop(self) -> float:
        """Its CPU seconds."""
        self.process.terminate()
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        if self.process.returncode:
            raise Problem(f"the emulator ended with {self.process.returncode}")
        return usage.ru_utime + usage.ru_stime

    def close(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
            self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()
