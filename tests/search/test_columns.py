"""The best of each column."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from regretless import Mixed
from regretless.search import best_of_columns

SPACE = Mixed({"x": (0.0, 1.0), "log": (1e-3, 1.0, "log"), "k": (1, 9), "many": (0, 5000), "c": ["a", "b", "c", "d"]})


@given(st.integers(0, 10**6))
def test_no_point_has_a_larger_sum(seed):
    rng = np.random.default_rng(seed)
    waves, heights = rng.uniform(1.0, 20.0, (5, 3)), rng.standard_normal((5, 4))

    def score(j, codes):
        if j == 4:
            return heights[j][codes.astype(int)]
        return sum(heights[j][k] * np.sin(w * codes + k) for k, w in enumerate(waves[j]))

    found = best_of_columns(SPACE, score)
    np.testing.assert_array_equal(SPACE.snap(found[None, :])[0], found)
    others = SPACE.sample(2000, rng)
    total = sum(score(j, others[:, j]) for j in range(5))
    assert sum(score(j, found[j : j + 1])[0] for j in range(5)) >= total.max() - 1e-3


def test_a_maximum_at_an_end_of_the_column_is_found():
    assert best_of_columns(Mixed({"x": (0.0, 1.0), "y": (0.0, 1.0)}), lambda j, u: u * (-1) ** j).tolist() == [1.0, 0.0]


def test_a_real_column_is_found_to_some_digits():
    found = best_of_columns(Mixed({"x": (0.0, 1.0)}), lambda _, u: -np.abs(u - 0.123456))
    assert abs(found[0] - 0.123456) < 5e-5
