"""Spaces and histories made up by hypothesis: the next suggestion is in the space, and everything said is finite."""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.study.torture import check_trial, rules

from regretless import Box, Categorical, Exhausted, Fixed, Float, Int, InvalidInput, Mixed, Ordinal, Study, Surrogate
from regretless import Table as TableSpace


@st.composite
def floats(draw):
    low = draw(st.one_of(st.floats(-1e6, 1e6), st.floats(-8e307, 8e307)))
    width = draw(st.one_of(st.floats(1e-6, 1e6), st.floats(1e-290, 8e307)))
    try:
        return Float(low, low + width)
    except InvalidInput:
        return Float(0.0, width)


@st.composite
def log_floats(draw):
    low = draw(st.floats(-300.0, 290.0))
    return Float(10.0**low, 10.0 ** draw(st.floats(low + 0.01, 300.0)), log=True)


@st.composite
def ints(draw):
    low = draw(st.one_of(st.integers(-9, 9), st.integers(-(2**52), 2**52 - 1)))
    return Int(low, draw(st.one_of(st.integers(low + 1, low + 9), st.integers(low + 1, 2**52))))


levels = st.lists(st.one_of(st.integers(-99, 99), st.text(max_size=3)), min_size=1, max_size=9, unique=True)
dimensions = st.one_of(
    floats(), log_floats(), ints(), levels.map(Ordinal), levels.map(Categorical), st.text(max_size=2).map(Fixed)
)
products = st.lists(dimensions, min_size=1, max_size=4).map(
    lambda parts: Mixed({f"p{i}": part for i, part in enumerate(parts)})
)
boxes = st.lists(floats(), min_size=1, max_size=6).map(Box)


@st.composite
def tables(draw):
    n, d = draw(st.integers(1, 12)), draw(st.integers(1, 3))
    cell = draw(
        st.sampled_from(
            [
                st.integers(0, 3),
                st.floats(-1.0, 1.0),
                st.floats(allow_nan=False, allow_infinity=False),
                st.sampled_from([0.5, 0.5 + 1e-15, 0.5 + 1e-9]),
            ]
        )
    )
    rows = draw(st.lists(st.lists(cell, min_size=d, max_size=d), min_size=n, max_size=n))
    return TableSpace(np.array(rows, dtype=float), repeats=draw(st.sampled_from(["allow", "never"])))


values = st.one_of(
    st.integers(-3, 3).map(float),
    st.floats(-1e12, 1e12),
    st.floats(-1e-12, 1e-12),
    st.floats(allow_nan=False, allow_infinity=False),
    st.none(),
)


@st.composite
def cases(draw):
    space = draw(st.one_of(products, boxes, tables()))
    outcomes = draw(st.lists(values, max_size=10))
    # Corners, centres and anything else; several points may be one.
    where = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 0.25, 1e-15, None]), min_size=1, max_size=4))
    return space, outcomes, where, draw(st.sampled_from(sorted(rules()))), draw(st.integers(0, 9))


def point(domain, where, rng):
    if isinstance(domain, TableSpace):
        return domain.params(int(rng.integers(domain.n_candidates)))
    code = domain.sample(1, rng)[0]
    return domain.decode(code if where is None else domain.snap(np.full((1, domain.dim), where))[0])


def drive(case):
    space, outcomes, where, rule, seed = case
    study = Study(space, rule=rules()[rule], seed=seed, surrogate=Surrogate(restarts=0), n_initial=min(3, seed))
    rng = np.random.default_rng(seed)
    for i, value in enumerate(outcomes):
        params = point(study._task.domain, where[i % len(where)], rng)
        study.add(params, failed=True) if value is None else study.add(params, value)
    try:
        for trial in study.ask(2):
            check_trial(study, trial)
    except Exhausted:
        tried = {tuple(trial.params.items()) for trial in study.trials}
        assert study.space.repeats == "never"
        assert len(tried) == study.space.size
    if study.best is not None:
        recommendation = study.recommend()
        assert study.space.check(recommendation.params) == recommendation.params
        assert math.isfinite(recommendation.mean)
        assert recommendation.sd >= 0.0


COMMON = {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck)}


@settings(max_examples=100, derandomize=True, **COMMON)
@given(cases())
def test_generated(case):
    drive(case)


@pytest.mark.slow
@settings(max_examples=5000, **COMMON)
@given(cases())
def test_generated_by_the_thousand(case):
    drive(case)
