"""GP-UCB with the anytime parameter: the score, its slopes, and studies that use it."""

import numpy as np
import pytest

from regretless import GPUCB, IRGPUCB, Study, replay
from regretless.acquisition.anytime import AnytimeBound
from regretless.confidence import AnytimeBand
from regretless.errors import InvalidInput

from .views import box_view, rng, table_view


def test_the_score_is_the_upper_end_of_the_band():
    view = table_view(3, 1)
    score = GPUCB("anytime").draw(view, 5, rng(0))
    q = view.sd**2 / view.posterior.kernel.signal_var
    expected = view.mean + np.sqrt(AnytimeBand().zeta(q, len(view.X))) * view.sd
    np.testing.assert_allclose(score.on(view), expected, rtol=1e-13)
    np.testing.assert_allclose(score.at(view.X), expected, rtol=1e-9)
    assert score.record == {"delta": 0.1}


def test_time_does_not_enter():
    view = table_view(3, 1)
    rule = GPUCB(AnytimeBand(delta=0.02))
    np.testing.assert_array_equal(rule.draw(view, 1, rng(0)).on(view), rule.draw(view, 900, rng(1)).on(view))


def test_slopes_are_differences():
    formula, mean, h = AnytimeBound(AnytimeBand(), 40, prior_var=2.0), np.zeros(5), 1e-6
    sd = np.array([1e-3, 0.01, 0.2, 1.0, 1.4])
    by_mean, by_sd = formula.slopes(mean, sd)
    step = h * sd
    np.testing.assert_allclose(
        by_sd, (formula.value(mean, sd + step) - formula.value(mean, sd - step)) / (2 * step), rtol=1e-7
    )
    assert by_mean == 1.0
    assert np.all(by_sd > 0.0)  # a larger sd is never worse


def test_boxes_and_other_rules_refuse_it():
    with pytest.raises(InvalidInput, match="counts the candidates"):
        GPUCB("anytime").draw(box_view(3, 1), 1, rng(0))
    with pytest.raises(InvalidInput, match="continuous space"):
        Study({"x": (0.0, 1.0)}, rule=GPUCB("anytime"))
    for setting in ("anytime", AnytimeBand()):
        with pytest.raises(InvalidInput, match="irgp-ucb: setting"):
            IRGPUCB(setting)
    with pytest.raises(InvalidInput, match="a rule for one outcome"):
        Study([{"x": 1}, {"x": 2}], objectives={"a": "maximize", "b": "minimize"}, rule=GPUCB("anytime"))


@pytest.mark.parametrize("rule", [GPUCB("anytime"), GPUCB(AnytimeBand(delta=0.05))])
def test_a_study_stores_it_and_replays(tmp_path, rule):
    rows = [{"x": x} for x in range(30)]
    with Study.open(tmp_path / "s.db", "s", space=rows, rule=rule, seed=1) as study:
        for _ in range(9):
            trial = study.ask()
            study.tell(trial, -abs(trial.params["x"] - 21))
        asked = study.ask().params
    with Study.open(tmp_path / "s.db", "s") as again:
        assert again.trials[-1].params == asked
        assert all(entry.matches for entry in replay(again))
    assert study.best.params["x"] in range(18, 25)


def test_rows_may_be_measured_again_as_the_theorem_has_it():
    study = Study([{"x": x} for x in range(3)], rule=GPUCB("anytime"), seed=1)
    for _ in range(6):  # more than there are rows
        study.tell(study.ask(), 1.0)
    assert len(study.trials) == 6
