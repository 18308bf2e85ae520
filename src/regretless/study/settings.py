"""What a study is set up with, checked; and as it is kept in a store."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

import numpy as np
import scipy

from regretless._version import __version__
from regretless.acquisition import as_rule
from regretless.arrays import show
from regretless.errors import InvalidInput, StudyConflict
from regretless.gp import Surrogate
from regretless.optimizer import Preset, Setup, setup
from regretless.spaces import (
    Mixed,
    Repeats,
    Rows,
    Table,
    as_space,
    check_repeats,
    extended_table,
    space_from_data,
    space_to_data,
)
from regretless.study.codec import Trust, object_from_data, object_to_data
from regretless.study.journal import Journal
from regretless.study.limits import Limits, as_limits

__all__ = ["Direction", "Settings", "check_same", "settings", "settings_from_spec", "spec_of"]

Direction = Literal["maximize", "minimize"]


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that stays the same through a study."""

    setup: Setup
    direction: Direction
    objective: str
    preset: Preset
    about: Mapping[str, Any] = field(default_factory=dict)  # notes of whoever made it, kept and never interpreted
    limits: Limits = field(default_factory=Limits)
    repeats_then: Repeats | None = None  # the word it was created with, which may have meant another thing


def settings(
    space: Any,
    *,
    direction: Direction | None = None,
    preset: Preset | None = None,
    objective: str | None = None,
    repeats: Any = None,
    limits: Any = None,
    about: Mapping[str, Any] | None = None,
    **more: Any,
) -> Settings:
    """Check the arguments of a study; None takes the default."""
    direction = "maximize" if direction is None else direction
    objective = "value" if objective is None else objective
    preset = "default" if preset is None else preset
    if direction not in ("maximize", "minimize"):
        raise InvalidInput(f"direction must be 'maximize' or 'minimize', got {show(direction)}.")
    if not isinstance(objective, str) or not objective:
        raise InvalidInput(f"objective must be the name of what is measured, got {show(objective)}.")
    chosen = setup(as_space(space, repeats), preset=preset, **more)
    return Settings(chosen, direction, objective, preset, _as_json(about), as_limits(limits))


def spec_of(settings: Settings) -> dict[str, Any]:
    """Settings as plain JSON: what is in force, so that defaults may change without changing any stored study."""
    chosen = settings.setup
    return {
        "space": space_to_data(chosen.space),
        "direction": settings.direction,
        "objective": settings.objective,
        "preset": settings.preset,
        "rule": object_to_data(chosen.rule, "rule"),
        "surrogate": object_to_data(chosen.surrogate, "surrogate"),
        "repeats": chosen.space.repeats,
        "n_initial": chosen.n_initial,
        "design": chosen.design,
        "seed": chosen.seed,
        "limits": settings.limits.given,
        "about": dict(settings.about),
        "made_with": {"regretless": __version__, "numpy": np.__version__, "scipy": scipy.__version__},
    }


def settings_from_spec(spec: Mapping[str, Any], trust: Trust) -> Settings:
    """The settings that were written so; code of others is imported only where it is trusted."""
    space = space_from_data(spec["space"])
    # Specs without repeats of their own are older than "auto": their space says "allow" for it.
    repeats = spec.get("repeats", "auto" if space.repeats == "allow" else space.repeats)
    chosen = settings(
        space,
        repeats=repeats,
        direction=spec["direction"],
        objective=spec["objective"],
        preset=spec["preset"],
        rule=object_from_data(spec["rule"], "rule", trust),
        surrogate=object_from_data(spec["surrogate"], "surrogate", trust),
        n_initial=spec["n_initial"],
        design=spec.get("design", "hypercube"),  # all that there was before it was named
        seed=spec["seed"],
        limits=spec.get("limits"),
        about=spec.get("about"),
    )
    return replace(chosen, repeats_then=space.repeats)


