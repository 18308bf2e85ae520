"""Where does a function reach a level? The goal is a region, not a point.

Random straddle, the rule of level sets, looks where the level may run through. The certificate says how many
candidates are expected to be on the wrong side, and the run stops by it.
"""

from pathlib import Path

from matplotlib import pyplot as plt

from regretless import LevelSet, Misclassified, Study
from regretless.plots import plot_region

grid = [{"x": -2.0 + 0.2 * i, "y": -2.0 + 0.2 * j} for i in range(21) for j in range(21)]


def f(params: dict[str, float]) -> float:
    return 2.0 - params["x"] ** 2 - params["y"] ** 2 + 0.5 * params["x"] * params["y"]


study = Study(grid, objective="strength", goal=LevelSet(above=1.0), seed=5)
result = study.optimize(f, 60, stop_when=Misclassified(2))

region = study.region()
wrong = sum((f(dict(params)) >= 1.0) != inside for params, inside in zip(region.params, region.inside, strict=True))
print(result.message)
print(f"{int(region.inside.sum())} of {len(grid)} candidates are taken to reach 1; {wrong} are on the wrong side")

Path("out").mkdir(exist_ok=True)
plot_region(study)
plt.savefig("out/level_set.png", dpi=110)
