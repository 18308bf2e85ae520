"""Where a study stands, as data that a page can show at any time: nothing in it looks at the study again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from regretless.drawing import Drawing, gauge
from regretless.drawing.progress import LIGHTS
from regretless.lab.explanation import Expected, expectations
from regretless.lab.lab import Lab
from regretless.lab.status import status_of
from regretless.lab.text import number
from regretless.optimizer import Certified, FrontRegret, HypervolumeLeft, StopRule

__all__ = ["Standing", "standing_of"]


@dataclass(frozen=True, slots=True)
class Standing:
    """What the model says at one event: certificate, advice, what is expected of pending experiments."""

    seq: int
    measured: bool
    advice: str
    met: bool
    facts: Sequence[tuple[str, str]]
    record: Mapping[str, Any]
    left: Certified | None
    bound: str  # in words, for lists
    light: str
    light_words: str
    trust: str
    promise: str
    beside: str  # what joint draws say, and how much comes from not knowing the model
    target: float | None
    gauge: Drawing | None
    trouble: str
    tables: Sequence[tuple[str, Sequence[str], Sequence[Mapping[str, Any]]]]
    expected: Mapping[int, Expected | None]  # of pending trials


def standing_of(lab: Lab) -> Standing:
    """Compute it: one certificate, one advice."""
    study, pending = lab.study, lab.pending
    status = status_of(study, lab.stop, lab.row_name, option="a target")
    left = status.left
    light = left.trust.light if left is not None else "too few data"
    shown, target = (None, None) if left is None else _measured(left, lab.stop)
    return Standing(
        seq=study.seq,
        measured=status.measured,
        advice=status.advice(),
        met=status.met,
        facts=tuple(status.facts()),
        record=status.record(),
        left=left,
        bound="" if left is None else _in_short(left),
        light=light,
        light_words=LIGHTS[light][0],
        trust="" if left is None else left.trust.message,
        promise="" if left is None else left.promise(lab.row_name),
        beside="" if left is None else left.beside(),
        target=target,
        gauge=None if left is None or shown is None else gauge(shown, target, light, of=_of(left, lab.stop)),
        trouble=status.trouble,
        tables=tuple(status.tables()),
        expected={t.number: e for t, e in zip(pending, expectations(study, pending), strict=True)},
    )


def _measured(left: Certified, stop: StopRule | None) -> tuple[float, float | None]:
    """What the gauge shows, and the target on it."""
    if stop is None:
        return left.bound, None
    if isinstance(stop, HypervolumeLeft) and isinstance(left, FrontRegret):
        return left.hypervolume_left, stop.threshold(left)
    return stop.measure(left), stop.threshold(left)


def _of(left: Certified, stop: StopRule | None) -> str:
    """What the number on the gauge is of, where it is not of the objective."""
    if not isinstance(left, FrontRegret):
        return ""
    return "of hypervolume" if isinstance(stop, HypervolumeLeft) else "of the front's width"


def _in_short(left: Certified) -> str:
    """How much is left, for lists."""
    return (
        f"{100.0 * left.epsilon:.3g} % of the front"
        if isinstance(left, FrontRegret)
        else number(float(f"{left.bound:.3g}"))
    )
