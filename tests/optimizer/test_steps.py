"""The pure steps of one suggestion, each against a plain twin."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless import Box, Mixed, Study, Surrogate, Table
from regretless.gp import Hyperparameters, table_posterior
from regretless.gp.objective import FitObjective
from regretless.gp.outcome_transform import Units
from regretless.optimizer import Fit, History, as_task, averaged, certify, predict, recommend, suggest, without_last
from regretless.rng import Purpose, stream
from regretless.search import near
from regretless.search.design import design_index, design_point, random_index, random_point, settled
from regretless.search.starts import candidate_set

from .single import believe, doubt, history_of, imagine, outdated, points, told_key

BOX = Box([(0.0, 1.0)] * 2)
FIXED = Surrogate(method="fixed", lengthscale=0.4, signal_var=1.0, noise_var=1e-2, compress=False)


def history(told, y, pending=(), failed=(), fit=None) -> History:
    n, m = len(told), len(pending)
    return history_of(points(told), y, points(pending, n), points(failed, n + m), n, 0, fit)


def wavy(X) -> np.ndarray:
    return np.sin(5.0 * np.asarray(X)).sum(axis=1)


X9 = np.random.default_rng(0).random((9, 2))


# model ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", [BOX, Table(np.random.default_rng(1).random((40, 2)))])
def test_what_is_told_later_is_conditioned_on_not_fitted(space):
    """The carried posterior against one built at once from everything, up to rounding."""
    s = as_task(space, surrogate=Surrogate(refit_every=100, restarts=0), seed=0)
    state = believe(s, history(X9[:4], wavy(X9[:4])), 4, None)
    for n in range(5, 10):
        state = believe(s, history(X9[:n], wavy(X9[:n]), fit=state.fit), n, state)
    h = state.fit.hyperparameters
    assert state.fit.trials == (0, 1, 2, 3)
    at_once = h.posterior(s.categorical, X9, wavy(X9))
    Z = np.random.default_rng(2).random((30, 2))
    if isinstance(space, Table):
        whole = table_posterior(at_once, space.X)
        np.testing.assert_allclose(state.belief.mean, whole.mean, atol=1e-9)
        np.testing.assert_allclose(state.belief.sd, whole.sd, rtol=1e-6)
    else:
        for mine, other in zip(state.belief.mean_sd(Z), at_once.mean_sd(Z), strict=True):
            np.testing.assert_allclose(mine, other, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("space", [BOX, Table(np.random.default_rng(1).random((40, 2)))])
def test_a_state_is_outdated_just_when_the_posterior_is_built_anew(space):
    s = as_task(space, surrogate=Surrogate(refit_every=3, restarts=0), seed=0)
    state, seen = believe(s, history(X9[:2], wavy(X9[:2])), 2, None), []
    assert outdated(s, history(X9[:3], wavy(X9[:3])), state)  # a history that knows of no fit
    for n in range(3, 10):
        now = history(X9[:n], wavy(X9[:n]), fit=state.fit)
        said, after = outdated(s, now, state), believe(s, now, n, state)
        assert said == (after.base is not state.base)
        seen.append(said)
        if said:  # of no use once another fit is on record
            assert outdated(s, replace(now, fits=(after.fit,)), state)
        state = after
    assert seen == [False, False, True, False, False, True, False]


def test_a_late_tell_of_a_lower_number_is_put_in_its_place():
    """Trial 5 told after trial 6: the same bits as if it had been there before."""
    s = as_task(BOX, surrogate=Surrogate(refit_every=100, restarts=0), seed=0)
    y = wavy(X9)
    first = believe(s, history(X9[:4], y[:4]), 4, None)
    whole = history(X9[:7], y[:7], fit=first.fit)
    without = history_of(
        points(X9[:7])[[0, 1, 2, 3, 4, 6]],
        y[[0, 1, 2, 3, 4, 6]],
        points(X9[5:6], 5),
        points([]),
        7,
        0,
        first.fit,
    )
    carried = believe(s, whole, 7, believe(s, without, 7, first))
    fresh = believe(s, whole, 7, None)
    Z = np.random.default_rng(2).random((30, 2))
    assert (carried.belief.mean(Z) == fresh.belief.mean(Z)).all()
    assert carried.trials == fresh.trials == (0, 1, 2, 3, 4, 5, 6)


def test_a_state_of_other_values_is_not_used():
    s = as_task(BOX, surrogate=FIXED, seed=0)
    y = wavy(X9)
    state = believe(s, history(X9, y), 9, None)
    other = history(X9, -y, fit=state.fit)
    Z = np.random.default_rng(2).random((30, 2))
    assert (believe(s, other, 9, state).belief.mean(Z) == believe(s, other, 9, None).belief.mean(Z)).all()


def test_imagining_leaves_the_state_as_it_was():
    table = Table(np.random.default_rng(1).random((40, 2)))
    s = as_task(table, surrogate=FIXED, seed=0)
    told = table.X[:6]
    h = history_of(
        points(told, 0, range(6)), wavy(told), points(table.X[6:9], 6, range(6, 9)), points(table.X[9:11], 9, (9, 10)),
        6, 0, None,
    )  # fmt: skip
    state = believe(s, h, 11, None)
    mean, sd = state.belief.mean.copy(), state.belief.sd.copy()
    one, two = imagine(h, state), imagine(h, state)
    assert (one.mean == two.mean).all()
    assert (one.sd == two.sd).all()
    assert (state.belief.mean == mean).all()
    assert (state.belief.sd == sd).all()
    assert (one.sd <= sd + 1e-12).all()
    assert (one.sd[6:11] <= 0.1).all()  # not more than the noise of one measurement


@pytest.mark.parametrize("promising", [True, False])
def test_a_failed_point_counts_at_its_mean_or_at_the_lower_quartile_whichever_is_less(promising):
    """Against one posterior built at once from the values and the imagined one."""
    s = as_task(BOX, surrogate=FIXED, seed=0)
    seen, grid = X9[:8], np.random.default_rng(4).random((200, 2))
    state = believe(s, history(seen, wavy(seen)), 8, None)
    h, mean = state.fit.hyperparameters, state.belief.mean(grid)
    x = grid[[mean.argmax() if promising else mean.argmin()]]
    values = h.units.standardised(wavy(seen))
    imagined = min(float(state.belief.mean(x)[0]), float(np.quantile(values, 0.25)))
    assert (imagined < state.belief.mean(x)[0]) == promising
    h_8 = history(seen, wavy(seen), failed=x, fit=state.fit)
    raw = h.units.restored(imagined, 0.0)[0]
    at_once = h.posterior(s.categorical, np.vstack([seen, x]), np.append(wavy(seen), raw))
    np.testing.assert_allclose(imagine(h_8, state).mean(grid), at_once.mean(grid), atol=1e-9)


@pytest.mark.parametrize("setting", [Surrogate(), Surrogate(lengthscale_prior=(0.5, 0.5)), Surrogate.paper()])
@pytest.mark.parametrize("space", [BOX, Table(X9)], ids=["box", "table"])
def test_claims_are_made_about_the_values_as_they_are(space, setting):
    chosen = as_task(space, surrogate=setting, seed=1)
    told = history(X9, wavy(X9))
    assert (believe(chosen, told, 9, None).fit.hyperparameters.units.knee is None) != setting.compress
    promised = doubt(chosen, told, None).fit
    seen = wavy(X9)[: len(promised.trials)]
    assert promised.hyperparameters.units == Units.of(seen, compress=False)  # nor is their mean another


@pytest.mark.parametrize(("restarts", "fresh"), [(0, 2), (1, 2), (2, 2), (5, 5)])
def test_claims_are_fitted_from_two_fresh_starts_at_the_least(monkeypatch, restarts, fresh):
    """Such a fit has no earlier one to go on from: from the prior's guess alone it may end at a local maximum."""
    begun = []
    start = FitObjective.further_start
    monkeypatch.setattr(FitObjective, "further_start", lambda self, rng: begun.append(1) or start(self, rng))
    told = history(X9, wavy(X9))
    chosen = as_task(BOX, surrogate=Surrogate(restarts=restarts), seed=1)
    doubt(chosen, told, None)
    assert len(begun) == fresh
    begun.clear()
    believe(chosen, told, 9, None)
    assert len(begun) == restarts  # of a fit to search by: as many as were asked for


