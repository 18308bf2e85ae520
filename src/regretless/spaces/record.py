"""Spaces as plain JSON and back, exactly: every value, id and code is restored bit for bit."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from regretless.errors import InvalidInput, UntrustedCode
from regretless.spaces.box import Box
from regretless.spaces.columns import Column, Levels, Numbers
from regretless.spaces.constraints import Constraint, Function, as_constraints, constraint_to_data
from regretless.spaces.dimensions import Categorical, Dimension, Fixed, Float, Int, Ordinal
from regretless.spaces.mixture import Mixture
from regretless.spaces.params import check_repeats
from regretless.spaces.product import Mixed
from regretless.spaces.scalars import show
from regretless.spaces.table import FileTable, Frame, RowIds, Table

__all__ = ["space_from_data", "space_to_data"]


#: Up to so many rows the n x N matrix is small whatever n.
MATTERS = 65_536
#: Before it was on record: 2 GiB for each of two models.
MEMORY_THEN = 4 << 30


def space_to_data(space: Table | Mixed) -> dict[str, Any]:
    """A space as dicts, lists and scalars.

    >>> space_to_data(Mixed({"n": (1, 3)}))["dimensions"]
    [{'name': 'n', 'kind': 'int', 'low': 1, 'high': 3, 'log': False}]
    """
    common: dict[str, Any] = {"repeats": space.repeats, "unnamed": space.unnamed}
    if space.constraints:
        common["constraints"] = [constraint_to_data(constraint) for constraint in space.constraints]
    if isinstance(space, Mixed):
        parts = [{"name": name, **_dimension_to_data(part)} for name, part in space.dimensions.items()]
        if space.mixtures:
            common["mixtures"] = [_mixture_to_data(name, mixture) for name, mixture in space.mixtures.items()]
        return {"kind": "box" if isinstance(space, Box) else "mixed", **common, "dimensions": parts}
    if isinstance(space, FileTable):
        return {"kind": "file", **common, **space.to_data()}
    rows = space._rows
    if space.n_candidates > MATTERS:
        common["memory"] = space.memory
    return {
        "kind": "table",
        **common,
        "columns": [{"name": name, **_column_to_data(column)} for name, column in space._frame.by_name.items()],
        "first": rows.first.tolist(),
        "candidate": rows.candidate.tolist(),
        "ids": None if rows.names is None else list(rows.names),
    }


def space_from_data(
    data: Mapping[str, Any], resolve: Callable[[str], Callable[[dict[str, Any]], Any]] | None = None
) -> Table | Mixed:
    """Decode a stored space.

    ``resolve`` turns ``"module:qualname"`` into the function of a constraint. Without it no code is imported: a space
    with such a constraint is an `UntrustedCode` error.

    >>> space = Mixed({"rate": (1e-4, 1e-1, "log"), "act": ["relu", "tanh"], "seed": 7})
    >>> space_from_data(space_to_data(space)) == space
    True
    """
    constraints = tuple(_constraint(entry, resolve) for entry in data.get("constraints", ()))
    if data["kind"] == "table":
        return _table(data, constraints)
    if data["kind"] == "file":
        return FileTable.from_data(data, data["repeats"])
    if data["kind"] not in ("box", "mixed"):
        raise InvalidInput(f"a space of kind {show(data['kind'])} is not known; known are table, file, box and mixed.")
    kind = Box if data["kind"] == "box" else Mixed
    space = kind.__new__(kind)
    parts = {part["name"]: _dimension(part) for part in data["dimensions"]}
    mixtures = {entry["name"]: _mixture(entry) for entry in data.get("mixtures", ())}
    repeats = check_repeats(data["repeats"])
    space._set(parts, repeats, unnamed=data["unnamed"], constraints=constraints, mixtures=mixtures)
    return space


def _constraint(entry: Any, resolve: Callable[[str], Callable[[dict[str, Any]], Any]] | None) -> Constraint:
    if isinstance(entry, str):
        return as_constraints(entry)[0]
    if resolve is None:
        raise UntrustedCode(
            f"the space has a constraint that is a function, {entry['function']}. It is imported only if you vouch for "
            "its module; or hand in the space with its constraints."
        )
    return Function(resolve(entry["function"]))


def _mixture_to_data(name: str, mixture: Mixture) -> dict[str, Any]:
    parts = zip(mixture.names, mixture.lows, mixture.highs, strict=True)
    return {
        "name": name,
        "components": [[part, low, high] for part, low, high in parts],
        "total": mixture.total,
        "at_most": mixture.at_most,
        "step": mixture.step,
    }


def _mixture(data: Mapping[str, Any]) -> Mixture:
    components = {name: (low, high) for name, low, high in data["components"]}
    return Mixture(components, data["total"], data["at_most"], data["step"])


def _dimension_to_data(part: Dimension) -> dict[str, Any]:
    match part:
        case Float() | Int():
            step = {} if part.step is None else {"step": part.step}
            kind = type(part).__name__.lower()
            return {"kind": kind, "low": part.low, "high": part.high, "log": part.log, **step, **_when_to_data(part)}
        case Ordinal():
            return {"kind": "ordinal", "values": list(part.levels), **_when_to_data(part)}
        case Categorical():
            return {"kind": "categorical", "values": list(part.choices), **_when_to_data(part)}
        case Fixed():
            return {"kind": "fixed", "value": part.value}


def _when_to_data(part: Any) -> dict[str, Any]:
    return {} if part.when is None else {"when": [[name, list(values)] for name, values in part.when]}


def _dimension(data: Mapping[str, Any]) -> Dimension:
    when = dict(data["when"]) if "when" in data else None
    match data["kind"]:
        case "float":
            return Float(data["low"], data["high"], data["log"], data.get("step"), when)
        case "int":
            return Int(data["low"], data["high"], data["log"], data.get("step"), when)
        case "ordinal":
            return Ordinal(data["values"], when)
        case "categorical":
            return Categorical(data["values"], when)
        case "fixed":
            return Fixed(data["value"])
    raise InvalidInput(f"a parameter of kind {show(data['kind'])} is not known.")


def _column_to_data(column: Column) -> dict[str, Any]:
    if isinstance(column, Numbers):
        kind = "int" if column.values.dtype.kind == "i" else "float"
        ends = {} if column.ends is None else {"ends": list(column.ends)}
        return {"kind": kind, "values": column.items(), **ends}
    return {"kind": "levels", "levels": list(column.levels), "index": column.index.tolist()}


def _column(data: Mapping[str, Any]) -> Column:
    if data["kind"] == "levels":
        return Levels(tuple(data["levels"]), np.array(data["index"], dtype=np.intp))
    values = np.array(data["values"], dtype=np.int64 if data["kind"] == "int" else np.float64)
    ends = data.get("ends")
    return Numbers(values, None if ends is None else (ends[0], ends[1]))


def _table(data: Mapping[str, Any], constraints: tuple[Constraint, ...]) -> Table:
    first, candidate = (np.array(data[key], dtype=np.intp) for key in ("first", "candidate"))
    return Table._of(
        Frame.of({column["name"]: _column(column) for column in data["columns"]}),
        RowIds(first, candidate, None if data["ids"] is None else tuple(data["ids"])),
        repeats=data["repeats"],
        unnamed=data["unnamed"],
        constraints=constraints,
        memory=data.get("memory", MEMORY_THEN),
    )
