"""The tutorials as notebooks: made from the pages, valid, and they print in Jupyter what they show."""

import importlib.util
import re
from pathlib import Path

import pytest

from regretless.problems.measurements import missing

nbformat = pytest.importorskip("nbformat")
DOCS = Path(__file__).parents[1] / "docs"
AT_THE_PROMPT = {"tutorial-lab": "perovskite", "tutorial-two-objectives": "crossed-barrel"}


def script(name):
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def printed(cell):
    """What a cell prints, without colours, progress bars and spinners; what is shown without a print does not count."""
    text = "".join(each.text for each in cell.outputs if each.output_type == "stream" and each.name == "stdout")
    lines = re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", text).splitlines()
    return "".join(f"{line}\n" for line in lines if not re.search(r"\[[#-]{10,}\]|[\u2800-\u28ff] ", line))


def check(page, folder, monkeypatch):
    """Run a notebook as Jupyter does, and compare what each cell prints with what it shows."""
    from nbclient import NotebookClient

    monkeypatch.delenv("MPLBACKEND", raising=False)  # figures are shown in the notebook
    shown = nbformat.read(DOCS / "notebooks" / f"{page}.ipynb", as_version=4)
    run = NotebookClient(
        nbformat.from_dict(shown), timeout=None, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    ).execute()
    masked = script("outputs").masked
    for mine, theirs in zip(shown.cells, run.cells, strict=True):
        if mine.cell_type == "code":
            assert masked(printed(theirs)) == masked(printed(mine)), mine.source
            drawn = [out for out in mine.outputs if "image/png" in out.get("data", {})]
            assert len(drawn) == sum("image/png" in out.get("data", {}) for out in theirs.outputs), mine.source


@pytest.mark.parametrize("page", ["tutorial", "tour", *AT_THE_PROMPT])
def test_a_notebook_is_its_page(page):
    kept = (DOCS / "notebooks" / f"{page}.ipynb").read_text(encoding="utf-8")
    assert kept == script("notebooks").notebook_of(page), "run docs/notebooks.py"
    nbformat.validate(nbformat.reads(kept, as_version=4))
    assert f"(notebooks/{page}.ipynb)" in (DOCS / f"{page}.md").read_text(encoding="utf-8")


def test_no_notebook_is_left_over():
    assert {path.stem for path in (DOCS / "notebooks").glob("*.ipynb")} == set(script("notebooks").PAGES)


@pytest.mark.parametrize("page", ["tutorial", pytest.param("tour", marks=pytest.mark.slow)])
def test_it_runs_in_jupyter(page, tmp_path, monkeypatch):
    check(page, tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize(("page", "table"), AT_THE_PROMPT.items())
def test_it_runs_at_the_prompt_of_jupyter(page, table, tmp_path, monkeypatch):
    if missing([table]):
        pytest.skip(f"the table {table} is not here; regretless data fetch gets it")
    monkeypatch.setenv("COLUMNS", "100")
    check(page, tmp_path, monkeypatch)
