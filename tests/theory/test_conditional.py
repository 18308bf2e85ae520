"""Conditional and high-probability bounds: 60-digit values, orders between the forms, simulated sums of zeta."""

import math

import numpy as np
import pytest
from scipy import stats
from tests.theory.plain_runs import plain_runs

from regretless.confidence import (
    BoxShift,
    GammaLaw,
    HighProbabilityShift,
    Schedule,
    ShiftedExponential,
    expected_lipschitz_bound_printed,
)
from regretless.errors import InvalidInput
from regretless.gp import Kernel
from regretless.theory import (
    conditional_regret_box_anytime,
    conditional_regret_box_as_printed,
    conditional_regret_box_fixed,
    conditional_regret_table_anytime,
    conditional_regret_table_as_printed,
    conditional_regret_table_fixed,
    gp_ucb_beta,
    grid_error,
    high_probability_lemma,
    high_probability_regret_anytime,
    high_probability_regret_as_printed,
    high_probability_regret_fixed,
    high_probability_regret_gp_ucb_anytime,
    high_probability_regret_realised_anytime,
    least_mean_zeta,
    zeta_sum_as_printed,
    zeta_sum_bound,
    zeta_sum_quantile,
)
from regretless.theory.zeta_sums import zeta_sum

LOG2 = math.log(2.0)
MODEL = {"n_candidates": 1000, "delta": 0.1, "info_gain": 900.0, "noise_var": 1e-4}


def given(values, case):
    inputs, outputs = values[case]["inputs"], values[case]["outputs"]
    model = {"delta": inputs["delta"], "info_gain": inputs["gamma"], "noise_var": inputs["noise_var"]}
    if "n_candidates" in inputs:
        model["n_candidates"] = inputs["n_candidates"]
    else:
        bound = expected_lipschitz_bound_printed(inputs["d"], inputs["a"], inputs["b"])
        model["shift"] = BoxShift(inputs["d"], inputs["r"], bound)
    return inputs["T"], model, outputs


FORMS = {"six": "corrected_const6", "gaussian": "corrected_sharp", "bernstein": "corrected_bernstein"}


def test_table(values):
    T, model, outputs = given(values, "U_finite")
    for deviation, name in FORMS.items():
        bound = conditional_regret_table_anytime(T, **model, deviation=deviation, total="sum")
        assert bound == pytest.approx(outputs[name], rel=1e-12)
    assert conditional_regret_table_as_printed(T, **model) == pytest.approx(outputs["as_printed"], rel=1e-12)
    law = ShiftedExponential.for_table(model["n_candidates"])
    summed = zeta_sum_bound(law, T, failure=math.exp(-outputs["L"]))
    assert summed == pytest.approx(outputs["sum_zeta_bound_corrected"], rel=1e-12)


def test_box(values):
    T, model, outputs = given(values, "U_continuous")
    for deviation, name in FORMS.items():
        bound = conditional_regret_box_anytime(T, **model, deviation=deviation, total="sum")
        # the reference adds the whole series pi^2/6, the function its first T terms
        assert bound - grid_error(T) + math.pi**2 / 6 == pytest.approx(outputs[name], rel=1e-12)
    assert conditional_regret_box_as_printed(T, **model) == pytest.approx(outputs["as_printed"], rel=1e-12)
    summed = zeta_sum_bound(ShiftedExponential(model["shift"]), T, failure=math.exp(-outputs["L"]))
    assert summed == pytest.approx(outputs["sum_zeta_bound_corrected"], rel=1e-12)


def test_high_probability(values):
    T, model, outputs = given(values, "hp_corollary")
    for total, name in [("sum", "corrected_with_exact_sum"), ("last", "corrected_with_T_sT")]:
        assert high_probability_regret_anytime(T, **model, total=total) == pytest.approx(outputs[name], rel=1e-12)
    assert high_probability_regret_as_printed(T, **model) == pytest.approx(outputs["as_printed"], rel=1e-12)
    shift = HighProbabilityShift(model["n_candidates"], model["delta"])
    assert shift(T) == pytest.approx(outputs["mean_zeta_lower_bound_for_theorem"], rel=1e-12)


