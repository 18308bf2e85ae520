"""``python -m bench tables``: suggestions over huge tables, exactly, beside recomputing everything and beside BoTorch.

Rows are uniform in ten columns, float32, in a file that is mapped into memory. The objective is a draw of a Gaussian
process (Matern 5/2, length scale 1, by random features) with noise of a tenth of its sd. The model is known. Of the 180
results before the first step half are of random rows, half were found by a search among the first 100,000.
The first suggestion then passes over all rows, as after every fit; 40 more follow between fits. The law of zeta is that
of IRGP-UCB with exploiting steps in between. Every part runs in a process of its own.
"""

import argparse
import itertools
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench import page, store

__all__ = ["main"]

PAGE = page.BENCHMARKS.with_name("how-far.md")
DIM, KNOWN, STEPS, NOISE_VAR = 10, 180, 40, 0.01
FEATURES = 2000


def rows_file(folder: Path, N: int) -> Path:
    """The file of N rows, written if it is not there."""
    path = folder / f"rows-{N}.npy"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        rng = np.random.default_rng(0)
        X = np.lib.format.open_memmap(part, mode="w+", dtype=np.float32, shape=(N, DIM))
        for begin in range(0, N, 1 << 20):
            X[begin : begin + (1 << 20)] = rng.random((min(1 << 20, N - begin), DIM), dtype=np.float32)
        X.flush()
        part.rename(path)
    return path


def sample(dim: int, lengthscale: float, seed: int) -> Callable[[Any], float]:
    """A draw of a Gaussian process with a Matern 5/2 kernel and variance 1, by random features; without noise."""
    rng = np.random.default_rng(seed)
    W = rng.standard_normal((dim, FEATURES)) / lengthscale / np.sqrt(rng.chisquare(5.0, FEATURES) / 5.0)
    shift, weights = rng.uniform(0.0, 2.0 * np.pi, FEATURES), rng.standard_normal(FEATURES) * math.sqrt(2.0 / FEATURES)
    return lambda x: float(np.cos(np.asarray(x, dtype=float) @ W + shift) @ weights)


def roots(N: int, seed: int) -> Iterator[float]:
    """Draws of sqrt(zeta) by the default law."""
    from regretless import IRGPUCB

    law, rng = IRGPUCB().law(N, DIM), np.random.default_rng(seed)
    return (math.sqrt(float(law.draw(t, rng))) for t in itertools.count(1))


def walk(belief: Any, codes: Any, f: Callable[[Any], float], steps: int, seed: int = 2) -> tuple[Any, list[Any]]:
    """Suggest and observe in turns; the belief then, and of each step the row, shares, wall and CPU time, score.

    The shares are of rows looked at, and of rows in blocks whose bounds were read.
    The engine is `Clocked`: CPU time is that of the worker that took longest.
    """
    from regretless.acquisition.ucb import UpperBound

    rng, closed, seen = np.random.default_rng(seed), np.empty(0, dtype=np.intp), []
    for root, _ in zip(roots(len(codes), seed), range(steps), strict=False):
        engine = belief.rows.engine
        wall, cpu = time.perf_counter(), engine.cpu
        found = belief.argmax(UpperBound(root), closed)
        wall, cpu = time.perf_counter() - wall, engine.cpu - cpu
        shares = found.updated / len(codes), found.touched / len(codes)
        seen.append([found.row, shares[0], wall, cpu, found.score, shares[1]])
        x = np.asarray(codes[found.row], dtype=np.float64)
        belief = belief.condition(x, f(x) + math.sqrt(NOISE_VAR) * rng.standard_normal())
    return belief, seen


class Clocked:
    """An engine, and the CPU seconds of the worker that took longest, added up over all calls.

    On a machine that others use too this is what a suggestion would take without them.
    """

    def __init__(self, engine: Any) -> None:
        self._engine, self.cpu = engine, 0.0
        self.shares_memory, self.unused, self.progress = engine.shares_memory, engine.unused, engine.progress

    def call(self, task: Any, *args: Any) -> list[Any]:
        """The answers of all workers."""
        answers = self._engine.call(_clocked, task, *args)
        self.cpu += max(seconds for _, seconds in answers)
        return [answer for answer, _ in answers]


def _clocked(worker: Any, share: Any, task: Any, *args: Any) -> tuple[Any, float]:
    began = time.thread_time()
    answer = task(worker, share, *args)
    return answer, time.thread_time() - began


