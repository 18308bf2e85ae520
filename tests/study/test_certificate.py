"""The regret that is left, in the user's units; and stopping by it. The bounds themselves: `tests/theory`."""

import math

import numpy as np
import pytest

from regretless import Certificate, InvalidInput, Regret, Study, Surrogate, Table, maximize, minimize
from regretless.gp import Kernel, posterior, table_posterior
from regretless.optimizer.wording import amount
from regretless.problems import gp_sample, grid
from regretless.theory import remaining_regret

from .helpers import ROWS, SPACES, all_bits, smooth, snapshot

TABLES = ["table", "listed"]  # counted row by row; the other spaces are stood for by a dense sample
KNOWN = Surrogate.known("matern52", 0.3, signal_var=1.0, noise_var=0.01)
ROWS_BY_NAME = [{"a": float(a), "b": float(b)} for a, b in ROWS]
SURE = Surrogate.known("rbf", 1.0, signal_var=1.0, noise_var=1e-4)  # far too smooth for what is told to it


def run(space, n, **options):
    study = Study(space, seed=3, **options)
    sign = 1.0 if study.direction == "maximize" else -1.0
    for _ in range(n):
        trial = study.ask()
        study.tell(trial, sign * smooth(trial.params))
    return study


def numbers(left):
    return {name: getattr(left, name) for name in ("bound", "tail_sum", "pairwise", "lemma", "sd", "exceeds")}


def wave(params):
    return math.sin(3.0 * params["a"]) * math.cos(3.0 * params["b"])


def doubted(n=12):
    """A study whose own data speak against its model."""
    study = Study({"x": (0.0, 1.0)}, surrogate=SURE, objective="yield", seed=1)
    for i in range(n):
        study.add({"x": i / n}, float((-1) ** i))
    return study


class TestUnits:
    @pytest.mark.parametrize("space", SPACES)
    def test_maximising_f_and_minimising_its_negative_agree_bit_for_bit(self, space):
        up = run(SPACES[space](), 10, direction="maximize").certificate(0.1, draws=50)
        down = run(SPACES[space](), 10, direction="minimize").certificate(0.1, draws=50)
        assert numbers(up) == numbers(down)
        assert (up.params, up.row, up.best, up.trust) == (down.params, down.row, down.best, down.trust)
        assert up.mean == -down.mean

    @pytest.mark.parametrize("space", SPACES)
    @pytest.mark.parametrize(("factor", "rel"), [(1000.0, 1e-6), (1024.0, 0.0)])
    def test_scaling_the_values_scales_the_bound(self, space, factor, rel):
        plain, scaled = Study(SPACES[space](), seed=3), Study(SPACES[space](), seed=3)
        for trial in run(SPACES[space](), 12).trials:
            plain.add(trial.params, trial.value)
            scaled.add(trial.params, factor * trial.value)
        small, large = plain.certificate(0.5), scaled.certificate(0.5 * factor)
        assert small.bound > 0.0
        for name in ("bound", "tail_sum", "pairwise", "lemma", "sd", "mean"):
            assert getattr(large, name) == pytest.approx(factor * getattr(small, name), rel=rel), name
        assert large.exceeds == pytest.approx(small.exceeds, rel=rel)
        at_large, at_small = (study.space.encode(left.params) for study, left in ((scaled, large), (plain, small)))
        assert at_large == pytest.approx(at_small, abs=10.0 * rel)
        assert large.trust.light == small.trust.light

    @pytest.mark.parametrize("direction", ["maximize", "minimize"])
    @pytest.mark.parametrize("space", SPACES)
    def test_with_one_model_mean_and_sd_are_those_of_the_prediction(self, space, direction):
        known = Surrogate(
            method="fixed", lengthscale=0.4, signal_var=1.5, noise_var=1e-3, refit_every=1, compress=False
        )
        study = run(SPACES[space](), 9, direction=direction, surrogate=known)
        left, advice = study.certificate(), study.recommend()
        mean, sd = study.predict([left.params])
        assert left.mean == pytest.approx(mean[0], rel=1e-9, abs=1e-9)
        assert left.sd == pytest.approx(sd[0], rel=1e-6, abs=1e-9)
        assert (left.params, left.row, left.mean) == (advice.params, advice.row, pytest.approx(advice.mean))

    @pytest.mark.parametrize("space", SPACES)
    def test_the_certificate_is_averaged_over_settings(self, space):
        study = run(SPACES[space](), 12)
        left, belief = study.certificate(), study._carried.state.doubted()
        assert left.settings == len(belief.drawn) == len(belief.posteriors) == 24
        assert len({drawn.lengthscale for drawn in belief.drawn}) > 12
        assert 0.0 <= left.unsure <= 1.0
        assert (max(drawn.row_var for drawn in belief.drawn) > 0.0) == (space in TABLES)

    @pytest.mark.parametrize("given", [KNOWN, Surrogate(method="likelihood"), Surrogate(lengthscale_prior=(0.3, 0.5))])
    def test_whoever_gives_the_model_gets_that_one(self, given):
        study = run(ROWS, 12, surrogate=given)
        left, belief = study.certificate(), study._carried.state.doubted()
        assert (left.settings, left.unsure, belief.drawn) == (1, 0.0, ())
        assert "not knowing" not in left.beside()

    def test_a_kernel_and_a_noise_that_are_given_are_kept(self):
        study = run(ROWS, 12, surrogate=Surrogate(kernel="matern32", noise_var=0.1))
        study.certificate()
        drawn = study._carried.state.doubted().drawn
        assert {one.family for one in drawn} == {"matern32"}
        assert {round(one.noise_var, 6) for one in drawn} == {0.1}
        assert {one.row_var for one in drawn} == {0.0}


