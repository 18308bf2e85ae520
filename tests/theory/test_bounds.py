"""Expected-regret bounds against 60-digit values, their own formulas written out, limits and refusals."""

import math

import numpy as np
import pytest

from regretless.confidence import BoxShift, ShiftedExponential, TableBeta, expected_lipschitz_bound_printed
from regretless.errors import InvalidInput
from regretless.theory import (
    c1,
    expected_regret_box,
    expected_regret_box_theorem,
    expected_regret_gp_ucb,
    expected_regret_table,
    grid_error,
    initial_design_regret,
    markov_fixed,
    regret_given_data,
    simple_regret,
    variance_sum,
)

TABLE = {"n_candidates": 50, "info_gain": 8.0, "noise_var": 0.1}


def box_shift(inputs):
    d, a, b, r = (inputs[name] for name in "dabr")
    return BoxShift(d, r, expected_lipschitz_bound_printed(d, a, b))


def test_c1(values):
    case = values["C1"]
    found = [c1(noise, kappa2) for noise, kappa2 in case["inputs"]["pairs_noise_kappa2"]]
    assert found == pytest.approx(case["outputs"]["C1"], rel=1e-12)


def test_table(values):
    inputs, outputs = values["bcr_finite"]["inputs"], values["bcr_finite"]["outputs"]
    for gamma, expected in zip(inputs["gamma"], outputs["bcr"], strict=True):
        bound = expected_regret_table(
            inputs["T"], n_candidates=inputs["n_candidates"], info_gain=gamma, noise_var=inputs["noise_var"]
        )
        assert bound == pytest.approx(expected, rel=1e-12)


def test_box(values):
    inputs, outputs = values["bcr_continuous"]["inputs"], values["bcr_continuous"]["outputs"]
    model = {"shift": box_shift(inputs), "info_gain": inputs["gamma"], "noise_var": inputs["noise_var"]}
    assert expected_regret_box(inputs["T"], **model) == pytest.approx(outputs["exact_sums"], rel=1e-12)
    assert expected_regret_box_theorem(inputs["T"], **model) == pytest.approx(outputs["theorem"], rel=1e-12)


def test_gp_ucb_is_its_formula_and_grows_where_irgp_ucb_does_not():
    T, N, gain, noise, kappa2 = 300, 200, 20.0, 0.05, 2.0
    expected = math.sqrt(kappa2) * math.pi**2 / 6 + math.sqrt(
        2 * kappa2 / math.log(1 + kappa2 / noise) * T * 2 * math.log(N * T**2 / math.sqrt(2 * math.pi)) * gain
    )
    model = {"n_candidates": N, "info_gain": gain, "noise_var": noise, "signal_var": kappa2}
    assert expected_regret_gp_ucb(T, **model) == pytest.approx(expected, rel=1e-12)
    assert expected_regret_gp_ucb(T, **model) > expected_regret_table(T, **model)
    assert TableBeta(N)(T) > ShiftedExponential.for_table(N).mean(T)


def test_the_sums_are_never_above_the_theorem():
    for d in (1, 2, 6):
        for scale in (1e-3, 0.2, 5.0):  # the first is clamped at 0 for many t
            for T in (1, 2, 30):
                model = {"shift": BoxShift(d, 1.0, scale), "info_gain": 3.0, "noise_var": 0.2}
                assert expected_regret_box(T, **model) <= expected_regret_box_theorem(T, **model) + 1e-12


def test_units_of_the_objective():
    """Scaling f, noise and kernel by c scales the regret by c; the information gain has no unit."""
    c = 7.0
    scaled = {**TABLE, "noise_var": TABLE["noise_var"] * c**2, "signal_var": c**2}
    assert expected_regret_table(9, **scaled) == pytest.approx(c * expected_regret_table(9, **TABLE), rel=1e-12)
    assert expected_regret_gp_ucb(9, **scaled) == pytest.approx(c * expected_regret_gp_ucb(9, **TABLE), rel=1e-12)


def test_smaller_variance_after_initial_data_never_raises_the_constant():
    constants = [c1(0.1, kappa2) for kappa2 in np.geomspace(1e-6, 1e3, 50)]
    assert np.all(np.diff(constants) > 0.0)
    assert constants[0] == pytest.approx(2 * 0.1, rel=1e-4)  # kappa2 -> 0: twice the noise
    assert 0.0 < c1(5e-324) < 0.01  # nothing overflows


def test_one_candidate_has_no_regret():
    model = {"n_candidates": 1, "info_gain": 2.0, "noise_var": 0.1}
    assert expected_regret_table(5, **model) == 0.0
    assert expected_regret_gp_ucb(5, **model) == 0.0
    assert initial_design_regret(3, n_candidates=1) == 0.0


def test_simple_regret_markov_and_initial_design():
    assert simple_regret(12.0, 4) == 3.0
    assert markov_fixed(12.0, 0.1) == pytest.approx(120.0)
    assert initial_design_regret(0, n_candidates=10) == 0.0
    expected = 8 * 2.0 * ShiftedExponential.for_table(10).mean_sqrt(1)
    assert initial_design_regret(8, n_candidates=10, signal_var=4.0) == pytest.approx(expected)
    assert grid_error(100_000) == pytest.approx(math.pi**2 / 6, abs=1.1e-5)
    assert variance_sum(0.0, noise_var=1.0) == 0.0


@pytest.mark.parametrize(
    "wrong",
    [
        {"noise_var": 0.0},
        {"noise_var": -1.0},
        {"noise_var": math.nan},
        {"info_gain": -1e-9},
        {"info_gain": math.inf},
        {"signal_var": 0.0},
        {"n_candidates": 0},
        {"n_candidates": 2.5},
        {"T": 0},
        {"T": True},
        {"T": 1.5},
    ],
)
def test_refusals(wrong):
    model = {"T": 3, **TABLE, **wrong}
    for bound in (expected_regret_table, expected_regret_gp_ucb):
        with pytest.raises(InvalidInput, match="|".join([*wrong, "noise"])):
            bound(**model)


@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, 1.5, math.nan])
def test_levels_are_checked(delta):
    with pytest.raises(InvalidInput, match="delta"):
        markov_fixed(1.0, delta)


def test_more_refusals():
    for ask in (
        lambda: simple_regret(1.0, 0),
        lambda: simple_regret(-1.0, 2),
        lambda: initial_design_regret(-1, n_candidates=3),
        lambda: regret_given_data([], [], []),
        lambda: regret_given_data([0.0, 1.0], [1.0], []),
    ):
        with pytest.raises(InvalidInput):
            ask()


def test_what_a_run_proves_covers_the_truth_on_average(random_table):
    """Given the data, the mean over joint posterior draws of the cumulative regret stays below the bound."""
    for seed in range(30):
        table, _ = random_table(seed)
        rng = np.random.default_rng(seed)
        chosen = rng.integers(len(table.X), size=7)
        K = table.posterior.covariance(table.X, table.X)
        f = rng.multivariate_normal(table.mean, K, size=4000, method="eigh")
        regret = (f.max(axis=1)[:, None] - f[:, chosen]).sum(axis=1)
        bound = regret_given_data(table.mean, table.sd, table.mean[chosen])
        assert bound >= regret.mean() - 4.5 * regret.std() / math.sqrt(len(f))


def test_what_a_run_proves_is_exact_when_all_is_known():
    mean = np.array([0.3, 2.0, 1.0])
    assert regret_given_data(mean, np.zeros(3), mean[[0, 2, 1]]) == pytest.approx(1.7 + 1.0)
    assert regret_given_data(mean, np.zeros(3), []) == 0.0
