import json

import pytest

from regretless.paper import store as store_module
from regretless.paper.experiments import units_of
from regretless.paper.methods import as_methods
from regretless.paper.settings import Settings, read_settings
from regretless.paper.store import Store, code_hash, write_text


@pytest.fixture
def settings():
    return read_settings("synthetic", quick=True)


@pytest.fixture
def units(settings):
    return units_of(settings, as_methods(settings.methods))[0]


def changed(settings: Settings, **change) -> Settings:
    values = {name: getattr(settings, name) for name in Settings.__slots__}
    return Settings(**{**values, **change})


def test_numbers_move_the_folder_and_counts_do_not(tmp_path, settings):
    folder = Store.open(tmp_path, settings).folder
    assert Store.open(tmp_path, changed(settings, runs=99, methods=("ei",))).folder == folder
    assert Store.open(tmp_path, changed(settings, numbers={**settings.numbers, "seed": 2})).folder != folder
    assert Store.open(tmp_path, read_settings("synthetic")).folder != folder
    assert not folder.exists()


def test_code_and_versions_move_the_folder(tmp_path, settings, monkeypatch):
    folder = Store.open(tmp_path, settings).folder
    monkeypatch.setattr(store_module, "code_hash", lambda: "another")
    assert Store.open(tmp_path, settings).folder != folder
    monkeypatch.undo()
    monkeypatch.setattr(store_module.np, "__version__", "0.0")
    assert Store.open(tmp_path, settings).folder != folder


def test_the_hash_is_that_of_what_computes(tmp_path, monkeypatch):
    """Editing the optimizer changes it; editing a figure, or the command line, does not."""
    package = tmp_path / "regretless"
    for name in ("optimizer/suggestion.py", "paper/figures.py", "paper/races.py", "cli/paper.py", "__init__.py"):
        write_text(package / name, "x = 1\n")
    monkeypatch.setattr(store_module.regretless, "__file__", str(package / "__init__.py"))

    def now():
        code_hash.cache_clear()
        return code_hash()

    try:
        before = now()
        for beside in ("paper/figures.py", "cli/paper.py"):
            write_text(package / beside, "x = 2\n")
            assert now() == before
        for inside in ("paper/races.py", "optimizer/suggestion.py"):
            write_text(package / inside, "x = 2\n")
            assert now() != before
            before = now()
    finally:
        code_hash.cache_clear()


def test_what_is_written_is_read(tmp_path, settings, units):
    store = Store.open(tmp_path, settings)
    assert not store.has(units[0])
    store.write(units[0], "t,regret\n1,0.25\n", 1.5)
    store.write(units[1], "t,regret\n1,0.5\n", 2.0)
    assert store.has(units[0])
    assert store.read(units[0])["regret"].tolist() == [0.25]
    assert store.seconds(units) == 3.5
    assert store.seconds(units[:1]) == 1.5
    assert not [path for path in store.folder.rglob("*") if path.name.endswith(".part")]


def test_a_torn_note_of_seconds_is_passed_over(tmp_path, settings, units):
    store = Store.open(tmp_path, settings)
    store.write(units[0], "t,regret\n1,0.25\n", 1.5)
    with (store.folder / "seconds.csv").open("a") as log:
        log.write("gp-sample/ts")
    assert store.seconds(units) == 1.5


def test_a_manifest_that_says_something_else_does_not_match(tmp_path, settings, units):
    store = Store.open(tmp_path, settings)
    assert not store.matches()
    manifest = store.write_manifest(settings, units)
    assert store.matches()
    assert manifest["finished"] == 0
    assert manifest["units"] == len(units)
    assert manifest["settings"]["left open by the paper"]
    content = json.loads((store.folder / "manifest.json").read_text())
    content["identity"]["numbers"]["seed"] = 17
    (store.folder / "manifest.json").write_text(json.dumps(content))
    assert not store.matches()
    (store.folder / "manifest.json").write_text("{")
    assert not store.matches()
