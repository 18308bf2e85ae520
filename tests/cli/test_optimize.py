"""``optimize``: from a file to a finished study, whatever the function does."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from regretless import Study

SPACE = "[space]\nx = { low = 0.0, high = 1.0 }\nmode = ['a', 'b']\n"
COMMAND = """command = "sh score.sh {x} {mode}"\n"""


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
    run("optimize", config(COMMAND + "budget = 5\nworkers = 2\nseed = 1\n"))
    assert len(trials(lab)) == 5
    assert all(trial.value == trial.params["x"] for trial in trials(lab))
    said = run("optimize", config(COMMAND + "budget = 7\nseed = 1\n"), "--format", "json")
    assert "5 trials so far" in said.stderr
    assert json.loads(said.stdout)["best_measured"]["value"] == max(trial.value for trial in trials(lab))
    assert len(trials(lab)) == 7
    run("optimize", config(COMMAND + "budget = 7\nseed = 1\n"))
    assert len(trials(lab)) == 7
    run("optimize", config(COMMAND + "budget = 7\nseed = 1\ndirection = 'minimize'\n"), code=1)  # another study


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


@pytest.mark.slow
def test_a_function_that_takes_its_process_down(run, lab, config):
    (lab / "model.py").write_text("import os\ndef loss(p):\n    os._exit(3)\n")
    said = run("optimize", config("python = 'model:loss'\nbudget = 6\nworkers = 2\n"), code=1).stderr
    assert "died" in said
    assert sorted(trial.status for trial in trials(lab)) == ["failed", "lost"]


def test_the_stop_rule(run, lab, config):
    said = run("optimize", config(COMMAND + "budget = 40\nseed = 1\nstop = 5.0\n"), code=3)
    assert "You can stop" in said.stdout
    assert 8 <= len(trials(lab)) < 40


def test_patience_is_the_files_and_kept_with_the_study(run, lab, config):
    run("optimize", config(COMMAND + "budget = 40\nseed = 1\nstop = 0.1\npatience = 1\n"), code=3)
    with Study.open(lab / "tune.study.db", "tune") as study:
        assert study.about["stop"]["patience"] == 1
        first = len(study)
    run("optimize", config(COMMAND + "budget = 40\nseed = 1\nstop = 0.1\npatience = 12\nstudy = 'other.db'\n"), code=3)
    with Study.open(lab / "other.db", "tune") as study:
        assert study.about["stop"]["patience"] == 12
        assert len(study) > first
    assert "patience goes with stop" in run("optimize", config(COMMAND + "budget = 4\npatience = 1\n"), code=2).stderr
    run("optimize", config(COMMAND + "budget = 4\nstop = 1\npatience = 0\n"), code=2)


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("exit 3", "exit code 3"),
        ("echo oops >&2; exit 1", "oops"),
        ("echo nan", "no number: 'nan'"),
        ("echo 1e999", "inf"),
        ("echo '81,2'", "no number: '81,2'"),
        ("echo 5; echo", "last with"),
        ("true", "no number: ''"),
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
    assert [trial.status for trial in trials(lab)] == ["failed"] * 3


def test_values_are_quoted(run, lab, config):
    space = "[space]\nx = ['$(touch hacked)', '; touch hacked', \"it's\"]\nn = { low = 1, high = 3 }\n"
    (lab / "score.sh").write_text('echo "$2"\n')
    run("optimize", config("command = 'sh score.sh {x} {n}'\nbudget = 6\nseed = 1\n", space))
    assert not (lab / "hacked").exists()
    assert all(trial.value == trial.params["n"] for trial in trials(lab))


def test_a_command_that_hangs(run, lab, config):
    (lab / "score.sh").write_text("sleep 60")
    start = time.monotonic()
    said = run("optimize", config(COMMAND + "budget = 3\nworkers = 3\ntimeout = 0.3\n"), code=1).stderr
    assert "no result after 0.3 seconds" in said
    assert time.monotonic() - start < 30


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("budget = 3\n", "say what to run"),
        ("command = 'x {x}'\nbudget = 3\n", "does not use {mode}"),
        (COMMAND + "budget = 0\n", "budget must be"),
        (COMMAND, "budget must be"),
        (COMMAND + "budget = 3\nworkers = true\n", "workers must be"),
        (COMMAND + "budgt = 3\n", "Did you mean 'budget'"),
        (COMMAND + "budget = 3\nstop = 'soon'\n", "stop must be"),
        (COMMAND + "budget = 3\ntimeout = -1\n", "timeout must be"),
        (COMMAND + "budget = 3\ndirection = 'up'\n", "direction must be"),
        ("python = 'model.loss'\nbudget = 3\n", "module:function"),
        (COMMAND + "budget = 3\ntable = 'scope.csv'\n", "say what may be tried"),
        ("not toml at all", "cannot be read as TOML"),
    ],
)
def test_bad_files_run_nothing(run, lab, config, text, says):
    assert says in run("optimize", config(text), code=2).stderr
    assert not (lab / "tune.study.db").exists()


def test_interrupt(lab, config):
    """Ctrl-C in a real process: what was told stays, what ran is given up, the program that ran is ended."""
    (lab / "score.sh").write_text('if [ -e slow ]; then echo $$ > pid; exec sleep 300; fi\necho "$1"\n')
    config(COMMAND + "budget = 30\nseed = 1\n")
    command = [sys.executable, "-m", "regretless", "optimize", "tune.toml"]
    child = subprocess.Popen(command, cwd=lab, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not ((lab / "tune.study.db").exists() and len(_told(lab)) >= 2):
        time.sleep(0.05)
    (lab / "slow").touch()
    while time.monotonic() < deadline and not ((lab / "pid").exists() and (lab / "pid").read_text().strip()):
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=30)
    assert child.returncode == 130
    assert "Interrupted" in said
    assert "Traceback" not in said
    done = trials(lab)
    assert [trial.status for trial in done[:-1]] == ["told"] * (len(done) - 1)
    assert done[-1].status == "lost"
    assert _gone(int((lab / "pid").read_text()))
    (lab / "slow").unlink()
    again = subprocess.run([*command], cwd=lab, capture_output=True, text=True, timeout=120, check=False)
    assert again.returncode == 0, again.stderr
    assert sum(trial.status == "told" for trial in trials(lab)) == 30


def _gone(pid):
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def _told(lab):
    try:
        return [trial for trial in trials(lab) if trial.status == "told"]
    except Exception:  # it is being created
        return []
