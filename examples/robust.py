"""A recipe that does well whatever the humidity: three aims over an environment, beside the best for a dry day.

The strength of a coating depends on the oven's temperature and on the humidity, which the lab can set and production
cannot. Dry days are the most common. The recipe that is best on a dry day is poor on a humid one; a study with an
environment looks for one that is good on average, or at its worst, and says which humidity to measure next.
"""

from typing import Any

from regretless import CVaR, Environment, Expectation, Study, WorstCase

HUMIDITY = Environment("humidity", [20, 40, 60, 80], weights=[0.4, 0.3, 0.2, 0.1])
OVENS = [{"T": T} for T in range(100, 201, 5)]


def strength(params: dict[str, Any]) -> float:
    """A hill that moves to lower temperatures as the air gets more humid, and is steep on its hot side."""
    away = (params["T"] - 185.0 + 0.75 * (params["humidity"] - 20.0)) / 20.0
    return float(50.0 - 4.0 * away**2 * (2.0 if away > 0.0 else 0.6))


def values(T: int) -> list[float]:
    """What a temperature gives at every humidity."""
    return [strength({"T": T, "humidity": h}) for h in HUMIDITY.values]


if __name__ == "__main__":
    print("looked for                 T   dry day    mean   worst   certified")
    dry = max((oven["T"] for oven in OVENS), key=lambda T: values(T)[0])
    found = {"best on a dry day": (dry, "")}
    for name, aim in (
        ("mean over humidity", Expectation()),
        ("worst fifth of days", CVaR(0.2)),
        ("worst humidity", WorstCase()),
    ):
        study = Study(OVENS, objective="strength [MPa]", environment=HUMIDITY, goal=aim, seed=1)
        study.optimize(strength, 30)
        left = study.certificate(draws=0 if isinstance(aim, Expectation) else None)
        found[name] = (study.recommend().params["T"], f"{left.bound:.2f}")
    for name, (T, bound) in found.items():
        at = values(T)
        mean = sum(p * value for p, value in zip(HUMIDITY.weights, at, strict=True))
        print(f"{name:22} {T:6d} {at[0]:9.1f} {mean:7.1f} {min(at):7.1f} {bound:>11}")
