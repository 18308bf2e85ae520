"""A result of scikit-optimize, from the object. Its files are pickles, which are not read; nothing is imported."""

from typing import Any

from regretless.errors import InvalidInput
from regretless.integrations.choices import Choices
from regretless.integrations.imported import Imported
from regretless.integrations.records import Entry, Records, imported, number
from regretless.spaces import Float, Int, Mixed
from regretless.spaces.scalars import plain
from regretless.study import Study

__all__ = ["from_skopt"]


def from_skopt(
    result: Any, space: Any = None, *, objective: str = "value", into: Study | None = None, **settings: Any
) -> Imported:
    """The evaluations in a result of scikit-optimize as data of a study of ours, with a report of what was taken.

    Parameters
    ----------
    result
        What ``gp_minimize`` and the others return, or ``Optimizer.get_result()``: ``x_iters``, ``func_vals`` and
        ``space``. One in a file is read by its own ``skopt.load``; do so only with files that you trust.
    space
        What may be tried. None: the space of the result; dimensions without a name are called x0, x1, ...
    objective
        What was minimised.
    into
        A study to add the results to, in place of a new one.
    **settings
        Of `regretless.Study`, such as ``seed``.
    """
    try:
        points, values, dimensions = result.x_iters, result.func_vals, list(result.space.dimensions)
    except AttributeError as error:
        raise InvalidInput(f"a result of scikit-optimize has x_iters, func_vals and space: {error}.") from error
    names = [dimension.name or f"x{j}" for j, dimension in enumerate(dimensions)]
    choices = {
        name: Choices.of(dimension.categories)
        for name, dimension in zip(names, dimensions, strict=True)
        if hasattr(dimension, "categories")
    }
    entries = []
    for i, (point, value) in enumerate(zip(points, values, strict=True)):
        params = {n: choices[n].label(v) if n in choices else plain(v) for n, v in zip(names, point, strict=True)}
        measured = number(value)
        entries.append(Entry(f"call {i}", params, {} if measured is None else {objective: measured}))
    found = Mixed({n: _dimension(d, choices.get(n)) for n, d in zip(names, dimensions, strict=True)})
    records = Records("scikit-optimize", tuple(entries), {objective: "minimize"}, space=found)
    return imported(records, space, into, **settings)


def _dimension(dimension: Any, choices: Choices | None) -> Any:
    if choices is not None:
        return choices.dimension
    number_of = Int if type(dimension).__name__ == "Integer" else Float
    return number_of(plain(dimension.low), plain(dimension.high), log=dimension.prior == "log-uniform")