class TestBound:
    def test_equals_the_theory_on_the_posterior_of_the_same_data(self):
        """From scratch: the encoded table, the told values, and a posterior of them all at once."""
        study = run(ROWS, 14, surrogate=KNOWN)
        left = study.certificate(0.5)
        assert 0.1 < left.exceeds < 0.9
        X = study.space.X
        at = np.array([X[study.space.index_of(trial.params)] for trial in study.trials])
        y = np.array([trial.value for trial in study.trials])
        kernel = Kernel("matern52", np.full(2, 0.3), 1.0)
        wanted = remaining_regret(table_posterior(posterior(kernel, noise_var=0.01, X=at, y=y), X), eps=0.5)
        assert left.row == study.space.ids[wanted.index]
        for name in ("bound", "tail_sum", "pairwise", "lemma", "mean", "sd", "exceeds"):
            assert getattr(left, name) == pytest.approx(getattr(wanted, name), rel=1e-7), name

    @pytest.mark.parametrize("space", SPACES)
    def test_is_never_larger_than_with_either_part_everywhere_and_never_negative(self, space):
        study = Study(SPACES[space](), seed=3)
        for _ in range(11):
            trial = study.ask()
            study.tell(trial, smooth(trial.params))
            left = study.certificate(0.05)
            assert left.simulated.estimate <= left.bound + 4.0 * left.simulated.se
            assert left.tail_sum <= left.lemma * (1 + 1e-12)
            assert 0.0 <= left.bound < math.inf
            assert 0.0 <= left.exceeds <= 1.0
            assert left.exact == (space in TABLES)

    def test_exceeds_falls_with_eps(self):
        study = run(ROWS, 12)
        at = [study.certificate(eps).exceeds for eps in (0.0, 0.05, 0.1, 0.5, 100.0)]
        assert at == sorted(at, reverse=True)
        assert at[-1] < 1e-6
        assert study.certificate().exceeds is None
        assert study.certificate().eps is None

    def test_draws_give_the_probability_to_be_best_with_its_error(self):
        left = run(ROWS, 12).certificate(0.0, draws=4000)
        assert left.best.draws == 4000
        assert 0.0 < left.best.se < 0.01
        assert 0.0 <= left.best.estimate <= 1.0
        # P(not the best) <= sum of P(another is better), which is ``exceeds`` at eps = 0.
        assert 1.0 - left.best.estimate <= left.exceeds + 4.0 * left.best.se
        assert run(ROWS, 12).certificate(draws=0).best is None
        assert run(ROWS, 12).certificate(draws=0).simulated is None
        assert run(ROWS, 12).certificate().best.draws == 480

    def test_a_candidate_alone_leaves_no_regret(self):
        study = Study(Table([{"x": 1.0}]), seed=0)
        study.add({"x": 1.0}, 2.0)
        assert study.certificate().bound == 0.0


