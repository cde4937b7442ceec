"""A private PostgreSQL with full durability: fsync and synchronous_commit on, in a directory of its own."""
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

# Checkpoints run between the measurements and not during them; durability is PostgreSQL's default.
SETTINGS = {
    "listen_addresses": "", "port": "5432", "fsync": "on", "synchronous_commit": "on", "full_page_writes": "on",
    "shared_buffers": "512MB", "max_wal_size": "8GB", "checkpoint_timeout": "1h", "max_connections": "200",
    "dynamic_shared_memory_type": "mmap",
}


PREFIX = "fanfare-bench-pg-"


class Cluster:
    """Started by its initialiser, removed by close. As root it runs as user postgres."""

    def __init__(self) -> None:
        programs, user = _programs(), _unprivileged()
        _sweep()
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=base()))
        self.owner = _locked(self.folder / "owner")
        if user:
            os.chown(self.folder, user.pw_uid, user.pw_gid)
        data, log = self.folder / "data", self.folder / "log"
        # Without our environment: no variable that begins with PG reaches it.
        clean = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
        # It ends with this process, also when that is killed.
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
            # Off until a round turns it on (statements.py): it must cost nothing while time is measured.
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
        """CPU seconds of all its processes so far, including ended sessions."""
        # Read twice: a session that ends in between may be missed both in its own entry and in its parent's count.
        return max(tree_cpu(self.server.pid) for _ in range(2))

    def database(self, name: str, template: str | None = None) -> Database:
        """A new database, which replaces one of the same name."""
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
    """The directory for clusters: on a disk, because an fsync in memory costs and promises nothing."""
    temporary = Path(tempfile.gettempdir())
    return temporary if machine.filesystem(temporary) != "tmpfs" else Path("/var/tmp")


def _locked(file: Path) -> TextIO | None:
    """The file, locked until this process ends; None when another process has locked it."""
    opened = file.open("a")
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        opened.close()
        return None
    return opened


def _sweep() -> None:
    """Removes the folders of killed runs. Their servers ended with them."""
    for owner in base().glob(f"{PREFIX}*/owner"):
        ours = owner.stat().st_uid == os.geteuid()
        if ours and (unused := _locked(owner)):
            shutil.rmtree(owner.parent, ignore_errors=True)
            unused.close()


def _programs() -> Path:
    """The directory of the server's programs: that of pg_config, else the newest of Debian's versions."""
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
