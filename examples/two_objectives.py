"""Yield against cost: what to choose from, and how much of it is still missing.

No single row is best in both, so the answer is a front: rows that no other row beats in everything.
"""

from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt

from regretless import Study
from regretless.plots import plot_front

noise = np.random.default_rng(1)
table = [{"T": T, "excess": e / 10} for T in range(20, 101, 5) for e in range(10, 31, 2)]
reference = {"yield [%]": 0.0, "cost [EUR]": 12.0}  # worse than this is of no interest
study = Study(table, objectives={"yield [%]": "maximize", "cost [EUR]": "minimize"}, reference=reference, seed=1)
for _ in range(30):
    trial = study.ask()
    T, excess = trial.params["T"], trial.params["excess"]
    gained = 90.0 * (1.0 - np.exp(-excess * T / 60.0)) + 1.5 * noise.standard_normal()
    study.tell(trial, {"yield [%]": gained, "cost [EUR]": 1.5 * excess**1.5 + T / 25.0 + 0.1 * noise.standard_normal()})

print(f"{len(study.front)} of {len(table)} rows to choose from:")
for point in study.front[:4]:
    expected = ", ".join(f"{name} {mean:.1f} ± {2 * sd:.1f}" for name, (mean, sd) in point.expected.items())
    print(f"  T = {point.params['T']}, excess = {point.params['excess']}: {expected}")
print(study.certificate())

Path("out").mkdir(exist_ok=True)
plot_front(study)
plt.savefig("out/two_objectives.png", dpi=110)
