"""Where a study stands: what was measured, what is recommended, what that may cost, and whether to stop.

One object for people and for machines, behind every command and the report: one certificate, one stop rule, one advice.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from regretless.errors import NumericalError
from regretless.lab.advice import advice_on
from regretless.lab.fronts import front_tables, violations
from regretless.lab.text import is_measured, number, objectives_of, plus_minus, point, share
from regretless.optimizer import (
    Certified,
    Fidelity,
    FrontRegret,
    Outcome,
    RegionLoss,
    StopRule,
)
from regretless.optimizer.wording import rounded
from regretless.spaces import FileTable
from regretless.study import Recommendation, Region, Study, Trial
from regretless.study.passes import duration

__all__ = ["StudyStatus", "counts_of", "status_of"]


#: A candidate of a level set is in doubt where the other side is as probable as this; so many are named.
_DOUBT = 0.05
_NAMED = 10


@dataclass(frozen=True, slots=True)
class StudyStatus:
    """What is known of a study; ``left`` is None where there is no certificate."""

    study: Study
    row_name: str
    counts: Mapping[str, int]  # of trials, by what became of them
    stop: StopRule | None
    option: str  # how the user says when to stop
    measured: bool = False  # whether every outcome has a result
    best: Trial | None = None  # of one objective; under constraints the best of those that satisfy them
    repeats: tuple[float, ...] = ()  # all values measured where the best one was
    recommended: Recommendation | None = None  # of one objective
    region: Region | None = None  # of a level set, on a list of candidates
    front: tuple[Recommendation, ...] = ()  # of several objectives, in place of the two above
    left: Certified | None = None
    met: bool = False  # whether the stop rule is: what `Study.should_stop` says
    trouble: str = ""  # why there is no certificate although something was measured
    price: str = ""  # what one takes that was not asked for

    def facts(self) -> list[tuple[str, str]]:
        """Labelled sentences."""
        facts = [*self._aims(), ("Experiments", self._counted())]
        if (fidelity := self.study.fidelity) is not None:
            facts.append((f"By {fidelity.name}", self._bought(fidelity)))
        if self.study.excluded_rows:
            facts.append(("Excluded rows", f"{self.row_name} {', '.join(map(str, self.study.excluded_rows))}"))
        if not self.measured:
            return [*facts, ("Advice", self.advice())]
        if any(each.limits.given for each in objectives_of(self.study)):
            facts.append(("Limits", self._limits()))
        facts.append(("Best measured", self._best()))
        if violated := violations(self.study):
            facts.append(("Violations", violated))
        if self.left is None:
            return [*facts, ("Certificate", f"None: {self.trouble}"), ("Advice", self.advice())]
        return [
            *facts,
            *([] if isinstance(self.left, RegionLoss) else [("Recommended", self._recommended())]),
            *([] if self.region is None else self._region(self.region)),
            ("Certificate", self.left.promise(self.row_name)),
            *([("Beside it", said)] if (said := self.left.beside()) else []),
            ("Trust", _trust(self.left)),
            ("Advice", self.advice()),
        ]

    def tables(self) -> list[tuple[str, list[str], list[dict[str, Any]]]]:
        """With several objectives the fronts, by the models and by what was measured: title, columns and rows."""
        return [] if len(objectives_of(self.study)) == 1 else front_tables(self.study, self.front, self.row_name)

    def _aims(self) -> list[tuple[str, str]]:
        objectives = objectives_of(self.study)
        bounds = [outcome.wanted for outcome in self.study.outcomes if outcome.role == "constraint"]
        facts = [("Objective" if len(objectives) == 1 else "Objectives", "; ".join(each.wanted for each in objectives))]
        return [*facts, ("Constraints" if len(bounds) > 1 else "Constraint", "; ".join(bounds))] if bounds else facts

    def _counted(self) -> str:
        counted = " · ".join(f"{count} {word}" for word, count in self.counts.items() if count)
        parts = sum(trial.status == "pending" and bool(trial.values) for trial in self.study.trials)
        return (counted or "none yet") + (f" ({parts} of them measured in part)" if parts else "")

    def _bought(self, fidelity: Fidelity) -> str:
        """How many experiments there are at each level, and what they cost."""
        levels = [trial.params[fidelity.name] for trial in self.study.trials if trial.status != "released"]
        found = sorted(set(levels), key=fidelity.cost_of)
        each = [f"{levels.count(level)} at {number(level)} ({fidelity.cost_of(level):g} each)" for level in found]
        wanted = f"{number(fidelity.target)} is what is wanted"
        return f"{' · '.join(each) or 'none yet'}; {self.study.spent:g} spent; {wanted}"

    def _best(self) -> str:
        """The best single result, or the Pareto-optimal ones."""
        if len(objectives_of(self.study)) > 1:
            return self._pareto()
        if self.best is None:
            fidelity = self.study.fidelity
            if fidelity is not None:
                return f"None: nothing was measured at {fidelity.name} {number(fidelity.target)} yet"
            return "None: no experiment has satisfied the constraints yet"
        best = f"{number(self.best.value)} at {point(self.best.row, self.best.params, self.row_name)}"
        others = [f"{name} {number(value)}" for name, value in self.best.values.items() if name != self.study.objective]
        best += f", with {', '.join(others)}" if others else ""
        if self.best.note is not None:
            best += f" ({self.best.note})"
        if len(self.repeats) > 1:
            mean = sum(self.repeats) / len(self.repeats)
            best += f"; measured {len(self.repeats)} times there, {number(mean)} on average"
        return best

    def _pareto(self) -> str:
        trials, reference = self.study.best_trials, self.study.reference
        if not trials or reference is None:
            return "None: no experiment has satisfied the constraints yet"
        above = ", ".join(f"{name} {number(value)}" for name, value in reference.items())
        which = f"{len(trials)} Pareto-optimal experiment{'s' * (len(trials) > 1)}"
        return f"{which}, with a hypervolume of {rounded(self.study.hypervolume)} over the reference {above}"

    def _recommended(self) -> str:
        if self.recommended is None:
            ids = [str(each.row) for each in self.front if each.row is not None]
            named = f": {self.row_name} {', '.join(ids)}" if ids else ""
            return f"{len(self.front)} experiment{'s' * (len(self.front) > 1)} to choose from{named}"
        chosen = self.recommended
        advised = point(chosen.row, chosen.params, self.row_name)
        if chosen.prob_feasible is None:
            return f"{advised}, expected {plus_minus(chosen.mean, chosen.sd)}"
        expected = ", ".join(f"{name} {plus_minus(*moments)}" for name, moments in chosen.expected.items())
        doubt = "" if chosen.qualified else ", less than was asked for"
        return f"{advised}, expected {expected}; feasible with probability {share(chosen.prob_feasible)}{doubt}"

    def _region(self, region: Region) -> list[tuple[str, str]]:
        """Which rows reach the level, and those that may well be on the other side."""
        order = np.argsort(-region.probability, kind="stable").tolist()
        taken = [i for i in order if region.inside[i]]
        doubtful = [i for i in order if _DOUBT < region.probability[i] < 1.0 - _DOUBT]
        return [
            ("Region", self._listed(region, taken)),
            ("In doubt", self._listed(region, sorted(doubtful, key=lambda i: abs(region.probability[i] - 0.5)))),
        ]

    def _listed(self, region: Region, some: list[int]) -> str:
        """How many, and the first of them with their probabilities."""
        if not some:
            return "none"
        first = [f"{region.rows[i]} ({share(float(region.probability[i]))})" for i in some[:_NAMED]]
        more = ", ..." if len(some) > _NAMED else ""
        return f"{len(some)} of {len(region)}: {self.row_name} {', '.join(first)}{more}"

    def _limits(self) -> str:
        """What the objectives cannot leave, and which results do all the same."""
        objectives = objectives_of(self.study)
        if len(objectives) == 1:
            return self._limits_of(objectives[0])
        return "; ".join(f"{each.name} {self._limits_of(each)}" for each in objectives if each.limits.given)

    def _limits_of(self, objective: Outcome) -> str:
        limits, name = objective.limits, objective.name
        values = [(t.number, t.values.get(name)) for t in self.study.trials if not t.excluded]
        outside = [(trial, value) for trial, value in values if value is not None and limits.outside(value)]
        if not outside:
            return str(limits)
        out = ", ".join(f"{number(value)} (trial {trial})" for trial, value in outside[:3])
        out += ", ..." if len(outside) > 3 else ""
        said = "taken as noise" if self.left is None or _hold(self.left, name) else "too far to be noise: not used"
        return f"{limits}; outside: {out}; {said}"

    def advice(self) -> str:
        """Whether to stop, in a sentence."""
        if not self.measured:
            return "Go on: nothing was measured yet."
        return advice_on(self.left, self.stop, met=self.met, option=self.option)

    def record(self) -> dict[str, Any]:
        """The same for machines."""
        left, best, chosen = self.left, self.best, self.recommended
        return {
            "objective": self.study.objective,
            "direction": self.study.direction,
            **self._several(),
            "counts": dict(self.counts),
            **({} if (of := self.study.fidelity) is None else {"target": of.target, "spent": self.study.spent}),
            "best_measured": best and {**_measured(best), "note": best.note},
            "recommended": chosen and _chosen(chosen),
            "certificate": left
            and {
                "bound": left.bound,
                "exact": left.exact,
                "model": left.model,
                "trust": left.trust.light,
                "limits": left.limits,
                "limits_hold": _hold(left),
                "sentence": left.sentence,
                **(
                    {"hypervolume": left.hypervolume, "hypervolume_left": left.hypervolume_left}
                    if isinstance(left, FrontRegret)
                    else {}
                ),
            },
            **({} if not isinstance(left, RegionLoss) else {"region": self._region_record(left)}),
            "stop": self.met,
            "advice": self.advice(),
        }

    def _region_record(self, left: RegionLoss) -> dict[str, Any]:
        found: dict[str, Any] = {
            "above": left.above,
            "below": left.below,
            "inside": left.inside,
            "candidates": left.candidates,
            "wrong": left.wrong,
            "mean_loss": left.mean_loss,
            "worst_loss": left.worst_loss,
        }
        if self.region is not None:
            pairs = zip(self.region.rows, self.region.probability.tolist(), strict=True)
            found["probabilities"] = [{"row": row, "probability": p} for row, p in pairs]
        return found

    def _several(self) -> dict[str, Any]:
        """What several outcomes add to the record."""
        study = self.study
        if len(study.outcomes) == 1:
            return {}
        found: dict[str, Any] = {"outcomes": [outcome.wanted for outcome in study.outcomes]}
        if len(objectives_of(study)) > 1:
            found["reference"] = study.reference
            found["hypervolume"] = study.hypervolume
            found["front"] = [_chosen(each) for each in self.front]
            found["best_trials"] = [_measured(trial) for trial in study.best_trials]
        return found


def _measured(trial: Trial) -> dict[str, Any]:
    said = {"trial": trial.number, "row": trial.row, "params": trial.params, "value": trial.value}
    return said if len(trial.values) == 1 else {**said, "values": dict(trial.values)}


def _chosen(chosen: Recommendation) -> dict[str, Any]:
    said = {"row": chosen.row, "params": chosen.params, "mean": chosen.mean, "sd": chosen.sd}
    if not chosen.expected:
        return said
    expected = {name: {"mean": mean, "sd": sd} for name, (mean, sd) in chosen.expected.items()}
    return {**said, "expected": expected, "prob_feasible": chosen.prob_feasible, "qualified": chosen.qualified}


def status_of(
    study: Study,
    stop: StopRule | None = None,
    row_name: str = "row",
    *,
    record: bool = False,
    option: str = "--stop",
    certify: bool | None = None,
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
    certify
        Whether a certificate is computed; None: unless the table is in a file, where it takes a pass over all rows.

    Examples
    --------
    >>> from regretless import Regret
    >>> study = Study([{"t": t} for t in range(10)], objective="yield", seed=1)
    >>> status_of(study).advice()
    'Go on: nothing was measured yet.'
    >>> for _ in range(9):
    ...     trial = study.ask()
    ...     trial = study.tell(trial, -abs(trial.params["t"] - 4))
    >>> dict(status_of(study, Regret(0.5, patience=1)).facts())["Best measured"]
    '0 at row 4 (t=4)'
    """
    used, counts = [trial for trial in study.trials if not trial.excluded], counts_of(study)
    blank = StudyStatus(study, row_name, counts, stop, option)
    if not is_measured(study):
        return blank
    best = study.best
    there = [] if best is None else [trial.value for trial in used if dict(trial.params) == dict(best.params)]
    measured = replace(blank, measured=True, best=best, repeats=tuple(value for value in there if value is not None))
    if not (certify or (certify is None and not isinstance(study.space, FileTable))):
        price = f"one pass over {study.space.size:,} rows, about {duration(study.certificate_seconds())}"
        how = f"it was not asked for. It takes {price}: regretless status --certify"
        return replace(measured, trouble=how, price=price)
    try:
        left = study.certificate(record=record)
        several = len(objectives_of(study)) > 1
        if isinstance(left, RegionLoss):
            return replace(
                measured,
                region=study.region() if left.exact else None,
                left=left,
                met=stop is not None and study.should_stop(stop) is not None,
            )
        advised, front = (None, study.front) if several else (study.recommend(), ())
    except NumericalError as error:
        return replace(measured, trouble=str(error))
    met = stop is not None and study.should_stop(stop) is not None
    return replace(measured, recommended=advised, front=front, left=left, met=met)


def counts_of(study: Study) -> dict[str, int]:
    """The number of trials, by what became of them."""
    used = [trial for trial in study.trials if not trial.excluded]
    return {
        "measured": sum(trial.status == "told" for trial in used),
        "failed": sum(trial.status == "failed" for trial in used),
        "pending": sum(trial.status == "pending" for trial in used),
        "released": sum(trial.status == "released" for trial in used),
        "excluded": len(study.trials) - len(used),
    }


def _hold(left: Certified, name: str | None = None) -> bool:
    """Whether the results allow for the limits, of one objective or of all."""
    if isinstance(left, FrontRegret):
        return name not in left.contradicted if name is not None else not left.contradicted
    return left.limits_hold


def _trust(left: Certified) -> str:
    light, message = left.trust.light, left.trust.message
    return message if light == "too few data" else f"{light}. {message}"
