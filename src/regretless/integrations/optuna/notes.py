"""What the sampler writes beside a trial: the point it suggested, why, and the fit behind it, as JSON in attributes.

A trial has no parameters before the objective asks for them, so other workers learn from the note what is being tried.
The fits in the notes are the whole memory of the sampler: a new one on the same storage goes on where the old one was.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from optuna.distributions import BaseDistribution, distribution_to_json
from optuna.study import Study
from optuna.trial import FrozenTrial

__all__ = ["Notes", "digest", "read_note", "write_note"]

_KEY = "regretless"
#: Characters of an attribute: what every storage takes, MySQL's older schemas included.
_PIECE = 2045


def write_note(study: Study, trial: FrozenTrial, note: Mapping[str, Any], pieces_before: int = 0) -> int:
    """Write a note, in place of one of so many pieces; of how many pieces it is."""
    text = json.dumps(note, separators=(",", ":"))
    pieces = [text[i : i + _PIECE] for i in range(0, len(text), _PIECE)]
    for i, piece in enumerate(pieces + [""] * (pieces_before - len(pieces))):
        study._storage.set_trial_system_attr(trial._trial_id, f"{_KEY}:{i}", piece)
    return len(pieces)


def read_note(trial: FrozenTrial) -> dict[str, Any]:
    """The note of a trial; empty where there is none, or where it is being written."""
    pieces: list[str] = []
    while (piece := trial.system_attrs.get(f"{_KEY}:{len(pieces)}")) is not None:
        pieces.append(piece)
    try:
        note: dict[str, Any] = json.loads("".join(pieces)) if pieces else {}
    except json.JSONDecodeError:
        return {}
    return note


def digest(space: Mapping[str, BaseDistribution]) -> str:
    """A search space in twelve characters: fits are of use for the same space only."""
    text = json.dumps({name: distribution_to_json(space[name]) for name in sorted(space)})
    return hashlib.sha256(text.encode()).hexdigest()[:12]


class Notes:
    """Notes of a study, those of finished trials read once."""

    def __init__(self) -> None:
        self._finished: dict[int, dict[str, Any]] = {}

    def of(self, trial: FrozenTrial) -> dict[str, Any]:
        """The note of a trial."""
        if not trial.state.is_finished():
            return read_note(trial)
        if trial._trial_id not in self._finished:
            self._finished[trial._trial_id] = read_note(trial)
        return self._finished[trial._trial_id]
