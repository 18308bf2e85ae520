import pytest
from click.testing import CliRunner

from regretless.cli import main
from regretless.problems import measurements


@pytest.fixture
def nothing_here(tmp_path, monkeypatch):
    """Neither a folder nor anything fetched."""
    monkeypatch.delenv(measurements.FOLDER_VARIABLE, raising=False)
    monkeypatch.setattr(measurements, "_cache", lambda: tmp_path / "cache")
    return tmp_path / "cache"


def call(*arguments: str):
    return CliRunner().invoke(main, ["data", *arguments])


def test_list_says_where_each_is(nothing_here, tmp_path, monkeypatch):
    listed = call("list")
    assert listed.exit_code == 0
    assert listed.output.count("not here") == 5
    assert "regretless data fetch" in listed.output
    for name in measurements.table_names():
        (tmp_path / measurements.file_name(name)).write_text("")
    monkeypatch.setenv(measurements.FOLDER_VARIABLE, str(tmp_path))
    listed = call("list")
    assert listed.output.count(str(tmp_path)) == 5
    assert "fetch" not in listed.output


def test_path(nothing_here, tmp_path, monkeypatch):
    missing = call("path", "agnp")
    assert missing.exit_code == 1
    assert "AgNP_dataset.csv is not here" in missing.output
    monkeypatch.setenv(measurements.FOLDER_VARIABLE, str(tmp_path))
    assert "does not exist" in call("path", "agnp").output
    (tmp_path / "AgNP_dataset.csv").write_text("")
    assert call("path", "agnp").output.strip() == str(tmp_path / "AgNP_dataset.csv")
    assert "Known are" in call("path", "steel").output


def test_fetch_all_or_some(nothing_here, monkeypatch):
    fetched = []
    monkeypatch.setattr("regretless.cli.data.fetch", lambda name: fetched.append(name) or f"/cache/{name}")
    assert "/cache/agnp" in call("fetch", "agnp").output
    assert fetched == ["agnp"]
    assert call("fetch").exit_code == 0
    assert fetched[1:] == list(measurements.table_names())
