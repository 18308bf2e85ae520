"""Comparison of two spaces: whether they are equal, and how they differ."""

from regretless.spaces.product import Mixed
from regretless.spaces.table import FileTable, Table

__all__ = ["difference", "same_rows"]


def same_rows(new: Table | Mixed, old: Table | Mixed) -> bool:
    """Whether two tables have the same candidates; the scale of their columns may differ.

    Rows of files were once called by number, not by line.
    """
    if not isinstance(new, Table) or not isinstance(old, Table):
        return False
    if isinstance(new, FileTable) or isinstance(old, FileTable):
        return new == old
    if (new.names, new.repeats, new.unnamed) != (old.names, old.repeats, old.unnamed):
        return False
    if old.ids not in (new.ids, new.numbered().ids):
        return False
    return all(new.params(i) == old.params(i) for i in range(new.n_candidates))


def difference(new: Table | Mixed, old: Table | Mixed) -> str:
    """How two spaces differ, in words; empty if they are equal."""
    if new == old:
        return ""
    if isinstance(new, Table) != isinstance(old, Table):
        return f"stored is {old!r}, given is {new!r}"
    if isinstance(new, FileTable) != isinstance(old, FileTable):
        return f"stored is {old!r}, given is {new!r}"
    if new.names != old.names:
        return f"its columns are {', '.join(old.names)}; given are {', '.join(new.names)}"
    if isinstance(new, Mixed) and isinstance(old, Mixed):
        changed = [n for n in new.names if new.dimensions[n] != old.dimensions[n]]
        pairs = (f"{n} is {old.dimensions[n]!r}, given is {new.dimensions[n]!r}" for n in changed)
        return "; ".join(pairs) or _constrained(new, old) or "one has names, the other has not"
    if isinstance(new, FileTable) and isinstance(old, FileTable):
        return _other_file(new, old)
    assert isinstance(new, Table)
    assert isinstance(old, Table)
    if new.n_candidates != old.n_candidates:
        return f"it has {old.n_candidates} candidates, given are {new.n_candidates} (study.extend adds some)"
    for i, (a, b) in enumerate(zip(new.ids, old.ids, strict=True)):
        if a != b or new.params(i) != old.params(i):
            return f"candidate {i} is row {b!r}: {old.params(i)}; given is row {a!r}: {new.params(i)}"
    return _constrained(new, old) or "its columns are of other kinds"


def _other_file(new: FileTable, old: FileTable) -> str:
    """How two tables in files differ."""
    if new.sha256 != old.sha256:
        return (
            f"it was made with another file: the SHA-256 of {old.path.name} was {old.sha256[:12]}..., that of "
            f"{new.path.name} is {new.sha256[:12]}..."
        )
    return f"its file is read as {old.reading.to_data()} with id={old.id!r}; given are {new.reading.to_data()} and " + (
        f"id={new.id!r}"
    )


def _constrained(new: Table | Mixed, old: Table | Mixed) -> str:
    """How the constraints of two spaces differ."""
    if new.constraints == old.constraints:
        same = isinstance(new, Table) or new.mixtures == getattr(old, "mixtures", None)
        return "" if same else "it has other mixtures"
    texts = [", ".join(map(str, space.constraints)) or "none" for space in (old, new)]
    return f"its constraints are {texts[0]}; given are {texts[1]}"