def check_same(name: str, given: Mapping[str, Any], stored: Settings, journal: Journal) -> None:
    """Refuse to open a study under other settings than it was created with; what is None was not given.

    The rows of a table may be those it was created with, or those it has now.
    """
    space, had_repeats = given["space"], stored.setup.space.repeats
    repeats = check_repeats(given["repeats"])
    if repeats is None and isinstance(space, Table | Mixed):
        repeats = space.repeats
    if repeats not in (None, had_repeats, stored.repeats_then):
        raise _conflict(name, f"has repeats={had_repeats!r}, not {repeats!r}")
    if space is not None:
        new, old = as_space(space, had_repeats), stored.setup.space
        difference = _difference(new, old)
        if difference and not _same_rows(new, old) and not _same_rows(new, _extended(old, journal)):
            raise _conflict(name, f"has another space: {difference}")
    if given["rule"] is not None and as_rule(given["rule"]) != stored.setup.rule:
        raise _conflict(name, f"has the rule {stored.setup.rule!r}, not {show(given['rule'])}")
    if given["limits"] is not None and as_limits(given["limits"]) != stored.limits:
        raise _conflict(name, f"has limits={stored.limits.given!r}, not {as_limits(given['limits']).given!r}")
    had = {
        "direction": stored.direction,
        "objective": stored.objective,
        "preset": stored.preset,
        "surrogate": stored.setup.surrogate,
        "n_initial": stored.setup.n_initial,
        "seed": stored.setup.seed,
    }
    for what, value in had.items():
        if given[what] is not None and given[what] != value:
            raise _conflict(name, _unlike(what, value, given[what]))


def _as_json(about: Mapping[str, Any] | None) -> dict[str, Any]:
    """Notes as they will be read back; what JSON cannot hold is refused."""
    if about is None:
        return {}
    try:
        notes: dict[str, Any] = json.loads(json.dumps(dict(about), allow_nan=False))
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"about must be a mapping of text to plain JSON, got {show(about)}: {error}.") from error
    return notes


def _unlike(what: str, stored: Any, given: Any) -> str:
    """In which setting two models or words differ."""
    if isinstance(stored, Surrogate) and isinstance(given, Surrogate):
        name = next(part.name for part in fields(stored) if getattr(stored, part.name) != getattr(given, part.name))
        return _unlike(f"a {what} with {name}", getattr(stored, name), getattr(given, name))
    return f"has {what}={stored!r}, not {show(given)}"


def _conflict(name: str, what: str) -> StudyConflict:
    return StudyConflict(
        f"study {name!r} exists and {what}. Open it without that argument, or create a study of another name."
    )


def _extended(space: Table | Mixed, journal: Journal) -> Table | Mixed:
    """The space as the events leave it."""
    for event in journal.read(0):
        if event.kind == "extended" and isinstance(space, Table):
            space = extended_table(space, Rows(event.data["columns"], event.data["ids"]))
    return space


def _same_rows(new: Table | Mixed, old: Table | Mixed) -> bool:
    """Whether two tables have the same candidates; the scale of their columns may differ.

    Rows of files were once called by number, not by line.
    """
    if not isinstance(new, Table) or not isinstance(old, Table):
        return False
    if (new.names, new.repeats, new.unnamed) != (old.names, old.repeats, old.unnamed):
        return False
    if old.ids not in (new.ids, new.numbered().ids):
        return False
    return all(new.params(i) == old.params(i) for i in range(new.n_candidates))


def _difference(new: Table | Mixed, old: Table | Mixed) -> str:
    """In which way two spaces differ, in words; nothing where they are equal."""
    if new == old:
        return ""
    if isinstance(new, Table) != isinstance(old, Table):
        return f"stored is {old!r}, given is {new!r}"
    if new.names != old.names:
        return f"its columns are {', '.join(old.names)}; given are {', '.join(new.names)}"
    if isinstance(new, Mixed) and isinstance(old, Mixed):
        changed = [n for n in new.names if new.dimensions[n] != old.dimensions[n]]
        pairs = (f"{n} is {old.dimensions[n]!r}, given is {new.dimensions[n]!r}" for n in changed)
        return "; ".join(pairs) or "one has names, the other has not"
    assert isinstance(new, Table)
    assert isinstance(old, Table)
    if new.n_candidates != old.n_candidates:
        return f"it has {old.n_candidates} candidates, given are {new.n_candidates} (study.extend adds some)"
    for i, (a, b) in enumerate(zip(new.ids, old.ids, strict=True)):
        if a != b or new.params(i) != old.params(i):
            return f"candidate {i} is row {b!r}: {old.params(i)}; given is row {a!r}: {new.params(i)}"
    return "its columns are of other kinds"
