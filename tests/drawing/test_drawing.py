"""Drawings: well-formed, escaped, without script or style, and with the numbers they say."""

import math
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from regretless import LevelSet, Misclassified, Regret, Study
from regretless.drawing import (
    effect_figures,
    front_figures,
    gauge,
    history_figure,
    map_figure,
    overview_of,
    parity_figure,
    region_figure,
    regret_figure,
    sparkline,
)
from regretless.drawing.axes import Scale, scale_of
from regretless.drawing.svg import DARK, Canvas
from regretless.lab.looks import certificates
from regretless.lab.slices import axis_of, slices

XSS = '<script>alert(1)</script>"&'
SVG = "{http://www.w3.org/2000/svg}"


def run(study, f, n):
    for _ in range(n):
        trial = study.ask()
        study.tell(trial, f(trial.params))
    return study


@pytest.fixture(scope="module")
def one():
    rows = [{"T": T, XSS: name, "rate": r} for T in (20, 40, 60) for name in (XSS, "b") for r in (1e-4, 1e-3, 1e-2)]
    study = Study(rows, objective=f"yield {XSS}", seed=1)
    return run(study, lambda p: p["T"] / 10 + 3 * (p[XSS] == "b") + math.log10(p["rate"]), 9)


@pytest.fixture(scope="module")
def two():
    study = Study([{"t": t} for t in range(8)], objectives={"yield": "maximize", "cost": "minimize"}, seed=1)
    return run(study, lambda p: {"yield": 8.0 * p["t"] - p["t"] ** 2, "cost": float(p["t"])}, 8)


@pytest.fixture(scope="module")
def level():
    rows = [{"T": T, XSS: name} for T in range(20, 70, 5) for name in (XSS, "b")]
    study = Study(rows, objective=f"yield {XSS}", goal=LevelSet(below=9.0), seed=1)
    return run(study, lambda p: 20.0 - abs(p["T"] - 40) / 2 + (p[XSS] == "b"), 9)


def every(one, two, level):
    figures = [history_figure(one), regret_figure(*certificates(one, 4), Regret(0.5)), parity_figure(one)]
    figures += [*effect_figures(one), map_figure(one, "T", XSS), map_figure(one, "rate", "T")]
    figures += [*front_figures(two, two.front), history_figure(two, "cost"), *effect_figures(two, "cost")]
    found = overview_of(level, stop=Misclassified(1.0))
    figures += [*found.progress, *found.answers, *found.effects, *found.checks, map_figure(level, "T", XSS)]
    return figures


def test_every_figure_is_plain_svg(one, two, level):
    for figure in every(one, two, level):
        root = ET.fromstring(figure.drawing.markup)
        names = {node.tag for node in root.iter()}
        assert names <= {SVG + tag for tag in ("svg", "path", "circle", "rect", "text", "title")}, figure.title
        for node in root.iter():
            assert not {key for key in node.attrib if key.startswith("on") or key in ("style", "href")}
        assert "<script" not in figure.drawing.markup
        assert root.attrib["role"] == "img"
        assert root.attrib["aria-label"]
        assert "nan" not in figure.drawing.markup


def test_every_figure_has_a_table(one, two, level):
    for figure in every(one, two, level):
        assert figure.rows, figure.title
        assert all(len(row) == len(figure.columns) for row in figure.rows), figure.title


def test_the_table_of_the_history_is_the_running_best(one):
    values = [trial.value for trial in one.trials]
    best = np.maximum.accumulate(values)
    assert [row[2] for row in history_figure(one).rows] == [f"{value:.6g}" for value in best]


def test_effects_know_categories_and_log_scales(one):
    axes = {each.axis.name: each.axis for each in slices(one)}
    assert (axes["rate"].log, axes["T"].log, axes[XSS].numeric) == (True, False, False)
    assert axes[XSS].values == (XSS, "b")
    assert axes["T"].values == (20, 40, 60)
    box = Study({"lr": (1e-4, 1e-1, "log"), "n": (1, 5)}, seed=1)
    assert axis_of(box, "lr").log
    assert axis_of(box, "n").values == (1, 2, 3, 4, 5)


def test_a_slice_is_what_the_model_predicts(one):
    anchor = one.recommend().params
    for each in slices(one):
        mean, sd = one.predict([{**anchor, each.axis.name: value} for value in each.axis.values])
        assert np.allclose(each.mean, mean)
        assert np.allclose(each.sd, sd)


def test_left_out_predictions_agree_with_leaving_out_for_real():
    from regretless import Surrogate

    rows = [{"t": t / 10} for t in range(11)]
    known = Surrogate.known(kernel="rbf", lengthscale=0.3, signal_var=1.0, noise_var=0.01)
    values = [math.sin(5 * row["t"]) for row in rows]
    whole = Study(rows, surrogate=known, seed=1)
    for i, value in enumerate(values):
        whole.add(row=i, value=value)
    trials, measured, median, low, high = whole.predict_left_out()
    assert trials == tuple(range(11))
    assert np.allclose(measured, values)
    for i in (0, 4, 10):
        rest = Study(rows, surrogate=known, seed=1)
        for j, value in enumerate(values):
            if j != i:
                rest.add(row=j, value=value)
        expected = rest.predict_measurement([rows[i]])
        assert np.allclose([median[i], low[i], high[i]], [column[0] for column in expected], atol=1e-9)


