"""``regretless plan``: how many experiments a scope will need, before the first one."""

import math
from dataclasses import dataclass
from typing import Any

import click
import numpy as np

from regretless.arrays import Floats
from regretless.cli._options import experiments_of, file_table_of, in_file, sheet_options
from regretless.cli._output import Format, format_option, print_json, print_rows, progress, say
from regretless.errors import InvalidInput
from regretless.gp import Kernel
from regretless.gp.priors import usual_lengthscale
from regretless.lab.text import number
from regretless.spaces import Table
from regretless.theory import simulate

__all__ = ["command"]

#: Candidates that are simulated; of a larger scope a random part stands for the whole.
_SIMULATED = 400
#: Spreads that are tried where none is given, in units of eps.
_SPREADS = (2.0, 5.0, 10.0)
#: Length scales beside the one the fit starts from.
_SMOOTHNESS = {"smooth": 2.0, "typical": 1.0, "rough": 0.5}


@dataclass(frozen=True, slots=True)
class _Model:
    """What is assumed of the objective: its sd over the scope, its noise sd, how smooth it is."""

    spread: float
    noise: float
    smoothness: str
    lengthscale: float


@click.command(
    epilog="Example: regretless plan scope.csv --eps 2 --spread 15",
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--eps", type=float, required=True, help="The regret you can live with, in units of the objective.")
@click.option("--spread", type=float, help="How much the objective varies over the scope, as a standard deviation.")
@click.option("--noise", type=float, help="Standard deviation of repeats; a twentieth of the spread if left out.")
@click.option(
    "--objective",
    "outcomes",
    multiple=True,
    metavar="COLUMN",
    help="The column of results, if FILE has one: it is left out. Repeatable.",
)
@click.option("--most", type=click.IntRange(8, 2000), default=100, show_default=True, help="Look no further than this.")
@click.option("--functions", type=click.IntRange(5, 1000), default=20, show_default=True, help="Simulations per case.")
@sheet_options
@format_option
def command(
    file: str,
    eps: float,
    spread: float | None,
    noise: float | None,
    outcomes: tuple[str, ...],
    most: int,
    functions: int,
    format: Format,
    **reading: Any,
) -> None:
    """Simulate how many experiments it takes until the certificate says that at most EPS is left to gain.

    Before the first experiment nobody knows how the objective varies, so several cases are simulated; the cost depends
    most on the spread. If you know it, give it. The law is that of a study made by init: the default rule. It is about
    one objective without constraints; several outcomes take more.
    """
    for name, value in (("--eps", eps), ("--spread", spread), ("--noise", noise)):
        if value is not None and not 0.0 < value < math.inf:
            raise InvalidInput(f"{name} must be a positive number, got {value}.")
    if in_file(file):
        table: Table = file_table_of(file, outcomes, reading)
        listed = table.n_candidates
    else:
        experiments = experiments_of(file, outcomes, reading)
        table, listed = experiments.table(), len(experiments)
    X = _candidates(table)
    if len(X) < table.n_candidates:
        say(f"{len(X)} of {table.n_candidates} candidates, drawn at random, stand for the scope.")
    usual = usual_lengthscale(table.dim)
    models = [
        _Model(size, size / 20.0 if noise is None else noise, word, factor * usual)
        for size in ([spread] if spread is not None else [eps * factor for factor in _SPREADS])
        for word, factor in _SMOOTHNESS.items()
    ]
    with progress(models, "Simulating") as bar:
        cases = [_simulated(model, X, table, eps, most, functions) for model in bar]
    _show(cases, listed, eps, most, format)


def _simulated(model: _Model, X: Floats, table: Table, eps: float, most: int, functions: int) -> dict[str, Any]:
    kernel = Kernel("matern52", np.full(X.shape[1], model.lengthscale), 1.0, _categorical(table))
    runs = simulate(
        X,
        kernel,
        (model.noise / model.spread) ** 2,
        eps / model.spread,
        n_candidates=table.n_candidates,  # the law is that of the whole scope
        n_functions=functions,
        max_T=most,
    )
    return {
        "spread": model.spread,
        "noise": model.noise,
        "smoothness": model.smoothness,
        "half": runs.quantile(0.5)[0],
        "nine_of_ten": runs.quantile(0.9)[0],
        "law": runs.law,
    }


def _show(cases: list[dict[str, Any]], candidates: int, eps: float, most: int, format: Format) -> None:
    if format == "json":
        print_json({"candidates": candidates, "eps": eps, "limit": most, "cases": cases})
        return
    if format == "csv":
        print_rows(["spread", "noise", "smoothness", "half", "nine_of_ten", "law"], cases, format)
        return
    rows: dict[float, dict[str, Any]] = {}
    for case in cases:
        row = rows.setdefault(case["spread"], {"spread (sd)": case["spread"], "noise (sd)": case["noise"]})
        row[case["smoothness"]] = f"{_count(case['half'], most)} ({_count(case['nine_of_ten'], most)})"
    print_rows(["spread (sd)", "noise (sd)", *_SMOOTHNESS], list(rows.values()), format)
    click.echo(
        f"Experiments until at most {number(eps)} is left to gain by the certificate: in half of the simulated scopes\n"
        "(in nine of ten). Count eight at least, from which on the model can be checked against the data."
    )
    for law in dict.fromkeys(case["law"] for case in cases):
        click.echo(f"Simulated with {law}.")


def _count(evaluations: float, most: int) -> str:
    return f"{evaluations:.0f}" if evaluations < math.inf else f">{most}"


def _candidates(table: Table) -> Floats:
    if table.n_candidates <= _SIMULATED:
        return np.array(table.X)
    rows = np.random.default_rng(0).choice(table.n_candidates, _SIMULATED, replace=False)
    return np.array(table.X[np.sort(rows)])


def _categorical(table: Table) -> tuple[bool, ...]:
    return tuple(levels > 0 for levels in table.n_levels)
