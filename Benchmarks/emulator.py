#!/usr/bin/env python3
"""How many sends a second the emulator takes on one core, for one or more builds of fanfare-emulator in turn.

    Benchmarks/emulator.py [--rounds 6] .build-release/release/fanfare-emulator [an older build ...]

Every build runs `fanfare-emulator` on core 0; wrk sends from core 1 over 64 connections: signed template sends to a tag
without devices. The builds take turns of two seconds, so that other load affects all of them alike. Needs wrk
(apt-get install wrk) and two cores.
"""
import argparse
import base64
import hashlib
import hmac
import json
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

SLICE = 2  # seconds
BODY = json.dumps({"message_en": "Hello World, what a day", "message_de": "Hallo Welt"})


def token(endpoint, hub, key_name, key):
    scope = urllib.parse.quote(f"{endpoint}/{hub}", safe="").lower()
    end = str(int(time.time()) + 86_400)
    digest = hmac.new(key.encode(), f"{scope}\n{end}".encode(), hashlib.sha256).digest()
    signature = urllib.parse.quote(base64.b64encode(digest).decode(), safe="")
    return f"SharedAccessSignature sr={scope}&sig={signature}&se={end}&skn={key_name}"


class Build:
    """One running emulator."""

    def __init__(self, binary, folder, number):
        self.binary = binary
        self.process = subprocess.Popen(
            ["taskset", "-c", "0", binary, "--listen", "127.0.0.1:0", "--hub", "news", "--quiet"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        text = ""
        while "SharedAccessKey=" not in text:
            line = self.process.stdout.readline()
            if not line:
                sys.exit(f"{binary} did not start; try: {binary} --listen 127.0.0.1:0")
            text += line
        key = re.search(r"SharedAccessKeyName=([^;\s]+);SharedAccessKey=([^;\s\"']+)", text)
        endpoint = "http://" + re.search(r"127\.0\.0\.1:\d+", text)[0]
        self.url = f"{endpoint}/news/messages?api-version=2020-06"
        self.script = folder / f"{number}.lua"
        headers = {
            "Authorization": token(endpoint, "news", key[1], key[2]),
            "Content-Type": "application/json;charset=utf-8",
            "ServiceBusNotification-Format": "template",
            "ServiceBusNotification-Tags": "user_12345 && lang_en",
        }
        lines = ['wrk.method = "POST"', f"wrk.body = [[{BODY}]]"]
        lines += [f'wrk.headers["{name}"] = "{value}"' for name, value in headers.items()]
        lines.append(
            "done = function(s) local e = s.errors; io.write(string.format('RESULT %d %d %d\\n', s.requests, "
            "s.duration, e.status + e.connect + e.read + e.write + e.timeout)) end")
        self.script.write_text("\n".join(lines))

    def cpu(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / 100

    def round(self):
        """CPU microseconds per send, and sends per second."""
        before = self.cpu()
        printed = subprocess.check_output(
            ["taskset", "-c", "1", "wrk", "-t1", "-c64", f"-d{SLICE}", "-s", str(self.script), self.url], text=True)
        sends, duration, errors = map(int, re.search(r"RESULT (\d+) (\d+) (\d+)", printed).groups())
        if errors:
            sys.exit(f"{self.binary}: {errors} of {sends} sends failed\n{printed}")
        return (self.cpu() - before) / sends * 1e6, sends / duration * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries", nargs="+", metavar="BINARY")
    parser.add_argument("--rounds", type=int, default=6)
    asked = parser.parse_args()
    for tool in ("wrk", "taskset"):
        if not shutil.which(tool):
            sys.exit(f"{tool} is missing: apt-get install wrk util-linux")
    builds = []
    try:
        with tempfile.TemporaryDirectory() as folder:
            for number, binary in enumerate(asked.binaries):
                builds.append(Build(binary, pathlib.Path(folder), number))
            for build in builds:
                build.round()  # warms up
            figures = {build: [] for build in builds}
            for _ in range(asked.rounds):
                for build in builds:
                    figures[build].append(build.round())
    finally:
        for build in builds:
            build.process.kill()
    for build, rounds in figures.items():
        cpu, rate = zip(*rounds)
        print(f"{build.binary}: {statistics.median(rate):,.0f} sends/s ({min(rate):,.0f} to {max(rate):,.0f}), "
              f"{statistics.median(cpu):.0f} us CPU a send ({min(cpu):.0f} to {max(cpu):.0f})")


if __name__ == "__main__":
    main()
