"""Limits in certificates of several outcomes: smaller where they say something, and said where data contradict them."""

import pytest

from regretless import Study
from regretless.lab.status import status_of

ROWS = [{"t": float(t)} for t in range(24)]
CONSTRAINED = {"objective": "yield", "constraints": {"dirt": ("<=", 0.5)}}
TWO = {"objectives": {"yield": "maximize", "cost": "minimize"}, "reference": {"yield": 20.0, "cost": 30.0}}


def measured(t):
    return {"yield": 96.0 - 0.4 * (t - 15.0) ** 2, "dirt": t / 40.0, "cost": 1.0 + 0.9 * t}


def study_of(n=7, scale=1.0, **settings):
    study = Study(ROWS, seed=2, **settings)
    names = [outcome.name for outcome in study.outcomes]
    for _ in range(n):
        trial = study.ask()
        study.tell(trial, {name: scale * measured(trial.params["t"])[name] for name in names})
    return study


def test_one_objective_under_constraints():
    free, limited = study_of(**CONSTRAINED), study_of(**CONSTRAINED, limits=(0, 100))
    assert [t.params for t in free.trials] == [t.params for t in limited.trials]  # suggestions do not depend on them
    wide, narrow = free.certificate(), limited.certificate()
    assert narrow.bound <= 100.0 - narrow.mean + 1e-9
    assert narrow.bound < wide.bound
    assert narrow.gain < wide.gain
    assert narrow.limits == (0.0, 100.0)
    assert narrow.limits_hold
    assert narrow.to_data()["limits"] == (0.0, 100.0)


def test_minimised_under_constraints():
    rows = {"objective": "cost", "direction": "minimize", "constraints": {"dirt": (">=", 0.2)}}
    wide, narrow = study_of(5, **rows).certificate(), study_of(5, **rows, limits=(0, None)).certificate()
    assert narrow.bound <= 1.01 * wide.bound  # under each setting it is smaller; the spread over them may grow
    assert narrow.bound <= narrow.mean + 1e-9  # no cost is below zero


def test_fronts():
    free, limited = study_of(**TWO), study_of(**TWO, limits={"yield": (0, 100), "cost": (0, None)})
    assert [t.params for t in free.trials] == [t.params for t in limited.trials]
    wide, narrow = free.certificate(), limited.certificate()
    assert narrow.hypervolume_left <= wide.hypervolume_left
    assert narrow.epsilon <= wide.epsilon
    assert narrow.limits == {"yield": (0.0, 100.0), "cost": (0.0, None)}
    assert narrow.contradicted == ()
    facts = dict(status_of(limited, None, "row").facts())
    assert facts["Limits"] == "yield 0 to 100; cost at least 0"


@pytest.mark.parametrize("settings", [CONSTRAINED, TWO])
def test_limits_that_the_data_contradict_are_not_used(settings):
    several = "objectives" in settings
    limits = {"yield": (0, 1)} if several else (0, 1)
    free, wrong = study_of(**settings).certificate(), study_of(**settings, limits=limits).certificate()
    assert "were not used: the results contradict them" in wrong.sentence
    assert wrong.bound == free.bound
    if several:
        assert wrong.contradicted == ("yield",)
        assert wrong.hypervolume_left == free.hypervolume_left
    else:
        assert not wrong.limits_hold


def test_a_study_without_limits_says_nothing_of_them():
    for settings in (CONSTRAINED, TWO):
        study = study_of(**settings)
        assert study.certificate().limits is None
        assert "Limits" not in dict(status_of(study, None, "row").facts())