class TestSentence:
    def test_table(self):
        rows = [{"id": f"S{t}", "t": t} for t in range(10)]
        study = Study(Table(rows, id="id"), objective="yield", seed=1)
        for t in (0, 1, 2, 4, 5, 6, 8, 9):
            study.add(row=f"S{t}", value=-0.1 * (t - 4) ** 2)
        left = study.certificate()
        assert left.trust.light == "green"
        assert left.sentence == (
            f"Under the fitted model, recommending row S4 costs at most {left.bound:.3g} yield in expectation."
        )
        assert str(left) == left.sentence

    def test_box_is_called_an_estimate(self):
        left = run({"x": (0.0, 1.0), "kind": ["u", "v"]}, 10, objective="gain").certificate()
        assert "costs about" in left.sentence
        assert f"{left.bound:.3g} gain in expectation (an estimate:" in left.sentence
        assert f"recommending (x={left.params['x']:.6g}, kind={left.params['kind']})" in left.sentence

    def test_a_discrete_space_is_counted_point_by_point(self):
        left = run(SPACES["listed"](), 10).certificate()
        assert left.row is None
        assert left.exact
        assert f"costs at most {left.bound:.3g} value" in left.sentence
        assert f"recommending (n={left.params['n']}, c=" in left.sentence

    def test_minimising_says_the_same_of_the_cost(self):
        assert run(ROWS, 9).certificate().sentence == run(ROWS, 9, direction="minimize").certificate().sentence

    def test_red_light_and_too_few_data_are_said(self):
        left = doubted().certificate()
        assert left.trust.light == "red"
        assert left.sentence.endswith(left.trust.message)
        assert "Do not trust" in left.sentence
        early = doubted(7).certificate()
        assert early.trust.light == "too few data"
        assert "Too few data" in early.sentence


class TestPast:
    """The certificate as it was before the last values."""

    @pytest.mark.parametrize("space", SPACES)
    def test_depends_on_the_values_before_alone(self, space):
        study = run(SPACES[space](), 12)
        past = [study.certificate(leave_out=k) for k in range(12)]
        assert past[0] == study.certificate()
        for trial in study.ask(2):
            study.tell(trial, failed=True)
        study.ask()
        assert [study.certificate(leave_out=k) for k in range(1, 12)] == past[1:]

    def test_with_one_model_it_is_the_certificate_of_that_time(self):
        study, then = Study(ROWS, seed=3, surrogate=KNOWN), []
        study.exclude_row(4, "out of stock")
        for _ in range(10):
            trial = study.ask()
            study.tell(trial, smooth(trial.params))
            then.append(study.certificate(0.2))
        now = [study.certificate(0.2, leave_out=9 - i) for i in range(10)]
        assert [left.params for left in now] == [left.params for left in then]
        for one, other in zip(now, then, strict=True):
            assert one.bound == pytest.approx(other.bound, rel=1e-9)
            assert one.exceeds == pytest.approx(other.exceeds, rel=1e-9)

    @pytest.mark.parametrize("count", [-1, 1.0, True, "all", 6])
    def test_bad_counts(self, count):
        with pytest.raises(InvalidInput, match="leave_out"):
            run(ROWS, 6).certificate(leave_out=count)

    def test_the_past_is_not_put_on_record(self):
        study = run(ROWS, 6)
        before = snapshot(study)
        with pytest.raises(InvalidInput, match="only the present certificate"):
            study.certificate(leave_out=1, record=True)
        assert snapshot(study) == before


@pytest.mark.parametrize(
    ("objective", "says"),
    [
        ("yield [%]", "4.2 percentage points of yield"),
        ("yield[%]", "4.2 percentage points of yield"),
        ("mass [mg]", "4.2 mg of mass"),
        ("heat [kJ / mol] ", "4.2 kJ / mol of heat"),
        ("ratio [-]", "4.2 ratio"),
        ("yield", "4.2 yield"),
        ("[%]", "4.2 [%]"),
        ("x [ ]", "4.2 x [ ]"),
        ("a [b] c", "4.2 a [b] c"),
        ("a [b [c]]", "4.2 a [b [c]]"),
    ],
)
def test_a_unit_is_said_with_the_amount(objective, says):
    assert amount(4.2, objective) == says
    study = run(ROWS, 9, objective=objective)
    assert (
        f"costs at most {amount(study.certificate().bound, objective)} in expectation" in study.certificate().sentence
    )


