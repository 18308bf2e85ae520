"""``optimize``: from a file to a finished study, whatever the function does."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from regretless import Study
from regretless.errors import StoreFull

from .bench import heed_signals

SPACE = "[space]\nx = { low = 0.0, high = 1.0 }\nmode = ['a', 'b']\n"
COMMAND = """command = ["sh", "score.sh", "{x}", "{mode}"]\n"""
LINE = """command = "sh score.sh {x} {mode}"\n"""


@pytest.fixture
def config(lab):
    (lab / "score.sh").write_text('echo working on "$1" "$2"\necho "$1"\n')

    def write(text, space=SPACE):
        (lab / "tune.toml").write_text(text + space)
        return "tune.toml"

    return write


def trials(lab):
    with Study.open(lab / "tune.study.db", "tune") as study:
        return study.trials


def test_a_command_and_going_on(run, lab, config):
    said = run("optimize", config(COMMAND + "budget = 5\nworkers = 2\nseed = 1\n"))
    assert ".study.db" in said.stdout  # where to find it again
    assert 'Say how much is worth it with stop = "1%" in tune.toml.' in " ".join(said.stdout.split())
    assert len(trials(lab)) == 5
    assert all(trial.value == trial.params["x"] for trial in trials(lab))
    said = run("optimize", config(COMMAND + "budget = 7\nseed = 1\n"), "--format", "json")
    assert "5 trials so far" in said.stderr
    assert json.loads(said.stdout)["best_measured"]["value"] == max(trial.value for trial in trials(lab))
    assert len(trials(lab)) == 7
    run("optimize", config(COMMAND + "budget = 7\nseed = 1\n"))
    assert len(trials(lab)) == 7
    run("optimize", config(COMMAND + "budget = 7\nseed = 1\ndirection = 'minimize'\n"), code=1)  # another study


def test_a_table_that_grows(run, lab, config):
    """The file of a table got a row: the message says extend, and after that the run goes on."""
    table = lab / "tab.csv"
    table.write_text("name;T\nA;20,5\nB;30\nC;40\n")
    text = 'command = ["echo", "{T}"]\ntable = { file = "tab.csv", id = "name" }\n'
    assert "name C (T=40)" in run("optimize", config(text + "budget = 3\nseed = 1\n", "")).stdout
    table.write_text(table.read_text() + "D;50\n")
    said = run("optimize", config(text + "budget = 5\nseed = 1\n", ""), code=1).stderr
    assert "begin another study with study =" in said
    assert "use extend first" in said
    assert "1 experiment" in run("extend", "tab.csv").stderr
    assert "name D (T=50)" in run("optimize", config(text + "budget = 5\nseed = 1\n", "")).stdout
    assert "20,5" in run("export").stdout  # written as the table was


def test_one_worker_asks_as_python_does(run, lab, config):
    run("optimize", config(COMMAND + "budget = 8\nseed = 4\n"))
    twin = Study({"x": (0.0, 1.0), "mode": ["a", "b"]}, seed=4)
    for trial in trials(lab):
        asked = twin.ask()
        assert dict(asked.params) == dict(trial.params)
        twin.tell(asked, trial.value)


@pytest.mark.slow
def test_a_python_function_on_two_processes(run, lab, config):
    (lab / "model.py").write_text("def loss(p):\n    return (p['x'] - 0.3) ** 2\n")
    run("optimize", config("python = 'model:loss'\nbudget = 6\nworkers = 2\ndirection = 'minimize'\nseed = 1\n"))
    assert sorted(trial.number for trial in trials(lab)) == list(range(6))
    assert all(trial.value == (trial.params["x"] - 0.3) ** 2 for trial in trials(lab))


def test_a_line_for_the_shell(run, lab, config):
    run("optimize", config(LINE + "budget = 3\nseed = 1\n"))
    assert all(trial.value == trial.params["x"] for trial in trials(lab))


def test_a_function_that_takes_its_process_down(run, lab, config):
    """Each trial is repeated once; when the first three have failed, something is wrong with the function."""
    (lab / "model.py").write_text("import os\ndef loss(p):\n    open('n', 'a').write('x')\n    os._exit(3)\n")
    said = run("optimize", config("python = 'model:loss'\nbudget = 6\n"), code=1).stderr
    assert "its worker died 2 times: the process of the function died (exit code 3)" in said
    assert [trial.status for trial in trials(lab)] == ["released"] * 3
    assert (lab / "n").read_text() == "x" * 6


PICKY = """
import os
def loss(p):
    if p["x"] > 0.6 and os.path.exists("bug"):
        raise ValueError("too hot")
    return p["x"]
