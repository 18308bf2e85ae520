"""The report: one file, nothing from elsewhere, every suggestion explained."""

from dataclasses import replace
from html import escape
from html.parser import HTMLParser

import numpy as np
import pytest

from regretless import GPUCB, LevelSet, Misclassified, Regret, Study, Surrogate
from regretless.confidence import Schedule, ShiftedExponential
from regretless.drawing import map_figure, overview_of
from regretless.lab import explain
from regretless.lab.explanation import expected
from regretless.lab.looks import certificates
from regretless.lab.status import status_of
from regretless.lab.text import interval, number
from regretless.optimizer import suggest
from regretless.optimizer.wording import rounded
from regretless.report import html_report
from regretless.study.replays import asked_from


def yield_of(solvent, T):
    """What the bench would say."""
    return {"water": 40.0, "ethanol": 70.0, "toluene": 55.0}[solvent] - 0.02 * (T - 60.0) ** 2


@pytest.fixture(scope="module")
def study():
    rows = [{"solvent": s, "T": t} for s in ("water", "ethanol", "toluene") for t in range(20, 100, 10)]
    study = Study(rows, objective="yield", seed=1)
    for _ in range(10):
        trial = study.ask()
        study.tell(trial, yield_of(trial.params["solvent"], trial.params["T"]))
    return study