class TestErrors:
    @pytest.mark.parametrize("eps", [-0.1, math.nan, math.inf, "much", True, [0.1]])
    def test_bad_eps(self, eps):
        self.unchanged(lambda study: study.certificate(eps), "eps")

    @pytest.mark.parametrize("draws", [-1, 1.5, True, "many"])
    def test_bad_draws(self, draws):
        self.unchanged(lambda study: study.certificate(draws=draws), "draws")

    @pytest.mark.parametrize("when", [0.5, "soon", None, Regret])
    def test_stop_when_is_not_a_regret(self, when):
        self.unchanged(lambda study: study.should_stop(when), "stop_when must be a Regret")

    @pytest.mark.parametrize("when", [0.5, "soon", Regret])
    def test_runs_refuse_it_too(self, when):
        with pytest.raises(InvalidInput, match="stop_when must be a Regret"):
            maximize(smooth, {"x": (0.0, 1.0)}, 5, stop_when=when, seed=0)

    def test_runs_refuse_it_before_anything_expensive_is_done(self):
        calls = []
        with pytest.raises(InvalidInput, match="stop_when must be a Regret"):
            maximize(lambda p: calls.append(p) or 1.0, {"x": (0.0, 1.0)}, 5, stop_when=0.5, seed=0)
        assert calls == []

    def unchanged(self, act, match):
        study = run(ROWS, 6)
        before = snapshot(study)
        with pytest.raises(InvalidInput, match=match):
            act(study)
        assert snapshot(study) == before

    @pytest.mark.parametrize("failed", [False, True])
    def test_nothing_told(self, failed):
        study = Study(ROWS, seed=0)
        if failed:
            study.tell(study.ask(), failed=True)
        before = snapshot(study)
        with pytest.raises(InvalidInput, match="certificate needs at least one told value"):
            study.certificate()
        assert study.should_stop(Regret(1e9)) is None
        assert snapshot(study) == before

    @pytest.mark.parametrize(
        "given",
        [{}, {"eps": 0.1, "relative": 0.1}, *({"eps": e} for e in (0, -1.0, math.nan, math.inf, True, "0.1"))],
    )
    def test_bad_regret(self, given):
        with pytest.raises(InvalidInput, match="Regret needs"):
            Regret(**given)
        if "eps" in given and "relative" not in given:
            with pytest.raises(InvalidInput, match="Regret needs"):
                Regret(relative=given["eps"])


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("options", [{}, {"surrogate": KNOWN}], ids=["fitted", "known"])
def test_looking_never_changes_a_suggestion(space, options):
    quiet, looked = Study(SPACES[space](), seed=3, **options), Study(SPACES[space](), seed=3, **options)
    for i in range(8):
        for study in (quiet, looked):
            trials = study.ask(2) if i % 5 == 4 else [study.ask()]
            if study is looked and i:
                study.certificate(0.1, draws=20)  # while trials are pending
            for trial in trials:
                study.tell(trial, smooth(trial.params))
        first = looked.certificate(0.1, draws=20)
        if i % 3 == 0:
            assert looked.certificate(0.1, draws=20) == first  # nor what is seen when looking again
        looked.should_stop(Regret(1e-9))
    assert all_bits(quiet) == all_bits(looked)
    assert quiet.certificate(0.1) == looked.certificate(0.1)


