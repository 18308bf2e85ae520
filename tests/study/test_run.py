"""`maximize` and `minimize`: the loop around ask and tell, and what it hands back."""

import math

import numpy as np
import pytest

from regretless import Exhausted, InvalidInput, Regret, Study, Table, maximize, minimize
from regretless.errors import StoreFull, StudyConflict
from regretless.optimizer import suggest
from regretless.study import asking

BOX = [(0.0, 1.0), (-2.0, 2.0)]


def f(x):
    return -((x[0] - 0.3) ** 2) - (x[1] - 1.0) ** 2


def test_the_result():
    result = maximize(f, BOX, n_trials=15, seed=1)
    assert result.message == "15 trials done"
    assert result.success
    assert result.nfev == len(result.history) == 15
    assert isinstance(result.x, np.ndarray)
    assert result.x.dtype == np.float64
    assert result.fun == f(result.x) == result.best.value == max(trial.value for trial in result.history)
    assert dict(zip(("x0", "x1"), result.x, strict=True)) == result.best.params
    assert [trial.number for trial in result.history] == list(range(15))
    assert all(trial.status == "told" for trial in result.history)
    text = str(result)
    assert text.startswith("15 trials done: best ")
    assert "x0=" in text
    assert f"{result.fun:.8g}" in text


def test_named_parameters_reach_the_function_as_a_dict():
    seen = []

    def g(params):
        seen.append(dict(params))
        params["x"] = "spoilt"  # its own copy
        return seen[-1]["n"]

    result = minimize(g, {"x": (0.0, 1.0), "n": (1, 9), "k": "fixed"}, n_trials=6, seed=0)
    assert result.x == result.best.params
    assert result.x["k"] == "fixed"
    assert result.fun == min(s["n"] for s in seen)
    assert [dict(trial.params) for trial in result.history] == seen


def test_rows_of_an_unnamed_table_reach_it_as_an_array():
    rows = np.random.default_rng(0).random((12, 3))
    result = maximize(lambda x: float(x @ [1.0, 2.0, 3.0]), rows, n_trials=8, seed=0)
    assert isinstance(result.x, np.ndarray)
    assert any((result.x == row).all() for row in rows)
    assert result.best.row in range(12)


def test_minimize_is_maximize_of_minus_f():
    up = maximize(f, BOX, n_trials=9, seed=3)
    down = minimize(lambda x: -f(x), BOX, n_trials=9, seed=3)
    assert [t.params for t in up.history] == [t.params for t in down.history]
    assert up.fun == -down.fun


def test_noise_makes_recommended_and_best_differ():
    rng = np.random.default_rng(0)
    result = maximize(lambda x: -((x[0] - 0.5) ** 2) + 0.5 * rng.normal(), [(0.0, 1.0)], n_trials=30, seed=1)
    recommended = result.recommended
    assert recommended.params != result.best.params
    assert recommended.mean < result.best.value  # the best value was luck
    assert recommended.mean == pytest.approx(0.0, abs=0.5)
    mean, _ = result.study.predict([[u] for u in np.linspace(0.0, 1.0, 101)])
    # The argmax of the mean by which the search goes; predictions are averaged over models that the data leave open.
    assert recommended.mean >= mean.max() - 0.05 * recommended.sd


def test_recommended_on_a_table_is_the_argmax_of_the_mean():
    rng = np.random.default_rng(1)
    table = Table(rng.random((30, 2)))
    result = maximize(lambda x: float(np.sin(6 * x).sum() + 0.5 * rng.normal()), table, n_trials=20, seed=2)
    mean, sd = result.study.predict([table.params(i) for i in range(30)])
    best = int(mean.argmax())
    assert result.recommended.params == table.params(best)
    assert result.recommended.row == best
    assert result.recommended.mean == pytest.approx(mean[best], rel=1e-9)
    assert result.recommended.sd == pytest.approx(sd[best], rel=1e-6)


def test_a_callback_sees_each_trial_and_can_stop():
    seen = []

    def callback(study, trial):
        assert study.trials[trial.number] == trial
        seen.append((trial.number, trial.value))
        return trial.number == 4

    result = maximize(f, BOX, n_trials=20, seed=0, callback=callback)
    assert [number for number, _ in seen] == [0, 1, 2, 3, 4]
    assert all(value is not None for _, value in seen)
    assert result.message == "stopped by the callback after 5 of 20 trials"
    assert result.nfev == 5


