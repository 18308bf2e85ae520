"""All experiments by name: which units each has, how one is computed, and what it is drawn and judged by."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from regretless.errors import InvalidInput
from regretless.paper import beyond_claims, figures, race_claims, theory_claims
from regretless.paper.beyond import beyond_unit
from regretless.paper.claims import Claim
from regretless.paper.jobs import Columns, Unit
from regretless.paper.methods import Method
from regretless.paper.races import race_on_function, race_on_gp_sample, race_on_table
from regretless.paper.results import (
    Results,
    beyond_tables,
    bound_tables,
    confidence_tables,
    race_tables,
    stopping_tables,
    two_point_tables,
)
from regretless.paper.settings import Settings
from regretless.paper.simulations import bounds_unit, confidence_of, regret_on_two_points, stopping_run
from regretless.problems import missing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "Experiment", "units_of"]


@dataclass(frozen=True, slots=True)
class Experiment:
    """How an experiment is done. ``own``: whether a researcher's own rules take part."""

    name: str
    compute: Callable[[Unit], Columns]
    tables: Callable[[Results], dict[str, Columns]]
    figures: Callable[[Results], "dict[str, Figure]"]
    claims: Callable[[Results], list[Claim]]
    own: bool = False


EXPERIMENTS: Mapping[str, Experiment] = MappingProxyType(
    {
        experiment.name: experiment
        for experiment in (
            Experiment("confidence", confidence_of, confidence_tables, figures.confidence, theory_claims.confidence),
            Experiment("synthetic", race_on_gp_sample, race_tables, figures.synthetic, race_claims.synthetic, own=True),
            Experiment("functions", race_on_function, race_tables, figures.races, race_claims.functions, own=True),
            Experiment("materials", race_on_table, race_tables, figures.races, race_claims.materials, own=True),
            Experiment(
                "linear-regret", regret_on_two_points, two_point_tables, figures.two_points, theory_claims.linear_regret
            ),
            Experiment("bounds", bounds_unit, bound_tables, figures.bounds, theory_claims.bounds),
            Experiment("stopping", stopping_run, stopping_tables, figures.stopping, theory_claims.stopping),
            Experiment("beyond", beyond_unit, beyond_tables, figures.beyond, beyond_claims.beyond),
        )
    }
)


def units_of(settings: Settings, methods: tuple[Method, ...]) -> tuple[list[Unit], str | None]:
    """All units of an experiment, run by run, and a sentence about what cannot be done, if there is such a thing."""
    name, numbers = settings.experiment, settings.numbers
    problems, sentence = settings.problems, None
    if name == "materials":
        absent = missing(problems)
        problems = tuple(problem for problem in problems if problem not in absent)
        if absent:
            sentence = (
                f"materials: left out {', '.join(absent)}, whose files are not here. Get them with `regretless data "
                "fetch`, or set REGRETLESS_DATA to the folder that holds them."
            )
    if name == "beyond":
        return _beyond(settings, methods), None
    units = [
        Unit(name, problem, method.key, run, numbers, method.rule)
        for run in range(max((settings.runs_on(problem) for problem in problems), default=0))
        for problem in problems
        if run < settings.runs_on(problem)
        for method in methods
    ]
    if name == "bounds":
        units += [Unit(name, problem, "gain", 0, numbers) for problem in problems]
        # The first square, where a hundred functions are soon done, carries the parts that need one case only.
        units += [Unit(name, "square", "conditional", k, numbers) for k in range(numbers["conditional_sequences"])]
        units.append(Unit(name, "square", "zeta", 0, numbers))
    if not units and sentence is None:
        raise InvalidInput(f"the experiment {name!r} has nothing to do.")
    return units, sentence


def _beyond(settings: Settings, methods: tuple[Method, ...]) -> list[Unit]:
    """Every rule on the grid, IRGP-UCB on two arms, ATS for the first figure, and what no rule takes part in once."""
    name, numbers, runs = settings.experiment, settings.numbers, range(settings.runs)
    units = [Unit(name, "grid", method.key, run, numbers) for run in runs for method in methods]
    units += [Unit(name, "two-arms", "irgp-ucb", run, numbers) for run in runs]
    units += [Unit(name, "figure-1", "ats", run, numbers) for run in runs]
    units += [Unit(name, "figure-1", law, 0, numbers) for law in ("gp-ucb", "rgp-ucb", "irgp-ucb", "tight")]
    return [*units, Unit(name, "grid", "gain", 0, numbers), Unit(name, "gaps", "gaps", 0, numbers)]
