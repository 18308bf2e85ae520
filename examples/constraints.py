"""The largest yield whose impurity stays below a bound, where both have to be measured.

Each outcome has a model of its own. Suggestions may violate the bound; what is recommended satisfies it with a
probability of at least 0.9, and the certificate compares with the best candidate that is feasible.
"""

from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt

from regretless import Study
from regretless.plots import plot_posterior, plot_regret

noise = np.random.default_rng(2)
study = Study({"T": (20.0, 100.0)}, objective="yield [%]", constraints={"impurity": ("<=", 0.4)}, seed=3)
for _ in range(16):
    trial = study.ask()
    T = trial.params["T"]
    gained = 80.0 * np.exp(-(((T - 90.0) / 35.0) ** 2)) + noise.standard_normal()
    study.tell(trial, {"yield [%]": gained, "impurity": (T / 120.0) ** 2 + 0.05 + 0.02 * noise.standard_normal()})

advice = study.recommend()
print(f"recommended: T = {advice.params['T']:.1f}, yield {advice.mean:.1f} ± {2 * advice.sd:.1f} %")
print(f"feasible with probability {advice.prob_feasible:.2f}")
print(study.certificate())

Path("out").mkdir(exist_ok=True)
plot_posterior(study, outcome="impurity")
plt.savefig("out/constraints.png", dpi=110)
plot_regret(study)
plt.savefig("out/constraints_progress.png", dpi=110)
