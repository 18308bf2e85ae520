"""Optuna's own suite for samplers."""

import pytest

pytest.importorskip("optuna", reason="needs Optuna: pip install 'regretless[optuna]'")

from optuna.testing.pytest_samplers import (
    BasicSamplerTestCase,
    MultiObjectiveSamplerTestCase,
    RelativeSamplerTestCase,
    SingleOnlySamplerTestCase,
)

from regretless.integrations.optuna import RegretlessSampler


class TestDefault(BasicSamplerTestCase, RelativeSamplerTestCase, MultiObjectiveSamplerTestCase):
    @pytest.fixture
    def sampler(self):
        return lambda: RegretlessSampler(seed=1)


class TestModelFromTheStart(RelativeSamplerTestCase):
    @pytest.fixture
    def sampler(self):
        return lambda: RegretlessSampler(seed=1, n_startup_trials=0)


class TestRuleForOneObjective(SingleOnlySamplerTestCase):
    @pytest.fixture
    def sampler(self):
        return lambda: RegretlessSampler(seed=1, rule="mes")