def test_a_callback_that_returns_something_false_goes_on():
    assert maximize(f, BOX, n_trials=4, seed=0, callback=lambda *_: 0).nfev == 4


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, np.float32("nan"), np.array(math.nan)])
def test_no_number_is_a_failed_trial(bad):
    result = maximize(lambda x: bad if x[0] > 0.5 else f(x), BOX, n_trials=10, seed=0)
    failed = [trial for trial in result.history if trial.status == "failed"]
    assert failed
    assert all(trial.params["x0"] > 0.5 and trial.value is None for trial in failed)
    assert result.nfev == 10
    assert math.isfinite(result.recommended.mean)


def test_all_failed():
    result = maximize(lambda _: math.nan, BOX, n_trials=12, seed=0)
    assert not result.success
    assert (result.best, result.x, result.fun, result.recommended) == (None, None, None, None)
    assert result.nfev == 12
    assert str(result) == "12 trials done: nothing was measured"
    assert len({tuple(trial.params.values()) for trial in result.history}) == 12


def picky(x):
    if x[0] > 0.5:
        raise ValueError("too hot")
    return f(x)


EVERY = ["fail", (ValueError,), ValueError, (KeyError, ArithmeticError, ValueError), Exception]


@pytest.mark.parametrize("on_error", EVERY, ids=str)
def test_exceptions_that_make_failed_trials(on_error):
    result = maximize(picky, BOX, n_trials=10, seed=0, on_error=on_error)
    assert {trial.status for trial in result.history} == {"told", "failed"}
    assert all((trial.status == "failed") == (trial.params["x0"] > 0.5) for trial in result.history)
    assert result.nfev == 10


def test_catch_is_the_old_name():
    with pytest.warns(DeprecationWarning, match="on_error") as warned:
        old = maximize(picky, BOX, n_trials=6, seed=0, catch=(ValueError,))
    assert warned[0].filename == __file__
    assert old.history == maximize(picky, BOX, n_trials=6, seed=0, on_error=(ValueError,)).history
    with pytest.warns(DeprecationWarning, match="on_error") as warned:
        Study(BOX, seed=0).optimize(f, 2, catch=())
    assert warned[0].filename == __file__
    with pytest.raises(InvalidInput, match="alone"), pytest.warns(DeprecationWarning, match="catch"):
        maximize(picky, BOX, n_trials=6, on_error="fail", catch=(ValueError,))


@pytest.mark.parametrize("on_error", ["raise", (), (KeyError,)])
@pytest.mark.parametrize("find", [maximize, minimize])
def test_an_exception_ends_the_run_and_loses_nothing(find, on_error):
    with pytest.raises(ValueError, match="too hot") as caught:
        find(picky, BOX, n_trials=10, seed=0, on_error=on_error)
    study = caught.value.study
    *before, last = study.trials
    assert before
    assert all(trial.status == "told" and trial.value == f(list(trial.params.values())) for trial in before)
    assert last.status == "released"  # a bug in f is not a failed point
    assert study.events()[-1].data["reason"] == "ValueError('too hot')"
    note = caught.value.__notes__[-1]
    assert f"kept: {len(before)}, in error.study." in note
    assert "does not count as failed" in note
    result = study.optimize(f, 3)  # as the note says
    assert result.nfev == len(before) + 3
    assert not any(trial.status in ("failed", "pending") for trial in result.history)


def test_a_run_with_an_exception_goes_on_as_if_the_trial_had_been_released_by_hand():
    with pytest.raises(ValueError) as caught:
        maximize(picky, BOX, n_trials=10, seed=0)
    twin = Study(BOX, seed=0)
    while (trial := twin.ask()).params["x0"] <= 0.5:
        twin.tell(trial, f(list(trial.params.values())))
    twin.release(trial)
    assert [t.params for t in caught.value.study.optimize(f, 3).history] == [
        t.params for t in twin.optimize(f, 3).history
    ]


def test_exhausted_raised_by_the_function_is_not_ours():
    def nested(_x):
        raise Exhausted("the inner study")

    study = Study(BOX, seed=0)
    with pytest.raises(Exhausted, match="inner"):
        study.optimize(nested, 5)
    assert [trial.status for trial in study.trials] == ["released"]


@pytest.mark.parametrize("leave", [SystemExit, GeneratorExit])
def test_a_function_that_leaves_the_program(leave):
    def g(_x):
        raise leave

    study = Study(BOX, seed=0)
    with pytest.raises(leave) as caught:
        study.optimize(g, 5, on_error="fail")
    assert [trial.status for trial in study.trials] == ["released"]
    assert caught.value.study is study


def test_an_exception_that_takes_no_attributes():
    class Frozen(Exception):
        def __setattr__(self, name, value):
            if name in ("study", "__notes__"):
                raise AttributeError(name)
            super().__setattr__(name, value)

    with pytest.raises(Frozen):
        maximize(lambda _: (_ for _ in ()).throw(Frozen()), BOX, n_trials=3, seed=0)


