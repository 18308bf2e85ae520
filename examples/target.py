"""Match several targets at once: the outcomes are measured and modelled, the distance from the targets is computed.

A gel is to have a strength of 20 and a viscosity of 10. Both depend on three amounts. One study is told both outcomes,
another only the distance, as a single number to maximise.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from regretless import Study, Target

WANTED = Target({"strength": (20.0, 0.5), "viscosity": (10.0, 0.1)})  # targets with tolerances
SPACE = {"agar": (0.5, 3.0), "salt": (0.0, 1.0), "sugar": (0.0, 20.0)}


def measure(params: dict[str, float]) -> dict[str, float]:
    agar, salt, sugar = params["agar"], params["salt"], params["sugar"]
    strength = 18.0 * agar * np.exp(-0.3 * agar) * (1.0 - 0.4 * salt) + 0.3 * sugar
    return {"strength": strength, "viscosity": 4.0 + 2.5 * agar + 6.0 * salt**2 + 0.02 * sugar**1.5}


def distance(params: dict[str, float]) -> float:
    return float(WANTED({name: np.array(value) for name, value in measure(params).items()}))


told = Study(SPACE, objective=WANTED, seed=1)
told.optimize(measure, 20)
alone = Study(SPACE, seed=1)
alone.optimize(distance, 20)

assert told.best is not None
assert alone.best is not None
print(f"both outcomes told: {told.best.value:.4f} tolerances squared, at {told.best.params}")
print(f"the distance alone: {alone.best.value:.4f}")
print(told.certificate())

Path("out").mkdir(exist_ok=True)
_, ax = plt.subplots(figsize=(6.0, 3.8), layout="constrained")
for study, label, colour, line in (
    (told, "both outcomes told", "#0072B2", "-"),
    (alone, "the distance alone", "#767676", "--"),
):
    apart = np.sqrt([-trial.value for trial in study.trials if trial.value is not None])
    ax.semilogy(np.arange(1, 21), np.minimum.accumulate(apart), line, color=colour, linewidth=2.0, label=label)
ax.set(xlabel="evaluation", ylabel="distance of the best so far, tolerances")
ax.set_xticks([1, 5, 10, 15, 20])
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
plt.savefig("out/target.png", dpi=110)
