"""Parameters of every kind in one space.

A pair of floats is a real range, a pair of ints a whole-number range, "log" searches the order of magnitude, a list of
numbers is ordered, a list of words is not, and a single value is handed through. The objective stands for the loss of a
small model; `minimize` finds where it is smallest.
"""

import math
from pathlib import Path
from typing import Any

from matplotlib import pyplot as plt

from regretless import minimize
from regretless.plots import plot_importance

space = {
    "rate": (1e-5, 1e-1, "log"),
    "dropout": (0.0, 0.6),
    "layers": (1, 6),
    "width": [32, 64, 128, 256],
    "activation": ["relu", "tanh", "gelu"],
    "epochs": 20,
}


PENALTY = {"relu": 0.1, "tanh": 0.3, "gelu": 0.0}


def loss(p: dict[str, Any]) -> float:
    rate = (math.log10(p["rate"]) + 3.0) ** 2  # best at 1e-3
    depth = 0.2 * float(p["layers"] - 3) ** 2  # best with 3 layers
    width = 0.1 * (math.log2(p["width"]) - 7.0) ** 2  # best with 128
    return 0.1 + rate + depth + width + float(p["dropout"] - 0.2) ** 2 + PENALTY[p["activation"]]


result = minimize(loss, space, n_trials=40, seed=3)

print(result)
assert result.best is not None
for name, value in result.best.params.items():
    print(f"  {name:<12}{value}")

Path("out").mkdir(exist_ok=True)
plot_importance(result)
plt.savefig("out/mixed_space.png", dpi=110)
