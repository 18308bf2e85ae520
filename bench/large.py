"""``python -m bench large``: what a study with thousands of results costs, in time and memory.

Hartmann 6, results of random points that are added with noise. Each n in a process of its own: CPU seconds of the first
``ask``, which fits the hyperparameters, of an ``ask`` and ``tell`` between fits, and of a certificate; and the largest
resident memory by then.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
from time import process_time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from bench import page, store
from bench.functions import function

__all__ = ["main"]

PAGE = page.BENCHMARKS.with_name("how-far.md")
SIZES = (500, 2000, 5000, 10_000)


def measure(n: int) -> dict[str, Any]:
    """One study with n results."""
    from regretless import Study
    from regretless.linalg import single_thread

    rng, f = np.random.default_rng(1), function("hartmann6").evaluate
    X = rng.random((n, 6))
    y = f(X) + 0.05 * rng.standard_normal(n)
    study = Study([(0.0, 1.0)] * 6, seed=1)
    with single_thread():
        began = process_time()
        for x, value in zip(X, y, strict=True):
            study.add(x, float(value))
        added = process_time() - began
        began = process_time()
        trial = study.ask()
        first, between = process_time() - began, []
        for _ in range(5):
            study.tell(trial, float(f(np.array([list(trial.params.values())]))[0]))
            began = process_time()
            trial = study.ask()
            between.append(process_time() - began)
        asked = _megabytes()
        began = process_time()
        study.certificate()
        certificate = process_time() - began
    return {
        "n": n,
        "added": added,
        "first": first,
        "between": float(np.median(between)),
        "used": int(trial.details.get("used", len(study.trials) - 1)),
        "asked_mb": asked,
        "certificate": certificate,
        "mb": _megabytes(),
    }


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def main(arguments: list[str]) -> int:
    """Measure, print, write to the results and, with ``--docs``, to the page."""
    options = _options(arguments)
    if options.one is not None:
        print(json.dumps(measure(options.one)))
        return 0
    rows = []
    for n in (200, 500) if options.quick else SIZES:
        done = subprocess.run(
            [sys.executable, "-m", "bench", "large", "--one", str(n)],
            cwd=store.ROOT,
            env={**os.environ, **store.THREADS},
            capture_output=True,
            text=True,
            check=True,
        )
        rows.append(json.loads(done.stdout.strip().splitlines()[-1]))
    heads = [
        "results",
        "in the posterior",
        "first ask",
        "ask between fits",
        "certificate",
        "memory",
        "with certificate",
    ]
    lines = [
        [
            f"{row['n']:,}",
            f"{row['used']:,}",
            f"{row['first']:.2f} s",
            f"{row['between']:.2f} s",
            f"{row['certificate']:.1f} s",
            f"{row['asked_mb']:.0f} MB",
            f"{row['mb']:.0f} MB",
        ]
        for row in rows
    ]
    table = Table(*heads, title="CPU time and memory of one process", title_justify="left")
    for line in lines:
        table.add_row(*line)
    Console().print(table)
    folder = store.RESULTS / "quick" if options.quick else store.RESULTS
    store.write_json(folder / "large.json", {"manifest": store.manifest(), "rows": rows})
    if options.docs:
        page.put(PAGE, "large", f"{page.measured(store.manifest())}\n\n{page.markdown(heads, lines)}")
    return 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench large", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small studies, to see that everything runs")
    parser.add_argument("--docs", action="store_true", help=f"write the table to {PAGE.name}")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    return parser.parse_args(arguments)
