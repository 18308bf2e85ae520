"""Where a study stands, as data that a page can show at any time: nothing in it looks at the study again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from regretless.drawing import Drawing, gauge_of
from regretless.drawing.progress import LIGHTS
from regretless.lab.explanation import Expected, expectations
from regretless.lab.lab import Lab
from regretless.lab.status import status_of
from regretless.lab.text import number
from regretless.optimizer import Certified, FrontRegret, RegionLoss

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
    bound: tuple[str, str] | None  # what is left and how much in words, for lists
    light: str
    light_words: str
    trust: str
    promise: str
    beside: str  # what joint draws say, and how much comes from not knowing the model
    gauge: Drawing | None
    trouble: str
    price: str  # what a certificate takes that nobody asked for
    meaning: str  # what the certificate says, for those who see one for the first time
    tables: Sequence[tuple[str, Sequence[str], Sequence[Mapping[str, Any]]]]
    expected: Mapping[int, Expected | None]  # of pending trials


def standing_of(lab: Lab, *, certify: bool | None = None) -> Standing:
    """Compute it: one certificate, one advice. On a table in a file there is one only where it is asked for."""
    study, pending = lab.study, lab.pending
    status = status_of(study, lab.stop, lab.row_name, option="a target", certify=certify)
    left = status.left
    light = left.trust.light if left is not None else "too few data"
    return Standing(
        seq=study.seq,
        measured=status.measured,
        advice=status.advice(),
        met=status.met,
        facts=tuple(fact for fact in status.facts() if not (status.price and fact[0] == "Certificate")),
        record=status.record(),
        left=left,
        bound=None if left is None else _in_short(left),
        light=light,
        light_words=LIGHTS[light][0],
        trust="" if left is None else left.trust.message,
        promise="" if left is None else left.promise(lab.row_name),
        beside="" if left is None else left.beside(),
        gauge=None if left is None else gauge_of(left, lab.stop),
        trouble="" if status.price else status.trouble,
        price=status.price,
        meaning=_meaning(left),
        tables=tuple(status.tables()),
        expected={t.number: e for t, e in zip(pending, expectations(study, pending), strict=True)},
    )


def _meaning(left: Certified | None) -> str:
    if isinstance(left, RegionLoss):
        return (
            "says how many candidates are expected on the wrong side of the level: each is taken to be on the "
            "side that is more probable, and the probabilities of being wrong are added."
        )
    if isinstance(left, FrontRegret):
        return (
            "says how far another candidate may be beyond all recommended ones at most, in all objectives at once, in "
            "expectation: on average over everything the models still hold possible."
        )
    return (
        "says what settling on the recommended experiment costs at most, in expectation: what the best of all "
        "candidates may have over it, on average over everything the model still holds possible."
    )


def _in_short(left: Certified) -> tuple[str, str]:
    """What is left and how much, for lists."""
    if isinstance(left, FrontRegret):
        return "regret left", f"{100.0 * left.epsilon:.3g} % of the front"
    if isinstance(left, RegionLoss):
        wrong = f"{number(float(f'{left.wrong:.3g}'))} of {left.candidates}"
        return "wrong side", wrong if left.exact else f"{100.0 * left.share:.3g} %"
    return "regret left", number(float(f"{left.bound:.3g}"))
