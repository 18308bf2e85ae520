"""``python -m bench workers``: how many trials a second many workers get through, and what regret is left by then.

Each run is in a process of its own, one at a time. Wall-clock time: an evaluation sleeps, so that what is measured is
what the optimiser and its machinery take. ``asks``: CPU time of one ask and tell with all other workers busy, and no
worker in sight. ``rate``: a sleep of one second, five evaluations per worker; with nothing in the way k workers end k
trials a second. ``regret``: Hartmann 6 on eight workers for half a minute, every evaluation
sleeps between half a second and one and a half.
"""

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from bench import page, store
from bench.functions import function

__all__ = ["main"]

PAGE = page.BENCHMARKS.with_name("how-far.md")
WORKERS = (2, 8, 32, 64, 128)
#: A run that takes longer is broken off; trials per second are then those up to there.
LONGEST = 40.0
RATE = {
    "regretless": "Regretless, workers=k",
    "regretless-dask": "Regretless, Dask",
    "regretless-design": "Regretless, workers=k, no model: the machinery alone",
    "optuna-tpe": "Optuna TPE, n_jobs=k",
    "optuna-gp": "Optuna GP, n_jobs=k",
    "optuna-dask": "Optuna TPE, Dask",
}
REGRET = {
    "regretless": "Regretless, 8 threads",
    "optuna-gp": "Optuna GP, n_jobs=8 (threads)",
    "botorch": "BoTorch qLogEI, pending points, 8 threads",
}
BOUNDS = [(0.0, 1.0)] * 6


class Evaluations:
    """Hartmann 6 with a sleep; keeps when evaluations ended, and their values, for what runs in this process."""

    def __init__(self, least: float, most: float, seed: int) -> None:
        self.least, self._most = least, most
        self._rng, self._lock = np.random.default_rng(seed), threading.Lock()
        self.ended: list[tuple[float, float]] = []

    def __call__(self, x: Any) -> float:
        """The value there."""
        with self._lock:
            pause = self._rng.uniform(self.least, self._most)
        time.sleep(pause)
        value = hartmann(x)
        self.ended.append((time.perf_counter(), value))
        return value


def hartmann(x: Any) -> float:
    """Hartmann 6, to be maximised."""
    return float(function("hartmann6").evaluate(np.asarray(x, dtype=float)[None, :])[0])


def rate(peer: str, workers: int, seconds: float, longest: float) -> dict[str, Any]:
    """Trials that ended and how long that took, start and end of processes included; a Dask cluster is there before."""
    run = _ours if peer.startswith("regretless") else _optuna
    done, took = run(peer, Evaluations(seconds, seconds, 0), workers, 5 * workers, longest, seed=1)
    return {"trials": done, "seconds": took}


def asks(workers: int) -> dict[str, Any]:
    """CPU seconds of ask + tell, five per worker, mean over each fifth; as many are pending as there are workers."""
    from regretless import Study

    study, pending, took = Study(BOUNDS, seed=1), [], []
    for _ in range(5 * workers):
        began = time.process_time()
        pending.append(study.ask())
        if len(pending) == workers:
            trial = pending.pop(0)
            study.tell(trial, hartmann(list(trial.params.values())))
        took.append(time.process_time() - began)
    return {"workers": workers, "seconds": np.array(took).reshape(5, workers).mean(axis=1).tolist()}


def regret(peer: str, seconds: float, longest: float, seed: int) -> dict[str, Any]:
    """Simple regret by wall-clock time, from the call to the optimiser."""
    f = Evaluations(0.5 * seconds, 1.5 * seconds, seed)
    import_module({"botorch": "botorch.acquisition.logei", "regretless": "regretless.study"}.get(peer, "optuna"))
    began = time.perf_counter()
    if peer == "botorch":
        _botorch(f, 8, longest, seed)
    elif peer == "regretless":
        with ThreadPoolExecutor(8) as pool:  # threads, so that the times of evaluations are known; they only sleep
            _ours("regretless-threads", f, 8, 100_000, longest, seed, pool)
    else:
        _optuna(peer, f, 8, 100_000, longest, seed)
    ended = [(moment - began, value) for moment, value in f.ended if moment - began <= longest]
    return {"times": [moment for moment, _ in ended], "values": [value for _, value in ended]}


def _ours(
    peer: str, f: Evaluations, workers: int, n: int, longest: float, seed: int, pool: ThreadPoolExecutor | None = None
) -> tuple[int, float]:
    from regretless import maximize

    settings: dict[str, Any] = {"n_initial": n} if peer == "regretless-design" else {}

    def go(**more: Any) -> tuple[int, float]:
        began = time.perf_counter()
        result = maximize(
            f if pool is not None else _sleeper(f.least),
            BOUNDS,
            n,
            seed=seed,
            callback=lambda *_: time.perf_counter() - began > longest,
            progress=False,
            **settings,
            **more,
        )
        return result.nfev, time.perf_counter() - began

    if pool is not None:
        return go(executor=pool)
    if peer != "regretless-dask":
        return go(workers=workers)
    with _cluster(workers) as client:
        return go(executor=client)


