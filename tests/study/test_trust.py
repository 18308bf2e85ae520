"""What a store may name: our own classes, those that installed packages announce, and those the caller trusts."""

import contextlib
import importlib.metadata
import sys
from dataclasses import is_dataclass

import pytest

import regretless
from regretless import IRGPUCB, InvalidInput, Study, Surrogate, UntrustedCode, confidence
from regretless.acquisition import RULES, UCB
from regretless.confidence import Interleaved, Schedule, ShiftedExponential
from regretless.errors import StoreDamaged
from regretless.study import MemoryStore
from regretless.study.codec import RULES_GROUP, Trust, object_from_data, object_to_data

SPACE = {"x": (0.0, 1.0)}

SOURCE = """
from dataclasses import dataclass
from pathlib import Path
from regretless.acquisition.ei import EI

Path(__file__).with_name("imported").touch()


@dataclass(frozen=True)
class Part:
    size: float = 1.0


@dataclass(frozen=True)
class Odd(EI):
    name = "odd"
    part: Part = Part()
"""


@pytest.fixture
def store(tmp_path, monkeypatch):
    """A study whose rule is in a module that leaves a trace when it is imported; here it has not been yet."""
    (tmp_path / "odd_rules.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    import odd_rules

    path = tmp_path / "lab.db"
    with Study.open(path, "s", space=SPACE, rule=odd_rules.Odd(part=odd_rules.Part(2.0)), seed=1) as study:
        study.ask()
    del sys.modules["odd_rules"]
    (tmp_path / "imported").unlink()
    yield path
    sys.modules.pop("odd_rules", None)


def imported(path):
    return (path.parent / "imported").exists()


def announce(monkeypatch, value):
    point = importlib.metadata.EntryPoint("odd", value, RULES_GROUP)
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [point] if group == RULES_GROUP else [])


def test_code_of_others_is_not_imported(store):
    for trust in ([], ["odd"], ["odd_rules.sub"], ["other"]):
        with pytest.raises(UntrustedCode, match=r"trust=\['odd_rules'\].*--trust odd_rules"):
            Study.open(store, "s", trust=trust)
    assert not imported(store)
    assert "odd_rules" not in sys.modules
    assert Study.names(store) == ["s"]  # and the store is as it was


def test_code_that_is_trusted_is(store):
    study = Study.open(store, "s", trust=["odd_rules"])
    assert imported(store)
    assert repr(study.rule) == "Odd(incumbent='mean', part=Part(size=2.0))"
    assert study.ask().number == 1


def test_a_package_is_trusted_with_its_modules():
    trust = Trust(modules=["lab"])
    assert trust.covers("lab")
    assert trust.covers("lab.rules")
    assert not trust.covers("laboratory")


def test_whoever_hands_the_rule_in_has_imported_it(store):
    import odd_rules

    study = Study.open(store, "s", space=SPACE, rule=odd_rules.Odd(part=odd_rules.Part(2.0)))
    assert study.rule.part.size == 2.0


def test_installed_packages_announce_rules(store, monkeypatch):
    announce(monkeypatch, "odd_rules:Odd")
    assert Study.open(store, "s").rule.name == "odd"


def test_an_announcement_of_another_module_is_none(store, monkeypatch):
    announce(monkeypatch, "even_rules:Odd")
    with pytest.raises(UntrustedCode):
        Study.open(store, "s")
    assert not imported(store)


@pytest.mark.parametrize("trust", ["odd_rules", 3, None, [""], [3]])
def test_trust_is_checked(store, trust):
    with pytest.raises(InvalidInput, match="trust must be a list"):
        Study.open(store, "s", trust=trust)
    assert not imported(store)


def test_every_class_of_ours_has_a_name_of_its_own():
    kinds = [kind for kind in vars(confidence).values() if isinstance(kind, type) and is_dataclass(kind)]
    assert Interleaved in kinds
    for kind in (*kinds, *RULES.values(), UCB, Surrogate):
        data = {"class": f"{kind.__module__}:{kind.__qualname__}", "settings": {}}
        with contextlib.suppress(InvalidInput):  # found; some need settings
            assert type(object_from_data(data, "it")) is kind
    law = ShiftedExponential.for_box(dim=2, side=1.0, lipschitz_bound=3.0)
    for each in (law, ShiftedExponential(Interleaved(3.0, 4))):
        assert "regretless" not in str(object_to_data(each, "law"))


def test_old_names_still_open(monkeypatch):
    """Before `Interleaved` had a name of its own, it was stored by its module."""
    rule = IRGPUCB(ShiftedExponential(Interleaved(3.0, 4)))
    data = object_to_data(rule, "rule")
    shift = data["settings"]["setting"]["settings"]["shift"]
    assert shift["class"] == "Interleaved"
    shift["class"] = "regretless.confidence.schedules:Interleaved"
    assert object_from_data(data, "rule") == rule
    shift["class"] = "regretless.some.older.module:Interleaved"
    assert object_from_data(data, "rule") == rule
    shift["class"] = "regretless.testing:StoreSuite"  # ours, and still not among what a study is made of
    with pytest.raises(UntrustedCode):
        object_from_data(data, "rule")


def test_every_default_rule_opens_without_trust():
    store = MemoryStore()
    for space in (SPACE, [{"t": i} for i in range(9)]):
        for rule in (*RULES, IRGPUCB("paper"), regretless.GPUCB(Schedule.constant(2.0))):
            name = f"{rule}{len(store.names())}"
            Study.open(store, name, space=space, rule=rule)
            assert Study.open(store, name).rule == store_rule(rule)


def store_rule(rule):
    return RULES[rule]() if isinstance(rule, str) else rule


@pytest.mark.parametrize(
    "data",
    [
        {"settings": {}},
        {"class": "EI"},
        {"class": 5, "settings": {}},
        {"class": "EI", "settings": [1]},
        {"class": "EI", "settings": {"incumbent": {"a": 1}}},
    ],
)
def test_what_names_no_class_is_refused_in_words(data):
    with pytest.raises(StoreDamaged, match="names no class"):
        object_from_data(data, "rule")


def test_a_relative_name_cannot_be_imported():
    with pytest.raises(InvalidInput, match="cannot be imported"):
        object_from_data({"class": ".rules:Odd", "settings": {}}, "rule", Trust.of(None, [".rules"]))