"""


def test_an_exception_of_a_function_ends_the_run_and_loses_nothing(run, lab, config):
    (lab / "model.py").write_text(PICKY)
    (lab / "bug").touch()
    text = "python = 'model:loss'\nbudget = 8\nseed = 1\n"
    said = run("optimize", config(text), code=1).stderr
    assert "ValueError: too hot (model.py, line 5)" in said
    assert [trial.status for trial in trials(lab)][-1] == "released"
    assert {trial.status for trial in trials(lab)[:-1]} <= {"told"}
    (lab / "bug").unlink()
    run("optimize", config(text))
    assert [trial.status for trial in trials(lab)].count("told") == 8
    assert not any(trial.status == "failed" for trial in trials(lab))


def test_an_exception_of_a_function_is_a_failed_trial_if_the_file_says_so(run, lab, config):
    (lab / "model.py").write_text(PICKY)
    (lab / "bug").touch()
    said = run("optimize", config("python = 'model:loss'\nbudget = 8\nseed = 1\non_error = 'fail'\n")).stderr
    assert said.count("too hot") == sum(trial.status == "failed" for trial in trials(lab)) > 0
    assert all((trial.status == "failed") == (trial.params["x"] > 0.6) for trial in trials(lab))
    assert len(trials(lab)) == 8


def test_an_exit_code_ends_the_run_if_the_file_says_so(run, lab, config):
    (lab / "score.sh").write_text('[ "$2" = a ] || exit 4\necho "$1"\n')
    said = run("optimize", config(COMMAND + "budget = 8\nseed = 1\non_error = 'raise'\n"), code=1).stderr
    assert "exit code 4" in said
    assert {trial.status for trial in trials(lab)} <= {"told", "released"}


def test_failures_before_the_first_success_are_failed_once_there_is_one(run, lab, config):
    (lab / "score.sh").write_text(
        'n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) > n\n[ $n -ge 2 ] || exit 1\necho "$1"\n'
    )
    run("optimize", config(COMMAND + "budget = 4\nseed = 1\n"))
    assert [trial.status for trial in trials(lab)] == ["failed", "failed", "told", "told"]


def test_fewer_failures_than_it_takes_to_give_up(run, lab, config):
    (lab / "score.sh").write_text("exit 1")
    assert "first 2 evaluations failed" in run("optimize", config(COMMAND + "budget = 2\n"), code=1).stderr
    assert [trial.status for trial in trials(lab)] == ["released", "released"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("python = 'model:loss'\n", "model:loss cannot be called: ModuleNotFoundError"),
        ("python = 'found:loss'\n", "loss is not there. Did you mean 'lost'"),
        ("command = ['./simulate', '{x}', '{mode}']\n", "is not there"),
        ("command = ['./score.sh', '{x}', '{mode}']\n", "may not be executed"),
        ("command = ['no-such-program-anywhere', '{x}', '{mode}']\n", "on the PATH"),
        ("command = 'no-such-program-anywhere {x} {mode}'\n", "knows no command"),
        ("command = 'echo {x} {mode} |'\n", "the shell cannot read"),
        ("command = 'echo \"{x}\" {mode}'\n", "stands in quotes"),
        ("command = ['echo', '{x}', '{mod}']\n", "no such parameter"),
    ],
)
def test_what_could_never_be_evaluated_burns_no_trial(run, lab, config, text, says):
    (lab / "found.py").write_text("def lost(p):\n    return 1.0\n")
    assert says in run("optimize", config(text + "budget = 3\n"), code=2).stderr
    assert not (lab / "tune.study.db").exists()


def test_a_program_that_vanishes_burns_no_trial(run, lab, config):
    (lab / "inner.sh").write_text('#!/bin/sh\n[ $(cat n | wc -l) -lt 3 ] || exit 127\necho >> n\necho "$1"\n')
    (lab / "inner.sh").chmod(0o755)
    (lab / "n").touch()
    said = run("optimize", config("command = ['./inner.sh', '{x}', '{mode}']\nbudget = 9\n"), code=1).stderr
    assert "exit code 127" in said
    assert [trial.status for trial in trials(lab)] == ["told"] * 3 + ["released"]


def test_nothing_left_to_try(run, lab, config):
    (lab / "scope.csv").write_text("x,mode\n" + "".join(f"{i},{m}\n" for i in range(3) for m in "ab"))
    text = COMMAND + "table = 'scope.csv'\nworkers = 4\nseed = 1\n"
    run("optimize", config(text + "budget = 4\n", space=""))
    before = trials(lab)
    with Study.open(lab / "tune.study.db", "tune") as study:
        for row in study.space.ids:
            study.exclude_row(row, "out of stock")
    said = run("optimize", config(text + "budget = 40\n", space="")).stderr
    assert "Nothing is left to try after 4 of 40 evaluations" in said
    assert trials(lab) == before


def test_the_stop_rule(run, lab, config):
    said = run("optimize", config(COMMAND + "budget = 40\nseed = 1\nstop = 5.0\n"), code=3)
    assert "You can stop" in said.stdout
    assert 8 <= len(trials(lab)) < 40
    before = trials(lab)
    run("optimize", config(COMMAND + "budget = 40\nseed = 1\nstop = 5.0\n"), code=3)
    assert trials(lab) == before  # the rule is met already: nothing more is asked for


def test_the_range_of_the_file_is_kept_with_the_study(run, lab, config):
    said = run("optimize", config(COMMAND + "budget = 9\nseed = 1\nrange = [-inf, 1]\nobjective = 'x [%]'\n")).stdout
    with Study.open(lab / "tune.study.db", "tune") as study:
        assert study.limits == (None, 1.0)
    assert "Limits         at most 1\n" in said
    assert "percentage points of x" in said
    assert "limits" in run("optimize", config(COMMAND + "budget = 4\nrange = [2, 1]\n"), code=2).stderr


def test_patience_is_the_files_and_kept_with_the_study(run, lab, config):
    run("optimize", config(COMMAND + "budget = 40\nseed = 1\nstop = 0.1\npatience = 1\n"), code=3)
    with Study.open(lab / "tune.study.db", "tune") as study:
        assert study.metadata["stop"]["patience"] == 1
        first = len(study)
    run("optimize", config(COMMAND + "budget = 40\nseed = 1\nstop = 0.1\npatience = 12\nstudy = 'other.db'\n"), code=3)
    with Study.open(lab / "other.db", "tune") as study:
        assert study.metadata["stop"]["patience"] == 12
        assert len(study) > first
    assert "patience goes with stop" in run("optimize", config(COMMAND + "budget = 4\npatience = 1\n"), code=2).stderr
    run("optimize", config(COMMAND + "budget = 4\nstop = 1\npatience = 0\n"), code=2)


def test_a_stop_rule_that_changed_in_the_file_is_said_to_be_another(run, lab, config):
    """The run goes by the file; what was kept when the study was made is what status and report advise by."""
    text = COMMAND + "budget = 4\nseed = 1\n"
    note = "This run goes by the stop rule of the file; status and report by the one the study was made with."
    assert note not in run("optimize", config(text + "stop = 0.1\npatience = 2\n")).stderr
    assert note not in run("optimize", config(text + "stop = 0.1\npatience = 2\n")).stderr
    for other in ("stop = 0.1\n", "stop = 0.2\npatience = 2\n", ""):
        assert note in run("optimize", config(text + other)).stderr


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("exit 3", "exit code 3"),
        ("echo oops >&2; exit 1", "oops"),
        ("echo nan", "the value is nan"),
        ("echo 1e999", "inf"),
        ("echo '81,2'", "not a number: '81,2'"),
        ("echo 5; echo", "last with"),
        ("true", "not a number: ''"),
    ],
)
def test_a_function_that_never_works(run, lab, config, script, says):
    if says == "last with":  # the last line that is not empty counts
        (lab / "score.sh").write_text(script)
        run("optimize", config(COMMAND + "budget = 2\n"))
        assert [trial.value for trial in trials(lab)] == [5.0, 5.0]
        return
    (lab / "score.sh").write_text(script)
    said = run("optimize", config(COMMAND + "budget = 9\n"), code=1).stderr
    assert says in said
    assert [trial.status for trial in trials(lab)] == [
        "released"
    ] * 3  # something is wrong with the program, not with them


@pytest.mark.parametrize("command", ["['sh', 'score.sh', '{a}', '{b}']", "'sh score.sh {a} {b}'"])
def test_values_reach_the_program_as_they_are(run, lab, config, command):
    odd = ["$(touch hacked)", "; touch hacked", "it's", "{b}", '"', "`touch hacked`", "-rf", "a\nb", "é \\"]
    space = f"[space]\na = {json.dumps(odd)}\nb = {json.dumps(odd)}\n"
    (lab / "score.sh").write_text('printf "%s\\0%s\\0" "$1" "$2" >> seen\necho 1\n')
    run("optimize", config(f"command = {command}\nbudget = 9\nseed = 1\n", space))
    assert not (lab / "hacked").exists()
    seen = (lab / "seen").read_text().split("\0")[:-1]
    assert seen == [value for trial in trials(lab) for value in (trial.params["a"], trial.params["b"])]


def test_a_command_that_hangs(run, lab, config):
    (lab / "score.sh").write_text("sleep 60; touch over")
    said = run("optimize", config(COMMAND + "budget = 3\nworkers = 3\ntimeout = 0.3\n"), code=1).stderr
    assert "no result after 0.3 seconds" in said
    assert not (lab / "over").exists()  # nobody waited for it


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("budget = 3\n", "say what to run"),
        ("command = 'x {x}'\nbudget = 3\n", "does not use {mode}"),
        (COMMAND + "budget = 0\n", "budget must be"),
        (COMMAND, "budget is missing"),
        (COMMAND + "budget = 3\nworkers = true\n", "workers must be"),
        (COMMAND + "budgt = 3\n", "Did you mean 'budget'"),
        (COMMAND + "budget = 3\nstop = 'soon'\n", "stop must be"),
        (COMMAND + "budget = 3\ntimeout = -1\n", "timeout must be"),
        (COMMAND + "budget = 3\ntimeout = nan\n", "timeout must be finite"),
        (COMMAND + "budget = 3\ntimeout = true\n", "timeout must be"),
        (COMMAND + "budget = 3\non_error = 'ignore'\n", "on_error must be one of"),
        (COMMAND + "budget = 3\ndirection = 'up'\n", "direction must be"),
        ("python = 'model.loss'\nbudget = 3\n", "module:function"),
        (COMMAND + "budget = 3\ntable = 'scope.csv'\n", "say what may be tried"),
        ("not toml at all", "cannot be read as TOML"),
    ],
)
def test_bad_files_run_nothing(run, lab, config, text, says):
    assert says in run("optimize", config(text), code=2).stderr
    assert not (lab / "tune.study.db").exists()


STUBBORN = """
echo >> n
if [ $(wc -l < n) -gt 2 ] && [ ! -e go ]; then
    trap '' TERM
    sleep 300 &
    echo $$ $! > pids
    while true; do sleep 1; done
