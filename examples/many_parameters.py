"""Forty parameters, of which three matter and nobody knows which: the default, and a trust region.

The default looks everywhere and lets the data say which parameters are idle. A trust region looks near the best point
alone: `rule="trust-region"`.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from regretless import Study
from regretless.lab import importance

SPACE = {f"x{j}": (0.0, 1.0) for j in range(40)}


def loss(params: dict[str, float]) -> float:
    a, b, c = params["x3"], params["x17"], params["x30"]
    return (a - 0.7) ** 2 + 2.0 * (b - 0.2) ** 2 + 0.5 * (c - 0.6) ** 2


studies = {}
for name in ("irgp-ucb", "trust-region"):
    studies[name] = Study(SPACE, direction="minimize", rule=name, seed=1)
    best = studies[name].optimize(loss, 60).best
    assert best is not None
    print(f"{name}: {best.value:.5f}")
print("what matters:", ", ".join(list(importance(studies["irgp-ucb"], by="lengthscale"))[:3]))

Path("out").mkdir(exist_ok=True)
_, ax = plt.subplots(figsize=(6.0, 3.8), layout="constrained")
for (name, study), colour, line in zip(studies.items(), ("#D55E00", "#0072B2"), ("-", "--"), strict=True):
    values = [trial.value for trial in study.trials if trial.value is not None]
    ax.semilogy(np.arange(1, 61), np.minimum.accumulate(values), line, color=colour, linewidth=2.0, label=name)
ax.axvspan(1, 20, color="#767676", alpha=0.12, linewidth=0)
ax.text(10.5, ax.get_ylim()[1] * 0.8, "start", ha="center", va="top", fontsize=9)
ax.set(xlabel="evaluation", ylabel="lowest loss so far")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, loc="lower left")
plt.savefig("out/many_parameters.png", dpi=110)
