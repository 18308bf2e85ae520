"""A rule of your own: say what is drawn and how points are scored, the rest is done for you.

A rule is a class with a `name` and a method `draw(view, t, rng)` that returns a score to maximise. Everything random
is drawn in `draw`, from `rng` alone: then the score is a plain function, and a study with the same seed repeats itself.
Where the score depends on a point only through the posterior mean and sd, write it as a formula with its two slopes:
`MomentScore` does the rest (tables, boxes, gradients).

The rule here looks far around at first and close by later: an upper confidence bound whose width shrinks with t, drawn
at random so that no two suggestions have quite the same one,

    mean + sqrt(zeta / t) * sd,     zeta ~ s + Exp(rate 1/2), fresh for each suggestion

In the folder of this file, this puts it into every figure of the paper beside the methods that are there already:

    regretless paper synthetic functions --quick --rule own_rule:Annealed
"""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from matplotlib import pyplot as plt

from regretless import Rule, Study
from regretless.acquisition import MomentScore, View
from regretless.arrays import Floats
from regretless.problems import by_name


@dataclass(frozen=True)
class Bound:
    root: float

    def value(self, mean: Floats, sd: Floats) -> Floats:
        return mean + self.root * sd

    def slopes(self, mean: Floats, sd: Floats) -> tuple[float, float]:  # noqa: ARG002 (by mean, by sd)
        return 1.0, self.root


@dataclass(frozen=True)
class Annealed(Rule):
    name: ClassVar[str] = "annealed"
    shift: float = 8.0

    def draw(self, view: View, t: int, rng: np.random.Generator) -> MomentScore:
        zeta = self.shift + float(rng.exponential(2.0))  # ~ s + Exp(rate 1/2): NumPy's argument is the scale
        root = math.sqrt(zeta / t)
        return MomentScore(view.posterior, Bound(root), {"zeta": zeta, "root": root})


# Without this line the class could not be imported without running the race.
if __name__ == "__main__":
    colours = {"annealed": "#332288", "irgp-ucb": "#D55E00", "ei": "#000000"}  # those of the paper's figures
    problem = by_name("branin")
    figure, ax = plt.subplots(figsize=(6.0, 4.0), layout="constrained")
    print("simple regret on the Branin function after 10, 20 and 30 evaluations (mean of 3 seeds)")
    for rule in (Annealed(), "irgp-ucb", "ei"):
        best = []
        for seed in range(3):
            study = Study(problem.space, rule=rule, seed=seed)
            study.optimize(problem, 30, progress=False)
            values = np.array([trial.value for trial in study.trials], dtype=np.float64)
            best.append(problem.optimum - np.maximum.accumulate(values))
        regret = np.mean(best, axis=0)
        ax.semilogy(range(1, 31), regret, color=colours[study.rule.name], linewidth=1.8, label=study.rule.name)
        print(f"{study.rule.name:10}" + "".join(f"{value:10.5f}" for value in regret[[9, 19, 29]]))
    ax.set(xlabel="evaluation", ylabel="simple regret, mean of 3 seeds", title="Branin function")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False)
    Path("out").mkdir(exist_ok=True)
    figure.savefig("out/own_rule.png", dpi=110)
