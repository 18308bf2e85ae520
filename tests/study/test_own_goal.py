"""A goal of one's own: the nearest to a target. What a study has for it, and what it does not."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.stats import foldnorm

from regretless import EI, Certified, Goal, LevelSet, RandomStraddle, Regret, Study, Surrogate, UntrustedCode, replay
from regretless.drawing.notebook import html_of
from regretless.errors import InvalidInput, StudyConflict
from regretless.lab.status import status_of
from regretless.optimizer import Choice, everywhere, footing, params_of
from regretless.report import html_report
from regretless.study import MemoryStore

ROWS = [{"x": 0.05 * i} for i in range(41)]
KNOWN = Surrogate.known(kernel="rbf", lengthscale=0.4, signal_var=1.0, noise_var=1e-4)


@dataclass(frozen=True, slots=True)
class Miss(Certified):
    params: Any
    row: Any
    mean: float
    bound: float
    exact: bool
    objective: str
    trust: Any
    model: str
    used: int
    told: int
    settings: int = 1
    unsure: float = 0.0

    def promise(self, row_name="row"):
        return f"{row_name} {self.row} misses by {self.cost}."


@dataclass(frozen=True, slots=True)
class Near(Goal):
    rules: ClassVar = (RandomStraddle,)
    target: float = 0.0

    @property
    def level(self):
        return self.target

    def worth(self, value):
        return -abs(value - self.target)

    def words(self, objective):
        return f"{objective} is nearest to {self.target:g}"

    def recommend(self, task, history, state):
        found, mean, miss = self.misses(task, history, state)
        best = int(miss.argmin())
        return Choice(found.point(best), mean[best], miss[best])

    def certify(self, task, history, state, chosen, asked):  # noqa: ARG002
        asked.refuse()
        found, mean, miss = self.misses(task, history, state)
        best = int(miss.argmin())
        params, row = params_of(task, found.point(best))
        more = footing(task, history, state)
        return Miss(params, row, mean[best], miss[best], found.listed, task.objective.name, **more)

    def is_own_choice(self, task, state):  # noqa: ARG002
        return True

    def misses(self, task, history, state):
        found = everywhere(task, history, state)
        mean, sd = state.doubted().units.linear(found.mean, found.sd)
        miss = foldnorm.mean(np.abs(mean - self.target) / sd, scale=sd).mean(axis=0)
        return found, mean.mean(axis=0), np.where(found.allowed, miss, np.inf)


def f(params):
    return float(np.sin(3.0 * params["x"]))


def run(study, n):
    for _ in range(n):
        trial = study.ask()
        study.tell(trial, f(trial.params))
    return study


def test_the_target_is_found_by_the_goals_rule():
    study = Study(ROWS, goal=Near(0.5), seed=1)
    assert isinstance(study.rule, RandomStraddle)
    result = study.optimize(f, 30, stop_when=Regret(0.1))
    nearest = min(abs(f(row) - 0.5) for row in ROWS)
    assert result.success
    assert result.nfev < 30
    assert abs(study.best.value - 0.5) == min(abs(trial.value - 0.5) for trial in study.trials)
    assert abs(f(study.recommend().params) - 0.5) < nearest + 0.01
    assert study.certificate().bound <= 0.1


def test_the_certificate_is_an_average_of_normal_draws():
    """E|f - target| at the recommendation, by 200,000 draws of the posterior there under a known model."""
    study = run(Study(ROWS, goal=Near(0.5), surrogate=KNOWN, seed=2), 5)
    left = study.certificate()
    mean, sd = study.predict([left.params])
    draws = mean[0] + sd[0] * np.random.default_rng(0).standard_normal(200_000)
    assert left.bound == pytest.approx(np.abs(draws - 0.5).mean(), rel=0.02)
    assert left.size == abs(left.mean)
    assert left.sentence.startswith(f"row {left.row} misses by at most ")
    data = left.to_data()
    assert (data["bound"], data["sentence"], data["trust"]["light"]) == (left.bound, left.sentence, left.trust.light)


def test_a_row_that_is_excluded_is_not_recommended():
    study = run(Study(ROWS, goal=Near(0.5), seed=1), 10)
    row = study.recommend().row
    study.exclude_row(row, "sold out")
    assert study.recommend().row != row
    assert study.certificate().row == study.recommend().row


def test_it_is_stored_by_module_and_class_for_who_trusts_them():
    store, goal = MemoryStore(), Near(0.5)
    study = run(Study.open(store, "s", space=ROWS, goal=goal, seed=3), 8)
    with pytest.raises(UntrustedCode, match=r"goal: .*test_own_goal:Near"):
        Study.open(store, "s")
    with pytest.raises(StudyConflict, match="goal"):
        Study.open(store, "s", goal=Near(0.6))
    for again in (Study.open(store, "s", goal=goal), Study.open(store, "s", trust=[__name__])):
        assert again.goal == goal
        assert again.certificate().bound == study.certificate().bound
        assert all(entry.matches for entry in replay(again))


def test_a_level_set_is_stored_as_it_was_before_there_were_other_goals():
    store = MemoryStore()
    Study.open(store, "s", space=ROWS, goal=LevelSet(below=0.25), seed=1)
    assert store.spec("s")["goal"] == {"above": None, "below": 0.25}
    assert Study.open(store, "s").goal == LevelSet(below=0.25)


def test_what_looks_for_an_optimum_or_a_region_is_refused():
    with pytest.raises(InvalidInput, match="ei looks for an optimum; a Near is found by 'random-straddle'"):
        Study(ROWS, goal=Near(0.5), rule=EI())
    with pytest.raises(InvalidInput, match="Near is of one objective"):
        Study(ROWS, goal=Near(0.5), direction="minimize")
    study = run(Study(ROWS, goal=Near(0.5), seed=1), 6)
    with pytest.raises(InvalidInput, match="goal=LevelSet"):
        study.region()
    with pytest.raises(InvalidInput, match="eps and draws"):
        study.certificate(eps=0.1)


def test_what_shows_a_study_shows_one_with_a_goal_of_its_own():
    study = run(Study(ROWS, goal=Near(0.5), objective="pH", seed=1), 9)
    assert "where pH is nearest to 0.5" in repr(study)
    for shown in (study, study.certificate()):
        assert "<" in html_of(shown)
    status = status_of(study, Regret(0.1))
    assert status.met == (study.should_stop(Regret(0.1)) is not None)
    assert study.certificate().sentence in html_report(study)
