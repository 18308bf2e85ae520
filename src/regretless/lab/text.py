"""Numbers, points and times as people read them, in reports and at the prompt."""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from regretless.optimizer import Outcome
from regretless.study import Study, Trial

__all__ = [
    "interval",
    "is_measured",
    "number",
    "objectives_of",
    "pairs",
    "plus_minus",
    "point",
    "result",
    "results",
    "share",
    "utc",
]

#: Replicates that are named one by one.
_LISTED = 5


def number(value: Any) -> str:
    """A value for people: six significant digits, whole digits never dropped; text as it is.

    >>> number(81.23456789), number(480185.0), number(12345678.9), number("HCl"), number(None)
    ('81.2346', '480185', '12345679', 'HCl', '')
    """
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, float):
        return str(value)
    if math.isfinite(value) and 1e6 <= abs(value) < 1e15:
        return f"{value:.0f}"
    return f"{value:.6g}"


def plus_minus(mean: float, sd: float) -> str:
    """Mean and sd with as many digits as the sd gives reason for.

    >>> plus_minus(81.23456, 1.2765), plus_minus(480185.3, 12345.6), plus_minus(0.5, 0.0)
    ('81.2 ± 1.3', '480000 ± 12000', '0.5 ± 0')
    """
    if not (math.isfinite(sd) and sd > 0.0 and math.isfinite(mean)):
        return f"{number(mean)} ± {number(sd)}"
    digits = 1 - math.floor(math.log10(sd))
    if not -15 <= digits <= 8 or abs(mean) >= 1e15:
        return f"{mean:.3g} ± {sd:.2g}"
    if digits < 0:
        return f"{round(mean, digits):.0f} ± {round(sd, digits):.0f}"
    text = f"{mean:.{digits}f}"
    return f"{text.lstrip('-') if float(text) == 0.0 else text} ± {sd:.{digits}f}"


def interval(median: float, low: float, high: float, *, digits: int = 2) -> str:
    """A median and the ends of its interval, with as many digits as the width gives reason for.

    ``digits`` is how many of a quarter of the width the ends have; one makes short texts, for tables with many of them.

    >>> interval(81.23456, 78.6815, 83.7877), interval(0.5, 0.5, 0.5), interval(480185.0, 456000.0, 504000.0)
    ('81.2 (78.7 to 83.8)', '0.5 (0.5 to 0.5)', '480000 (456000 to 504000)')
    >>> interval(81.23456, 78.6815, 83.7877, digits=1)
    '81.2 (79 to 84)'
    """
    quarter = 0.25 * high - 0.25 * low
    middle, below, above = _digits(median, quarter, 2), *(_digits(value, quarter, digits) for value in (low, high))
    return f"{middle} ({below} to {above})"


def _digits(value: float, spread: float, wanted: int) -> str:
    """A value with the first digits of the spread."""
    if not (math.isfinite(value) and spread > 0.0):
        return number(value)
    digits = wanted - 1 - math.floor(math.log10(spread))
    if not -15 <= digits <= 8 or abs(value) >= 1e15:
        return f"{value:.3g}"
    text = f"{round(value, digits):.{max(digits, 0)}f}"
    return text.lstrip("-") if float(text) == 0.0 else text


def pairs(params: Mapping[str, Any]) -> str:
    """Parameters in one line.

    >>> pairs({"T": 80.0, "acid": "HCl"})
    'T=80, acid=HCl'
    """
    return ", ".join(f"{name}={number(value)}" for name, value in params.items())


def point(row: Any, params: Mapping[str, Any], row_name: str = "row") -> str:
    """A point by the name of its row where it has one, and by its parameters.

    >>> point(7, {"T": 80.0}), point(None, {"T": 80.0})
    ('row 7 (T=80)', 'T=80')
    """
    return f"{row_name} {row} ({pairs(params)})" if row is not None else pairs(params)


def result(numbers: Sequence[float], sd: float | None = None) -> str:
    """A measurement with what is known of it: replicates as their mean, and a standard deviation.

    >>> result([81.2]), result([81.2], 0.4), result([80.1, 81.3]), result([80.1, 81.3], 0.4)
    ('81.2', '81.2 ± 0.4', '80.7 (mean of 80.1, 81.3)', '80.7 (mean of 80.1, 81.3, each ± 0.4)')
    """
    error = "" if sd is None else f" ± {number(sd)}"
    if len(numbers) == 1:
        return number(numbers[0]) + error
    several = ", ".join(map(number, numbers)) if len(numbers) <= _LISTED else str(len(numbers))
    each = f", each{error}" if error else ""
    return f"{number(math.fsum(each / len(numbers) for each in numbers))} (mean of {several}{each})"


def results(study: Study, trial: Trial) -> str:
    """What came out of a trial, by outcome; ``failed`` where nothing did.

    >>> study = Study({"x": (0.0, 1.0)}, objective="yield", constraints={"impurity": ("<=", 0.5)}, seed=1)
    >>> results(study, study.tell(study.ask(), {"yield": 81.2}, failed="impurity"))
    'yield 81.2, impurity failed'
    """
    if trial.status == "failed":
        return "failed"
    names = [outcome.name for outcome in study.outcomes if outcome.name in trial.values]
    return ", ".join(f"{name} {_came_out(trial, name)}" for name in names)


def _came_out(trial: Trial, name: str) -> str:
    value, known = trial.values[name], trial.noise.get(name, {})
    return "failed" if value is None else result(known.get("replicates", [value]), known.get("sd"))


def objectives_of(study: Study) -> tuple[Outcome, ...]:
    """The outcomes that are maximised or minimised."""
    return tuple(outcome for outcome in study.outcomes if outcome.role == "objective")


def is_measured(study: Study) -> bool:
    """Whether every outcome has a result, so that a model can be asked."""
    used = [trial.values for trial in study.trials if not trial.excluded and trial.status != "released"]
    return all(any(values.get(each.name) is not None for values in used) for each in study.outcomes)


def share(p: float) -> str:
    """A probability with two digits, and no certainty that rounding made.

    >>> share(0.9996), share(0.123), share(0.9951), share(0.0)
    ('above 0.999', '0.12', '0.995', 'below 0.001')
    """
    if p < 0.001:
        return "below 0.001"
    return "above 0.999" if p > 0.999 else f"{p:.2g}" if p < 0.99 else f"{p:.3f}"


def utc(seconds: float) -> str:
    """A time on record.

    >>> utc(0.0)
    '1970-01-01 00:00:00'
    """
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
