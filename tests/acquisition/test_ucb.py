import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.acquisition import GPUCB, IRGPUCB, RGPUCB
from regretless.confidence import GammaLaw, Schedule, ShiftedExponential, TightUnion
from regretless.errors import InvalidInput

from .views import box_view, rng, table_view

RULES = [IRGPUCB, GPUCB, RGPUCB]


class Counting:
    """A generator that counts what is drawn from it."""

    def __init__(self):
        self.drawn = 0
        self.source = rng(3)

    def __getattr__(self, name):
        self.drawn += 1
        return getattr(self.source, name)


@pytest.mark.parametrize("make", [box_view, table_view])
@pytest.mark.parametrize("rule", RULES)
def test_a_frozen_draw_is_gp_ucb_with_that_constant(rule, make):
    view = make()
    score = rule().draw(view, 4, rng(11))
    frozen = GPUCB(Schedule.constant(score.record["zeta"])).draw(view, 4, rng(99))
    np.testing.assert_array_equal(score.on(view), frozen.on(view))
    for mine, other in zip(score.value_and_gradient(view.X), frozen.value_and_gradient(view.X), strict=True):
        np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize("rule", RULES)
def test_the_score_is_mean_plus_root_zeta_sd(rule):
    view = table_view()
    score = rule().draw(view, 2, rng(1))
    np.testing.assert_allclose(score.on(view), view.mean + math.sqrt(score.record["zeta"]) * view.sd, rtol=1e-14)


def test_with_one_law_the_three_rules_are_one():
    view, law = table_view(), ShiftedExponential(3.0)
    scores = [rule(law).draw(view, 5, rng(2)) for rule in RULES]
    for score in scores[1:]:
        assert score.record == scores[0].record
        np.testing.assert_array_equal(score.on(view), scores[0].on(view))


@pytest.mark.parametrize(
    ("rule", "means"),
    [
        (IRGPUCB, {1: 14.429216, 10: 14.429216, 100: 14.429216}),
        (GPUCB, {1: 11.978, 10: 21.188, 100: 30.398}),
        (RGPUCB, {1: 17.037, 10: 28.394, 100: 39.752}),
    ],
)
@pytest.mark.parametrize("setting", ["paper", "theory"])
def test_numbers_for_a_thousand_candidates(rule, means, setting):
    law = rule(setting).law(n_candidates=1000, dim=3)
    for t, mean in means.items():
        assert law.mean(t) == pytest.approx(mean, abs=6e-4)


def test_interval_and_shift_for_a_thousand_candidates():
    law = IRGPUCB("theory").law(n_candidates=1000, dim=3)
    assert law.shift == pytest.approx(12.429216, abs=1e-6)
    assert law.interval(1, 0.95) == pytest.approx((12.480, 19.807), abs=1e-3)


@pytest.mark.parametrize("setting", ["paper", "heuristic"])
def test_heuristics_on_a_box(setting):
    for d in range(1, 6):
        assert IRGPUCB(setting).law(None, d) == ShiftedExponential(d / 2)
        for t in (1, 7):
            assert GPUCB(setting).law(None, d).mean(t) == pytest.approx(0.2 * d * math.log(2 * t))
            assert RGPUCB(setting).law(None, d).mean(t) == pytest.approx(0.2 * d * math.log(2 * t))
    assert isinstance(RGPUCB(setting).law(None, 2), GammaLaw)
    assert isinstance(GPUCB(setting).law(None, 2), Schedule)


@pytest.mark.parametrize("rule", RULES)
def test_heuristic_may_be_asked_for_on_a_table(rule):
    assert rule("heuristic").law(1000, 3) == rule("paper").law(None, 3)


def test_the_default_takes_the_theorem_s_law_at_every_fourth_step_of_a_table():
    law, theory = IRGPUCB().law(1000, 3), IRGPUCB("theory").law(1000, 3)
    for t in range(1, 41):
        expected = theory.mean(t) if t % 4 == 0 else 2.0
        assert law.mean(t) == pytest.approx(expected)
        assert law.draw(t, rng(t)) == pytest.approx((theory.draw(t, rng(t)) - theory.shift) + expected - 2.0)
    box = IRGPUCB().law(None, 3)
    assert [box.mean(t) for t in range(1, 9)] == [2.0, 2.0, 2.0, 6.0] * 2


@pytest.mark.parametrize("rule", [GPUCB, RGPUCB])
def test_the_other_rules_default_to_the_paper_s_laws(rule):
    assert rule().law(1000, 3) == rule("theory").law(1000, 3)
    assert rule().law(None, 3) == rule("heuristic").law(None, 3)


@pytest.mark.parametrize("rule", RULES)
def test_theory_on_a_box_is_refused(rule):
    with pytest.raises(InvalidInput, match="needs constants of the kernel"):
        rule("theory").draw(box_view(), 1, rng())


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("setting", ["Theory", "", None, 2.0])
def test_unknown_settings_are_refused(rule, setting):
    with pytest.raises(InvalidInput, match="setting must be"):
        rule(setting)


@pytest.mark.parametrize("rule", [IRGPUCB, RGPUCB])
def test_one_draw_a_suggestion(rule):
    view, source = table_view(), Counting()
    score = rule().draw(view, 1, source)
    assert source.drawn == 1
    score.on(view)
    score.value_and_gradient(view.X)
    assert source.drawn == 1


def test_the_record_holds_the_law_s_draw():
    view = table_view(30)
    expected = ShiftedExponential.for_table(30).draw(1, rng(8))
    assert IRGPUCB("theory").draw(view, 1, rng(8)).record == {"zeta": expected}


class Own:
    def __init__(self, zeta):
        self.zeta = zeta

    def draw(self, t, rng):  # noqa: ARG002
        return self.zeta * t


@given(zeta=st.floats(0.0, 1e6))
def test_a_law_of_ones_own(zeta):
    view = _VIEW
    assert IRGPUCB(Own(zeta)).draw(view, 2, rng()).record["zeta"] == 2 * zeta


@pytest.mark.parametrize("zeta", [-1.0, math.nan, math.inf])
def test_a_law_that_draws_nonsense_is_named(zeta):
    with pytest.raises(InvalidInput, match="a law must draw a finite zeta >= 0"):
        IRGPUCB(Own(zeta)).draw(_VIEW, 1, rng())


@pytest.mark.parametrize("N", [1, 2])
@pytest.mark.parametrize("rule", RULES)
def test_tiny_tables_have_a_law(rule, N):
    assert rule().draw(table_view(N, 1), 1, rng()).record["zeta"] >= 0.0


_VIEW = table_view(5, 2)


def test_the_tight_law_by_name_is_that_of_the_table():
    rule = IRGPUCB("tight")
    assert rule.law(200, 3) == TightUnion(200)
    assert rule.excursions is False
    with pytest.raises(InvalidInput, match="list of candidates"):
        rule.law(None, 3)
    for other in (GPUCB, RGPUCB):
        with pytest.raises(InvalidInput, match="setting"):
            other("tight")