@pytest.mark.parametrize("disaster", [-20.0, -1e3])
def test_a_disaster_harms_the_model_less_than_it_would_uncompressed(disaster):
    """A wave and one very low value: the error of predictions near the top, measured 5 and 70 times smaller."""
    X = np.random.default_rng(0).random((30, 2))
    y = np.append(wavy(X[:-1]), disaster)
    grid = np.random.default_rng(1).random((500, 2))
    top = grid[wavy(grid) > np.quantile(wavy(grid), 0.8)]
    error = {}
    for compress in (True, False):
        chosen = as_task(BOX, surrogate=Surrogate(compress=compress), seed=1)
        mean, _ = predict(believe(chosen, history(X, y), 30, None), top)
        error[compress] = float(np.median(np.abs(mean - wavy(top))))
    assert error[True] < 0.3 * error[False]


def test_the_key_of_what_was_told():
    assert told_key(history([], [])) == 0
    assert told_key(history(X9[:3], wavy(X9[:3]), pending=X9[3:5])) == 3


# design ---------------------------------------------------------------------------------------------------------------


def test_a_blocked_point_of_the_design_is_replaced():
    s = as_task(BOX, seed=3)
    x = design_point(s, BOX, 2, 2, np.empty((0, 2)))
    other = design_point(s, BOX, 2, 2, x[None, :])
    assert not near(BOX, other[None, :], x[None, :])[0]
    assert (other >= 0.0).all()
    assert (other <= 1.0).all()
    assert (design_point(s, BOX, 99, 99, x[None, :]) != x).any()  # used up: random


