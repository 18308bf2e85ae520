"""Where a study stands: what was measured, what is recommended, what that may cost, and whether to stop.

One object for people and for machines, behind every command and the report: one certificate, one stop rule, one advice.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from regretless.errors import NumericalError
from regretless.optimizer import as_limits
from regretless.report.text import number, plus_minus, point
from regretless.study import Recommendation, Regret, RemainingRegret, Study, Trial

__all__ = ["StudyStatus", "status_of"]


@dataclass(frozen=True, slots=True)
class StudyStatus:
    """What is known of a study; ``left`` and ``recommended`` are None where there is no certificate."""

    study: Study
    row_name: str
    counts: Mapping[str, int]  # of trials, by what became of them
    stop: Regret | None
    option: str  # how the user says when to stop
    best: Trial | None = None
    repeats: tuple[float, ...] = ()  # all values measured where the best one was
    recommended: Recommendation | None = None
    left: RemainingRegret | None = None
    met: bool = False  # whether the stop rule is: what `Study.should_stop` says
    trouble: str = ""  # why there is no certificate although something was measured

    def facts(self) -> list[tuple[str, str]]:
        """Labelled sentences."""
        objective = self.study.objective
        said = {"lost": "released"}
        counted = " · ".join(f"{count} {said.get(word, word)}" for word, count in self.counts.items() if count)
        facts = [("Objective", f"{objective}, to be {self.study.direction}d".replace("ized", "ised"))]
        facts.append(("Experiments", counted or "none yet"))
        if self.study.excluded_rows:
            facts.append(("Excluded rows", f"{self.row_name} {', '.join(map(str, self.study.excluded_rows))}"))
        if self.best is None:
            return [*facts, ("Advice", self.advice())]
        best = f"{number(self.best.value)} at {point(self.best.row, self.best.params, self.row_name)}"
        if self.best.note is not None:
            best += f" ({self.best.note})"
        if len(self.repeats) > 1:
            mean = sum(self.repeats) / len(self.repeats)
            best += f"; measured {len(self.repeats)} times there, {number(mean)} on average"
        if self.study.limits is not None:
            facts.append(("Limits", self._limits()))
        facts.append(("Best measured", best))
        if self.left is None or self.recommended is None:
            return [*facts, ("Certificate", f"None: {self.trouble}"), ("Advice", self.advice())]
        advised = point(self.recommended.row, self.recommended.params, self.row_name)
        expected = plus_minus(self.recommended.mean, self.recommended.sd)
        return [
            *facts,
            ("Recommended", f"{advised}, expected {expected}"),
            ("Certificate", self.left.promise(self.row_name)),
            ("Trust", _trust(self.left)),
            ("Advice", self.advice()),
        ]

    def _limits(self) -> str:
        """What the objective cannot leave, and which results do all the same."""
        limits = as_limits(self.study.limits)
        told = [t for t in self.study.trials if t.value is not None and not t.excluded and limits.outside(t.value)]
        if not told:
            return str(limits)
        out = ", ".join(f"{number(trial.value)} (trial {trial.number})" for trial in told[:3])
        out += ", ..." if len(told) > 3 else ""
        said = "taken as noise" if self.left is None or self.left.limits_hold else "too far to be noise: not used"
        return f"{limits}; outside: {out}; {said}"

    def advice(self) -> str:
        """Whether to stop, in a sentence."""
        if self.best is None:
            return "Go on: nothing was measured yet."
        if self.left is None:
            return "Go on, or look at the data: without a certificate there is no reason to stop."
        gain = f"expected to gain {self.left.cost}"
        if self.left.trust.light == "red":
            return "Go on, or look at the data: the model does not fit them, so do not stop on its word."
        if self.met:
            return f"You can stop: going on is {gain}."
        if self.stop is None:
            return f"Going on is {gain}. Say how much is worth it with {self.option}."
        if self.left.trust.light == "too few data":
            return "Go on: there are too few data to trust the model with that decision."
        if self.left.bound <= self.stop.threshold(self.left):
            return f"Go on: what is left is little enough now, but not yet {self.stop.patience} times in a row."
        return f"Go on: that is {gain}, more than the {_enough(self.stop)} at which to stop."

    def record(self) -> dict[str, Any]:
        """The same for machines."""
        left, best, chosen = self.left, self.best, self.recommended
        return {
            "objective": self.study.objective,
            "direction": self.study.direction,
            "counts": dict(self.counts),
            "best_measured": best
            and {
                "trial": best.number,
                "row": best.row,
                "params": best.params,
                "value": best.value,
                "note": best.note,
            },
            "recommended": chosen
            and {"row": chosen.row, "params": chosen.params, "mean": chosen.mean, "sd": chosen.sd},
            "certificate": left
            and {
                "bound": left.bound,
                "exact": left.exact,
                "model": left.model,
                "trust": left.trust.light,
                "limits": left.limits,
                "limits_hold": left.limits_hold,
                "sentence": left.sentence,
            },
            "stop": self.met,
            "advice": self.advice(),
        }


def status_of(
    study: Study,
    stop: Regret | None = None,
    row_name: str = "row",
    *,
    record: bool = False,
    option: str = "--stop",
) -> StudyStatus:
    """Where a study stands; with something measured the certificate is computed, and put on record if asked.

    Parameters
    ----------
    study
        What is looked at.
    stop
        The stop rule to advise by.
    row_name
        What the lab calls the names of its rows.
    record
        Whether the certificate goes on record.
    option
        How the user says when to stop, for the advice.

    Examples
    --------
    >>> study = Study([{"t": t} for t in range(10)], objective="yield", seed=1)
    >>> status_of(study).advice()
    'Go on: nothing was measured yet.'
    >>> for _ in range(9):
    ...     trial = study.ask()
    ...     trial = study.tell(trial, -abs(trial.params["t"] - 4))
    >>> dict(status_of(study, Regret(0.5, patience=1)).facts())["Best measured"]
    '0 at row 4 (t=4)'
    """
    used = [trial for trial in study.trials if not trial.excluded]
    counts = {
        "measured": sum(trial.status == "told" for trial in used),
        "failed": sum(trial.status == "failed" for trial in used),
        "pending": sum(trial.status == "pending" for trial in used),
        "lost": sum(trial.status == "lost" for trial in used),
        "excluded": len(study.trials) - len(used),
    }
    blank = StudyStatus(study, row_name, counts, stop, option)
    best = study.best
    if best is None:
        return blank
    values = tuple(trial.value for trial in used if trial.value is not None and dict(trial.params) == dict(best.params))
    measured = replace(blank, best=best, repeats=values)
    try:
        left, advised = study.certificate(record=record), study.recommend()
    except NumericalError as error:
        return replace(measured, trouble=str(error))
    met = stop is not None and study.should_stop(stop) is not None
    return replace(measured, recommended=advised, left=left, met=met)


def _trust(left: RemainingRegret) -> str:
    light, message = left.trust.light, left.trust.message
    return message if light == "too few data" else f"{light}. {message}"


def _enough(stop: Regret) -> str:
    if stop.eps is not None:
        return number(stop.eps)
    return f"{100.0 * (stop.relative or 0.0):g} % of the recommended value"