@pytest.mark.parametrize("n", [2, 3, 100, 10**6])
@pytest.mark.parametrize("T", [1, 2, 10, 500])
@pytest.mark.parametrize("delta", [1e-6, 0.1, 0.9])
def test_order_of_the_forms(n, T, delta):
    model = {**MODEL, "n_candidates": n, "delta": delta}
    least = conditional_regret_table_anytime(T, **model)
    for deviation in FORMS:
        assert least <= conditional_regret_table_anytime(T, **model, deviation=deviation)
    assert least <= conditional_regret_table_anytime(T, **model, total="sum")
    assert conditional_regret_table_fixed(T, **model) <= least
    law = ShiftedExponential.for_table(n)
    zeta = [law.quantile(t, 0.5) for t in range(1, T + 1)]
    assert conditional_regret_table_anytime(T, **model, zeta=zeta) < least  # a typical sum costs less than its bound
    assert conditional_regret_table_fixed(T, **model, zeta=zeta) < conditional_regret_table_fixed(T, **model)
    assert high_probability_regret_fixed(T, **model) <= high_probability_regret_anytime(T, **model)
    assert high_probability_regret_anytime(T, **model) <= high_probability_regret_anytime(T, **model, total="sum")


def test_realised_sum_written_out():
    zeta, delta, T = [14.0, 12.6, 19.0], 0.2, 3
    law = ShiftedExponential.for_table(1000)
    c_one = 2.0 / math.log1p(1e4)
    for ask, L in [
        (conditional_regret_table_anytime, math.log(math.pi**2 * T**2 / (6 * delta))),
        (conditional_regret_table_fixed, math.log(1 / delta)),
    ]:
        model = {"n_candidates": 1000, "delta": delta, "info_gain": 5.0, "noise_var": 1e-4}
        expected = math.sqrt(2 * T * L) + math.sqrt(c_one * 5.0 * sum(zeta))
        assert ask(T, **model, zeta=zeta, deviation="gaussian") == pytest.approx(expected, rel=1e-12)
        b = law.mean_sqrt(1) - math.sqrt(law.mean(1) - 2)
        expected = math.sqrt(2 * L * T * law.var_sqrt(1)) + b * L / 3 + math.sqrt(c_one * 5.0 * sum(zeta))
        assert ask(T, **model, zeta=zeta, deviation="bernstein") == pytest.approx(expected, rel=1e-10)


def test_box_fixed_is_below_anytime_and_the_realised_below_both():
    model = {"shift": BoxShift(2, 1.0, 3.0), "delta": 0.1, "info_gain": 9.0, "noise_var": 0.1, "signal_var": 2.0}
    zeta = [model["shift"](t) + 1.4 for t in range(1, 21)]
    assert conditional_regret_box_fixed(20, **model) < conditional_regret_box_anytime(20, **model)
    assert conditional_regret_box_fixed(20, **model, zeta=zeta) < conditional_regret_box_fixed(20, **model)


def test_units_of_the_objective():
    c, model = 3.0, {"n_candidates": 40, "delta": 0.1, "info_gain": 6.0}
    for ask in (conditional_regret_table_anytime, conditional_regret_table_fixed, high_probability_regret_anytime):
        one, other = ask(9, **model, noise_var=0.1), ask(9, **model, noise_var=0.1 * c**2, signal_var=c**2)
        assert other == pytest.approx(c * one, rel=1e-12)


def test_gp_ucb_needs_half_the_union():
    N, delta, T = 500, 0.1, 100
    betas = [2 * math.log((N + 1) * t**2 * math.pi**2 / (12 * delta)) for t in range(1, T + 1)]
    assert gp_ucb_beta(7, n_candidates=N, delta=delta) == pytest.approx(betas[6], rel=1e-12)
    bound = high_probability_regret_gp_ucb_anytime(T, n_candidates=N, delta=delta, info_gain=50.0, noise_var=0.01)
    assert bound == pytest.approx(
        high_probability_regret_realised_anytime(betas, info_gain=50.0, noise_var=0.01), rel=1e-12
    )
    # the union itself: N upper tails and one lower tail at every t
    failure = sum(
        (N + 1) * stats.norm.sf(math.sqrt(gp_ucb_beta(t, n_candidates=N, delta=delta))) for t in range(1, 4000)
    )
    assert failure < delta


# ---- the sum of the zetas: the degrees of freedom ---------------------------------------------------------------


@pytest.mark.parametrize("T", [1, 10, 200])
@pytest.mark.parametrize("failure", [0.5, 0.1, 1e-6])
def test_the_quantile_is_that_of_chi_square_with_twice_T_degrees(T, failure):
    law = ShiftedExponential.for_table(1000)
    s = law.mean(1) - 2
    assert zeta_sum_quantile(law, T, failure=failure) - T * s == pytest.approx(stats.chi2.isf(failure, 2 * T), rel=1e-9)
    assert stats.chi2.sf(zeta_sum_bound(law, T, failure=failure) - T * s, 2 * T) <= failure


