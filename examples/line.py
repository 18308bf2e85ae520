"""A line of three stages, each measured: a powder is milled, then sintered, then tempered.

How the stages hang together is known, what each does is not. One study is told every output and models each stage on
its own inputs; another is told the strength at the end alone.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from regretless import Network, Study

SPACE = {"speed": (0.0, 1.0), "hours": (0.0, 4.0), "heat": (900.0, 1300.0), "temper": (100.0, 400.0)}
LINE = Network(
    {"grain": ["speed", "hours"], "density": ["grain", "heat"], "strength": ["grain", "density", "temper"]},
)


def measure(params: dict[str, float]) -> dict[str, float]:
    heat, temper = (params["heat"] - 900.0) / 400.0, (params["temper"] - 100.0) / 300.0
    grain = 2.0 + 6.0 * np.exp(-params["hours"]) * (1.0 + 0.6 * np.cos(7.0 * params["speed"]))
    density = 6.0 - 9.0 * (heat - 0.2 - 0.08 * grain) ** 2
    strength = 800.0 * np.exp(-((density - 5.8) ** 2) - 4.0 * (temper - 0.1 * grain) ** 2) / np.sqrt(grain)
    return {"grain": grain, "density": density, "strength": strength}


told = Study(SPACE, objective=LINE, seed=1)
told.optimize(measure, 18)
alone = Study(SPACE, objective="strength", seed=1)
alone.optimize(lambda params: measure(params)["strength"], 18)

assert told.best is not None
assert alone.best is not None
print(f"every output told:  {told.best.value:.1f} at {told.best.params}")
print(f"the strength alone: {alone.best.value:.1f}")
print(told.recommend())
print(told.certificate())

Path("out").mkdir(exist_ok=True)
_, ax = plt.subplots(figsize=(6.0, 3.8), layout="constrained")
for study, label, line in ((told, "every output told", "-"), (alone, "the strength alone", "--")):
    best = np.maximum.accumulate([trial.value for trial in study.trials if trial.value is not None])
    ax.plot(np.arange(1, 19), best, line, linewidth=2.0, label=label)
ax.set(xlabel="evaluation", ylabel="best strength so far, MPa")
ax.set_xticks([1, 6, 12, 18])
ax.legend(frameon=False, loc="lower right")
plt.savefig("out/line.png", dpi=110)
