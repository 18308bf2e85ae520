"""The candidates of a study, page by page: searched, and with what is known of each."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from regretless.lab.lab import Lab
from regretless.lab.text import number
from regretless.study import Trial
from regretless.web.bench import Desk

__all__ = ["PER_PAGE", "Candidate", "CandidatePage", "candidate_page"]

PER_PAGE = 50


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
    parts: Sequence[tuple[str, str]]  # the parameters of a space that is no list


def candidate_page(lab: Lab, desk: Desk, q: str, show: str, start: int) -> CandidatePage:
    """The candidates that hold every word of ``q``; with ``show`` only excluded, measured or pending ones."""
    space = lab.study.space
    n = space.n_candidates
    if n is None:
        parts = [(name, str(part)) for name, part in space.dimensions.items()]
        return CandidatePage(space.names, (), 0, None, 0, q, show, parts)
    at = Counter(_indices(lab, [trial for trial in lab.study.trials if trial.status == "told"]))
    waits = set(_indices(lab, lab.pending))
    out = _excluded(desk)
    some = {"excluded": sorted(out), "measured": sorted(at), "pending": sorted(waits)}.get(show)
    found: Sequence[int] = range(n) if some is None else some
    if words := q.casefold().split():
        texts = _texts(lab, desk)
        found = [i for i in found if all(word in texts[i] for word in words)]
    rows = []
    for i in found[start : start + PER_PAGE]:
        params = space.params_of(space.at_index(i))
        named = space.name_of(i)
        rows.append(
            Candidate(
                index=i,
                name=str(named) if space.has_rows else "",
                settings=[number(params.get(name)) for name in space.names],
                measured=at[i],
                pending=i in waits,
                excluded=i in out,
                reason=out.get(i, ""),
            )
        )
    return CandidatePage(space.names, rows, len(found), n, start, q, show, ())


def _indices(lab: Lab, trials: Sequence[Trial]) -> list[int]:
    """The numbers of the candidates that some trials are of; others are of none."""
    space = lab.study.space
    return [
        space.candidate_of(trial.params if trial.row is None else trial.row) for trial in trials if trial.note is None
    ]


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
