"""One status object: the same certificate, stop rule and advice for the prompt, for machines and for the report."""

from dataclasses import replace

import pytest

from regretless import Regret, Study
from regretless.errors import NumericalError
from regretless.lab.status import status_of
from regretless.report import html_report
from regretless.theory import Calibration


def told(n=9, **more):
    study = Study([{"t": t} for t in range(12)], objective="yield [%]", seed=1, **more)
    for _ in range(n):
        trial = study.ask()
        study.tell(trial, -abs(trial.params["t"] - 4.0))
    return study


@pytest.fixture(scope="module")
def status():
    return status_of(told(), Regret(0.5, patience=3), "line")


def test_nothing_measured():
    study = Study([{"t": t} for t in range(12)], seed=1)
    study.ask()
    status = status_of(study, Regret(0.5))
    assert (status.best, status.recommended, status.left, status.met) == (None, None, None, False)
    assert dict(status.facts()) == {
        "Objective": "value, to be maximised",
        "Experiments": "1 pending",
        "Advice": "Go on: nothing was measured yet.",
    }
    record = status.record()
    assert (record["best_measured"], record["recommended"], record["certificate"]) == (None, None, None)
    assert record["stop"] is False


def test_counts_by_what_became_of_each_trial():
    study = told(4)
    study.tell(study.ask(), failed=True)
    study.release(study.ask(), "the vial broke")
    study.ask()
    study.exclude(2, "wrong bottle")
    status = status_of(study)
    assert status.counts == {"measured": 3, "failed": 1, "pending": 1, "released": 1, "excluded": 1}
    assert dict(status.facts())["Experiments"] == "3 measured · 1 failed · 1 pending · 1 released · 1 excluded"


def test_the_certificate_is_the_studys_and_said_once(status):
    """Text, JSON and page hold the same number and the same sentence."""
    study = status.study
    assert status.left == study.certificate()
    assert status.recommended == study.recommend()
    facts, record = dict(status.facts()), status.record()
    assert facts["Certificate"] == status.left.promise("line")
    assert status.left.cost in facts["Certificate"]
    assert record["certificate"]["bound"] == status.left.bound
    assert record["certificate"]["sentence"] == status.left.sentence
    assert facts["Advice"] == record["advice"] == status.advice()
    page = html_report(study, row_name="line")
    assert facts["Certificate"] in page
    assert facts["Best measured"] in page


def test_whether_to_stop_is_what_the_study_says():
    for n in range(1, 10):
        study = told(n)
        for patience in (1, 3):
            rule = Regret(0.5, patience=patience)
            assert status_of(study, rule).met == (study.should_stop(rule) is not None)


def with_light(status, light):
    trust = Calibration(
        **{**{name: getattr(status.left.trust, name) for name in Calibration.__slots__}, "light": light}
    )
    return replace(status, left=replace(status.left, trust=trust))


def test_every_advice(status):
    left = status.left
    gain = f"expected to gain {left.cost}"
    met = replace(with_light(status, "green"), met=True)
    assert met.advice() == f"You can stop: going on is {gain}."
    assert with_light(met, "red").advice().startswith("Go on, or look at the data: the model does not fit them")
    go_on = replace(met, met=False)
    assert replace(go_on, stop=None).advice() == f"Going on is {gain}. Say how much is worth it with --stop."
    assert "stop = 1" in replace(go_on, stop=None, option="stop = 1").advice()
    assert "too few data" in with_light(go_on, "too few data").advice()
    little = replace(go_on, stop=Regret(2.0 * left.bound, patience=7))
    assert little.advice() == "Go on: what is left is little enough now, but not yet 7 times in a row."
    much = replace(go_on, stop=Regret(0.5 * left.bound))
    assert much.advice().startswith(f"Go on: that is {gain}, more than the")
    share = replace(go_on, stop=Regret(relative=1e-9))
    assert share.advice().endswith("more than the 1e-07 % of the recommended value at which to stop.")
    assert "without a certificate" in replace(go_on, left=None).advice()


def test_without_a_certificate_the_reason_is_given(monkeypatch):
    study = told(4)

    def too_large(**_):
        raise NumericalError("the values are too large.")

    monkeypatch.setattr(study, "certificate", too_large)
    status = status_of(study, Regret(0.5))
    assert (status.left, status.recommended, status.met) == (None, None, False)
    assert status.best == study.best
    assert dict(status.facts())["Certificate"] == "None: the values are too large."


def test_it_goes_on_record_only_where_asked():
    study = told(4)
    status_of(study)
    assert not any(event.kind == "certified" for event in study.events())
    status_of(study, record=True)
    assert [event.kind for event in study.events()][-1] == "certified"


def test_repeats_limits_and_excluded_rows_are_said():
    study = told(6, limits=(-10.0, 0.0))
    study.add(study.best.params, 0.5)
    study.exclude_row(11, "out of stock")
    facts = dict(status_of(study).facts())
    assert "measured 2 times there" in facts["Best measured"]
    assert facts["Excluded rows"] == "row 11"
    assert facts["Limits"].startswith("-10 to 0; outside: 0.5 (trial 6); ")