def test_an_exception_of_the_callback_keeps_the_trial():
    def callback(_study, trial):
        raise KeyError(trial.number)

    with pytest.raises(KeyError) as caught:
        maximize(f, BOX, n_trials=3, seed=0, callback=callback, on_error="fail")
    assert [trial.status for trial in caught.value.study.trials] == ["told"]
    assert "kept: 1, in error.study." in caught.value.__notes__[-1]


def test_a_value_that_cannot_be_stored_is_in_the_error(monkeypatch):
    study = Study(BOX, seed=0)

    def full(*_, **__):
        raise StoreFull("no room")

    monkeypatch.setattr(study, "tell", full)
    with pytest.raises(StoreFull) as caught:
        study.optimize(lambda _: 81.25, 3)
    assert "81.25" in caught.value.__notes__[0]
    monkeypatch.undo()
    assert study.tell(0, 81.25).value == 81.25


NO_NUMBERS = ["0.5", None, ["1"], np.ones((1, 1)), True, 1j, b"3", np.timedelta64(3, "s")]


@pytest.mark.parametrize("bad", [*NO_NUMBERS, 10**400], ids=lambda v: type(v).__name__)
def test_what_is_no_number_at_all_is_an_error_that_names_f(bad):
    study = Study(BOX, seed=0)
    with pytest.raises(InvalidInput, match="what f returned for trial 0"):
        study.optimize(lambda _: bad, 5, on_error=(ValueError,))  # what f returned is not what f raised
    assert [trial.status for trial in study.trials] == ["released"]
    assert study.optimize(lambda _: bad, 2, on_error="fail").nfev == 2


# Runs that last -------------------------------------------------------------------------------------------------------


def params_of(result):
    return [dict(trial.params) for trial in result.history]


@pytest.mark.parametrize("find", [maximize, minimize])
def test_a_run_in_a_store_goes_on(tmp_path, find):
    where = {"store": tmp_path / "run.db", "name": "tune"}
    assert find(f, BOX, 5, seed=1, **where).nfev == 5
    again = find(f, BOX, 4, seed=1, **where)  # so many more
    assert again.nfev == 9
    whole = find(f, BOX, 9, seed=1)
    assert params_of(again) == params_of(whole)
    assert again.study.name == "tune"
    assert Study.names(tmp_path / "run.db") == ["tune"]
    with pytest.raises(StudyConflict):
        find(f, [(0.0, 2.0), (-2.0, 2.0)], 4, **where)


def test_until_counts_what_a_resumed_study_has(tmp_path):
    store = tmp_path / "run.db"
    assert maximize(f, BOX, until=5, seed=1, store=store).message == "5 trials done"
    assert maximize(f, BOX, until=8, store=store).message == "3 trials done"
    calls = []
    result = maximize(calls.append, BOX, until=8, store=store)
    assert not calls
    assert result.message == "8 evaluations were done already"
    assert result.nfev == 8
    assert result.success
    result.study.add([0.5, 0.5], 1.0)  # what was not evaluated here does not count
    result.study.release(result.study.ask())
    assert result.study.optimize(f, until=10).message == "2 trials done"
    assert params_of(maximize(f, BOX, until=8, seed=1)) == params_of(result)[:8]


def test_until_counts_failed_trials_and_those_of_others(tmp_path):
    study, other = (Study.open(tmp_path / "run.db", "s", space=BOX, seed=1) for _ in range(2))
    study.tell(study.ask(), failed=True)
    other.tell(other.ask(), 1.0)

    def busy(x):
        other.tell(other.ask(), f(x))
        return f(x)

    result = study.optimize(busy, until=7)
    assert result.nfev in (7, 8)  # the other evaluated as many in the meantime
    assert result.message == "3 trials done"


def test_an_exception_in_a_stored_run(tmp_path):
    store = tmp_path / "run.db"
    with pytest.raises(ValueError) as caught:
        maximize(picky, BOX, until=10, seed=0, store=store, name="tune")
    assert "in the store, as 'tune'" in caught.value.__notes__[-1]
    result = maximize(f, BOX, until=10, store=store, name="tune")  # mended, the same call goes on
    assert result.nfev == 10
    assert sorted({trial.status for trial in result.history}) == ["released", "told"]
    assert caught.value.study.seed == result.study.seed


