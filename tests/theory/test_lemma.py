"""The lemma's bound in closed form against quadrature, dense grids and its place above the tail sum."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from regretless.confidence import certified_threshold
from regretless.errors import InvalidInput
from regretless.theory import lemma_bound
from regretless.theory.lemma import upper_envelope


def shift(n):
    return max(0.0, 2.0 * math.log(n / 2.0))


def by_quadrature(mean, sd):
    """E over c = sqrt(zeta) of the envelope, piece by piece between its kinks found on a fine grid."""
    s, top = shift(len(mean)), mean.max()
    start = math.sqrt(s)
    grid = np.linspace(start, start + 12.0, 4001)
    lines = (mean + grid[:, None] * sd).argmax(axis=1)
    kinks = sorted(
        {float((mean[i] - mean[j]) / (sd[j] - sd[i])) for i, j in pairwise(lines) if i != j and sd[i] != sd[j]}
    )
    ends = [start, *[c for c in kinks if start < c < start + 12.0], start + 12.0]

    def integrand(c):
        return ((mean + c * sd).max() - top) * c * math.exp(-0.5 * (c * c - s))

    return sum(quad(integrand, a, b, epsabs=1e-14)[0] for a, b in pairwise(ends))


def test_four_candidates(values):
    case = values["stopping_small"]
    mean, sd, outputs = case["inputs"]["mu"], case["inputs"]["sd"], case["outputs"]
    assert lemma_bound(mean, sd) == pytest.approx(outputs["B"], rel=1e-12)
    assert lemma_bound(mean, sd) + max(mean) == pytest.approx(outputs["expected_max_ucb"], rel=1e-12)
    envelope = upper_envelope(mean, sd, math.sqrt(outputs["s"]))
    assert envelope.breaks == pytest.approx(outputs["envelope_breaks"], rel=1e-12)
    assert list(envelope.index) == outputs["envelope_index"]


def test_two_candidates(values):
    case = values["two_candidates_exact"]
    assert lemma_bound(case["inputs"]["mu"], case["inputs"]["sd"]) == pytest.approx(
        case["outputs"]["lemma_B"], rel=1e-12
    )


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("n", [2, 5, 60])
def test_closed_form_is_the_quadrature(seed, n):
    rng = np.random.default_rng(seed)
    mean, sd = rng.normal(size=n), rng.gamma(1.0, size=n)
    assert lemma_bound(mean, sd) == pytest.approx(by_quadrature(mean, sd), rel=1e-9)


@pytest.mark.parametrize("n", [500, 3000])
def test_many_pieces_are_swept_like_few(n):
    """On a curve every candidate is a piece of the envelope; the sweep finds what the maximum over all lines says."""
    angle = np.random.default_rng(0).uniform(0.0, 0.5 * math.pi, n)
    mean, sd = np.cos(angle), np.sin(angle)
    envelope = upper_envelope(mean, sd, 0.5, 4.0)
    assert len(envelope.index) > n // 4
    assert np.all(np.diff(envelope.breaks) >= 0.0)
    assert np.all(np.diff(sd[list(envelope.index)]) > 0.0)
    for c in np.linspace(0.5, 4.0, 200):
        piece = envelope.index[int(np.searchsorted(envelope.breaks, c, side="right")) - 1]
        assert mean[piece] + c * sd[piece] == pytest.approx((mean + c * sd).max(), rel=1e-13)
    s = shift(n)
    fine = np.linspace(math.sqrt(s), math.sqrt(s) + 9.0, 40_001)
    height = np.array([(mean + c * sd).max() for c in fine]) - mean.max()
    survival = np.exp(-0.5 * (fine**2 - s))
    trapezoid = height[0] + float((np.diff(height) * 0.5 * (survival[1:] + survival[:-1])).sum())
    assert lemma_bound(mean, sd) == pytest.approx(trapezoid, rel=1e-6)


lines = st.lists(st.tuples(st.floats(-5.0, 5.0), st.just(0.0) | st.floats(1e-3, 3.0)), min_size=1, max_size=60)


@given(lines, st.floats(0.0, 5.0))
@settings(deadline=None)
def test_the_envelope_is_the_highest_line_everywhere(many, start):
    mean, sd = np.array(many).T
    envelope = upper_envelope(mean, sd, start)
    assert np.all(np.diff(envelope.breaks) >= 0.0)
    for c in [*np.linspace(start, start + 10.0, 30), *envelope.breaks]:
        piece = envelope.index[int(np.searchsorted(envelope.breaks, c, side="right")) - 1]
        assert mean[piece] + c * sd[piece] == pytest.approx((mean + c * sd).max(), rel=1e-9, abs=1e-9)


@given(lines)
@settings(deadline=None, max_examples=200)
def test_the_tail_sum_is_never_above_the_lemma(many):
    mean, sd = np.array(many).T
    below = mean - mean.max()
    bound = lemma_bound(below, sd)
    assert certified_threshold(below, sd)[1] <= bound * (1 + 1e-12) + 1e-15
    assert 0.0 <= bound < math.inf


def test_three_lines_through_one_point_are_two_pieces():
    envelope = upper_envelope([2.0, 1.0, 0.0], [0.0, 1.0, 2.0], 0.0)
    assert (envelope.breaks, envelope.index) == ((0.0, 1.0), (0, 2))


def test_edges():
    assert lemma_bound([3.0, 3.0, 1.0], [0.0, 0.0, 0.0]) == 0.0
    assert lemma_bound([2.0], [0.7]) == pytest.approx(0.7 * math.sqrt(math.pi / 2.0), rel=1e-12)  # clamped: Rayleigh
    assert lemma_bound([1.0, 1.0], [0.5, 0.5]) == pytest.approx(0.5 * math.sqrt(math.pi / 2.0), rel=1e-12)
    assert lemma_bound([0.0, -1e300], [0.0, 5e-324]) >= 0.0  # a crossing at infinity
    for mean, sd in [([], []), ([0.0], [1.0, 2.0]), ([0.0], [-1.0]), ([math.nan], [1.0])]:
        with pytest.raises(InvalidInput):
            lemma_bound(mean, sd)