def test_rows_of_the_design_are_open_and_spread():
    table = Table(np.random.default_rng(0).random((500, 2)))
    s = as_task(table, n_initial=8, seed=1)
    open_ = np.ones(500, dtype=bool)
    chosen = []
    for number in range(8):
        index = design_index(s, table, number, number, open_)
        assert open_[index]
        open_[index] = False
        chosen.append(index)
    strata = np.sort(np.floor(8 * table.X[chosen]), axis=0)
    assert (np.abs(strata - np.arange(8.0)[:, None]) <= 1.0).all()  # nearly one a stratum


def test_random_rows_are_open():
    open_ = np.zeros(50, dtype=bool)
    open_[[3, 17]] = True
    drawn = {random_index(open_, np.random.default_rng(i)) for i in range(30)}
    assert drawn == {3, 17}


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 11))
def test_random_points_of_a_small_product_are_open(seed, left):
    space = Mixed({"n": (1, 3), "c": ["a", "b"], "t": [True, False]})
    X = space.enumerate()
    blocked = np.delete(X, left, axis=0)
    x = random_point(space, np.random.default_rng(seed), blocked)
    assert (x == X[left]).all()


def test_a_settled_point_decodes_to_itself():
    space = Mixed({"x": (-1.0, 2.0), "l": (1e-3, 1e3, "log"), "n": (1, 9)})
    for x in space.sample(50, np.random.default_rng(0)):
        point = settled(space, x)
        assert space.decode(point) == space.decode(x)
        assert (settled(space, point) == point).all()
        np.testing.assert_allclose(point, x, atol=1e-9)


# candidates, setup, suggestion ----------------------------------------------------------------------------------------


def test_candidates_are_points_of_the_space_around_the_best():
    space = Mixed({"x": (0.0, 1.0), "n": (1, 5), "c": ["a", "b", "c"]})
    s = as_task(space, surrogate=FIXED, seed=0)
    told = space.sample(8, np.random.default_rng(0))
    y = told[:, 0]
    posterior = FIXED_HYPER.posterior(s.categorical, told, y)
    X = candidate_set(space, posterior.mean, told, np.random.default_rng(1))
    assert (space.snap(X) == X).all()
    best = told[posterior.mean(told).argmax()]
    assert (best == X).all(axis=1).any()
    assert (np.abs(X[:, 0] - best[0]) < 0.05).sum() > 20
    assert len(candidate_set(space, posterior.mean, told[:0], np.random.default_rng(1))) == 400