def test_a_stop_rule_that_is_met_already_asks_for_nothing():
    table = [{"t": t} for t in range(12)]
    rule = Regret(0.5)
    first = maximize(lambda p: -abs(p["t"] - 4.0), table, 40, seed=1, stop_when=rule)
    assert first.stopped_by is not None
    before = first.study.trials
    again = first.study.optimize(lambda _: pytest.fail("called"), 20, stop_when=rule)
    assert again.message.startswith("stopped after 0 of 20 trials.")
    assert again.stopped_by == first.stopped_by
    assert again.history == before


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({}, "n_trials= .*or until="),
        ({"n_trials": 3, "until": 5}, "n_trials= .*or until="),
        ({"until": 0}, "until must be"),
        ({"until": 2.5}, "until must be"),
        ({"n_trials": 0}, "n_trials must be"),
        ({"n_trials": 3, "on_error": "ignore"}, "on_error must be"),
        ({"n_trials": 3, "on_error": KeyboardInterrupt}, "on_error must be"),
        ({"n_trials": 3, "on_error": ("fail",)}, "on_error must be"),
        ({"n_trials": 3, "f": 7}, "f must be callable"),
        ({"n_trials": 3, "name": ""}, "name must be"),
    ],
)
def test_arguments_are_checked_before_a_store_is_made(tmp_path, more, says):
    with pytest.raises(InvalidInput, match=says):
        maximize(**{"f": f, "space": BOX, "store": tmp_path / "run.db", **more})
    assert not list(tmp_path.iterdir())


def test_a_name_needs_a_store():
    with pytest.raises(InvalidInput, match="store="):
        maximize(f, BOX, 3, name="tune")


# Ctrl-C ---------------------------------------------------------------------------------------------------------------


def interrupted(at: int):
    count = iter(range(1000))

    def g(x):
        if next(count) == at:
            raise KeyboardInterrupt
        return f(x)

    return g


@pytest.mark.parametrize("at", [0, 3, 9])
def test_ctrl_c_keeps_what_was_found(at):
    result = maximize(interrupted(at), BOX, n_trials=20, seed=0)
    assert result.message == f"interrupted after {at} of 20 trials"
    assert result.nfev == at
    assert [trial.status for trial in result.history] == ["told"] * at + ["released"]
    assert result.success == (at > 0)
    if at:
        assert math.isfinite(result.recommended.mean)
    more = result.study.optimize(f, 5)  # and the study goes on
    assert more.nfev == at + 5
    assert more.history[at].status == "released"


def test_ctrl_c_in_the_callback_counts_the_trial():
    def callback(_study, trial):
        if trial.number == 2:
            raise KeyboardInterrupt

    result = maximize(f, BOX, n_trials=20, seed=0, callback=callback)
    assert result.message == "interrupted after 3 of 20 trials"
    assert [trial.status for trial in result.history] == ["told"] * 3


def test_ctrl_c_while_asking_for_a_batch_leaves_no_orphans(monkeypatch):
    study = Study(BOX, seed=0)
    calls = iter(range(99))

    def interrupted(*arguments):
        if next(calls) == 3:
            raise KeyboardInterrupt
        return suggest(*arguments)

    monkeypatch.setattr(asking, "suggest", interrupted)
    with pytest.raises(KeyboardInterrupt):
        study.ask(6)
    assert len(study) == 0
    monkeypatch.undo()
    assert [t.params for t in study.ask(4)] == [t.params for t in Study(BOX, seed=0).ask(4)]


def test_the_other_arguments_reach_the_study():
    result = maximize(f, BOX, 9, seed=5, rule="ei", n_initial=3, repeats="never", preset="paper")
    assert [trial.source for trial in result.history] == ["design"] * 3 + ["rule"] * 6
    assert result.study.rule.name == "ei"
    assert result.study.seed == 5
    assert result.study.space.repeats == "never"
    assert result.history[-1].hyperparameters["noise_var"] == 1e-4


def test_past_data_are_not_evaluations():
    study = Study(BOX, seed=0)
    study.add([0.3, 1.0], 5.0)
    result = study.optimize(f, 4)
    assert result.nfev == 4
    assert len(result.history) == 5
    assert result.best.source == "added"


def test_silent_where_there_is_no_terminal(capsys):
    maximize(f, BOX, n_trials=4, seed=0)
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""


def test_a_progress_bar_where_asked_for(capsys):
    maximize(f, BOX, n_trials=4, seed=0, progress=True)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "regretless" in captured.err
    assert "4/4" in captured.err
    best = maximize(f, BOX, n_trials=4, seed=0).fun
    assert f"best {best:.6g}" in captured.err


def test_a_progress_bar_before_anything_was_measured(capsys):
    maximize(lambda _: math.nan, BOX, n_trials=3, seed=0, progress=True)
    captured = capsys.readouterr()
    assert "best -" in captured.err


def test_no_progress_bar_where_it_is_turned_off(capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    maximize(f, BOX, n_trials=3, seed=0, progress=False)
    assert capsys.readouterr().err == ""
