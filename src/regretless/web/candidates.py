"""The candidates of a study, page by page: searched, and with what is known of each."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from regretless.lab.lab import Lab
from regretless.lab.text import number
from regretless.spaces import FileTable, Table
from regretless.spaces.table.lookup import Term, rows_where
from regretless.study import Trial
from regretless.web.bench import Desk

__all__ = ["PER_PAGE", "Candidate", "CandidatePage", "candidate_page"]

PER_PAGE = 50
#: Longer tables are searched by their columns, so many rows at a time: nothing holds a text of every row.
_LONG, _LOOKED_AT = 200_000, 20_000_000


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of them, by its number in the list."""

    index: int
    name: str
    settings: Sequence[str]
    measured: int
    pending: bool
    excluded: bool
    reason: str


@dataclass(frozen=True, slots=True)
class CandidatePage:
    """Some candidates of those that were looked for."""

    columns: Sequence[str]
    rows: Sequence[Candidate]
    total: int
    all: int | None  # None where there are infinitely many
    start: int
    q: str
    show: str
    parts: Sequence[tuple[str, str]] = ()  # the parameters of a space that is no list
    end: int | None = None  # of a long table the row behind those that were looked at
    searching: bool = False
    error: str = ""

    @property
    def long(self) -> bool:
        """Whether it is a table that is searched column by column."""
        return self.all is not None and self.all > _LONG


def candidate_page(desk: Desk, q: str, show: str, start: int, *, wait: float) -> CandidatePage:
    """The candidates that hold every word of ``q``; with ``show`` only excluded, measured or pending ones.

    A long table is searched beside, and a part of it at a time.
    """
    with desk.at() as lab:
        space, n = lab.study.space, lab.study.space.n_candidates
        if n is None:
            parts = [(name, str(part)) for name, part in space.dimensions.items()]
            return CandidatePage(space.names, (), 0, None, 0, q, show, parts)
        known = _Known.of(lab, desk)
        some = known.some(show)
        if not q.split() or some is not None or n <= _LONG or not isinstance(space, Table):
            found = _listed(lab, desk, known, q, range(n) if some is None else some)
            rows = [_candidate(lab, known, i) for i in found[start : start + PER_PAGE]]
            return CandidatePage(space.names, rows, len(found), n, start, q, show)
    job = desk.job(("search", n, q, start), lambda other: _searched(other.study.space, q, start), wait=wait)
    page = CandidatePage(space.names, (), 0, n, start, q, show, searching=job.running, error=job.error)
    if job.value is None:
        return page
    (numbers, end), rows = job.value, []
    with desk.at() as lab:
        rows = [_candidate(lab, known, i) for i in numbers]
    return replace(page, rows=rows, total=len(rows), end=end)


def _searched(space: Any, q: str, start: int) -> tuple[list[int], int]:
    """Candidates of a long table from a row on: by the name of a row, or by terms such as ``logP<=2``."""
    assert isinstance(space, Table)
    read = [(word, Term.of(word, space.names)) for word in q.split()]
    terms = [term for _, term in read if term is not None]
    names = [word for word, term in read if term is None]
    if not names:
        return rows_where(space, terms, start, PER_PAGE, _LOOKED_AT)
    index = space.candidate_of(names[0])
    params = space.params_of(space.at_index(index))
    good = len(names) == 1 and all(term.holds(params[term.name]) for term in terms)
    return ([index] if good else []), space.size


def _listed(lab: Lab, desk: Desk, known: "_Known", q: str, among: Sequence[int]) -> Sequence[int]:
    """Those of some candidates whose text holds every word."""
    words = q.casefold().split()
    if not words:
        return among
    if len(among) == lab.study.space.n_candidates:
        texts = _texts(lab, desk)
        return [i for i in among if all(word in texts[i] for word in words)]
    few = {i: _text(_candidate(lab, known, i), lab.study.space.names) for i in among}
    return [i for i, text in few.items() if all(word in text for word in words)]


@dataclass(frozen=True, slots=True)
class _Known:
    """What happened to candidates, by their numbers."""

    measured: Counter[int]
    pending: frozenset[int]
    excluded: Mapping[int, str]

    @classmethod
    def of(cls, lab: Lab, desk: Desk) -> "_Known":
        told = _indices(lab, desk, [trial for trial in lab.study.trials if trial.status == "told"])
        return cls(Counter(told), frozenset(_indices(lab, desk, lab.pending)), _excluded(desk))

    def some(self, show: str) -> list[int] | None:
        """The candidates of one state; None for all."""
        groups = {"excluded": self.excluded, "measured": self.measured, "pending": self.pending}
        return sorted(groups[show]) if show in groups else None


def _candidate(lab: Lab, known: _Known, i: int) -> Candidate:
    space = lab.study.space
    params = space.params_of(space.at_index(i))
    return Candidate(
        index=i,
        name=str(space.name_of(i)) if space.has_rows else "",
        settings=[number(params.get(name)) for name in space.names],
        measured=known.measured[i],
        pending=i in known.pending,
        excluded=i in known.excluded,
        reason=known.excluded.get(i, ""),
    )


def _indices(lab: Lab, desk: Desk, trials: Sequence[Trial]) -> list[int]:
    """The numbers of the candidates that some trials are of, as they went on record; others are of none."""
    found = []
    for trial in trials:
        first = next((event.data for event in desk.events.get(trial.number, ()) if event.data.get("params")), {})
        if first.get("index") is not None:
            found.append(int(first["index"]))
        elif trial.note is None and not isinstance(lab.study.space, FileTable):
            found.append(lab.study.space.candidate_of(trial.params if trial.row is None else trial.row))
    return found


def _excluded(desk: Desk) -> dict[int, str]:
    """Candidates that are not suggested, with the reason."""
    found: dict[int, str] = {}
    for event in desk.row_events:
        if event.kind == "row_excluded":
            found[event.data["index"]] = str(event.data.get("reason", ""))
        else:
            found.pop(event.data["index"], None)
    return found


def _texts(lab: Lab, desk: Desk) -> list[str]:
    """The words of every candidate, computed once for a table of that length."""
    space = lab.study.space
    n = space.n_candidates or 0
    if desk.rows is None or desk.rows[0] != n:
        texts = []
        for i, params in enumerate(space.listed()):
            named = space.name_of(i) if space.has_rows else ""
            words = [str(named), *(f"{key}={number(value)}" for key, value in params.items())]
            texts.append(" ".join(words).casefold())
        desk.rows = (n, texts)
    return desk.rows[1]


def _text(candidate: Candidate, names: Sequence[str]) -> str:
    pairs = (f"{name}={value}" for name, value in zip(names, candidate.settings, strict=True))
    return " ".join([candidate.name, *pairs]).casefold()
