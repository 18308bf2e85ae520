"""`python -m bench outcomes`: what a run is worth, what is printed, and that everybody starts alike."""

import io
import json

import numpy as np
import pytest
from bench import outcome_tasks, page, store
from bench.adapters import OURS, PEERS, Aims, outcome_optimizer, outcome_table_optimizer
from bench.outcomes import SETS, OutcomeSet, losses, publish, scale, write_page
from rich.console import Console

from regretless.problems import feasible_problem, front_problem

GRAMACY = ("constrained", {"problem": "gramacy", "evaluations": 4, "n_initial": 2})
ZDT1 = ("objectives", {"problem": "zdt1", "evaluations": 4, "n_initial": 2})


def test_the_regret_of_a_run_is_that_of_its_best_feasible_point():
    unit, best = scale("gramacy"), feasible_problem("gramacy").optimum
    run = {"f": [0.1, 1.0, 0.2, 0.8], "feasible": [False, True, False, True]}
    expected = [unit.worst, 1.0 - best, 1.0 - best, 0.8 - best]
    assert losses(*GRAMACY, run) == pytest.approx(np.array(expected) / unit.spread)


def test_the_scale_of_a_constrained_problem_comes_from_its_feasible_points():
    problem, unit = feasible_problem("gramacy"), scale("gramacy")
    X = np.random.default_rng(5).random((100_000, 2))
    f = X.sum(axis=1)[problem.feasible(problem.evaluate(X))]
    assert unit.spread == pytest.approx(np.median(f) - problem.optimum, rel=0.01)
    assert unit.worst == pytest.approx(f.max() - problem.optimum, rel=0.01)


