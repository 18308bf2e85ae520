"""Search spaces as users of scikit-learn write them: lists, distributions of SciPy, dimensions of scikit-optimize."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from regretless.arrays import show
from regretless.errors import InvalidInput
from regretless.integrations.choices import Choices
from regretless.spaces import Categorical, Dimension, Fixed, Float, Int, Mixed, Ordinal, Space, Table, as_dimension
from regretless.spaces.scalars import is_number, plain

__all__ = ["SearchSpace", "as_search_space"]

#: The parameter that says which of several spaces a candidate is from.
_WHICH = "space"
#: A distribution without an end is cut off where this probability is left beyond.
_TAIL = 0.001


def _same(value: Any) -> Any:
    return value


def _at_quantile(distribution: Any, u: float) -> float:
    return float(distribution.ppf(u))


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter as the study has it, and how its values become the estimator's."""

    dimension: Dimension
    outward: Callable[[Any], Any] = _same


@dataclass(frozen=True, slots=True)
class SearchSpace:
    """What the study searches, and how its parameters become the estimator's."""

    space: Space
    parameters: Mapping[str, Parameter]
    names: Mapping[
        str, str
    ]  # of the study's parameters, those of the estimator; with several spaces the first are longer

    def params(self, ours: Mapping[str, Any]) -> dict[str, Any]:
        """What the estimator is set to."""
        return {
            self.names[name]: self.parameters[name].outward(value) for name, value in ours.items() if name in self.names
        }


def as_search_space(given: Any) -> SearchSpace:
    """Read a search space: a mapping of parameters, a list of such mappings, or a space of ours.

    >>> as_search_space({"C": (1e-3, 1e3, "log-uniform"), "kernel": ["rbf", None]}).space.dimensions
    {'C': Float(low=0.001, high=1000.0, log=True), 'kernel': Categorical(choices=('rbf', None))}
    >>> several = as_search_space([{"kernel": ["linear"]}, {"kernel": ["rbf"], "gamma": (0.1, 1.0)}])
    >>> several.params({"space": "1", "1: kernel": "rbf", "1: gamma": 0.5})
    {'kernel': 'rbf', 'gamma': 0.5}
    """
    if isinstance(given, Mixed | Table):
        parameters = {name: Parameter(Fixed(0)) for name in given.names}  # whose values are the estimator's as they are
        return SearchSpace(given, parameters, {name: name for name in given.names})
    if isinstance(given, Mapping):
        parameters = {name: _parameter(entry, name) for name, entry in given.items()}
        return SearchSpace(_mixed(parameters), parameters, {name: name for name in parameters})
    if (
        not isinstance(given, Sequence)
        or isinstance(given, str)
        or not all(isinstance(each, Mapping) for each in given)
    ):
        raise InvalidInput(
            "the search space must be a mapping of parameter names such as {'C': (1e-3, 1e3, 'log'), 'kernel': ['rbf', "
            f"'poly']}}, or a list of such mappings, got {show(given)}."
        )
    if len(given) == 1:
        return as_search_space(given[0])
    if not given:
        raise InvalidInput("the search space is an empty list. Give a mapping of parameter names.")
    parameters, names = {_WHICH: Parameter(Categorical([str(i) for i in range(len(given))]))}, {}
    for i, part in enumerate(given):
        for name, entry in part.items():
            found = _parameter(entry, name)
            parameters[f"{i}: {name}"] = replace(found, dimension=_under(found.dimension, {_WHICH: str(i)}))
            names[f"{i}: {name}"] = name
    return SearchSpace(_mixed(parameters), parameters, names)


def _mixed(parameters: Mapping[str, Parameter]) -> Mixed:
    return Mixed({name: parameter.dimension for name, parameter in parameters.items()}, repeats="never")


def _under(dimension: Dimension, when: dict[str, str]) -> Dimension:
    """The parameter under a condition."""
    if isinstance(dimension, Float | Int):
        return type(dimension)(dimension.low, dimension.high, log=dimension.log, step=dimension.step, when=when)  # type: ignore[arg-type]
    if isinstance(dimension, Ordinal):
        return Ordinal(dimension.levels, when=when)
    return Categorical(dimension.values(), when=when)


def _parameter(entry: Any, name: str) -> Parameter:
    try:
        return _read(entry)
    except InvalidInput as error:
        raise InvalidInput(f"parameter {name!r}: {error}") from None


def _read(entry: Any) -> Parameter:
    if isinstance(entry, Float | Int | Ordinal | Categorical | Fixed):
        return Parameter(entry)
    if type(entry).__module__.partition(".")[0] == "skopt":
        return _of_skopt(entry)
    if hasattr(entry, "rvs") and hasattr(entry, "dist"):
        return _of_scipy(entry)
    if isinstance(entry, range):
        return Parameter(as_dimension(entry))
    if isinstance(entry, tuple) and len(entry) in (2, 3) and all(is_number(plain(each)) for each in entry[:2]):
        low, high, *prior = entry
        return Parameter(as_dimension((low, high) if prior == ["uniform"] else entry))
    if isinstance(entry, list | tuple) or (isinstance(entry, np.ndarray) and entry.ndim == 1):
        return _of_values([plain(each) for each in entry])
    return Parameter(as_dimension(entry))


def _of_values(values: list[Any]) -> Parameter:
    """Numbers are levels with an order; anything else choices."""
    if values and all(is_number(each) and each == each for each in values) and len(set(values)) == len(values):
        return Parameter(Ordinal(sorted(values)))
    choices = Choices.of(values)
    return Parameter(choices.dimension, choices.value)


def _of_skopt(entry: Any) -> Parameter:
    """A dimension of scikit-optimize, known by the name of its class; the package is not imported."""
    kind = type(entry).__name__
    if kind == "Categorical":
        choices = Choices.of(entry.categories)
        return Parameter(choices.dimension, choices.value)
    log = getattr(entry, "prior", None) == "log-uniform"
    if kind == "Real":
        return Parameter(Float(float(entry.low), float(entry.high), log=log))
    if kind == "Integer":
        return Parameter(Int(int(entry.low), int(entry.high), log=log))
    raise InvalidInput(f"cannot be read as a parameter: {show(entry)}. Of scikit-optimize: Real, Integer, Categorical.")


def _of_scipy(entry: Any) -> Parameter:
    """A frozen distribution: uniform and log-uniform ones by their bounds, others by their quantiles."""
    low, high = (float(end) for end in entry.support())
    name = entry.dist.name
    if name in ("loguniform", "reciprocal"):
        return Parameter(Float(low, high, log=True))
    if not hasattr(entry, "pdf"):  # of whole numbers
        ends = (low if np.isfinite(low) else entry.ppf(_TAIL)), (high if np.isfinite(high) else entry.ppf(1.0 - _TAIL))
        return Parameter(Int(int(ends[0]), int(ends[1])))
    if name == "uniform":
        return Parameter(Float(low, high))
    # x = F^-1(u): where the distribution has much mass, the search looks more closely
    return Parameter(Float(_TAIL, 1.0 - _TAIL), partial(_at_quantile, entry))
