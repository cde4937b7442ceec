"""A private PostgreSQL that keeps its promises: fsync and synchronous_commit on, in a directory of its own."""
from __future__ import annotations

import fcntl
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TextIO

from bench import machine
from bench.problem import Problem
from bench.processes import tree_cpu
from bench.psql import Database

# Checkpoints come between the measurements and not into them; what a commit promises is as PostgreSQL ships it.
SETTINGS = {
    "listen_addresses": "", "port": "5432", "fsync": "on", "synchronous_commit": "on", "full_page_writes": "on",
    "shared_buffers": "512MB", "max_wal_size": "8GB", "checkpoint_timeout": "1h", "max_connections": "200",
    "dynamic_shared_memory_type": "mmap",
}


PREFIX = "fanfare-bench-pg-"


class Cluster:
    """Started when it is made, gone when it is closed. As root it runs as user postgres."""

    def __init__(self) -> None:
        programs, user = _programs(), _unprivileged()
        _sweep()
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=base()))
        self.owner = _locked(self.folder / "owner")
        if user:
            os.chown(self.folder, user.pw_uid, user.pw_gid)
        data, log = self.folder / "data", self.folder / "log"
        # It shares no environment with us: nothing that begins with PG reaches it.
        clean = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
        # It ends when we do, however that happens.
        with_us = ["setpriv", "--pdeathsig=INT"]
        if user:
            with_us += [f"--reuid={user.pw_name}", f"--regid={user.pw_gid}", "--init-groups"]
        made = subprocess.run(
            [*with_us, "--", programs / "initdb", "-D", data, "-A", "trust", "-U", "postgres", "--locale=C.UTF-8",
             "--encoding=UTF8"], env=clean, cwd="/", capture_output=True, text=True)
        if made.returncode:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise Problem(f"cannot make a database cluster:\n{made.stderr[-2000:]}")
        settings = SETTINGS | {"unix_socket_directories": str(self.folder)}
        self.counts_statements = (_libraries(programs) / "pg_stat_statements.so").exists()
        if self.counts_statements:
            # Off until a round asks for it (statements.py): it must cost nothing where time is measured.
            settings |= {"shared_preload_libraries": "pg_stat_statements", "pg_stat_statements.track": "none"}
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        with log.open("w") as output:
            self.server = subprocess.Popen(
                [*with_us, "--", programs / "postgres", "-D", data, *options],
                env=clean, cwd="/", stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)
        self.postgres = Database(str(self.folder), "postgres")
        self._wait(log)
        if self.counts_statements:
            self.postgres.execute("CREATE EXTENSION pg_stat_statements")

    def _wait(self, log: Path) -> None:
        until = time.monotonic() + 60
        while not self.postgres.answers():
            if self.server.poll() is not None or time.monotonic() > until:
                text = log.read_text()[-2000:]
                self.close()
                raise Problem(f"the private PostgreSQL did not start:\n{text}")
            time.sleep(0.05)

    @property
    def version(self) -> str:
        return self.postgres.value("SHOW server_version").split()[0]

    def cpu(self) -> float:
        """CPU seconds of all its processes so far, sessions that have ended included."""
        # Read twice: a session that ends meanwhile may be missed where it was and where its parent counts it.
        return max(tree_cpu(self.server.pid) for _ in range(2))

    def database(self, name: str, template: str | None = None) -> Database:
        """A new database, in place of one of the same name."""
        self.postgres.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        copy = f' TEMPLATE "{template}"' if template else ""
        self.postgres.execute(f'CREATE DATABASE "{name}"{copy}')
        return Database(str(self.folder), name)

    def drop(self, database: Database) -> None:
        self.postgres.execute(f'DROP DATABASE IF EXISTS "{database.name}" WITH (FORCE)')

    def close(self) -> None:
        if self.server.poll() is None:
            self.server.send_signal(signal.SIGINT)  # a fast shutdown
            try:
                self.server.wait(30)
            except subprocess.TimeoutExpired:
                self.server.kill()
                self.server.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
        if self.owner:
            self.owner.close()


def base() -> Path:
    """Where clusters are made: on a disk, because an fsync in memory would promise nothing and cost nothing."""
    temporary = Path(tempfile.gettempdir())
    return temporary if machine.filesystem(temporary) != "tmpfs" else Path("/var/tmp")


def _locked(file: Path) -> TextIO | None:
    """The file, locked until we end, however that happens; None when somebody else has it."""
    opened = file.open("a")
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        opened.close()
        return None
    return opened


def _sweep() -> None:
    """Removes what a run left behind that was killed: its server ended with it, its folder did not."""
    for owner in base().glob(f"{PREFIX}*/owner"):
        ours = owner.stat().st_uid == os.geteuid()
        if ours and (unused := _locked(owner)):
            shutil.rmtree(owner.parent, ignore_errors=True)
            unused.close()


def _programs() -> Path:
    """Where the server's programs are: where pg_config says, else the newest of Debian's versions."""
    try:
        asked = subprocess.run(["pg_config", "--bindir"], capture_output=True, text=True).stdout.strip()
    except FileNotFoundError:
        asked = ""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda bin: float(bin.parent.name), reverse=True)
    for folder in [*([Path(asked)] if asked else []), *debian]:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    raise Problem("there is no PostgreSQL server here: apt-get install postgresql")


def _libraries(programs: Path) -> Path:
    asked = subprocess.run([programs / "pg_config", "--pkglibdir"], capture_output=True, text=True)
    return Path(asked.stdout.strip() or "/nowhere")


def _unprivileged() -> pwd.struct_passwd | None:
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        raise Problem("PostgreSQL does not run as root and there is no user postgres: apt-get install postgresql") from None