@pytest.mark.parametrize("light", ["green", "amber", "red", "too few data"])
@pytest.mark.parametrize(
    ("bound", "target"), [(1.0, 0.5), (0.1, 0.5), (1e9, 1e-9), (0.0, 0.5), (3.0, None), (0.0, None)]
)
def test_the_gauge_says_both(bound, target, light):
    root = ET.fromstring(gauge(bound, target, light).markup)
    said = root.attrib["aria-label"]
    assert f"{float(f'{bound:.3g}'):.6g}" in said or f"{bound:.0f}" in said
    assert ("stop at" in said) == (target is not None)
    for node in root.iter(f"{SVG}rect"):
        assert 0.0 <= float(node.attrib["x"]) + float(node.attrib["width"]) <= 380.0


def test_the_gauge_shrinks_with_the_bound():
    widths = [
        float(list(ET.fromstring(gauge(bound, 0.5, "green").markup).iter(f"{SVG}rect"))[-1].attrib["width"])
        for bound in (40.0, 4.0, 0.4)
    ]
    assert widths == sorted(widths, reverse=True)


@pytest.mark.parametrize(
    "ends", [(0.0, 1.0), (-3.0, 17.0), (1e-9, 2e-9), (1e12, 1e12 + 5.0), (5.0, 5.0), (-1e300, 1e300)]
)
def test_ticks_are_few_and_inside(ends):
    ticks = [value for value, _ in scale_of(ends).ticks()]
    scale = scale_of(ends)
    assert 1 <= len(ticks) <= 9
    assert all(scale.low - 1e-9 * abs(scale.low) <= tick <= scale.high + 1e-9 * abs(scale.high) for tick in ticks)


def test_log_ticks_are_decades():
    assert [value for value, _ in Scale(1e-4, 1e-1, log=True).ticks()] == pytest.approx([1e-4, 1e-3, 1e-2, 1e-1])


def test_the_region_is_the_studys_own(level):
    region, figure = level.region(), region_figure(level)
    assert f"{region.inside.sum()} of {len(region)} candidates" in figure.caption
    words = {row[0]: (row[1], row[3]) for row in figure.rows}
    assert len(words) == len(region)
    for i, p in enumerate(region.probability):
        shown, word = words[next(name for name in words if name.startswith(f"{region.rows[i]}: "))]
        assert float(shown) == pytest.approx(p, abs=1e-4)
        assert word == ("in doubt" if 0.05 < p < 0.95 else "inside" if p >= 0.5 else "outside")


def test_a_level_set_is_drawn_against_its_level(level):
    found = overview_of(level, stop=Misclassified(1.0))
    left, history = found.progress
    assert (left.title, left.rows[-1][1]) == ("On the wrong side", f"{level.certificate().wrong:.6g}")
    assert "best so far" not in history.columns
    assert "level 9" in history.drawing.markup
    assert all("as in the best trial" in figure.caption for figure in found.effects)
    assert "recommended" not in map_figure(level, "T", XSS).drawing.markup
    assert region_figure(Study([{"t": 1}, {"t": 2}])) is None


def test_a_long_list_is_thinned_and_a_space_sampled():
    box = Study({"x": (0.0, 1.0)}, goal=LevelSet(above=0.5), seed=1)
    run(box, lambda p: p["x"], 6)
    figure = region_figure(box)
    assert len(figure.rows) == 120
    assert "points that stand for all" in figure.caption


def test_the_page_has_the_colours_of_dark_paper():
    from importlib.resources import files

    assert DARK in files("regretless.web").joinpath("static", "style.css").read_text()


def test_text_is_escaped_wherever_it_stands():
    canvas = Canvas(10, 10, XSS)
    canvas.text(1, 1, XSS)
    canvas.mark(1, 1, says=XSS)
    assert "<script" not in canvas.drawing().markup
    ET.fromstring(canvas.drawing().markup)
    ET.fromstring(sparkline([1.0, 3.0, 2.0], XSS).markup)


def test_a_wide_band_does_not_make_the_means_flat():
    from regretless.drawing.effects import _common_scale
    from regretless.lab.slices import Axis, Slice

    wide = Slice(Axis("x", (0.0, 1.0), True, False), (10.0, 20.0), (500.0, 1.0), 0.0)
    scale = _common_scale([wide])
    assert scale.high - scale.low < 30.0
    narrow = Slice(Axis("x", (0.0, 1.0), True, False), (10.0, 20.0), (0.5, 1.0), 0.0)
    assert _common_scale([narrow]).high == pytest.approx(22.0, rel=0.05)


@pytest.mark.parametrize(("bound", "target"), [(1e9, 1e-9), (1e-9, 1e9), (0.0653, None)])
def test_words_of_a_gauge_stay_on_it(bound, target):
    root = ET.fromstring(gauge(bound, target, "green", unit="candidates on the wrong side").markup)
    for node in root.iter(f"{SVG}text"):
        half = 0.31 * float(node.attrib["font-size"]) * len(node.text)
        assert float(node.attrib["x"]) - half >= 0.0
        assert float(node.attrib["x"]) + half <= 380.0
