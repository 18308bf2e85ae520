"""Stop a study of any sampler when the regret that is left is certified to be at most 0.02."""

import optuna
import optunahub


def objective(trial: optuna.Trial) -> float:
    return (trial.suggest_float("x", -1.0, 1.0) - 0.3) ** 2 + trial.suggest_float("y", -1.0, 1.0) ** 2


if __name__ == "__main__":
    module = optunahub.load_module(package="callbacks/regretless_stop")
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=1))
    study.optimize(objective, n_trials=100, callbacks=[module.StopByRegret(0.02)])
    print(len(study.trials), study.user_attrs["regretless:stopped"])
