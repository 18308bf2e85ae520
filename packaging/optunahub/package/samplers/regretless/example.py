"""Minimise a function of two parameters under a constraint."""

import optuna
import optunahub


def objective(trial: optuna.Trial) -> float:
    x = trial.suggest_float("x", 0.0, 1.0)
    y = trial.suggest_float("y", 0.0, 1.0)
    trial.set_constraint("sum", x + y - 1.2)
    return -(2.0 * x + y)


if __name__ == "__main__":
    module = optunahub.load_module(package="samplers/regretless")
    study = optuna.create_study(sampler=module.RegretlessSampler(seed=1))
    study.optimize(objective, n_trials=25)
    print(study.best_params, study.best_value)
