import pytest

import regretless.acquisition as acquisition
from regretless.acquisition import BOX_RULES, EI, IRGPUCB, RULES, Rule, as_rule
from regretless.errors import InvalidInput

NAMED = RULES | BOX_RULES


def test_the_rules():
    names = ["irgp-ucb", "gp-ucb", "rgp-ucb", "ei", "ts", "pims", "mes", "jes", "ats", "atsc", "est"]
    assert list(RULES) == names
    assert list(BOX_RULES) == ["trust-region"]


@pytest.mark.parametrize("name", NAMED)
def test_by_name_in_any_case(name):
    assert type(as_rule(name)) is NAMED[name]
    assert as_rule(name.upper()) == as_rule(name) == NAMED[name]()


def test_a_rule_is_itself():
    rule = EI(incumbent="value")
    assert as_rule(rule) is rule


@pytest.mark.parametrize(
    ("given", "meant"), [("irgpucb", "irgp-ucb"), ("irgp_ucb", "irgp-ucb"), ("gpucb", "gp-ucb"), ("pim", "pims")]
)
def test_did_you_mean(given, meant):
    with pytest.raises(InvalidInput, match=f"got '{given}'. Did you mean '{meant}'"):
        as_rule(given)


@pytest.mark.parametrize("given", ["quadratic", "", None, 3, IRGPUCB])
def test_what_is_no_rule_is_refused(given):
    with pytest.raises(InvalidInput, match="must be a Rule or one of irgp-ucb, gp-ucb"):
        as_rule(given)


def test_a_rule_of_ones_own():
    class Mine(Rule):
        name = "mine"

        def draw(self, view, t, rng):
            raise NotImplementedError

    assert isinstance(as_rule(Mine()), Mine)
    with pytest.raises(TypeError, match="abstract"):
        type("Half", (Rule,), {"name": "half"})()


def test_public_names_exist():
    assert all(hasattr(acquisition, name) for name in acquisition.__all__)


@pytest.mark.parametrize("wrong", ["best", None, 1])
def test_ei_refuses_other_incumbents(wrong):
    with pytest.raises(InvalidInput, match="incumbent must be"):
        EI(incumbent=wrong)