class Page(HTMLParser):
    """Tags in balance, and every address the page would fetch."""

    def __init__(self):
        super().__init__()
        self.open, self.fetched, self.text, self.seen = [], [], [], set()

    def handle_startendtag(self, tag, attrs):  # noqa: ARG002
        self.seen.add(tag)  # of SVG

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)
        self.fetched += [value for name, value in attrs if name in ("src", "href", "srcset", "action")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def read(html):
    page = Page()
    page.feed(html)
    assert page.open == []
    return page


def test_the_page_is_whole_and_offline(study):
    html = html_report(study, [("Best measured", "70 at <b>row</b>")])
    page = read(html)
    assert page.fetched == []
    assert html.count("<svg") == 2 + 2 + 1 + 1  # progress, two effects, a map, a check
    assert "url(" not in html
    assert "@import" not in html
    assert "<script" not in html
    assert "70 at <b>row</b>" in "".join(page.text)  # escaped, not obeyed
    for trial in study.trials:
        assert f"<td>{trial.number}</td>" in html


def test_hostile_names_are_text(tmp_path):
    rows = [
        {"<script>alert(1)</script>": i, "b": name} for i in range(4) for name in ('"><img src=x>', "$x^2$", "&amp;")
    ]
    study = Study(rows, objective="<i>y</i>", seed=1)
    for k, trial in enumerate(study.ask(12)):
        study.tell(trial, float(k))
    page = read(html_report(study, []))
    assert page.fetched == []
    assert "script" not in page.seen
    assert "img" not in page.seen


def test_explanations_against_the_law(study):
    """A cautious draw is the 5 % quantile of zeta, and picks what GP-UCB with that constant picks."""
    n = study.space.n_candidates
    law = ShiftedExponential.for_table(n, every=4)
    explained = [explain(study, trial) for trial in study.trials]
    assert [why is None for why in explained] == [trial.source != "rule" for trial in study.trials]
    for why in filter(None, explained):
        setup, history = asked_from(study, why.trial.number)
        for pick, p in ((why.cautious, 0.05), (why.bold, 0.95)):
            t = history.n_ruled + 1
            shift = 0.0 if t % 4 else 2 * np.log(n / 2)
            assert pick.zeta == pytest.approx(shift - 2 * np.log1p(-p))
            assert pick.zeta == pytest.approx(law.quantile(t, p))
            made, _ = suggest(replace(setup, rule=GPUCB(Schedule.constant(pick.zeta))), history, why.trial.number, None)
            assert study.space.params(made.point.index) == dict(pick.params)
        assert why.cautious.mean >= why.bold.mean  # a larger bonus never picks a larger mean
        assert why.cautious.sd <= why.bold.sd + 1e-9
        share = -np.expm1(-(why.trial.zeta - shift) / 2)
        assert why.draw == ("cautious" if share < 1 / 3 else "middling" if share < 2 / 3 else "bold")


def test_minimising_is_the_mirror_image(study):
    mirror = Study(study.space, direction="minimize", objective="loss", seed=1)
    for _ in range(10):
        trial = mirror.ask()
        mirror.tell(trial, -yield_of(trial.params["solvent"], trial.params["T"]))
    for a, b in zip(study.trials, mirror.trials, strict=True):
        one, two = explain(study, a), explain(mirror, b)
        assert (one is None) == (two is None)
        if one is not None and two is not None:
            assert dict(one.bold.params) == dict(two.bold.params)
            assert one.bold.mean == pytest.approx(-two.bold.mean)


def odd_study(n=14):
    """Another model than the default, failed trials, results set aside, excluded rows, a correction."""
    rows = [{"solvent": s, "T": t} for s in ("water", "ethanol", "toluene") for t in range(20, 100, 10)]
    model = Surrogate(kernel="rbf", method="likelihood", lengthscale_bounds=(0.05, 5.0), refit_every=3)
    study = Study(rows, objective="yield [%]", surrogate=model, seed=1)
    study.exclude_row(9, "out of stock")
    for k in range(n):
        trial = study.ask()
        if k % 5 == 3:
            study.tell(trial, failed=True)
        else:
            study.tell(trial, yield_of(trial.params["solvent"], trial.params["T"]))
    study.amend(0, 12.0, reason="typo")
    study.exclude(4, "wrong bottle")
    study.exclude_row(2, "sold out")
    return study


def test_the_curve_of_certificates_is_the_studys_own():
    study = odd_study()
    looks, counts = certificates(study)
    told = [trial for trial in study.trials if trial.status == "told" and not trial.excluded]
    assert counts[-1] == len(told)
    assert looks[-1] == study.certificate()
    for look, count in zip(looks, counts, strict=True):
        assert look == study.certificate(leave_out=len(told) - count)
    head = status_of(study).facts()
    page = "".join(read(html_report(study, head)).text)
    assert looks[-1].promise() in page
    assert f"{rounded(looks[-1].bound)} percentage points of yield" in page


def test_the_curve_counts_no_excluded_row(study):
    """With the default model: all rows but the two best excluded, little is left to gain, at every time."""
    closed = Study(study.space, objective="yield", seed=1)
    for trial in study.trials:
        closed.add(trial.params, trial.value)
    before = certificates(closed)[0]
    for row in range(study.space.n_candidates):
        if row not in (11, 12):
            closed.exclude_row(row, "sold out")
    after = certificates(closed)[0]
    assert all(now.bound < then.bound for now, then in zip(after, before, strict=True))


def test_what_was_expected_then_is_shown_with_what_came_out(study):
    """As the study would have said before the result came, and before those after it."""
    trial = study.trials[7]
    twin = Study(study.space, objective="yield", seed=1)
    for earlier in study.trials[:7]:
        twin.tell(twin.ask(), earlier.value)
    wanted = tuple(float(column[0]) for column in twin.predict_measurement([trial.params]))
    assert expected(study, trial) == {"yield": wanted}
    assert expected(study, study.trials[0]) is None
    assert interval(*wanted) in "".join(read(html_report(study, [])).text)


def test_figures_are_those_of_the_page_and_need_no_other_package(study, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    page = html_report(study, [], stop=Regret(0.5))
    found = overview_of(study, stop=Regret(0.5))
    for figure in (*found.progress, *found.effects, *found.checks, map_figure(study, *found.pair)):
        assert figure.drawing.markup in page
        assert all(f"<td>{escape(cell)}</td>" in page for row in figure.rows for cell in row)


def test_a_level_set_is_reported_as_one(tmp_path):
    rows = [{"solvent": s, "T": t} for s in ("water", "ethanol", "toluene") for t in range(20, 100, 10)]
    study = Study(rows, objective="yield", goal=LevelSet(above=60.0), seed=1)
    for _ in range(10):
        trial = study.ask()
        study.tell(trial, yield_of(trial.params["solvent"], trial.params["T"]))
    html = html_report(study, stop=Misclassified(2.0))
    page = "".join(read(html).text)
    assert study.certificate().promise() in page
    assert "On the wrong side" in page
    assert "Which reach the level" in page
    assert "Regret left" not in page
    assert "recommended" not in page
    assert "√ζ · sd − |mean − level|" in page
    region = study.region()
    assert f"{region.inside.sum()} of 24 candidates have yield >= 60" in page


def test_what_other_draws_of_a_straddle_pick():
    """The quantiles of chi-square with two degrees of freedom, and the row with the largest straddle at each."""
    rows = [{"t": t / 10} for t in range(30)]
    study = Study(rows, goal=LevelSet(above=0.2), seed=3)
    for _ in range(9):
        trial = study.ask()
        study.tell(trial, float(np.sin(2 * trial.params["t"])))
    why = explain(study, study.trials[-1])
    assert why.cautious.zeta == pytest.approx(-2 * np.log(0.95))
    assert why.bold.zeta == pytest.approx(-2 * np.log(0.05))
    assert why.cautious.sd <= why.bold.sd
    for pick in (why.cautious, why.bold):
        own = np.sqrt(pick.zeta) * pick.sd - abs(pick.mean - 0.2)
        other = why.bold if pick is why.cautious else why.cautious
        assert own >= np.sqrt(pick.zeta) * other.sd - abs(other.mean - 0.2) - 1e-9


@pytest.mark.parametrize("size", [1.7e308, 1e100, 1e-300])
def test_results_of_every_size_are_reported(size):
    rows = [{"a": i, "b": name} for i in range(6) for name in "xy"]
    study = Study(rows, seed=1)
    for k in range(7):
        study.tell(study.ask(), (-1) ** k * size)
    page = "".join(read(html_report(study, [])).text)
    assert ("Without figures" in page) == (size > 1e150)
    assert number(size) in page
