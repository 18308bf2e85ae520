"""Ask and tell, when the evaluations are not yours to call: batches, answers in any order, failures, past data.

Suggestions that were asked for and not told yet are pending: the next ones keep away from them, so a batch spreads out.
A failed trial has no value; the model is never fitted to a made-up one, and suggestions keep away from the place.
"""

from pathlib import Path

from matplotlib import pyplot as plt

from regretless import Study
from regretless.plots import plot_posterior


def reactor(pressure: float, flow: float) -> float:
    """The output, as an experiment would find it; too much of both trips the safety valve."""
    if pressure + flow > 9.0:
        raise RuntimeError("safety valve opened")
    return 10.0 - (pressure - 4.0) ** 2 - 0.5 * (flow - 3.0) ** 2


study = Study({"pressure": (0.0, 10.0), "flow": (0.0, 6.0)}, seed=4)
study.add({"pressure": 2.0, "flow": 1.0}, 4.0)  # measured last year

for _ in range(8):
    batch = study.ask(4)  # four reactors run side by side
    for trial in reversed(batch):  # they finish in any order
        try:
            study.tell(trial, reactor(**trial.params))
        except RuntimeError:
            study.tell(trial, failed=True)

best = study.best
assert best is not None
print(study)
print(f"best {best.value:.3f} in trial {best.number} at {dict(best.params)}")
print("why the last one:", {name: round(value, 3) for name, value in study.trials[-1].details.items()})

Path("out").mkdir(exist_ok=True)
plot_posterior(study)
plt.savefig("out/ask_tell.png", dpi=110)
