"""The remark on the dominant term: what the printed condition gives, what the corrected one gives, and the order."""

import math

import numpy as np
import pytest

from regretless.errors import InvalidInput
from regretless.gp import Kernel
from regretless.theory import (
    c1,
    conditional_regret_table_anytime,
    deviation_over_dominant_term,
    dominant_term,
    dominates,
    dominates_as_printed,
    information_gain,
    least_information_gain,
)


def terms(T, N, delta):
    """s, and the other terms of the bound on the sum of the zetas: with T degrees of freedom, and with 2T."""
    L = math.log(math.pi**2 * T**2 / (3 * delta))
    return 2 * math.log(N / 2), T + 2 * math.sqrt(T * L) + 2 * L, 2 * T + 2 * math.sqrt(2 * T * L) + 2 * L


@pytest.mark.parametrize("delta", [1e-6, 0.1, 0.9])
@pytest.mark.parametrize("N", [3, 4, 5, 6, 8, 20, 100, 1000, 10**9])
def test_the_corrected_condition_is_exact_and_the_printed_one_is_not_enough(N, delta):
    wrong = 0
    for T in [*range(1, 200), 1000, 10**5, 10**7]:
        s, printed, corrected = terms(T, N, delta)
        assert dominates(T, n_candidates=N, delta=delta) == (s >= 2.0 and corrected <= T * s)
        if dominates_as_printed(T, n_candidates=N, delta=delta):
            assert printed <= (1.0 + math.sqrt(2.0) + 1.0) * T * s + T  # what the condition does give
            wrong += printed > T * s
        else:
            L = math.log(math.pi**2 * T**2 / (3 * delta))
            assert min(s * s / 2, s) * T <= L
    if N <= 20:
        assert wrong  # the conclusion does not follow, even with the paper's own degrees of freedom


def test_the_conditional_bound_in_units_of_the_dominant_term():
    for N in (20, 1000, 10**6):
        for T in (30, 300, 10**5):
            case = {"n_candidates": N, "info_gain": 40.0, "noise_var": 0.1, "signal_var": 3.0}
            assert dominates(T, n_candidates=N, delta=0.1)
            bound = conditional_regret_table_anytime(T, **case, delta=0.1, deviation="gaussian", total="sum")
            whole, ratio = dominant_term(T, **case), deviation_over_dominant_term(T, **case, delta=0.1)
            assert bound <= whole * (1.0 + ratio) * (1.0 + 1e-12)
            L = math.log(math.pi**2 * T**2 / 0.3)
            assert whole * ratio == pytest.approx(math.sqrt(3.0) * math.sqrt(2.0 * T * L), rel=1e-12)
            assert whole**2 == pytest.approx(2.0 * c1(0.1, 3.0) * T * 40.0 * 2.0 * math.log(N / 2), rel=1e-12)


def test_the_order_holds_even_for_the_least_gain():
    """A(T) stays within a constant times the dominant term, as T grows to 1e12; with a faster gain it vanishes."""
    case = {"n_candidates": 50, "delta": 0.1, "noise_var": 0.5}
    slow = [
        deviation_over_dominant_term(T, **case, info_gain=least_information_gain(T, noise_var=0.5))
        for T in (10**2, 10**4, 10**8, 10**12)
    ]
    s = 2.0 * math.log(25)
    assert max(slow[1:]) <= slow[0]
    assert slow[-1] >= 0.9 * math.sqrt(2.0 * math.log(3.0) / s)  # its limit: not negligible, so not "dominated"
    fast = [deviation_over_dominant_term(T, **case, info_gain=math.log(T) ** 3) for T in (10**2, 10**4, 10**8)]
    assert fast == sorted(fast, reverse=True)


def test_least_gain_is_below_the_greedy_one_and_reached_on_one_candidate():
    X = np.linspace(0.0, 1.0, 12)[:, None]
    for noise_var, signal_var in ((0.1, 1.0), (2.0, 3.0)):
        gain = information_gain(Kernel("rbf", np.array([0.4]), signal_var), X, 30, noise_var=noise_var)
        alone = information_gain(Kernel("rbf", np.array([0.4]), signal_var), X[:1], 30, noise_var=noise_var)
        for T in (1, 5, 30):
            least = least_information_gain(T, noise_var=noise_var, signal_var=signal_var)
            assert least <= gain.lower[T] * (1.0 + 1e-12)
            assert least == pytest.approx(alone.upper[T], rel=1e-9)


def test_refusals():
    for N in (1, 2):
        with pytest.raises(InvalidInput, match="n_candidates must be > 2"):
            dominates(5, n_candidates=N, delta=0.1)
        with pytest.raises(InvalidInput, match="n_candidates must be > 2"):
            dominant_term(5, n_candidates=N, info_gain=1.0, noise_var=0.1)
    with pytest.raises(InvalidInput, match="delta"):
        dominates(5, n_candidates=9, delta=1.0)
    with pytest.raises(InvalidInput, match="info_gain"):
        deviation_over_dominant_term(5, n_candidates=9, delta=0.1, info_gain=0.0, noise_var=0.1)
    with pytest.raises(InvalidInput, match="T"):
        least_information_gain(0, noise_var=0.1)
