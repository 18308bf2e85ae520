"""The set `bbob`: problems, curve, what is published. ``ioh`` and ``cma`` are in the benchmarks' environment only."""

import io
import json

import numpy as np
import pytest
from bench import bbob, page, store, tasks
from bench.adapters import box_optimizer
from bench.regret import SETS, ProblemSet, publish, write_page
from rich.console import Console


def test_twenty_four_functions_three_dimensions_and_instances_apart():
    problems = bbob.problems()
    assert len(problems) == 72
    assert all(s["evaluations"] == 20 * s["dim"] and s["n_initial"] == 2 * s["dim"] + 2 for s in problems.values())
    assert SETS["bbob"].seeds == (4, 5, 6, 7, 8)
    assert SETS["bbob-choice"].seeds == (1, 2, 3)
    assert SETS["bbob"].problems == SETS["bbob-choice"].problems == problems


def test_a_target_is_reached_once_and_for_all():
    runs = [{"optimum": 1.0, "f": [-199.0, -9.0, -50.0, 1.0]}, {"optimum": 0.0, "f": [-1e3, -1e3, -1e3, -1e3]}]
    share = bbob.reached(runs)
    reached = (bbob.TARGETS >= 10.0).sum() / 51
    assert share == pytest.approx([0.0, reached / 2, reached / 2, 0.5])
    assert bbob.TARGETS[[0, -1]] == pytest.approx([1e2, 1e-8])


def test_shares_by_dimension_for_those_who_ran_on_every_function(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "RESULTS", tmp_path)
    monkeypatch.setattr(store, "ROOT", tmp_path)
    monkeypatch.setattr(store, "source_hash", lambda: "the same")
    monkeypatch.setattr(page, "BENCHMARKS", tmp_path / "page.md")
    (tmp_path / "docs" / "_static").mkdir(parents=True)
    (tmp_path / "page.md").write_text("<!-- begin: python -m bench regret --set bbob -->\n\n<!-- end -->\nafter\n")
    problems = {name: bbob.problems()[name] for name in ("f1-2", "f2-2", "f1-5")}
    chosen = ProblemSet("bbob", problems, ("regretless", "cma"), (4,))
    units = [store.Unit("raw", name, peer, 4, "bbob", s) for name, s in problems.items() for peer in chosen.peers]
    for unit in units:
        if (unit.work, unit.peer) != ("f2-2", "cma"):
            worst = -1.0 if unit.work == "f1-2" else -1000.0
            store.keep(unit, {"optimum": 0.0, "f": [-1000.0, worst]})
    text = io.StringIO()
    publish("bbob", chosen, chosen.peers, units, tmp_path, Console(file=text, width=120))
    shares = json.loads((tmp_path / "regret-bbob.json").read_text())["shares"]
    assert shares == {
        "2": {"regretless": [0.0, pytest.approx(11 / 51 / 2)]},
        "5": {"regretless": [0, 0], "cma": [0, 0]},
    }
    assert (tmp_path / "regret-bbob.png").exists()
    write_page("bbob", tmp_path)
    written = (tmp_path / "page.md").read_text()
    assert "| Regretless | 0.108 | 0.000 |" in written
    assert "| CMA-ES |  | 0.000 |" in written
    assert written.endswith("<!-- end -->\nafter\n")


@pytest.mark.parametrize("number", [1, 7, 24])
def test_a_function_of_bbob_is_on_its_box_and_has_its_optimum(number):
    pytest.importorskip("ioh")
    f = bbob.bbob_function(number, 5, instance=4)
    assert f.bounds.tolist() == [[-5.0, 5.0]] * 5
    assert f.evaluate(f.optimizer[None, :])[0] == pytest.approx(f.optimum, abs=1e-8)
    X = np.random.default_rng(0).uniform(-5.0, 5.0, (2000, 5))
    assert f.evaluate(X).max() <= f.optimum
    other = bbob.bbob_function(number, 5, instance=5)
    assert (other.evaluate(X[:5]) != f.evaluate(X[:5])).any()


def test_our_default_runs_on_bbob():
    pytest.importorskip("ioh")
    result = tasks.bbob("regretless", 4, number=8, dim=2, evaluations=10, n_initial=6)
    assert len(result["f"]) == 10
    assert max(result["f"]) <= result["optimum"]


def test_generations_of_cma_es_are_handed_out_point_by_point():
    pytest.importorskip("cma")
    bounds, X0 = np.array([[-5.0, 5.0], [0.0, 20.0]]), np.array([[4.0, 15.0], [-1.0, 4.0]])
    optimizer = box_optimizer("cma", bounds, 0, X0, -((X0 - [1.0, 7.0]) ** 2).sum(axis=1))
    optimizer.tell(X0[0], 0.0)  # not asked for
    best = -np.inf
    for _ in range(200):
        x = optimizer.ask()
        assert (x == optimizer.ask()).all()  # the same until it is told
        assert ((bounds[:, 0] <= x) & (x <= bounds[:, 1])).all()
        y = -float(((x - [1.0, 7.0]) ** 2).sum())
        optimizer.tell(x, y)
        best = max(best, y)
    assert best > -1e-3
    assert optimizer.strategy.countiter == 200 // 6