def test_candidates_look_closely_around_each_of_the_best_points():
    """Clouds of all widths from 0.1 to 0.001: an even sample alone has next to nothing so close to a point."""
    space = Mixed({"x": (0.0, 1.0), "y": (0.0, 1.0)})
    told = space.sample(9, np.random.default_rng(3))
    X = candidate_set(space, lambda at: -np.abs(at - 0.4).sum(axis=1), told, np.random.default_rng(1))
    ranked = told[np.argsort(np.abs(told - 0.4).sum(axis=1))]
    away = np.abs(X[:, None, :] - ranked[None, :, :]).max(axis=2)  # (candidates, told)
    close = ((away > 0.0) & (away < 0.01)).sum(axis=0)
    assert close[:4].min() >= 3  # around the four best
    assert close[4:].max() <= 2  # and not around the others
    assert ((away[:, 0] > 0.02) & (away[:, 0] < 0.1)).sum() >= 3


FIXED_HYPER = Hyperparameters("matern52", (0.4, 0.4, 1.0), 1.0, 1e-2)


@pytest.mark.parametrize(
    ("space", "kind", "size"),
    [
        ({"n": (1, 100), "m": (1, 100)}, Table, 10_000),
        ({"n": (1, 100), "m": (1, 101)}, Mixed, 10_100),
        ({"n": (1, 100), "x": (0.0, 1.0)}, Mixed, None),
        ({"k": 1}, Table, 1),
    ],
)
def test_small_discrete_spaces_are_listed(space, kind, size):
    s = as_task(Mixed(space), seed=0)
    assert type(s.domain) is kind
    assert s.domain.size == size
    assert isinstance(s.space, Mixed)


@pytest.mark.parametrize("space", [BOX, Table(X9)])
def test_a_suggestion_changes_nothing_and_depends_on_nothing_else(space):
    s = as_task(space, n_initial=3, seed=5)
    index = list(range(6)) if isinstance(space, Table) else None
    h = history_of(points(X9[:6], 0, index), wavy(X9[:6]), points([]), points([]), 3, 3, None)
    copies = [h.points.X.copy(), h.Y.copy()]
    first, state = suggest(s, h, 6, None)
    second, _ = suggest(s, h, 6, None)
    third, _ = suggest(s, h, 6, state)
    for other in (second, third):
        assert (first.point.x == other.point.x).all()
        assert (first.point.index, first.record) == (other.point.index, other.record)
    assert (copies[0] == h.points.X).all()
    assert (copies[1] == h.Y).all()
    different, _ = suggest(s, h, 7, None)  # another trial, other streams
    assert different.record["zeta"] != first.record["zeta"]


def test_a_table_suggestion_is_the_argmax_over_open_rows():
    """Brute force with the recorded zeta: no open row has a larger bound."""
    table = Table(np.random.default_rng(3).random((60, 2)), repeats="never")
    study = Study(table, seed=2, surrogate=FIXED)
    for _ in range(12):
        before = {trial.row for trial in study.trials}
        mean_sd = study.predict([table.params(i) for i in range(60)]) if study.best else None
        trial = study.ask()
        if trial.source == "rule":
            bound = mean_sd[0] + np.sqrt(trial.zeta) * mean_sd[1]
            bound[list(before)] = -np.inf
            assert bound[trial.row] >= bound.max() - 1e-9
        study.tell(trial, float(np.sin(5.0 * np.array(list(trial.params.values()))).sum()))


def test_a_box_suggestion_is_close_to_the_argmax():
    """No point of a dense grid has a bound much larger than the one suggested."""
    study = Study(BOX, seed=2, surrogate=FIXED)
    side = np.linspace(0.0, 1.0, 41)
    lattice = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    for _ in range(12):
        mean_sd = study.predict(list(lattice)) if study.best else None
        trial = study.ask()
        if trial.source == "rule":
            bound = mean_sd[0] + np.sqrt(trial.zeta) * mean_sd[1]
            mine = trial.details["mean"] + np.sqrt(trial.zeta) * trial.details["sd"]
            assert mine >= bound.max() - 1e-6
        study.tell(trial, float(np.sin(5.0 * np.array(list(trial.params.values()))).sum()))


