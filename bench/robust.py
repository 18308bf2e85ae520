"""``python -m bench robust``: decisions in environments and under input errors, beside BoTorch's risk measures.

All have the same start, a Latin hypercube of the joint space, and no noise. After each of a few numbers of evaluations
each names a decision, and its true robust regret is computed from the function. Compared is the mean of its logarithm
at the last of them, which was named before anything was run. "nominal" is our default on the same problem without
environments or errors, "random" our model with points drawn at random.
"""

import argparse
import json
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from bench import page, store
from bench.adapters import Floats
from bench.regret import print_in_full
from regretless import CVaR, Environment, Study
from regretless.problems import RobustProblem, robust_names, robust_problem
from regretless.spaces import Float, latin_hypercube, scenarios_of

__all__ = ["PEERS", "main", "measure"]

PAGE = store.ROOT / "docs" / "explanation" / "robust.md"
LOOKS = (20, 30, 40)
PEERS = ("regretless", "botorch", "nominal", "random")
_SEEDS = 10
#: A regret below this is this: optima are known to six digits.
_FLOOR = 1e-5


def measure(name: str, peer: str, seed: int, looks: Sequence[int] = LOOKS) -> dict[str, Any]:
    """One run: robust regret of what is named after each of ``looks`` evaluations, and seconds per suggestion."""
    problem = robust_problem(name)
    X0 = _start(problem, seed)
    y0 = [problem(params) for params in X0]
    run = {"botorch": _botorch, "nominal": _nominal}.get(peer, _own)
    begun = time.process_time()
    regret = run(problem, peer, seed, X0, y0, looks)
    seconds = (time.process_time() - begun) / (looks[-1] - len(X0))
    return {"problem": name, "peer": peer, "seed": seed, "regret": regret, "seconds": round(seconds, 3)}


def _start(problem: RobustProblem, seed: int) -> list[dict[str, Any]]:
    """2 D + 2 points of the joint space."""
    joint = scenarios_of(problem.space, problem.environment, 1).space
    d = joint.dim
    rows = joint.snap(latin_hypercube(2 * d + 2, d, np.random.default_rng([seed, 0])))
    return [joint.decode(row) for row in rows]


def _own(
    problem: RobustProblem, peer: str, seed: int, X0: list[dict[str, Any]], y0: list[float], looks: Sequence[int]
) -> list[float]:
    study = Study(problem.space, environment=problem.environment, goal=problem.aim, seed=seed, n_initial=len(X0))
    for params, y in zip(X0, y0, strict=True):
        study.add(params, y)
    rng, found = np.random.default_rng([seed, 3]), []
    for t in range(len(X0), looks[-1]):
        if peer == "random":
            params = study.space.decode(study.space.sample(1, rng)[0])
            study.add(params, problem(params))
        else:
            trial = study.ask()
            study.tell(trial, problem(trial.params))
        if t + 1 in looks:
            found.append(problem.regret(study.recommend().params))
    return found


def _nominal(
    problem: RobustProblem, peer: str, seed: int, X0: list[dict[str, Any]], y0: list[float], looks: Sequence[int]
) -> list[float]:
    """Without errors, or in the most probable environment: what one does who does not think of them."""
    del peer
    usual: dict[str, Any] = {}
    if isinstance(problem.environment, Environment):
        environment = problem.environment
        usual = {environment.name: environment.values[int(np.argmax(environment.weights))]}
        y0 = [problem({**params, **usual}) for params in X0]
    study, found = Study(problem.space, seed=seed, n_initial=len(X0)), []
    for params, y in zip(X0, y0, strict=True):
        study.add({name: params[name] for name in problem.space.names}, y)
    for t in range(len(X0), looks[-1]):
        trial = study.ask()
        study.tell(trial, problem({**trial.params, **usual}))
        if t + 1 in looks:
            found.append(problem.regret(study.recommend().params))
    return found


