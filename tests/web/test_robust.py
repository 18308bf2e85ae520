"""Decisions in environments on the page: what is said and drawn, and why a trial was asked for."""

from html import unescape

import pytest

from regretless import Environment, Study, WorstCase

from .conftest import base, small, trials

HUMIDITY = Environment("humidity", [20, 40])


@pytest.fixture
def robust(store):
    small(store, environment=HUMIDITY, goal=WorstCase())
    with Study.open(store, "acids") as study:
        for _ in range(10):
            trial = study.ask()
            study.tell(trial, 80.0 - (trial.params["T"] - 90.0 + trial.params["humidity"]) ** 2 / 50.0)
        study.ask()
        return study.certificate()


def test_every_page_of_the_study(ada, robust, store):
    page = unescape(ada.goes(base()))
    assert robust.promise("line") in page
    assert "worst yield over humidity" in page
    number = len(trials(store)) - 1
    why = unescape(ada.goes(f"{base()}/t/{number}"))
    assert "bound on what it is worth" in why
    assert "mean + √ζ · sd" not in why
    assert "Best so far" not in ada.goes(f"{base()}/figures")
    ada.goes("/")
    ada.goes(f"{base()}/candidates")
