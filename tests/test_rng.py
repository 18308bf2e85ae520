from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless.errors import InvalidInput
from regretless.rng import Purpose, check_seed, fresh_seed, stream

KEYS = [(0, 0, Purpose.RULE), (1, 0, Purpose.RULE), (0, 1, Purpose.RULE), (0, 0, Purpose.DESIGN), (1, 1, Purpose.FIT)]


def test_streams_differ_by_seed_trial_and_purpose():
    draws = [stream(*key).random(8) for key in KEYS]
    for a, b in combinations(draws, 2):
        assert not np.isin(a, b).any()


def test_every_pair_of_a_grid_of_keys_differs():
    first = [stream(s, t, p).integers(2**63) for s in range(8) for t in range(8) for p in Purpose]
    assert len(set(first)) == len(first)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**200), trial=st.integers(0, 10**6), purpose=st.sampled_from(Purpose))
def test_the_same_key_gives_the_same_numbers(seed, trial, purpose):
    a, b = stream(seed, trial, purpose), stream(seed, trial, purpose)
    np.testing.assert_array_equal(a.standard_normal(5), b.standard_normal(5))
    np.testing.assert_array_equal(a.random(5), b.random(5))


def test_a_stream_is_seeded_by_numpy_as_the_design_says():
    expected = np.random.default_rng(np.random.SeedSequence(7, spawn_key=(3, 1))).random(4)
    np.testing.assert_array_equal(stream(7, 3, Purpose.RULE).random(4), expected)


@pytest.mark.parametrize(
    ("key", "first"),
    [
        ((0, 0, Purpose.DESIGN), 0.5651317655614634),
        ((7, 3, Purpose.RULE), 0.3339960766801735),
        ((2**63, 10**6, Purpose.PROBLEM), 0.3452370808540507),
    ],
)
def test_the_first_draw_never_changes(key, first):
    # Stored studies are replayed from these streams: a changed number here breaks every one of them.
    assert stream(*key).random() == first


def test_purposes_are_never_renumbered():
    numbers = {"DESIGN": 0, "RULE": 1, "CANDIDATES": 2, "FIT": 3, "PROBLEM": 4, "CERTIFICATE": 5, "CAUTION": 6}
    assert {p.name: p.value for p in Purpose} == numbers


@pytest.mark.parametrize("seed", [0, 1, 2**63, 10**50, np.int64(5), np.uint8(3)])
def test_check_seed_keeps_whole_numbers(seed):
    checked = check_seed(seed)
    assert checked == seed
    assert type(checked) is int


@pytest.mark.parametrize("seed", [-1, np.int64(-1), 1.0, "1", True, np.True_, np.array(1), [1], float("nan")])
def test_check_seed_refuses_the_rest(seed):
    with pytest.raises(InvalidInput, match=r"seed must be a whole number >= 0, got .* None, for a fresh one"):
        check_seed(seed)


def test_no_seed_is_a_fresh_one_that_fits_a_database():
    seeds = {check_seed(None) for _ in range(50)} | {fresh_seed() for _ in range(50)}
    assert len(seeds) == 100
    assert all(type(seed) is int and 0 <= seed < 2**63 for seed in seeds)