def test_the_loss_with_several_objectives_is_the_share_of_the_hypervolume_that_is_missed():
    run = {"Y": [[12.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]}
    volumes = np.array([0.0, 100.0, 110.0, 120.0])
    assert losses(*ZDT1, run) == pytest.approx(1.0 - volumes / (120.0 + 2.0 / 3.0))


def test_optimisers_maximise_and_keep_constraints_at_most_zero():
    vessel = feasible_problem("pressure-vessel")
    Y = vessel.evaluate([[1.0, 1.0, 40.0, 180.0]])
    told = outcome_tasks.inward(vessel, Y)
    assert told[0, 0] == -Y[0, 0]
    assert told[0, 1:].tolist() == Y[0, 1:].tolist()
    zdt = front_problem("zdt1")
    assert outcome_tasks.inward(zdt, np.array([[0.25, 3.0]])).tolist() == [[-0.25, -3.0]]
    assert outcome_tasks._aims(zdt) == Aims(2, 0, (-11.0, -11.0))


def test_a_unit_starts_with_the_shared_design_and_repeats():
    first = outcome_tasks.constrained("random", 3, "gramacy", evaluations=9, n_initial=6)
    assert first["f"] == outcome_tasks.constrained("random", 3, "gramacy", evaluations=9, n_initial=6)["f"]
    longer = outcome_tasks.constrained("random", 3, "gramacy", evaluations=12, n_initial=6)
    assert longer["f"][:9] == first["f"]
    assert len(longer["feasible"]) == 12
    other = outcome_tasks.objectives("random", 3, "zdt1", evaluations=15, n_initial=14)
    assert np.array(other["Y"]).shape == (15, 2)


def test_random_rows_are_not_repeated():
    optimizer = outcome_table_optimizer("random", np.zeros((6, 2)), Aims(2, 0, (0.0, 0.0)), 0, [1, 4], np.zeros((2, 2)))
    seen = []
    for _ in range(4):
        seen.append(optimizer.ask())
        optimizer.tell(seen[-1], np.zeros(2))
    assert sorted(seen) == [0, 2, 3, 5]


def test_who_has_no_several_outcomes_says_so():
    with pytest.raises(ValueError, match="SMAC3"):
        outcome_optimizer("smac", np.zeros((1, 2)), Aims(1, 1), 0, np.zeros((1, 1)), np.zeros((1, 2)))


@pytest.mark.parametrize("name", SETS)
def test_every_peer_of_a_set_works_with_several_outcomes(name):
    chosen = SETS[name]
    assert chosen.peers[0] == OURS[0]
    assert all(PEERS[peer].outcomes is not None for peer in chosen.peers)
    assert all(s["n_initial"] < s["evaluations"] for _, s in chosen.problems.values())


@pytest.fixture
def results(tmp_path, monkeypatch):
    """Gramacy with two seeds, of which random misses every feasible point once."""
    monkeypatch.setattr(store, "RESULTS", tmp_path)
    (tmp_path / "docs" / "_static").mkdir(parents=True)
    (tmp_path / "page.md").write_text("<!-- begin: python -m bench outcomes --set constrained -->\n\n<!-- end -->\n")
    monkeypatch.setattr(page, "BENCHMARKS", tmp_path / "page.md")
    monkeypatch.setattr(store, "ROOT", tmp_path)
    monkeypatch.setattr(store, "source_hash", lambda: "the same")
    chosen = OutcomeSet({"gramacy": GRAMACY}, ("regretless", "random"), (0, 1), "relative feasible regret")
    best, units = feasible_problem("gramacy").optimum, []
    for peer, feasible in (("regretless", (True, True)), ("random", (False, True))):
        for seed in (0, 1):
            units.append(store.Unit("raw", "gramacy", peer, seed, *GRAMACY))
            values = {"f": [9.0, 9.0, 9.0, best], "feasible": [False] * 3 + [feasible[seed]], "cpu": 0.5}
            store.keep(units[-1], values)
    return chosen, units, tmp_path


def test_medians_ranks_and_seconds_in_print_file_and_page(results):
    chosen, units, folder = results
    text = io.StringIO()
    assert publish("constrained", chosen, units, folder, Console(file=text, width=200))
    assert "median relative feasible regret, %, 2" in text.getvalue()
    stored = json.loads((folder / "outcomes-constrained.json").read_text())
    unit = scale("gramacy")
    assert stored["final"]["gramacy"] == {"regretless": [0.0, 0.0], "random": [unit.worst / unit.spread, 0.0]}
    assert stored["away"] == {"regretless": 0.0, "random": 0.5}
    assert stored["mean_ranks"] == {"regretless": 1.25, "random": 1.75}
    assert stored["seconds"] == {"regretless": 0.25, "random": 0.25}
    assert (folder / "outcomes-constrained.png").exists()
    write_page("constrained", folder)
    written = (folder / "page.md").read_text()
    assert "| Regretless | 0 | 0.00 | 1.25 | 0.25 |" in written
    assert written.count("<!-- end -->") == 1


def test_a_cell_needs_all_of_its_seeds(results):
    chosen, units, folder = results
    units[-1].path.unlink()
    publish("constrained", chosen, units, folder, Console(file=io.StringIO()))
    assert list(json.loads((folder / "outcomes-constrained.json").read_text())["final"]["gramacy"]) == ["regretless"]


def test_our_own_study_is_told_what_it_asked_for():
    problem = feasible_problem("gramacy")
    X0 = np.array([[0.1, 0.2], [0.5, 0.6], [0.9, 0.4]])
    optimizer = outcome_optimizer(
        "regretless",
        np.array([[0.0, 1.0], [0.0, 1.0]]),
        Aims(1, 2),
        0,
        X0,
        outcome_tasks.inward(problem, problem.evaluate(X0)),
    )
    for _ in range(2):
        x = optimizer.ask()
        optimizer.tell(x, outcome_tasks.inward(problem, problem.evaluate(x[None, :]))[0])
    trials = optimizer.study.trials
    assert [trial.source for trial in trials] == ["added"] * 3 + ["rule"] * 2  # no initial design beside the shared one
    for trial in trials:
        told = problem(np.array(list(trial.params.values())))
        assert trial.values == {"f0": -told["f"], "c0": told["c1"], "c1": told["c2"]}


def test_our_own_study_of_two_objectives_on_a_table():
    X = np.random.default_rng(0).random((9, 2))
    Y = np.stack([X[:, 0], 1.0 - X.sum(axis=1)], axis=1)
    optimizer = outcome_table_optimizer("regretless", X, Aims(2, 0, (0.0, -1.0)), 0, [2, 5], Y[[2, 5]])
    seen = [2, 5]
    for _ in range(7):
        seen.append(optimizer.ask())
        optimizer.tell(seen[-1], Y[seen[-1]])
    assert sorted(seen) == list(range(9))
    assert [list(trial.values.values()) for trial in optimizer.study.trials] == Y[seen].tolist()


@pytest.mark.parametrize("name", SETS)
def test_the_page_has_a_place_for_it_that_is_filled(name):
    _, mark, rest = page.BENCHMARKS.read_text().partition(f"<!-- begin: python -m bench outcomes --set {name} -->")
    assert mark  # `--docs` writes there
    assert "| Regretless |" in rest.partition("<!-- end -->")[0]