def test_the_exact_tail_of_the_printed_and_of_the_corrected_bound():
    law, delta = ShiftedExponential.for_table(1000), 0.1
    s = law.mean(1) - 2
    table = {10: (1.4e-3, 3.9e-6), 100: (0.553, 4.2e-8), 200: (0.993, 1.2e-8)}
    for T, (printed, corrected) in table.items():
        failure = 3 * delta / (math.pi * T) ** 2
        assert stats.chi2.sf(zeta_sum_as_printed(law, T, failure=failure) - T * s, 2 * T) == pytest.approx(
            printed, rel=0.03
        )
        assert stats.chi2.sf(zeta_sum_bound(law, T, failure=failure) - T * s, 2 * T) == pytest.approx(
            corrected, rel=0.03
        )


def test_simulated_paths_break_the_printed_bound_and_not_the_corrected_one():
    """2,000 paths of 200 draws: 99.4 % break the printed bound somewhere, and fewer than delta the corrected ones."""
    law, delta, T, paths = ShiftedExponential.for_table(1000), 0.1, 200, 2000
    rng = np.random.default_rng(0)
    zeta = law.mean(1) - 2 + rng.exponential(2.0, (paths, T))
    sums = np.cumsum(zeta, axis=1)
    failures = [3 * delta / (math.pi * t) ** 2 for t in range(1, T + 1)]
    broken = {
        form: float(np.any(sums > [form(law, t, failure=p) for t, p in enumerate(failures, 1)], axis=1).mean())
        for form in (zeta_sum_as_printed, zeta_sum_bound, zeta_sum_quantile)
    }
    assert broken[zeta_sum_as_printed] > 0.98
    # allowed: delta/2 for all T together; the exact quantiles use it up more than the closed form
    assert broken[zeta_sum_bound] <= broken[zeta_sum_quantile] < delta / 2 + 4 * math.sqrt(delta / 2 / paths)
    assert broken[zeta_sum_bound] < 0.006


def test_the_printed_sum_holds_where_the_shift_grows():
    """Section 3.1: T s_T gives away more than the missing degrees of freedom, from T = 1 on."""
    for law in (ShiftedExponential.high_probability(500, 0.1), ShiftedExponential(BoxShift(2, 1.0, 3.0))):
        total = 0.0
        for T in range(1, 400):
            total += law.mean(T) - 2
            failure = 0.3 / (math.pi * T) ** 2
            assert stats.chi2.sf(zeta_sum_as_printed(law, T, failure=failure) - total, 2 * T) <= failure


# ---- refusals ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong", [{"delta": 0.0}, {"delta": 1.0}, {"delta": math.nan}, {"noise_var": 0.0}, {"T": 0}, {"n_candidates": 0}]
)
def test_refusals(wrong):
    for ask in (
        conditional_regret_table_anytime,
        conditional_regret_table_fixed,
        conditional_regret_table_as_printed,
        high_probability_regret_anytime,
        high_probability_regret_fixed,
        high_probability_regret_as_printed,
        high_probability_regret_gp_ucb_anytime,
    ):
        with pytest.raises(InvalidInput, match=next(iter(wrong))):
            ask(**{"T": 3, **MODEL, **wrong})


def test_unknown_forms_and_wrong_zetas_are_refused():
    for wrong in (
        {"deviation": "seven"},
        {"total": "all"},
        {"zeta": [14.0]},
        {"zeta": [14.0, 14.0, 3.0]},  # below the shift 12.43
        {"zeta": [14.0, math.nan, 14.0]},
    ):
        with pytest.raises(InvalidInput):
            conditional_regret_table_anytime(3, **MODEL, **wrong)
    for zeta in ([], [-1.0], [math.inf]):
        with pytest.raises(InvalidInput):
            high_probability_regret_realised_anytime(zeta, info_gain=1.0, noise_var=1.0)
    with pytest.raises(InvalidInput, match="falls"):
        zeta_sum(ShiftedExponential(lambda t: 1.0 / t), 3, failure=0.1, total="last")
    for failure in (0.0, 1.0):
        with pytest.raises(InvalidInput, match="failure"):
            zeta_sum_quantile(ShiftedExponential(1.0), 3, failure=failure)


def test_one_candidate():
    model = {**MODEL, "n_candidates": 1}
    for ask in (
        conditional_regret_table_anytime,
        conditional_regret_table_fixed,
        high_probability_regret_anytime,
        high_probability_regret_fixed,
        high_probability_regret_gp_ucb_anytime,
    ):
        assert ask(5, **model) == 0.0
    for ask in (conditional_regret_table_as_printed, high_probability_regret_as_printed):
        with pytest.raises(InvalidInput, match="n_candidates >= 2"):
            ask(5, **model)


