"""The journal mode of an SQLite file: decided when the file is made, and its property from then on.

A file with a write-ahead log says so in its header, which every SQLite reads. Nothing here changes that.
"""

import json
import shlex
from pathlib import Path
from types import ModuleType

__all__ = ["journal_mode", "logs_ahead", "on_network", "why_not_ahead"]

#: Before this version several writers in WAL mode could corrupt a file (the fix is in its release notes).
_SAFE_WAL = (3, 51, 3)
#: File systems of other machines; shared memory, which WAL needs, does not work there.
_NETWORK = ("nfs", "cifs", "smb", "9p", "fuse.sshfs", "afs", "ceph", "gluster", "lustre", "beegfs")


def journal_mode(path: Path, version: tuple[int, ...], mounts: str | None = None) -> str:
    """For a new file: ``"wal"`` where several processes may safely use it, else the rollback journal, ``"persist"``.

    With ``persist`` the journal's file stays. Making and deleting it at every commit would cost about a fifth of the
    rate.

    >>> journal_mode(Path("/data/lab.db"), (3, 40, 1))
    'persist'
    >>> journal_mode(Path("/data/lab.db"), (3, 51, 3), "server:/export /data nfs4 rw 0 0")
    'persist'
    >>> journal_mode(Path("/data/lab.db"), (3, 51, 3), "/dev/sda1 / ext4 rw 0 0")
    'wal'
    """
    return "persist" if why_not_ahead(path, version, mounts) else "wal"


def why_not_ahead(path: Path, version: tuple[int, ...], mounts: str | None = None) -> str:
    """Why this program must not write to a file with a write-ahead log, and what to do; empty if it may.

    >>> why_not_ahead(Path("/data/lab.db"), (3, 51, 3), "/dev/sda1 / ext4 rw 0 0")
    ''
    """
    place = json.dumps(str(path), ensure_ascii=False)
    code = shlex.quote(f'from regretless.study.stores import convert; convert({place}, "rollback")')
    turn_back = f"or, while no other program has it open, give it a rollback journal: python -c {code}"
    if version < _SAFE_WAL:
        found, safe = (".".join(map(str, numbers)) for numbers in (version, _SAFE_WAL))
        return (
            f"it has a write-ahead log, which SQLite {found} can damage when several programs write ({safe} cannot). "
            f"Install a newer one: pip install 'regretless[sqlite]'; {turn_back}"
        )
    if on_network(path, mounts):
        return (
            "it has a write-ahead log, which does not work on a network file system, and its disk is not known to be "
            f"a local one. Move it to a local disk, use PostgreSQL, {turn_back}"
        )
    return ""


def logs_ahead(path: Path, driver: ModuleType) -> bool:
    """Whether a file has a write-ahead log. The check takes no lock, makes no file and changes nothing.

    SQLite cannot open such a file without locks, and says so. To read the header in another way would be a mistake:
    when a program closes a file, the system takes from it all the locks it holds on that file.
    """
    connection = driver.connect(f"{path.as_uri()}?mode=ro&nolock=1", uri=True)
    try:
        connection.execute("PRAGMA schema_version").fetchone()
    except driver.Error as error:
        return getattr(error, "sqlite_errorname", "") == "SQLITE_CANTOPEN"  # of other trouble, opening it will tell
    finally:
        connection.close()
    return False


def on_network(path: Path, mounts: str | None = None) -> bool:
    """Whether the file is on another machine's disk; True where that cannot be known."""
    if mounts is None:
        try:
            mounts = Path("/proc/mounts").read_text()
        except OSError:
            return True
    folder = path.resolve().parent
    kinds = {Path(mount): kind for _, mount, kind, *_ in (line.split() for line in mounts.splitlines() if line)}
    inside = [mount for mount in kinds if folder.is_relative_to(mount)]
    return not inside or kinds[max(inside, key=lambda mount: len(mount.parts))].startswith(_NETWORK)