def _botorch(
    problem: RobustProblem, peer: str, seed: int, X0: list[dict[str, Any]], y0: list[float], looks: Sequence[int]
) -> list[float]:
    del peer
    from bench.adapters.botorch_risk import RiskAverse

    sides = [part for part in problem.space.dimensions.values() if isinstance(part, Float)]
    low, width = np.array([side.low for side in sides]), np.array([side.high - side.low for side in sides])
    environment, d = problem.environment, len(sides)
    scenarios: dict[str, Floats] = {}
    if isinstance(environment, Environment):
        values = np.array(environment.values, dtype=np.float64)
        codes = (values - values.min()) / np.ptp(values)
        times = np.rint(np.array(environment.weights) * 20).astype(int)  # its risk measures know no weights
        scenarios["features"] = np.repeat(codes, times)[:, None]
    else:
        shifts = dict(environment.shifts)
        each = np.array([shifts.get(name, np.zeros(len(environment.weights))) for name in problem.space.names])
        scenarios["shifts"] = each.T / width

    def params_of(x: Floats) -> dict[str, Any]:
        found = dict(zip(problem.space.names, (low + width * x[:d]).tolist(), strict=True))
        if isinstance(environment, Environment) and len(x) > d:
            found[environment.name] = environment.values[int(np.abs(codes - x[d]).argmin())]
        return found

    def codes_of(params: Mapping[str, Any]) -> Floats:
        x = (np.array([float(params[name]) for name in problem.space.names]) - low) / width
        if not isinstance(environment, Environment):
            return x
        return np.append(x, codes[environment.values.index(params[environment.name])])

    share = problem.aim.share if isinstance(problem.aim, CVaR) else 1.0
    start = np.array([codes_of(params) for params in X0])
    peer_ = RiskAverse(d, type(problem.aim).__name__, share, seed, start, np.array(y0), **scenarios)
    found = []
    for t in range(len(X0), looks[-1]):
        x = peer_.ask()
        peer_.tell(x, problem(params_of(x)))
        if t + 1 in looks:
            found.append(problem.regret(params_of(peer_.recommend())))
    return found


def main(arguments: list[str]) -> int:
    """Run what is not there yet, or read what was run; print the table, write it into the documentation."""
    options = _options(arguments)
    raw = store.RESULTS / ("quick" if options.quick else "raw") / "robust.json"
    stored = json.loads(raw.read_text()) if raw.exists() and not options.quick else {"runs": []}
    if not options.report:
        stored = _run(options, raw, stored)
    heads, lines = _table(stored["runs"])
    shown = Table(*heads, title=f"robust regret after {LOOKS[-1]} evaluations", title_justify="left")
    for line in lines:
        shown.add_row(*line)
    print_in_full(Console(), shown)
    if options.docs and not options.quick:
        page.put(PAGE, "robust", f"{page.measured(stored['manifest'])}\n\n{page.markdown(heads, lines)}")
    return 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench robust", description=__doc__.split("\n\n")[0])
    parser.add_argument("--seeds", type=int, default=_SEEDS, help="how many seeds")
    parser.add_argument("--peers", default=",".join(PEERS), help="which of them, separated by commas")
    parser.add_argument("--only", default=",".join(robust_names()), help="which problems, separated by commas")
    parser.add_argument("--quick", action="store_true", help="one seed, one problem, few evaluations")
    parser.add_argument("--report", action="store_true", help="run nothing")
    parser.add_argument("--docs", action="store_true", help="write the table into the documentation")
    return parser.parse_args(arguments)


def _run(options: argparse.Namespace, raw: Path, stored: dict[str, Any]) -> dict[str, Any]:
    """One process, one after the other; every result is written when it is there. Our own count for one source."""
    os.environ.update(store.THREADS)
    source = store.source_hash()
    runs = [run for run in stored["runs"] if run["peer"] == "botorch" or run.get("source") == source]
    done = {(run["problem"], run["peer"], run["seed"]) for run in runs}
    looks = (10, 12) if options.quick else LOOKS
    names = options.only.split(",")[:1] if options.quick else options.only.split(",")
    units = [
        (name, peer, seed)
        for seed in range(1 if options.quick else options.seeds)
        for name in names
        for peer in options.peers.split(",")
    ]
    for unit in units:
        if unit not in done:
            found = measure(*unit, looks=looks)
            runs.append(found if unit[1] == "botorch" else {**found, "source": source})
            store.write_json(raw, {"manifest": store.manifest(), "looks": list(looks), "runs": runs})
    return {"manifest": store.manifest(), "looks": list(looks), "runs": runs}


def _table(runs: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """One line per problem: the geometric mean of the last regret of each, on the seeds that all of them have."""
    by: dict[str, dict[str, dict[int, float]]] = {}
    for run in runs:
        by.setdefault(run["problem"], {}).setdefault(run["peer"], {})[run["seed"]] = max(run["regret"][-1], _FLOOR)
    peers = [peer for peer in PEERS if any(peer in each for each in by.values())]
    lines = []
    for problem, each in by.items():
        shared = sorted(set.intersection(*(set(found) for found in each.values())))
        cells = []
        for peer in peers:
            logs = np.log([each[peer][seed] for seed in shared]) if peer in each else np.empty(0)
            spread = np.exp(logs.std(ddof=1) / np.sqrt(len(logs))) if len(logs) > 1 else 1.0
            cells.append(f"{np.exp(logs.mean()):.2g} ×/÷ {spread:.2g}" if len(logs) else "")
        lines.append([problem, type(robust_problem(problem).aim).__name__, str(len(shared)), *cells])
    return ["problem", "aim", "seeds", *peers], lines
