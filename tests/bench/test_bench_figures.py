"""The figures of the benchmarks: readable titles, one colour per method, and every method drawn."""

import numpy as np
import pytest
from bench.adapters import OURS, PEERS
from bench.figures import draw_found, draw_regret, problem_title, style


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("holder-table", "Holder table"),
        ("ackley-4", "Ackley, d = 4"),
        ("hartmann3", "Hartmann, d = 3"),
        ("styblinski-tang-2", "Styblinski-Tang, d = 2"),
        ("p3ht", "P3HT/CNT"),
        ("crossed-barrel", "Crossed barrel"),
    ],
)
def test_titles_are_readable(name, title):
    assert problem_title(name) == title


def test_a_package_has_one_colour_and_none_has_ours():
    main = ("botorch-logei", "botorch-ucb", "optuna-gp", "optuna-tpe", "scikit-optimize", "bayes-opt", "smac", "ax")
    colours = [style(peer)["color"] for peer in (*main, "baybe", "hebo")]
    assert len(set(colours)) == len(colours)
    assert style(OURS[0])["color"] not in {style(peer)["color"] for peer in PEERS if peer not in OURS}


def test_they_are_drawn(tmp_path):
    rng = np.random.default_rng(0)
    curves = {
        problem: {peer: np.sort(rng.random((3, 8)))[:, ::-1] for peer in (OURS[0], "baybe", "hebo")}
        for problem in ("branin", "ackley-4")
    }
    draw_regret(curves, tmp_path / "regret.png")
    draw_found({"agnp": {OURS[0]: [3, 4, 5], "baybe": [6, 7, 9]}}, tmp_path / "found.png")
    assert (tmp_path / "regret.png").stat().st_size > 10_000
    assert (tmp_path / "found.png").stat().st_size > 5_000
