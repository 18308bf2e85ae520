"""A list of possible experiments, each of which gives a noisy result.

The rows come from anywhere: a list of dicts as here, a DataFrame, or the path of a CSV file. Text columns are
categories. Under noise the same row may be worth measuring twice, and by default it may be suggested again. The best
single measurement is often a lucky one: look at the recommendation instead.
"""

import itertools
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import pyplot as plt

from regretless import Study, Table
from regretless.plots import plot_contour

TEMPERATURES, TIMES, SOLVENTS = range(40, 121, 10), (5, 10, 20, 40), ("water", "ethanol", "toluene")
rows = [
    {"experiment": f"E{i:03d}", "temperature": t, "minutes": m, "solvent": s}
    for i, (t, m, s) in enumerate(itertools.product(TEMPERATURES, TIMES, SOLVENTS))
]

BONUS = {"water": 0.0, "ethanol": 12.0, "toluene": 5.0}
noise = np.random.default_rng(0)


def true_yield(row: Mapping[str, Any]) -> float:
    t, m, bonus = float(row["temperature"]), float(row["minutes"]), BONUS[row["solvent"]]
    return 60.0 + bonus - ((t - 90.0) / 12.0) ** 2 - 4.0 * math.log(m / 20.0) ** 2


study = Study(Table(rows, id="experiment"), seed=2)
for _ in range(40):
    trial = study.ask()
    study.tell(trial, true_yield(trial.params) + noise.normal(0.0, 1.0))  # "in the laboratory"

best, advice = study.best, study.recommend()
assert best is not None
print(f"{len(rows)} possible experiments, {len(study)} made")
print(f"best measurement: {best.value:.1f} in {best.row}")
print(f"recommended:      {advice.mean:.1f} ± {2 * advice.sd:.1f} in {advice.row}: {dict(advice.params)}")
print(f"true yield there: {true_yield(advice.params):.1f}, best of all: {max(map(true_yield, rows)):.1f}")

Path("out").mkdir(exist_ok=True)
plot_contour(study, ("temperature", "minutes"))
plt.savefig("out/table.png", dpi=110)
