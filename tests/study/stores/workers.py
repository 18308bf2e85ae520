"""What other processes do in the tests of sharing, killing and disks that are full."""

import ctypes
import multiprocessing
import os
import resource
import sqlite3
import time
from pathlib import Path
from typing import Any

from regretless import Exhausted, StoreReadOnly, Study, replay
from regretless.errors import RegretlessError
from regretless.study.stores import journaling, sqlite

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(
    ["regretless", "regretless.study.stores", "alembic.command", "psycopg", "sqlalchemy.dialects.postgresql.psycopg"]
)

SPACE = {"x": (0.0, 1.0), "y": (0.0, 1.0)}
#: All suggestions are of the design: as good as any to test a store with, and cheap.
SETTINGS: dict[str, Any] = {"space": SPACE, "seed": 1, "n_initial": 2000}


#: Where Python's own SQLite is new, it is taken for an old one.
NEVER_SAFE = (99,) if sqlite3.sqlite_version_info >= journaling._SAFE_WAL else journaling._SAFE_WAL


def value_of(trial: Any) -> float:
    return float(trial.number) + sum(float(value) for value in trial.params.values())


def begin(place: str) -> None:
    """Python's own SQLite for places that say so."""
    if "/old/" in place:
        use_old()


def use_old() -> None:
    sqlite.driver = lambda: sqlite3
    journaling._SAFE_WAL = NEVER_SAFE


def note(log: str, text: str) -> None:
    """One line in one write, so that a kill leaves all of it or nothing."""
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    os.write(handle, f"{text}\n".encode())
    os.close(handle)


def loop(place: str, log: str, count: int, settings: dict[str, Any], barrier: Any = None) -> None:
    """Ask and tell; the log says what came back from the store."""
    begin(place)
    try:
        if barrier is not None:
            barrier.wait()
        with Study.open(place, "s", **settings) as study:
            for _ in range(count):
                try:
                    trial = study.ask()
                except Exhausted:
                    break
                note(log, f"asked {trial.number}")
                study.tell(trial, value_of(trial))
                note(log, f"told {trial.number}")
        note(log, "done")
    except RegretlessError as error:
        note(log, f"error {type(error).__name__} {error}")
    except BaseException as error:
        note(log, f"crash {error!r}")
        raise


def loop_with_little_room(place: str, log: str, count: int, settings: dict[str, Any], room: int) -> None:
    """No file may grow past a size."""
    begin(place)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
    loop(place, log, count, settings)


def obey() -> None:
    """From here on, permissions bind this process also where it is root's, who may otherwise do anything.

    It stays the same user. Another one could not import what lies in a folder that is closed to others.
    """
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        header, none = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()  # version 3, this process
        if libc.capset(header, none) != 0:
            raise OSError(ctypes.get_errno(), "cannot give up the rights of root")


def loop_obeying(place: str, log: str, count: int, settings: dict[str, Any]) -> None:
    """As a user who may not write."""
    obey()
    loop(place, log, count, settings)


def loop_old(place: str, log: str, count: int, settings: dict[str, Any], barrier: Any) -> None:
    """With Python's own SQLite on a file that others may use with a newer one."""
    use_old()
    loop(place, log, count, settings, barrier)


def read_obeying(place: str, log: str) -> None:
    """Read all there is as a user who may not write, and then try to write."""
    begin(place)
    obey()
    try:
        with Study.open(place, "s") as study, Study.open(place, "s", read_only=True) as other:
            assert study.events() == other.events()
            assert study.trials == other.trials
            note(log, f"told {len([trial for trial in study.trials if trial.status == 'told'])}")
            assert study.certificate() == other.certificate()
            assert all(entry.matches for entry in replay(study))
            for write in (study.ask, lambda: study.tell(0, 1.0), lambda: study.add({"x": 0.5, "y": 0.5}, 1.0)):
                try:
                    write()
                except StoreReadOnly as error:
                    note(log, f"refused {error}")
        note(log, "done")
    except RegretlessError as error:
        note(log, f"error {type(error).__name__} {error}")
    except BaseException as error:
        note(log, f"crash {error!r}")
        raise


def command_obeying(folder: str, log: str, *arguments: str) -> None:
    """A command of ours in a folder, as a user who obeys its permissions."""
    from click.testing import CliRunner

    from regretless.cli import main

    os.chdir(folder)
    begin(f"{folder}/")
    obey()
    result = CliRunner().invoke(main, arguments)
    note(log, f"{result.exit_code} {result.output!r}")


def ask_once(path: str, queue: Any) -> None:
    """One suggestion: where it came from, its CPU seconds, and gigabytes at most."""
    study = Study.open(path, "s")
    began = time.process_time()
    source = study.ask().source
    seconds = time.process_time() - began
    queue.put((source, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20))


def run(target: Any, *arguments: Any) -> Any:
    process = CONTEXT.Process(target=target, args=arguments)
    process.start()
    return process


def lines(log: str | Path) -> list[str]:
    return Path(log).read_text().splitlines() if Path(log).exists() else []


def numbers(log: str | Path, word: str) -> list[int]:
    return [int(line.split()[1]) for line in lines(log) if line.startswith(f"{word} ")]


def loop_in_parts(place: str, log: str, count: int, settings: dict[str, Any]) -> None:
    """Ask, then tell one outcome after the other; the log says what came back from the store."""
    begin(place)
    try:
        with Study.open(place, "s", **settings) as study:
            for _ in range(count):
                trial = study.ask()
                note(log, f"asked {trial.number}")
                for k, outcome in enumerate(study.outcomes):
                    study.tell(trial, {outcome.name: value_of(trial) + k})
                    note(log, f"told{k} {trial.number}")
        note(log, "done")
    except RegretlessError as error:
        note(log, f"error {type(error).__name__} {error}")
    except BaseException as error:
        note(log, f"crash {error!r}")
        raise
