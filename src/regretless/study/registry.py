"""Finding or creating a stored study."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regretless.arrays import as_positive, show
from regretless.errors import InvalidInput, StudyConflict, UnknownStudy
from regretless.optimizer import as_composite, with_table
from regretless.spaces import FileTable, with_repeats
from regretless.study.codec import Trust
from regretless.study.journal import Journal, ReadOnlyJournal, Store
from regretless.study.settings import Settings, check_same, settings, settings_from_spec, spec_of

__all__ = ["as_store", "check_author", "check_lease", "earlier_study", "login", "open_study"]

if TYPE_CHECKING:
    from regretless.study.study import Study

_LONGEST_NAME = 200


def open_study(
    store: str | Path | Store,
    name: str,
    given: Mapping[str, Any],
    *,
    author: str,
    read_only: bool = False,
    trust: Iterable[str] = (),
) -> tuple[Settings, Journal]:
    """The settings and the events of a study; it is created if it does not exist and a space is given."""
    _check_text(name, "name", "the study")
    trusted = Trust.of([given["rule"], given["surrogate"], given["goal"]], _check_modules(trust))
    if (composite := as_composite(given["objective"])) is not None and "function" in (data := composite.to_data()):
        assert composite.function is not None
        trusted = replace(trusted, functions={data["function"]: composite.function})
    where = as_store(store, read_only=read_only)
    spec = where.spec(name)
    if spec is None and (read_only or given["space"] is None):
        create = "open it without read_only=True" if read_only else "give space="
        raise UnknownStudy(f"no study {name!r}: {_known(where.names())} To create it, {create}.")
    if spec is None:
        made = settings(**given)
        try:
            where.create(name, spec_of(made), author)
        except StudyConflict:  # another process was faster
            spec = where.spec(name)
        else:
            return made, where.journal(name)
    assert spec is not None
    stored = settings_from_spec(spec, trusted)
    journal = where.journal(name)
    check_same(name, given, stored, journal)
    if isinstance(given["space"], FileTable):  # the same rows: from where the file is now, on the engine that was asked
        stored = replace(stored, task=with_table(stored.task, with_repeats(given["space"], stored.task.space.repeats)))
    return stored, ReadOnlyJournal(journal) if read_only else journal


def earlier_study(earlier: Any, name: str | None, study: "Study") -> "Study":
    """The earlier study whose results inform another: the study itself, or the one in a store."""
    kind = type(study)
    if isinstance(earlier, kind):
        return earlier
    if not isinstance(earlier, str | Path):
        raise InvalidInput(f"earlier must be a Study or the path or URL of a store, got {show(earlier)}.")
    names = as_store(earlier, read_only=True).names()
    if not names:
        raise InvalidInput(
            f"there is no study in {earlier}. Give the path or URL of the store that has the earlier one."
        )
    if name is None and len(names) != 1:
        raise InvalidInput(f"say which study it is, name=...: {_known(names)}")
    return kind.open(earlier, names[0] if name is None else name, read_only=True)


def as_store(store: str | Path | Store, *, read_only: bool = False) -> Store:
    """A store from a path, a URL, or itself."""
    if isinstance(store, str | Path):
        from regretless.study.stores import SqlStore

        return SqlStore(store, read_only=read_only)
    if not all(hasattr(store, method) for method in ("names", "spec", "create", "journal")):
        raise InvalidInput(
            f"store must be the path of a file, a URL such as postgresql://user@host/database, or a store, "
            f"got {show(store)}."
        )
    return store


def login() -> str:
    """The name of the user who is logged in, if there is one."""
    import getpass  # costs more than it is worth to those who only import us

    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "unknown"


def check_author(author: Any) -> str:
    """The author to be recorded."""
    if author is None:
        return login()
    _check_text(author, "author", "who does this")
    return str(author)


def check_lease(lease: Any) -> float | None:
    """A lease in seconds, or None for no limit."""
    return None if lease is None else as_positive(lease, "lease", hint="It is in seconds, or None for no end.")


def _check_modules(names: Any) -> tuple[str, ...]:
    checked = tuple(names) if isinstance(names, Iterable) and not isinstance(names, str) else (None,)
    if not all(isinstance(name, str) and name for name in checked):
        raise InvalidInput(f"trust must be a list of names of modules, such as ['my_rules'], got {names!r:.80}.")
    return tuple(map(str, checked))


def _check_text(text: Any, what: str, whom: str) -> None:
    if not isinstance(text, str) or not text.strip() or len(text) > _LONGEST_NAME or not text.isprintable():
        raise InvalidInput(
            f"{what} must be printable text of up to {_LONGEST_NAME} characters that names {whom}, got {show(text)}."
        )


def _known(names: list[str]) -> str:
    return f"there are {', '.join(map(repr, names))}." if names else "the store has no studies yet."