fi
echo "$1"
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupt(lab, config, number):
    """Ctrl-C in a real process: what was told stays, what ran is released, and nothing of it is left running."""
    (lab / "score.sh").write_text(STUBBORN)
    config(COMMAND + "budget = 5\nseed = 1\n")
    command = [sys.executable, "-m", "regretless", "optimize", "tune.toml"]
    pipes = {"stderr": subprocess.PIPE, "stdout": subprocess.DEVNULL, "text": True}
    child = subprocess.Popen(command, cwd=lab, preexec_fn=heed_signals, **pipes)
    while child.poll() is None and not ((lab / "pids").exists() and (lab / "pids").read_text().strip()):
        time.sleep(0.05)
    child.send_signal(number)
    time.sleep(0.1)
    child.send_signal(number)  # impatience does no harm
    _, said = child.communicate(timeout=600)
    assert child.returncode == 130
    assert "Interrupted" in said
    assert "Traceback" not in said
    assert [trial.status for trial in trials(lab)] == ["told", "told", "released"]
    assert all(_gone(int(pid)) for pid in (lab / "pids").read_text().split())
    if number != signal.SIGINT:
        return
    (lab / "go").touch()
    again = subprocess.run([*command], cwd=lab, capture_output=True, text=True, timeout=600, check=False)
    assert again.returncode == 0, again.stderr
    assert sum(trial.status == "told" for trial in trials(lab)) == 5


