"""A simulation on two meshes: the coarse one costs a tenth, and is off by a few percent in a way that nobody knows.

The function is the flow of water through a borehole, in eight dimensions. With the coarse mesh as a cheaper level the
study spends most trials there, and its last ones where they count. Beside it the same cost on the fine mesh alone.
"""

from regretless import Fidelity, Study
from regretless.problems import fidelity_problem

PROBLEM = fidelity_problem("borehole")
SPACE = dict(PROBLEM.target.space.dimensions)
BUDGET = 20.0


def flow(params: dict[str, float | str]) -> float:
    """m^3 a year."""
    level = 1.0 if params["mesh"] == "fine" else 0.0
    return PROBLEM([float(params[name]) for name in SPACE], level)


def run(levels: list[str], cost: list[float]) -> Study:
    """A study that spends the budget."""
    study = Study(SPACE, objective="flow", fidelity=Fidelity("mesh", levels=levels, cost=cost), seed=1)
    study.optimize(flow, budget=BUDGET)
    return study


if __name__ == "__main__":
    print(f"largest flow there is: {PROBLEM.target.optimum:.1f}")
    for levels, cost in ((["coarse", "fine"], [0.1, 1.0]), (["fine"], [1.0])):
        study = run(levels, cost)
        meshes = [trial.params["mesh"] for trial in study.trials]
        bought = " and ".join(f"{meshes.count(level)} {level}" for level in levels)
        found = flow(dict(study.recommend().params))
        print(f"{bought}, {study.spent:.1f} spent: recommended {found:.1f}")