# ---- the high-probability lemma, and Jensen's bound -------------------------------------------------------------

LAWS = {
    "exponential": lambda N, delta: ShiftedExponential.high_probability(N, delta),
    "constant": lambda N, delta: Schedule(HighProbabilityShift(N, delta)),
    "gamma": lambda N, delta: GammaLaw(lambda t: 0.5 * HighProbabilityShift(N, delta)(t) / math.log(1.5)),
}


@pytest.mark.parametrize("t", [1, 5])
def test_mean_of_u_by_quadrature(t):
    def by_quadrature(law):
        return law.expect(lambda z: np.exp(-0.5 * z))

    exponential, gamma = LAWS["exponential"](30, 0.2), LAWS["gamma"](30, 0.2)
    expected = by_quadrature(stats.expon(loc=exponential.mean(t) - 2.0, scale=2.0))
    assert exponential.mean_u(t) == pytest.approx(expected, rel=1e-8)
    assert gamma.mean_u(t) == pytest.approx(by_quadrature(stats.gamma(gamma.mean(t))), rel=1e-8)
    assert LAWS["constant"](30, 0.2).mean_u(t) == pytest.approx(6 * 0.2 / (30 * (math.pi * t) ** 2), rel=1e-12)
    assert GammaLaw(0.0).mean_u(1) == Schedule(0.0).mean_u(1) == 1.0


@pytest.mark.parametrize(("name", "share"), [("exponential", 0.5), ("constant", 1.0), ("gamma", 1.0)])
def test_the_lemma_s_condition_gives_its_level(name, share):
    """N sum E[U_t] up to T is the share of delta times the part of the series 6/(pi^2 t^2) that has been used."""
    N, delta = 30, 0.2
    for T in (1, 10, 1000):
        used = sum(6 / (math.pi * t) ** 2 for t in range(1, T + 1))
        assert high_probability_lemma(LAWS[name](N, delta), T, n_candidates=N) == pytest.approx(share * delta * used)
    assert used < 1.0


def test_the_lemma_holds_in_runs():
    """Share of runs in which f leaves its band by T, 4 standard errors; a large delta, so that something is seen.

    With the theorem's own shift, which does not grow, the band is left in most runs, and the lemma says nothing.
    """
    X, T, runs, delta = np.linspace(0.0, 1.0, 15)[:, None], 100, 2000, 0.9
    K, law = Kernel("rbf", np.array([0.15]), 1.0)(X, X), ShiftedExponential.high_probability(15, delta)
    found = plain_runs(K, 0.1, T, runs, np.random.default_rng(0), zeta=law.shift).left.any(axis=1).mean()
    assert found > 0.02
    assert found - 4.0 * math.sqrt(found * (1.0 - found) / runs) <= high_probability_lemma(law, T, n_candidates=15)
    assert plain_runs(K, 0.1, T, runs, np.random.default_rng(1)).left.any(axis=1).mean() > 0.6
    assert high_probability_lemma(ShiftedExponential.for_table(15), T, n_candidates=15) == 1.0


def test_jensen_s_bound(values):
    inputs, outputs = values["hp_corollary"]["inputs"], values["hp_corollary"]["outputs"]
    N, delta, T = inputs["n_candidates"], inputs["delta"], inputs["T"]
    least = least_mean_zeta(T, n_candidates=N, delta=delta)
    assert least == pytest.approx(outputs["mean_zeta_lower_bound_for_theorem"], rel=1e-12)
    for t in (1, 4, 300):
        least = least_mean_zeta(t, n_candidates=N, delta=delta)
        assert LAWS["constant"](N, delta).mean(t) == pytest.approx(least, rel=1e-12)  # equality: nothing is random
        for law in (
            LAWS["gamma"](N, delta),
            ShiftedExponential(lambda t: HighProbabilityShift(N, delta)(t) - 2 * LOG2),
        ):
            assert law.mean_u(t) == pytest.approx(6 * delta / (N * (math.pi * t) ** 2), rel=1e-12)  # just allowed
            assert law.mean(t) > least
    with pytest.raises(InvalidInput, match="t must be"):
        least_mean_zeta(0, n_candidates=5, delta=0.1)
    with pytest.raises(InvalidInput, match="delta"):
        least_mean_zeta(1, n_candidates=5, delta=0.0)
