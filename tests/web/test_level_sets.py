"""Level sets on the page and in the API: what is said, drawn, stopped by, and made by forms."""

import re
from html import unescape

import pytest

from regretless import LevelSet, Misclassified, Study
from regretless.lab.lab import lab_metadata

from .conftest import base, trials, value


@pytest.fixture
def region(store):
    rows = [{"T": T, "acid": acid} for T in range(20, 101, 5) for acid in ("HCl", "HNO3")]
    said = lab_metadata(file=None, row_name="line", batch=2, stop=Misclassified(1.0, patience=1), dialect=None)
    goal = LevelSet(above=75.0)
    with Study.open(store, "acids", space=rows, objective="yield", goal=goal, seed=1, metadata=said) as study:
        for _ in range(9):
            trial = study.ask()
            study.tell(trial, value(trial.params))
        study.ask()
        return study.certificate(), study.region()


def test_the_page_says_what_a_region_certifies(ada, region):
    left, _ = region
    page = unescape(ada.goes(base()))
    assert left.promise("line") in page
    assert "candidates on the wrong side" in page  # the gauge
    assert "stop at 1" in page
    assert "is expected on the wrong side of the level" in page or "expected on the wrong side of the level" in page
    assert "settling on the recommended" not in page
    assert "where yield >= 75" in page


def test_the_list_of_studies_counts_what_is_wrong(ada, region):
    left, _ = region
    page = ada.goes("/")
    assert re.search(rf"<dt>wrong side</dt><dd>{left.wrong:.3g} of 34</dd>", page)
    assert "regret left" not in page


def test_the_figures_draw_the_region(ada, region):
    _, found = region
    page = unescape(ada.goes(f"{base()}/figures"))
    assert f"{found.inside.sum()} of 34 candidates have yield >= 75" in page
    assert "On the wrong side" in page
    assert "Two factors together" in page
    assert "The line goes around what has yield >= 75" in page
    assert "recommended" not in page


def test_why_is_explained_by_the_straddle(ada, region, store):
    number = len(trials(store)) - 1
    page = unescape(ada.goes(f"{base()}/t/{number}"))
    assert "largest √ζ · sd − |mean − level|" in page
    assert "a cautious draw" in page
    assert "a bold draw" in page


def test_the_api_has_the_region(ada, region):
    left, found = region
    said = ada.get(f"/api/v1/studies/{base()[3:]}/certificate").json()
    assert said["region"]["wrong"] == pytest.approx(left.wrong)
    assert [each["probability"] for each in said["region"]["probabilities"]] == pytest.approx(list(found.probability))
    assert said["stop"] is (left.wrong <= 1.0)
    assert said["recommended"] is None


def test_a_level_set_is_made_by_both_forms(ada, store):
    content = b"T,yield\n20,70\n30,\n40,82\n"
    location = ada.post("/new/file", files={"file": ("a.csv", content)}).headers["location"]
    fields = {"name": "file", "role0": "factor", "role1": "all above", "stop": "2"}
    asked = ada.post(f"{location}/create", data=fields)
    assert asked.status_code == 422
    assert 'aria-label="Level of yield"' in asked.text
    ada.sends(f"{location}/create", **fields, bound1="75,5")
    with Study.open(store, "file", read_only=True) as study:
        assert study.goal == LevelSet(above=75.5)
        assert study.metadata["stop"] == {"eps": 2.0, "relative": None, "patience": 5, "of": "misclassified"}
    box = {"key": "k" * 12, "name": "box", "outcome0": "cost", "aim0": "all below", "limit0": "3", "stop": "1 %"}
    ada.sends("/new/space/create", **box, name0="x", kind0="real", from0="0", to0="1")
    with Study.open(store, "box", read_only=True) as study:
        assert study.goal == LevelSet(below=3.0)
    several = {**box, "key": "l" * 12, "name": "b", "outcome1": "y", "aim1": "maximise"}
    assert ada.post("/new/space/create", data=several).status_code == 422
