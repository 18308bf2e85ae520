"""The shortest way: a function, its bounds, a number of evaluations.

`f` gets a dict of parameters, because the bounds have names, and returns a number. Here it is cheap; in earnest it is a
simulation, a training run or anything else worth minutes.
"""

import math
from pathlib import Path

from regretless import maximize
from regretless.plots import plot_run


def f(params: dict[str, float]) -> float:
    x, y = params["x"], params["y"]
    return math.sin(3 * x) * math.cos(2 * y) - 0.1 * (x**2 + y**2)


result = maximize(f, {"x": (-3.0, 3.0), "y": (-3.0, 3.0)}, n_trials=40, seed=7)

print(result)  # what was measured
print("recommended:", result.recommended)  # what the model thinks is best
print("evaluations:", result.nfev)

Path("out").mkdir(exist_ok=True)
plot_run(result, optimum=0.97327).savefig("out/function.png", dpi=110)
