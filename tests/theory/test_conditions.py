"""Conditions of the theorem for boxes: which hold as printed, and what the repairs are worth."""

import itertools
import math

import numpy as np
import pytest

from regretless.confidence import ShiftedExponential
from regretless.errors import InvalidInput
from regretless.theory import box_conditions

BOXES = [
    {"dim": d, "a": a, "b": b, "side": r}
    for d, a, b, r in itertools.product((1, 2, 5), (0.05, 1.0, 3.0), (1e-4, 0.3, 2.0), (0.2, 1.0))
]


def printed_shift(t, dim, a, b, side):
    """As the paper prints it; None where a root or a logarithm of a negative number would be taken."""
    if math.log(a * dim) < 0.0:
        return None
    return 2 * dim * math.log(b * dim * side * t**2 * (math.sqrt(math.log(a * dim)) + math.sqrt(math.pi) / 2)) - 2 * (
        math.log(2.0)
    )


@pytest.mark.parametrize("box", BOXES, ids=str)
def test_against_the_printed_formula(box):
    found = box_conditions(**box)
    steps = range(1, 400)
    printed = [printed_shift(t, **box) for t in steps]
    shifts = [found.shift(t) for t in steps]
    assert min(shifts) >= 0.0
    assert all(later >= earlier for earlier, later in itertools.pairwise(shifts))
    if printed[0] is None:
        assert found.log_ad < 0.0
        assert not found.hold_as_printed
        return
    assert shifts == pytest.approx([max(0.0, s) for s in printed], rel=1e-12, abs=1e-12)
    negative = [t for t, s in zip(steps, printed, strict=True) if s < 0.0]
    assert min(found.clamped_until, steps[-1]) == max(negative, default=0)
    assert found.hold_as_printed == (found.log_ad >= 0.0 and not negative)


@pytest.mark.parametrize("box", BOXES, ids=str)
def test_the_grid_needs_no_ceiling(box):
    """It covers the box finely enough, and the law for its points is no larger than the law of the step."""
    found = box_conditions(**box)
    d, r, steep = box["dim"], box["side"], found.shift.lipschitz_bound
    for t in (1, 2, 7, 60):
        m = found.grid_points(t)
        grid = r * np.arange(1, m + 1) / (m + 1)
        fine = np.linspace(0.0, r, 4 * m + 9)
        radius = np.abs(fine[:, None] - grid).min(axis=1).max() if m < 2000 else r / (m + 1)
        assert radius <= r / (m + 1) * (1.0 + 1e-12)
        assert steep * d * radius <= 1.0 / t**2 * (1.0 + 1e-12)  # E[L_max] times the L1 distance
        assert ShiftedExponential.for_table(m**d).mean(1) <= found.shift(t) + 2.0 + 1e-9


def test_the_sum_is_below_the_last_times_T_after_clamping():
    found = box_conditions(2, a=2.0, b=0.01, side=0.5)
    assert found.clamped_until == 8
    assert found.shift(8) == 0.0 < found.shift(9)
    for T in (1, 8, 9, 50):
        assert sum(found.shift(t) for t in range(1, T + 1)) <= T * found.shift(T)


def test_refusals():
    for wrong in ({"dim": 0}, {"a": 0.0}, {"b": -1.0}, {"side": 0.0}, {"b": math.nan}):
        with pytest.raises(InvalidInput):
            box_conditions(**{"dim": 2, "a": 1.0, "b": 1.0, **wrong})
    with pytest.raises(InvalidInput, match="t must be"):
        box_conditions(2, a=1.0, b=1.0).grid_points(0)
