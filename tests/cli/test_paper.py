from pathlib import Path

import pytest
from click.testing import CliRunner

from regretless.cli import main
from regretless.paper import EXPERIMENTS


def call(*arguments: str):
    jobs = () if "--jobs" in arguments else ("--jobs", "1")
    return CliRunner().invoke(main, ["paper", *arguments, *jobs])


def test_list_names_every_experiment():
    listed = call("--list")
    assert listed.exit_code == 0
    assert [line.split()[0] for line in listed.output.splitlines()] == list(EXPERIMENTS)


def test_a_run_says_what_it_found_and_where(tmp_path):
    done = call("confidence", "--quick", "--out", str(tmp_path))
    assert done.exit_code == 0, done.output
    assert "2 holds, 2 does not hold" in done.output
    assert f"report: {tmp_path / 'report.html'}" in done.output
    assert (tmp_path / "figures" / "confidence.png").exists()


@pytest.mark.parametrize(("quick", "folder"), [(("--quick",), "out/paper-quick"), ((), "out/paper")])
def test_where_it_goes_by_default(tmp_path, monkeypatch, quick, folder):
    monkeypatch.chdir(tmp_path)
    assert call("confidence", *quick).exit_code == 0
    assert (tmp_path / folder / "report.html").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("alchemy",), "no experiment is called 'alchemy'"),
        (("confidence", "--jobs", "0"), "--jobs"),
        (("synthetic", "--quick", "--rule", "nowhere:Nothing"), "cannot be made"),
    ],
)
def test_mistakes_get_a_sentence(arguments, says, tmp_path):
    failed = call(*arguments, "--out", str(tmp_path))
    assert failed.exit_code != 0
    assert says in failed.output
    assert "Traceback" not in failed.output


def test_a_rule_in_the_current_folder_is_found(tmp_path, monkeypatch):
    example = Path(__file__).parents[2] / "examples" / "own_rule.py"
    (tmp_path / "own_rule_copy.py").write_text(example.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", ["/nowhere", *__import__("sys").path])  # restored afterwards
    done = call("synthetic", "--quick", "--rule", "own_rule_copy:Annealed")
    assert done.exit_code == 0, done.output
    header = (tmp_path / "out/paper-quick/curves/synthetic-gp-sample-simple.csv").read_text().splitlines()[0]
    assert "annealed mean" in header