class TestStopping:
    @pytest.mark.parametrize(("optimize", "sign"), [(maximize, 1.0), (minimize, -1.0)], ids=["maximize", "minimize"])
    @pytest.mark.parametrize("when", [Regret(0.02), Regret(relative=0.01)], ids=["absolute", "relative"])
    def test_a_run_ends_early_and_says_why(self, optimize, sign, when):
        result = optimize(lambda p: sign * (3.0 - (p["x"] - 0.3) ** 2), {"x": (0.0, 1.0)}, 60, stop_when=when, seed=1)
        left = result.stopped_by
        assert 8 <= result.nfev < 60
        assert isinstance(left, Certificate)
        assert left == result.study.certificate()
        assert left.bound <= (0.02 if when.eps else 0.01 * abs(left.mean))
        assert result.message.startswith("stopped after ")
        assert result.message.endswith(f" of 60 trials. {left.sentence}")
        assert abs(left.params["x"] - 0.3) < 0.1

    def test_the_message_counts_the_trials_that_were_done(self):
        result = maximize(smooth, {"x": (0.0, 1.0)}, 60, stop_when=Regret(0.5), seed=1)
        assert result.message.startswith(f"stopped after {result.nfev} of 60 trials. ")

    def test_it_ends_at_the_first_trial_that_allows_it(self):
        """Replayed on a study that is only told: with known hyperparameters nothing else enters."""
        result = maximize(wave, ROWS_BY_NAME, 40, stop_when=Regret(0.05), surrogate=KNOWN, seed=2)
        assert result.stopped_by is not None
        again = Study(ROWS_BY_NAME, surrogate=KNOWN, seed=2)
        allowed = []
        for trial in result.history:
            again.add(trial.params, trial.value)
            allowed.append(again.should_stop(Regret(0.05)) is not None)
        assert allowed == [False] * (result.nfev - 1) + [True]

    def test_a_run_without_a_reason_to_stop_goes_on(self):
        result = maximize(smooth, {"x": (0.0, 1.0)}, 12, stop_when=Regret(1e-12), seed=1)
        assert (result.message, result.stopped_by, result.nfev) == ("12 trials done", None, 12)
        assert maximize(smooth, {"x": (0.0, 1.0)}, 9, seed=1).stopped_by is None

    def test_a_study_optimised_in_parts_may_stop_too(self):
        study = run({"x": (0.0, 1.0)}, 10)
        result = study.optimize(smooth, 20, stop_when=Regret(0.5))
        assert result.stopped_by is not None
        assert len(study) == 10  # nothing more is asked where little enough is left already

    def test_never_on_a_red_light(self):
        study = doubted()
        assert study.certificate().bound < 1e6
        assert study.should_stop(Regret(1e6)) is None
        result = study.optimize(lambda p: math.cos(40.0 * p["x"]), 3, stop_when=Regret(1e6))
        assert (result.nfev, result.stopped_by) == (3, None)

    def test_never_before_there_are_enough_data_to_tell(self):
        study, seen = Study({"x": (0.0, 1.0)}, seed=1), []
        for n in range(1, 10):
            study.add({"x": n / 10}, n / 10)
            seen.append(study.should_stop(Regret(1e6)) is not None)
        assert seen == [False] * 7 + [True] * 2

    @pytest.mark.parametrize("patience", [1, 3, 5])
    def test_so_many_small_bounds_in_a_row_are_wanted(self, patience):
        """Against a plain loop over studies that were told so many values and no more."""
        result = maximize(wave, ROWS_BY_NAME, 25, surrogate=KNOWN, seed=2)
        again, bounds = Study(ROWS_BY_NAME, surrogate=KNOWN, seed=2), []
        for n, trial in enumerate(result.history, 1):
            again.add(trial.params, trial.value)
            bounds.append(again.certificate().bound)
            wanted = n >= max(8, patience) and max(bounds[-patience:]) <= 0.3
            assert (again.should_stop(Regret(0.3, patience=patience)) is not None) == wanted
        assert min(bounds) <= 0.3 < max(bounds)

    def test_the_rule_has_no_second_door(self):
        """One certificate alone says nothing about stopping: only the study knows those before it."""
        assert {name for name in dir(Regret) if not name.startswith("_")} == {
            "eps",
            "relative",
            "patience",
            "threshold",
            "measure",
        }
        left = run(ROWS, 9).certificate()
        assert Regret(0.5).threshold(left) == 0.5
        assert Regret(relative=0.1).threshold(left) == pytest.approx(0.1 * abs(left.mean))

    def test_failed_and_pending_trials_are_no_data(self):
        study = Study({"x": (0.0, 1.0)}, seed=1)
        for n in range(1, 8):
            study.add({"x": n / 10}, n / 10)
        study.add({"x": 0.85}, failed=True)
        study.ask()
        assert study.should_stop(Regret(1e6)) is None

    def test_stopping_keeps_the_promise_on_average(self):
        """Functions drawn from the model; mean realised regret where the runs stop, refused at 3 standard errors."""
        kernel, points = Kernel("matern52", np.array([0.03]), 1.0), grid(np.linspace(0.0, 1.0, 60), dim=1)
        model = Surrogate.known("matern52", 0.03, signal_var=1.0, noise_var=0.01)
        eps, regret, evaluations = 0.2, [], []
        for i in range(60):
            rng = np.random.default_rng([7, i])
            problem = gp_sample(points, kernel, rng, noise_var=0.01)
            result = maximize(
                problem.noisy(rng), problem.space, 120, surrogate=model, stop_when=Regret(eps), seed=i, progress=False
            )
            assert result.stopped_by is not None
            regret.append(problem.regret(problem(result.stopped_by.params)))
            evaluations.append(result.nfev)
        assert np.mean(regret) - 3.0 * np.std(regret, ddof=1) / math.sqrt(60) <= eps
        assert np.mean(regret) <= eps  # what the bound promises; these seeds keep it without the margin too
        assert np.mean(evaluations) < 30  # and it is worth something: half as many evaluations as candidates, or fewer


def test_what_is_certified_is_what_is_recommended():
    for space in SPACES:
        study = run(SPACES[space](), 15)
        left, at = study.certificate(), study.recommend()
        assert (left.params, left.row) == (at.params, at.row)