def test_the_recommendation_is_close_to_the_argmax_of_the_mean():
    s = as_task(BOX, surrogate=FIXED, seed=0)
    side = np.linspace(0.0, 1.0, 81)
    lattice = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    for seed in range(5):
        X = np.random.default_rng(seed).random((12, 2))
        h = history(X, wavy(X))
        state = believe(s, h, 12, None)
        choice = recommend(s, h, state)
        mean, _ = predict(state, lattice)
        assert choice.mean >= mean.max() - 1e-9


@pytest.mark.parametrize("space", [BOX, Table(np.random.default_rng(5).random((40, 2)))])
def test_doubt_depends_on_what_was_told_alone(space):
    """Carried along, built anew, gone back and forth: the same bits, and no fit of the search plays a part."""
    s = as_task(space, seed=3)
    X = (
        space.X[np.random.default_rng(0).permutation(40)[:30]]
        if isinstance(space, Table)
        else np.random.default_rng(0).random((30, 2))
    )
    h = history(X, wavy(X))
    carried = None
    for left in (20, 19, 18, 4, 3, 2, 1, 0, 7, 0):
        part = without_last(h, left)
        carried = averaged(s, part.series(), carried)
        alone = averaged(s, replace(part, fits=(Fit(FIXED_HYPER, 0, (0, 1)),)).series(), None)
        assert carried.drawn == alone.drawn
        assert carried.seen == alone.seen
        assert certify(s, part, None, carried) == certify(s, part, None, alone)


def test_settings_are_drawn_on_the_schedule_of_fits():
    X = np.random.default_rng(0).random((20, 2))
    s, h = as_task(Table(X), seed=3), history(X, wavy(X))
    seen = [len(averaged(s, without_last(h, 20 - n).series(), None).seen[0]) for n in range(2, 21)]
    assert seen == [*range(2, 17), 16, 18, 18, 20]


def test_units_are_those_of_distinct_rows():
    """A row that was measured twenty times counts once, unless all that differs is noise."""
    X = np.vstack([np.random.default_rng(0).random((9, 2)), np.full((20, 2), 0.5)])
    y = np.concatenate([np.arange(9.0), np.full(20, 100.0)])
    s = as_task(BOX, seed=3)
    assert averaged(s, history(X, y).series(), None).units.knee == 4.5
    noisy = np.concatenate([np.zeros(9), np.random.default_rng(1).standard_normal(20)])
    assert averaged(s, history(X, noisy).series(), None).units.scale > 0.3


@pytest.mark.parametrize(
    "surrogate",
    [
        FIXED,
        Surrogate.paper(),
        Surrogate(lengthscale_prior=(0.3, 0.7)),
        Surrogate.known("rbf", 0.2, signal_var=1.0, noise_var=0.1),
    ],
)
def test_a_model_somebody_chose_is_not_made_more_cautious(surrogate):
    assert surrogate.cautious() == surrogate


def test_the_cautious_model_keeps_what_was_chosen_beside_the_prior():
    cautious = Surrogate(kernel="rbf", noise_var=1e-3, refit_every=7).cautious()
    assert (cautious.kernel, cautious.noise_var, cautious.refit_every) == ("rbf", 1e-3, 7)
    assert cautious.lengthscale_prior[0] < Surrogate().lengthscale_prior[0]


def test_streams_of_a_suggestion_are_keyed_by_trial_and_purpose():
    draws = {stream(1, trial, purpose).random() for trial in range(5) for purpose in Purpose}
    assert len(draws) == 5 * len(Purpose)


def test_scores_with_edges_are_searched_finely(monkeypatch):
    """Along the edge of a constraint little is to be gained beside the whole score: a coarse ascent would end early."""
    suggest_module, seen = sys.modules["regretless.optimizer.suggestion"], []
    plain = suggest_module.argmax
    monkeypatch.setattr(suggest_module, "argmax", lambda *args: (seen.append(args[1].precision), plain(*args))[1])
    for more in ({}, {"constraints": {"g": ("<=", 0.0)}}):
        study = Study(BOX, n_initial=1, seed=1, **more)
        study.tell(study.ask(), {"value": 1.0} | ({"g": -1.0} if more else {}))
        study.ask()
    assert seen == [1e-4, 1e-6]
