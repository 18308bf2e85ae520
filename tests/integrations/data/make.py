"""Makes the files beside it, each with the program it is named after: once per release, in an environment of its own.

    python -m venv env && env/bin/pip install torch==2.13.0 ax-platform==1.3.1 && env/bin/python make.py ax
    python -m venv env && env/bin/pip install physbo==3.2.1 && env/bin/python make.py physbo
    python -m venv env && env/bin/pip install scikit-optimize==0.10.2 && env/bin/python make.py skopt
    python -m venv env && env/bin/pip install scikit-learn==1.9.1 && env/bin/python make.py cv
    python -m venv env && env/bin/pip install torch==2.13.0 baybe==0.15.0 && env/bin/python make.py baybe

`ax-1.2.4.json` is made in the same way with `ax-platform==1.2.4`. Results of scikit-optimize, scikit-learn and BayBE
live in pickles, which are not read: their files here hold what the loaders look at, as plain text, and the tests
build objects of the same shape from them.
"""

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent


def ax() -> None:
    from importlib.metadata import version

    from ax.api.client import Client
    from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig

    client = Client(random_seed=1)
    client.configure_experiment(
        name="coupling",
        parameters=[
            RangeParameterConfig(name="x", parameter_type="float", bounds=(0, 1)),
            RangeParameterConfig(name="z", parameter_type="float", bounds=(0, 1)),
            RangeParameterConfig(name="n", parameter_type="int", bounds=(1, 8)),
            RangeParameterConfig(name="rate", parameter_type="float", bounds=(1e-4, 1.0), scaling="log"),
            ChoiceParameterConfig(name="width", parameter_type="int", values=[32, 64, 128], is_ordered=True),
            ChoiceParameterConfig(name="act", parameter_type="str", values=["relu", "tanh", "elu"], is_ordered=False),
        ],
        parameter_constraints=["x + z <= 1.5"],
    )
    client.configure_optimization(objective="-loss", outcome_constraints=["size <= 6.5"])
    client.configure_generation_strategy(method="random_search")
    for i in range(8):
        for index, p in client.get_next_trials(max_trials=1).items():
            if i == 3:
                client.mark_trial_failed(index)
            elif i == 4:
                client.mark_trial_abandoned(index)
            elif i == 5:
                client.attach_data(index, raw_data={"loss": 9.0, "size": 1.0})
                client.mark_trial_early_stopped(index)
            elif i < 7:
                loss = (p["x"] - 0.3) ** 2 + p["n"] * 0.1 + p["rate"]
                client.complete_trial(index, raw_data={"loss": (loss, 0.1) if i == 2 else loss, "size": float(p["n"])})
    path = HERE / f"ax-{version('ax-platform')}.json"
    client.save_to_json_file(str(path))
    record = json.loads(path.read_text(encoding="utf-8"))
    del record["generation_strategy"]  # most of the file, and nothing that is read
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")


def physbo() -> None:
    import numpy as np
    import physbo

    X = np.random.default_rng(0).random((30, 2)).round(3)
    np.savetxt(HERE / "physbo-candidates.csv", X, delimiter=",", header="a,b", comments="", fmt="%.3f")
    policy = physbo.search.discrete.Policy(test_X=X)
    policy.set_seed(0)
    policy.random_search(max_num_probes=5, simulator=lambda rows: -((X[rows] - 0.3) ** 2).sum(axis=1))
    policy.history.save(str(HERE / f"physbo-{physbo.__version__}.npz"))


def skopt() -> None:
    import skopt
    from skopt.space import Categorical, Integer, Real

    space = [
        Real(0, 1, name="x"),
        Real(1e-4, 1.0, "log-uniform", name="rate"),
        Integer(1, 8, name="n"),
        Categorical("ab"),
    ]
    result = skopt.gp_minimize(lambda v: (v[0] - 0.3) ** 2 + v[2] * 0.1 + v[1], space, n_calls=12, random_state=1)
    kinds = {
        "Real": lambda d: {"low": d.low, "high": d.high, "prior": d.prior},
        "Integer": lambda d: {"low": d.low, "high": d.high, "prior": d.prior},
        "Categorical": lambda d: {"categories": list(d.categories)},
    }
    dimensions = [
        {"kind": type(d).__name__, "name": d.name, **kinds[type(d).__name__](d)} for d in result.space.dimensions
    ]
    text = {"x_iters": result.x_iters, "func_vals": list(result.func_vals), "dimensions": dimensions}
    write(f"skopt-{skopt.__version__}.json", text)


def cv() -> None:
    import sklearn
    from sklearn.datasets import load_diabetes
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import GridSearchCV

    X, y = load_diabetes(return_X_y=True)
    grid = {"alpha": [0.01, 0.1, 1.0, -1.0], "fit_intercept": [True, False]}  # a negative alpha fails to fit
    search = GridSearchCV(Ridge(), grid, cv=3, refit=False).fit(X, y)
    text = {
        name: list(column) for name, column in search.cv_results_.items() if "time" not in name and name[:6] != "param_"
    }
    write(f"cv-{sklearn.__version__}.json", text)


def baybe() -> None:
    import baybe
    from baybe import Campaign
    from baybe.parameters import CategoricalParameter, NumericalDiscreteParameter
    from baybe.searchspace import SearchSpace
    from baybe.targets import NumericalTarget

    space = SearchSpace.from_product(
        [NumericalDiscreteParameter("T", [20, 40, 60]), CategoricalParameter("solvent", ["water", "ethanol"])]
    )
    campaign = Campaign(space, NumericalTarget("cost", minimize=True))
    batch = campaign.recommend(4)
    batch["cost"] = [float(T) / 10 for T in batch["T"]]
    campaign.add_measurements(batch)
    campaign.measurements.to_csv(HERE / f"baybe-{baybe.__version__}-measurements.csv", index=False)
    campaign.searchspace.discrete.exp_rep.to_csv(HERE / f"baybe-{baybe.__version__}-space.csv", index=False)
    (HERE / f"baybe-{baybe.__version__}.json").write_text(campaign.to_json(), encoding="utf-8")


def write(name: str, data: dict[str, object]) -> None:
    (HERE / name).write_text(json.dumps(data, default=lambda v: v.item(), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    {"ax": ax, "physbo": physbo, "skopt": skopt, "cv": cv, "baybe": baybe}[sys.argv[1]]()
