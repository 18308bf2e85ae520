"""Status and report of studies with several outcomes."""

import re

import pytest

from regretless import HypervolumeLeft, Regret, Study
from regretless.lab.fronts import front_tables, hypervolumes, violations
from regretless.lab.slices import slices
from regretless.lab.status import status_of
from regretless.lab.text import plus_minus
from regretless.report.html import html_report


def told(study, n=10):
    for _ in range(n):
        trial = study.ask()
        t = float(trial.params["t"])
        found = {"yield": 9.0 * t - t * t, "cost": t, "impurity": t / 10}
        study.tell(trial, {outcome.name: found[outcome.name] for outcome in study.outcomes})
    return study


def constrained(**more):
    return Study(
        [{"t": t} for t in range(12)], objective="yield", constraints={"impurity": ("<=", 0.35)}, seed=1, **more
    )


def two(**more):
    return Study([{"t": t} for t in range(12)], objectives={"yield": "maximize", "cost": "minimize"}, seed=1, **more)


def test_under_constraints_the_best_is_feasible_and_all_outcomes_are_said():
    study = told(constrained())
    facts = dict(status_of(study).facts())
    assert facts["Constraint"] == "impurity <= 0.35"
    assert facts["Best measured"] == "18 at row 3 (t=3), with impurity 0.3"
    assert re.fullmatch(
        r"row 3 \(t=3\), expected yield \S+ ± \S+, impurity \S+ ± \S+; feasible with probability above 0.999",
        facts["Recommended"],
    )
    assert facts["Violations"] == violations(study)
    record = status_of(study).record()
    assert record["best_measured"]["values"] == {"yield": 18.0, "impurity": 0.3}
    assert set(record["recommended"]["expected"]) == {"yield", "impurity"}
    assert record["outcomes"] == ["yield, to be maximised", "impurity <= 0.35"]
    assert "front" not in record


def test_until_every_outcome_has_a_result_nothing_was_measured():
    study = constrained()
    study.tell(study.ask(), {"yield": 3.0})
    status = status_of(study)
    assert status.advice() == "Go on: nothing was measured yet."
    assert dict(status.facts())["Experiments"] == "1 pending (1 of them measured in part)"


def test_the_fronts_are_sorted_and_hold_what_the_study_says():
    study = told(two())
    (title, columns, rows), (_, measured_columns, measured) = front_tables(study, study.front)
    assert title == "Front by the models, mean ± sd"
    assert columns == ["row", "t", "yield", "cost"]
    assert measured_columns == ["trial", "row", "t", "yield", "cost"]
    assert {row["row"] for row in rows} == {point.row for point in study.front}
    assert {row["trial"] for row in measured} == {trial.number for trial in study.best_trials}
    assert [row["yield"] for row in measured] == sorted((row["yield"] for row in measured), reverse=True)


def test_a_long_front_is_thinned_and_says_so():
    study = Study({"t": (0.0, 4.0)}, objectives={"yield": "maximize", "cost": "minimize"}, seed=1)
    told(study, 6)
    front = study.front
    assert len(front) > 20
    (title, _, rows), _ = front_tables(study, front)
    assert title.endswith(f"(20 of {len(front)} points)")
    assert len(rows) == 20


@pytest.mark.parametrize("rule", [Regret(relative=1e-20), HypervolumeLeft(relative=1e-20), HypervolumeLeft(1e-20)])
def test_advice_speaks_of_what_the_rule_is_about(rule):
    status = status_of(told(two(reference={"yield": -30.0, "cost": 12.0}), 8), rule)
    said = status.advice()
    if isinstance(rule, Regret):
        assert "of the front's width, more than the 1e-18 % of the front's width at which to stop" in said
    else:
        assert "of hypervolume" in said
        wanted = "1e-20 of hypervolume" if rule.eps else "1e-18 % of it"
        assert f"more than the {wanted} at which to stop" in said
    assert not status.met


def test_what_the_rule_measures_decides_what_is_little():
    """The epsilon is below this threshold, the hypervolume left is not."""
    study = told(two(reference={"yield": -30.0, "cost": 12.0}), 8)
    left = study.certificate()
    between = (left.epsilon * left.hypervolume_left) ** 0.5
    assert left.epsilon < between < left.hypervolume_left
    assert "at which to stop" in status_of(study, HypervolumeLeft(between)).advice()


def test_a_met_rule_says_so():
    status = status_of(told(two()), HypervolumeLeft(relative=5.0, patience=1))
    assert status.met
    assert status.advice().startswith("You can stop: going on is expected to gain at most")
    record = status.record()
    assert record["stop"] is True
    assert record["certificate"]["hypervolume_left"] == status.left.hypervolume_left
    assert len(record["best_trials"]) == len(status.study.best_trials)


def test_the_page_has_fronts_figures_and_every_part():
    study = told(two(constraints={"impurity": ("<=", 0.35)}), 8)
    trial = study.ask()
    study.tell(trial, {"cost": 2.5}, failed="impurity")
    page = html_report(study)
    # regret, hypervolume, three histories, the front, an effect and a check for each outcome; one factor has no map
    assert page.count("<svg") == 2 + 3 + 1 + 3 + 3
    assert "<img" not in page
    assert "What to choose from" in page
    assert "P(feasible)" in page
    assert "weights" in page
    for outcome in ("yield", "cost", "impurity"):
        (slice_,) = slices(study, outcome)
        assert f"What each factor does to {outcome}" in page
        assert f"<td>{plus_minus(slice_.mean[0], slice_.sd[0])}</td>" in page
    rows = re.findall(r"<tr><td>8</td>(.*?)</tr>", page)
    assert any("<td>pending</td><td>2.5</td><td>failed</td>" in row for row in rows)


def test_the_page_of_constraints_has_one_figure_of_progress_and_no_front():
    page = html_report(told(constrained(), 6))
    assert page.count("<svg") == 1 + 2 + 2 + 2  # certificate, and of each outcome progress, effect and check
    assert "What to choose from" not in page
    assert "ζ is drawn" in page
    assert "a cautious draw" not in page


def test_the_hypervolume_grows_to_that_of_the_study():
    study = told(two(constraints={"impurity": ("<=", 0.35)}), 8)
    found = hypervolumes(study)
    assert [n for n, _ in found] == list(range(8))
    assert [volume for _, volume in found] == sorted(volume for _, volume in found)
    assert found[-1][1] == pytest.approx(study.hypervolume)
    assert hypervolumes(constrained()) == []


def test_a_page_without_any_result():
    page = html_report(two())
    assert "nothing to draw" in page
