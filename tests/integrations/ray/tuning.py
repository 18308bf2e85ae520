"""A run of Ray Tune in a process of its own: ``python tuning.py FOLDER fit|restore``. Results go to FOLDER/seen.txt."""

import json
import os
import sys
import time
from pathlib import Path

import ray
from ray import tune

from regretless import Regret
from regretless.integrations.ray import RegretlessSearch

SPACE = {"x": tune.uniform(0.0, 1.0), "n": tune.randint(1, 9), "kind": tune.choice(["a", "b"])}
TRIALS = {"fit": 8, "stop": 24}  # with few data nothing is certified


def trainable(config):
    folder = Path(config["folder"])
    score = -((config["x"] - 0.3) ** 2) - abs(config["n"] - 3) * 0.1 - (config["kind"] == "b")
    with (folder / "seen.txt").open("a") as file:
        file.write(json.dumps([config["x"], config["n"], config["kind"]]) + "\n")
    if (folder / "slow").exists():
        time.sleep(2.0)
    tune.report({"score": score})


def start() -> None:
    """Start Ray, which gives its node 30 seconds to appear: on a busy machine that takes more than one try."""
    for tries_left in (2, 1, 0):
        try:
            ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
            return
        except Exception as error:
            if not tries_left or "timed out during startup" not in str(error):
                raise
            ray.shutdown()


def main(folder: Path, what: str) -> None:
    os.environ.setdefault("TUNE_GLOBAL_CHECKPOINT_S", "0")  # after every event
    start()
    run = tune.RunConfig(name="tuned", storage_path=str(folder), verbose=0)
    if what == "restore":
        tuner = tune.Tuner.restore(
            str(folder / "tuned"), trainable=trainable, param_space={**SPACE, "folder": str(folder)}
        )
    else:
        search = RegretlessSearch(seed=1, n_initial=4, stop_when=Regret(10.0, patience=2) if what == "stop" else None)
        tuner = tune.Tuner(
            trainable,
            param_space={**SPACE, "folder": str(folder)},
            tune_config=tune.TuneConfig(
                metric="score",
                mode="max",
                search_alg=search,
                num_samples=TRIALS[what],
                max_concurrent_trials=2,
                reuse_actors=True,  # a new actor per trial is most of what a trivial trial costs
            ),
            run_config=run,
        )
    results = tuner.fit()
    found = [{"score": r.metrics.get("score"), "id": r.metrics.get("trial_id"), **r.config} for r in results]
    (folder / "results.json").write_text(json.dumps(found))
    ray.shutdown()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