def known(codes: Any, f: Callable[[Any], float]) -> Any:
    """The posterior of the results before the first step."""
    from regretless.engines import Here
    from regretless.gp import Kernel, block_posterior, posterior

    rng = np.random.default_rng(1)
    some = np.asarray(codes[: min(len(codes), 100_000)], dtype=np.float64)
    X = some[rng.choice(len(some), KNOWN // 2, replace=False)]
    y = np.array([f(x) for x in X]) + math.sqrt(NOISE_VAR) * rng.standard_normal(len(X))
    kernel = Kernel("matern52", np.full(codes.shape[1], 1.0), 1.0)
    base = block_posterior(posterior(kernel, noise_var=NOISE_VAR, X=X, y=y), some, Clocked(Here()))
    searched, _ = walk(base, some, f, KNOWN - KNOWN // 2, seed=3)
    return searched.posterior


def summary(seen: list[Any]) -> dict[str, Any]:
    """The first step, which passes over all rows, and the others."""
    between = np.array([[*step[1:4], step[5]] for step in seen[1:]])
    late = between[len(between) // 2 :]
    return {
        "rows": [step[0] for step in seen],
        "scores": [step[4] for step in seen],
        "pass": seen[0][2],
        "pass_cpu": seen[0][3],
        "total": float(sum(step[2] for step in seen)),
        "step_cpu": float(late[:, 2].mean()),
        "share": float(between[:, 0].mean()),
        "share_late": float(late[:, 0].mean()),
        "most": float(between[:, 0].max()),
        "read_late": float(late[:, 3].mean()),
        "step": float(between[:, 1].mean()),
        "step_late": float(late[:, 1].mean()),
        "longest": float(between[:, 1].max()),
        "longest_cpu": float(between[:, 2].max()),
    }


def steps(path: Path, workers: int, dask: bool, count: int) -> dict[str, Any]:
    """The walk over a file, with so many processes or Dask workers."""
    from regretless.engines import Cluster, Here, Processes
    from regretless.gp import block_posterior

    codes, f = np.load(path, mmap_mode="r"), sample(DIM, 1.0, 7)
    post = known(codes, f)
    before = _anonymous()
    if dask:
        from distributed import Client, LocalCluster

        with (
            LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0") as cluster,
            Client(cluster) as client,
        ):
            _, seen = walk(block_posterior(post, codes, Clocked(Cluster(client))), codes, f, count + 1)
    else:
        engine = Here() if workers == 1 else Processes(workers)
        _, seen = walk(block_posterior(post, codes, Clocked(engine)), codes, f, count + 1)
    return {**summary(seen), "bytes_per_row": (_anonymous() - before) / len(codes) if workers == 1 else None}


def recompute(path: Path, most: int) -> dict[str, Any]:
    """Seconds to compute mean, sd and score of every row anew: of ``most`` of them, and as many times more for all."""
    from regretless.linalg import single_thread

    codes, f = np.load(path, mmap_mode="r"), sample(DIM, 1.0, 7)
    post = known(codes, f)
    R, weights, n = post.factor.half_inverse(), post.weights, len(post)
    count, best = min(most, len(codes)), -math.inf
    out, spare = np.empty((n, 512)), np.empty((n, 512))
    with single_thread():
        began = time.perf_counter()
        for begin in range(0, count // 512 * 512, 512):
            K = post.kernel.into(post.X, np.asarray(codes[begin : begin + 512], dtype=np.float64), out, spare)
            V = R @ K
            sd = np.sqrt(np.maximum(1.0 - np.einsum("ij,ij->j", V, V), 1e-14))
            best = max(best, float((weights @ K + 2.0 * sd).max()))
        seconds = time.perf_counter() - began
    return {"seconds": seconds * len(codes) / count, "measured_rows": count, "best": best}


def botorch(path: Path, most: int) -> dict[str, Any]:
    """Seconds of one suggestion by BoTorch's exhaustive search in chunks, of ``most`` rows at once."""
    import torch
    from botorch.acquisition import UpperConfidenceBound
    from botorch.models import SingleTaskGP
    from botorch.optim import optimize_acqf_discrete
    from gpytorch.kernels import MaternKernel

    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    codes = np.load(path, mmap_mode="r")
    data = np.load(path.with_suffix(".data.npz"))
    kernel = MaternKernel(nu=2.5, ard_num_dims=DIM)
    kernel.lengthscale = torch.ones(DIM)
    X, y = torch.from_numpy(data["X"]), torch.from_numpy(data["y"])[:, None]
    model = SingleTaskGP(X, y, train_Yvar=torch.full_like(y, NOISE_VAR), covar_module=kernel, outcome_transform=None)
    model.mean_module.constant.data.fill_(0.0)
    choices = torch.from_numpy(np.asarray(codes[:most], dtype=np.float64))
    model.eval()
    acquisition = UpperConfidenceBound(model, beta=4.0)
    with torch.no_grad():
        acquisition(X[:1, None, :])  # caches are made
        began = time.perf_counter()
        _, value = optimize_acqf_discrete(acquisition, q=1, choices=choices, max_batch_size=2048)
        seconds = time.perf_counter() - began
    return {"seconds": seconds * len(codes) / len(choices), "measured_rows": len(choices), "best": float(value)}


def write_data(path: Path) -> None:
    """The results before the first step, for BoTorch."""
    post = known(np.load(path, mmap_mode="r"), sample(DIM, 1.0, 7))
    np.savez(path.with_suffix(".data.npz"), X=post.X, y=post.y)


def real(parts: int) -> list[dict[str, Any]]:
    """Share of the rows looked at between fits on tables of measurements, and on all mixtures of so many parts."""
    from regretless.problems import measurements

    found = []
    for name in measurements.table_names():
        problem = measurements.load(name)
        table = problem.space
        values = np.array([problem(table.params(i)) for i in range(table.n_candidates)])
        values = (values - values.mean()) / values.std()
        found.append({"table": name, "rows": len(values), **_shares(np.asarray(table.X), values)})
    mixtures, name = all_mixtures(8, parts), f"mixtures of 8 in steps of {100 / parts:g} %"
    found.append({"table": name, "rows": len(mixtures), **_shares(mixtures, sample(8, 0.5, 11))})
    return found


def all_mixtures(components: int, parts: int) -> Any:
    """All ways to make a whole of so many parts, (rows, components), the first component slowest."""
    ways = {whole: np.full((1, 1), whole, dtype=np.int8) for whole in range(parts + 1)}
    for more in range(1, components):
        wholes = range(parts + 1) if more < components - 1 else (parts,)
        ways = {
            whole: np.vstack([np.insert(ways[whole - first], 0, np.int8(first), axis=1) for first in range(whole + 1)])
            for whole in wholes
        }
    return np.divide(ways[parts], parts, dtype=np.float32)


def _shares(X: Any, values: Any) -> dict[str, Any]:
    """Fit to 40 random rows, then 60 steps between fits."""
    from regretless import Surrogate
    from regretless.acquisition.ucb import UpperBound
    from regretless.gp import block_posterior

    rng = np.random.default_rng(5)
    at = rng.choice(len(X), min(40, len(X) // 4), replace=False)
    evaluate = values if callable(values) else None

    def y_of(i: int) -> float:
        return evaluate(X[i]) if evaluate is not None else float(values[i])

    told, y = X[at].astype(float), np.array([y_of(int(i)) for i in at])
    none = tuple([False] * X.shape[1])
    fitted = Surrogate(compress=False).fit(told, y, categorical=none, start=None, rng=rng)
    belief, shares = block_posterior(fitted.posterior(none, told, y), X), []
    for root, _ in zip(roots(len(X), 6), range(60), strict=False):
        found = belief.argmax(UpperBound(root), np.empty(0, dtype=np.intp))
        shares.append(found.updated / len(X))
        z = float(fitted.units.standardised(np.array(y_of(found.row))))
        belief = belief.condition(X[found.row].astype(float), z)
    return {"share": float(np.mean(shares[20:]))}


def _anonymous() -> int:
    """Bytes of memory that are this process's own, without files that are mapped."""
    with Path("/proc/self/status").open() as lines:
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith("RssAnon"))


def _part(name: str, *words: Any, python: str = sys.executable) -> dict[str, Any]:
    """A part in a process of its own."""
    command = [python, "-m", "bench", "tables", "--part", name, *map(str, words)]
    env = {**os.environ, **store.THREADS}
    done = subprocess.run(command, cwd=store.ROOT, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr[-3000:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def _run_part(words: list[str]) -> Any:
    name, *rest = words
    match name:
        case "steps":
            return steps(Path(rest[0]), int(rest[1]), rest[2] == "dask", int(rest[3]))
        case "recompute":
            return recompute(Path(rest[0]), int(rest[1]))
        case "data":
            return write_data(Path(rest[0]))
        case "botorch":
            return botorch(Path(rest[0]), int(rest[1]))
        case _:
            return real(int(rest[0]))


def main(arguments: list[str]) -> int:
    """Measure, print, write to the results and, with ``--docs``, to the page."""
    options = _options(arguments)
    if options.part:
        print(json.dumps(_run_part(options.part)))
        return 0
    sizes = (100_000,) if options.quick else tuple(int(float(size)) for size in options.rows)
    results = []
    for N in sizes:
        path = rows_file(Path(options.folder), N)
        one = _part("steps", path, 1, "here", options.steps) if N <= 2 * 10**7 else None
        two = _part("steps", path, 2, "dask" if N <= 2 * 10**7 else "processes", options.steps)
        again = _part("recompute", path, min(N, 10**7))
        peer = None
        if options.peer and N <= 2 * 10**7:
            _part("data", path)
            peer = _part("botorch", path, min(N, options.peer_rows), python=options.peer)
        results.append({"N": N, "one": one, "two": two, "recompute": again, "botorch": peer})
        print(_said(results[-1]), flush=True)
    tables = [] if options.no_real else _part("real", options.parts)
    text = _text(results, tables)
    print(text)
    folder = store.RESULTS / "quick" if options.quick else store.RESULTS
    data = {"manifest": store.manifest(), "results": results, "tables": tables}
    store.write_json(folder / "tables.json", data)
    if options.docs:
        page.put(PAGE, "tables", f"{page.measured(store.manifest())}\n\n{text}")
    return 0


def _said(result: dict[str, Any]) -> str:
    """One size in a line, as soon as it is known."""
    return json.dumps({key: value for key, value in _row(result).items() if value is not None})


def _row(result: dict[str, Any]) -> dict[str, Any]:
    one, two, again, peer = (result[key] for key in ("one", "two", "recompute", "botorch"))
    walked = one or two
    return {
        "N": result["N"],
        "share": walked["share_late"],
        "most": walked["most"],
        "read": walked["read_late"],
        "step": one and one["step_late"],
        "pass": one and one["pass"],
        "step, 2 workers": two["step_late"],
        "longest, 2 workers": two["longest"],
        "pass, 2 workers": two["pass"],
        "speed": one and one["total"] / two["total"],
        "same rows": one and (one["rows"], one["scores"]) == (two["rows"], two["scores"]),
        "recompute": again["seconds"],
        "botorch": peer and peer["seconds"],
        "bytes": one and one["bytes_per_row"],
    }


def _text(results: list[dict[str, Any]], tables: list[dict[str, Any]]) -> str:
    def seconds(value: float | None) -> str:
        return "" if value is None else f"{value:.3g} s"

    lines = [
        [
            f"{row['N']:,}",
            f"{100 * row['share']:.0f} % ({100 * row['most']:.0f} %)",
            f"{100 * row['read']:.0f} %",
            seconds(row["step"]),
            seconds(row["pass"]),
            f"{seconds(row['step, 2 workers'])} ({seconds(row['longest, 2 workers'])})",
            seconds(row["pass, 2 workers"]),
            "" if row["speed"] is None else f"{row['speed']:.2f}, {'yes' if row['same rows'] else 'NO'}",
            seconds(row["recompute"]),
            seconds(row["botorch"]),
            "" if row["bytes"] is None else f"{row['bytes']:.1f}",
        ]
        for row in map(_row, results)
    ]
    heads = [
        "rows",
        "looked at (most)",
        "bounds read",
        "suggestion",
        "pass after a fit",
        "2 workers (longest)",
        "pass, 2 workers",
        "speed-up, same rows",
        "recomputing",
        "BoTorch",
        "bytes per row",
    ]
    text = page.markdown(heads, lines)
    if tables:
        shares = [[each["table"], f"{each['rows']:,}", f"{100 * each['share']:.0f} %"] for each in tables]
        text += "\n\n" + page.markdown(["table", "rows", "looked at"], shares)
    return text


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench tables", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small table, to see that everything runs")
    parser.add_argument("--docs", action="store_true", help=f"write the table to {PAGE.name}")
    parser.add_argument("--rows", nargs="*", default=["1e7", "1e8"], help="sizes of tables")
    parser.add_argument(
        "--folder", default=str(Path(tempfile.gettempdir()) / "regretless-tables"), help="for the files"
    )
    parser.add_argument("--steps", type=int, default=40, help="suggestions between two fits")
    parser.add_argument("--peer", help="a Python that has BoTorch, such as .venv-bench/bin/python")
    parser.add_argument("--peer-rows", type=int, default=10**7, help="rows that BoTorch is timed on")
    parser.add_argument("--parts", type=int, default=20, help="parts of a mixture: 50 are 264 million rows")
    parser.add_argument("--no-real", action="store_true", help="leave tables of measurements out")
    parser.add_argument("--part", nargs="*", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)