def _gone(pid):
    for _ in range(2400):  # a busy machine buries its dead late
        try:
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True  # dead, and nobody waits for it
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.05)
    return False


def test_a_value_that_cannot_be_stored_is_said(run, lab, config, monkeypatch):
    """The store is full: the value was paid for, so it is printed, and the trial may be told by hand."""

    def full(*_, **__):
        raise StoreFull("there is no room.")

    monkeypatch.setattr(Study, "tell", full)
    (lab / "score.sh").write_text("echo 81.25\n")
    said = run("optimize", config(COMMAND + "budget = 3\nseed = 1\n"), code=1).stderr
    assert "Trial 0 gave 81.25, which could not be stored; tell it later." in said
    assert "there is no room." in said
    monkeypatch.undo()
    monkeypatch.chdir(lab)
    assert [trial.status for trial in trials(lab)] == ["released"]


@pytest.mark.parametrize(("on_error", "statuses"), [("raise", ["told", "released"]), ("fail", ["told", "failed"])])
def test_what_runs_beside_an_error_is_finished(run, lab, config, on_error, statuses):
    """Two at a time: the first has a value only after the second broke off."""
    (lab / "score.sh").write_text(
        'mkdir first 2>/dev/null || { touch broke; exit 4; }\nwhile [ ! -e broke ]; do sleep 0.05; done\necho "$1"\n'
    )
    text = COMMAND + f"budget = 2\nworkers = 2\nseed = 1\non_error = '{on_error}'\n"
    run("optimize", config(text), code=1 if on_error == "raise" else 0)
    assert sorted(trial.status for trial in trials(lab)) == sorted(statuses)
