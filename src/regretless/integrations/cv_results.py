"""The results of a search of scikit-learn: ``cv_results_``, which is plain data. scikit-learn is not needed."""

from collections.abc import Mapping
from typing import Any

from regretless.errors import InvalidInput
from regretless.integrations.choices import Choices
from regretless.integrations.imported import Imported
from regretless.integrations.records import Entry, Records, imported, number
from regretless.spaces.scalars import plain
from regretless.study import Study

__all__ = ["from_cv_results"]


def from_cv_results(
    results: Mapping[str, Any],
    space: Mapping[str, Any] | None = None,
    *,
    metric: str = "score",
    into: Study | None = None,
    **settings: Any,
) -> Imported:
    """The candidates in ``cv_results_`` of a search of scikit-learn as data of a study of ours, with a report.

    Parameters
    ----------
    results
        ``search.cv_results_`` of GridSearchCV, RandomizedSearchCV, BayesSearchCV or any other.
    space
        What may be tried, which ``cv_results_`` does not say: parameters by name, as for `regretless.Study`, or the
        lists of a ``param_grid``, whose values may be of any kind.
    metric
        Which ``mean_test_<metric>`` counts; scores are maximised. A fit that failed, NaN, is a failed trial.
    into
        A study to add the results to, in place of a new one.
    **settings
        Of `regretless.Study`, such as ``seed``.
    """
    key = f"mean_test_{metric}"
    if key not in results or "params" not in results:
        known = sorted(name.removeprefix("mean_test_") for name in results if name.startswith("mean_test_"))
        raise InvalidInput(f"cv_results_ has no metric {metric!r}; it has {', '.join(known) or 'none'}.")
    choices = {
        name: Choices.of(values)
        for name, values in ({} if space is None else space).items()
        if isinstance(values, list) and not all(_is_number(value) for value in values)
    }
    entries = []
    for i, (params, score) in enumerate(zip(results["params"], results[key], strict=True)):
        measured = number(score)
        try:
            found = {n: choices[n].label(v) if n in choices else plain(v) for n, v in params.items()}
        except InvalidInput as error:
            entries.append(Entry(f"candidate {i}", {}, left=f"it has no place in the space: {error}".rstrip(".")))
            continue
        entries.append(Entry(f"candidate {i}", found, {} if measured is None else {metric: measured}))
    read = None if space is None else {n: choices[n].dimension if n in choices else v for n, v in space.items()}
    records = Records("scikit-learn", tuple(entries), {metric: "maximize"}, space=read)
    return imported(records, None, into, **settings)


def _is_number(value: Any) -> bool:
    value = plain(value)
    return isinstance(value, int | float) and not isinstance(value, bool)
