"""A recipe of at most three of five components, with a constraint on two of them.

The components are parameters under their own names; they sum to one in everything that is suggested.
"""

from pathlib import Path
from typing import Any

from matplotlib import pyplot as plt

from regretless import Mixed, Mixture, maximize
from regretless.plots import plot_parallel

space = Mixed(
    {"recipe": Mixture(["resin", "filler", "fibre", "dye", "wax"], total=1.0, at_most=3), "T": (120.0, 220.0)},
    constraints=["filler + fibre <= 0.6", "T <= 200 or wax == 0"],
)


def strength(p: dict[str, Any]) -> float:
    heat = ((p["T"] - 185.0) / 100.0) ** 2
    return float(40.0 * p["resin"] + 90.0 * p["fibre"] + 60.0 * p["resin"] * p["fibre"] + 8.0 * p["wax"] - 50.0 * heat)


result = maximize(strength, space, n_trials=30, seed=2)

print(result)
assert result.best is not None
assert all(space.feasible(trial.params) for trial in result.study.trials)
for name, value in result.best.params.items():
    print(f"  {name:<8}{value:.3f}")

Path("out").mkdir(exist_ok=True)
plot_parallel(result)
plt.savefig("out/mixture.png", dpi=110)