def _sleeper(seconds: float) -> Callable[[Any], float]:
    """What is sent to processes by value: to import this package there would be measured, too."""

    def f(x: Any) -> float:
        time.sleep(seconds)
        return -float(sum((v - 0.4) ** 2 for v in x))

    return f


def _optuna(peer: str, f: Evaluations, workers: int, n: int, longest: float, seed: int) -> tuple[int, float]:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    samplers = {"optuna-gp": optuna.samplers.GPSampler, "optuna-tpe": optuna.samplers.TPESampler}
    settings = {"direction": "maximize", "sampler": samplers.get(peer, optuna.samplers.TPESampler)(seed=seed)}
    evaluate = _sleeper(f.least) if peer == "optuna-dask" else f

    def objective(trial: Any) -> float:
        return evaluate([trial.suggest_float(f"x{i}", 0.0, 1.0) for i in range(6)])

    if peer != "optuna-dask":
        study, began = optuna.create_study(**settings), time.perf_counter()
        study.optimize(objective, n_trials=n, n_jobs=workers, timeout=longest)
        return _finished(study), time.perf_counter() - began
    from optuna_integration.dask import DaskStorage

    with _cluster(workers) as client:
        study, began = optuna.create_study(**settings, storage=DaskStorage(client=client)), time.perf_counter()
        of_one = {"n_trials": n // workers, "timeout": longest, "pure": False}
        for future in [client.submit(study.optimize, objective, **of_one) for _ in range(workers)]:
            future.result()
        return _finished(study), time.perf_counter() - began


def _finished(study: Any) -> int:
    return len([trial for trial in study.trials if trial.state.is_finished()])


def _cluster(workers: int) -> Any:
    from distributed import Client, LocalCluster

    cluster = LocalCluster(
        n_workers=1,
        threads_per_worker=workers,
        processes=False,
        host="127.0.0.1",
        protocol="tcp://",
        dashboard_address="127.0.0.1:0",
    )
    return Client(cluster)


def _botorch(f: Callable[[Any], float], workers: int, longest: float, seed: int) -> None:
    """A free thread gets the maximum of qLogEI with what runs as pending points; a fit for each suggestion."""
    import torch
    from botorch.acquisition.logei import qLogExpectedImprovement
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from botorch.models.transforms import Standardize
    from botorch.optim import optimize_acqf
    from gpytorch.mlls import ExactMarginalLogLikelihood

    from bench.tasks import latin_hypercube

    torch.manual_seed(seed)
    torch.set_num_threads(1)
    d = len(BOUNDS)
    design = list(torch.tensor(latin_hypercube(np.array(BOUNDS), 2 * d + 2, seed)))
    cube = torch.stack([torch.zeros(d, dtype=torch.double), torch.ones(d, dtype=torch.double)])
    X: list[Any] = []
    y: list[float] = []
    running: dict[Any, Any] = {}
    began = time.perf_counter()

    def suggest() -> Any:
        if design:
            return design.pop(0)
        model = SingleTaskGP(
            torch.stack(X), torch.tensor(y, dtype=torch.double)[:, None], outcome_transform=Standardize(m=1)
        )
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        pending = torch.stack(list(running.values())) if running else None
        score = qLogExpectedImprovement(model, best_f=max(y), X_pending=pending)
        return optimize_acqf(score, bounds=cube, q=1, num_restarts=10, raw_samples=512)[0][0]

    with ThreadPoolExecutor(workers) as pool:
        while time.perf_counter() - began < longest:
            while len(running) < workers and time.perf_counter() - began < longest:
                x = suggest()
                running[pool.submit(f, x.numpy())] = x
                for future in [future for future in running if future.done()]:
                    X.append(running.pop(future))
                    y.append(future.result())
            time.sleep(0.002)
            for future in [future for future in running if future.done()]:
                X.append(running.pop(future))
                y.append(future.result())


def main(arguments: list[str]) -> int:
    """Run everything that was asked for, print it, and write it to the results and, with ``--docs``, to the page."""
    options = _options(arguments)
    if options.one is not None:
        spec = json.loads(options.one)
        print(json.dumps({"rate": rate, "regret": regret, "asks": asks}[spec.pop("task")](**spec)))
        return 0
    console = Console()
    if os.getloadavg()[0] > 0.5 * (os.cpu_count() or 1):
        console.print("The machine is busy: whoever computes comes out too slow.", style="yellow")
    rates, left = [], []
    counts = WORKERS if not options.quick else (2, 8)
    asked = [_run(console, task="asks", workers=k) for k in counts] if "asks" in options.parts else []
    for peer in RATE if "rate" in options.parts else ():
        for workers in counts:
            spec = {"seconds": 0.2 if options.quick else 1.0, "longest": 5.0 if options.quick else LONGEST}
            found = _run(console, task="rate", peer=peer, workers=workers, **spec)
            if found is not None:
                rates.append({"peer": peer, "workers": workers, **found})
    for peer in REGRET if "regret" in options.parts else ():
        for seed in range(1 if options.quick else options.seeds):
            spec = {"seconds": 0.2 if options.quick else 1.0, "longest": 4.0 if options.quick else 30.0}
            found = _run(console, task="regret", peer=peer, seed=seed, **spec)
            if found is not None:
                left.append({"peer": peer, "seed": seed, **found})
    heads, lines = _rate_lines(rates, counts)
    other_heads, other = _regret_lines(left, 4.0 if options.quick else 30.0)
    ask_heads, ask_lines = _ask_lines([each for each in asked if each is not None])
    tables = (("Ask + tell", ask_heads, ask_lines), ("Trials per second", heads, lines), ("Regret", other_heads, other))
    for title, some_heads, some in tables:
        table = Table(*some_heads, title=title, title_justify="left")
        for line in some:
            table.add_row(*line)
        console.print(table)
    folder = store.RESULTS / "quick" if options.quick else store.RESULTS
    found = {"manifest": store.manifest(), "asks": asked, "rates": rates, "regret": left}
    store.write_json(folder / f"workers-{'-'.join(options.parts)}.json", found)
    if options.docs and ask_lines:
        text = f"{page.measured(store.manifest())}\n\n{page.markdown(ask_heads, ask_lines)}"
        page.put(PAGE, "workers --parts asks", text)
    if options.docs and (lines or other):
        text = page.measured(store.manifest())
        if lines:
            text += "\n\n" + page.markdown(heads, lines)
        if other:
            text += "\n\n" + page.markdown(other_heads, other)
        page.put(PAGE, "workers", text)
    return 0


def _run(console: Console, **spec: Any) -> dict[str, Any] | None:
    """One run in a process of its own; None, with a note, if it failed."""
    done = subprocess.run(
        [sys.executable, "-m", "bench", "workers", "--one", json.dumps(spec)],
        cwd=store.ROOT,
        env={**os.environ, **store.THREADS},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["no message"])[-1]
        console.print(f"{spec}: {why}", style="red", markup=False)
        return None
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    if "trials" in found:
        console.print(f"{spec['peer']}, {spec['workers']} workers: {found['trials'] / found['seconds']:.1f} a second")
    elif "values" in found:
        console.print(f"{spec['peer']}, seed {spec['seed']}: {len(found['values'])} evaluations")
    return found


def _ask_lines(asked: list[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    lines = []
    for each in asked:
        k, seconds = each["workers"], np.array(each["seconds"])
        cells = [f"{1e3 * seconds.mean():.1f} ms", f"{1e3 * seconds[-1]:.1f} ms", f"{k * seconds.mean():.2f} s"]
        lines.append([f"{k}", f"{5 * k}", *cells])
    return ["workers", "results", "ask + tell, mean", "at the end", "one for each worker"], lines


def _rate_lines(rates: list[dict[str, Any]], counts: tuple[int, ...]) -> tuple[list[str], list[list[str]]]:
    lines = []
    for peer in dict.fromkeys(each["peer"] for each in rates):
        found = {each["workers"]: each["trials"] / each["seconds"] for each in rates if each["peer"] == peer}
        lines.append([RATE[peer], *(f"{found[k]:.1f}" if k in found else "" for k in counts)])
    return ["trials per second", *(f"k = {k}" for k in counts)], lines


def _regret_lines(left: list[dict[str, Any]], longest: float) -> tuple[list[str], list[list[str]]]:
    """Median over seeds of the simple regret at some times, and of the number of evaluations."""
    times = [longest * share for share in (0.25, 0.5, 0.75, 1.0)]
    lines = []
    for peer in dict.fromkeys(each["peer"] for each in left):
        runs = [each for each in left if each["peer"] == peer]
        best = [[_best(run, end) for end in times] for run in runs]
        middle = np.median(function("hartmann6").optimum - np.array(best), axis=0)
        count = np.median([len(run["values"]) for run in runs])
        lines.append([REGRET[peer], *(f"{value:.3g}" for value in middle), f"{count:.0f}"])
    return ["regret after", *(f"{end:g} s" for end in times), "evaluations"], lines


def _best(run: dict[str, Any], end: float) -> float:
    return max([v for t, v in zip(run["times"], run["values"], strict=True) if t <= end], default=-np.inf)


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench workers", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few seconds each, to see that everything runs")
    parser.add_argument(
        "--parts", default="asks,rate,regret", type=lambda text: text.split(","), help="which of the three"
    )
    parser.add_argument("--seeds", type=int, default=5, help="seeds of the regret (default: 5)")
    parser.add_argument("--docs", action="store_true", help=f"write the tables to {PAGE.name}")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)
