"""What notebooks show: fragments without script, escaped, and cheap; a bar that needs nothing installed."""

import sys
import types
from html.parser import HTMLParser

import pytest

from regretless import Study, maximize
from regretless.study.progress import Now, progress_bar

XSS = '<script>alert(1)</script><img src=x onerror="alert(2)">'


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen, self.open = set(), []

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        assert not [name for name, _ in attrs if name.startswith("on") or name in ("href", "src")]
        if tag not in ("br", "path", "rect", "circle"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in ("path", "rect", "circle"):
            assert self.open.pop() == tag


def check(html: str) -> None:
    parser = Tags()
    parser.feed(html)
    assert not parser.open
    assert not parser.seen & {"script", "img", "iframe", "style", "link"}


@pytest.fixture(scope="module")
def study():
    made = Study([{XSS: text, "T": T} for text in (XSS, "b") for T in range(5)], objective=XSS, seed=1)
    for _ in range(9):
        trial = made.ask()
        made.tell(trial, float(trial.params["T"]))
    made.ask()
    return made


def test_a_study_is_shown_without_a_fit(study, monkeypatch):
    monkeypatch.setattr(Study, "certificate", None)
    monkeypatch.setattr(Study, "predict", None)
    html = study._repr_html_()
    check(html)
    assert "9 measured" in html
    assert "&lt;script&gt;" in html


def test_empty_and_several(study):
    check(Study({"x": (0.0, 1.0)})._repr_html_())
    several = Study([{"t": t} for t in range(5)], objectives={"a": "maximize", "b": "minimize"}, seed=1)
    for _ in range(4):
        trial = several.ask()
        several.tell(trial, {"a": trial.params["t"], "b": trial.params["t"] ** 2})
    check(several._repr_html_())
    check(several.certificate()._repr_html_())


def test_trials_certificates_and_results(study):
    check(study.trials[0]._repr_html_())
    check(study.trials[-1]._repr_html_())
    left = study.certificate(0.5, draws=64)
    html = left._repr_html_()
    check(html)
    assert "best with probability" in html
    assert "P(regret &gt; 0.5)" in html
    result = maximize(lambda p: -((p["x"] - 0.3) ** 2), {"x": (0.0, 1.0)}, 6, seed=1)
    check(result._repr_html_())
    assert "6 trials done" in result._repr_html_()


def test_the_repr_stays(study):
    assert repr(study).startswith("Study(")
    assert repr(study.trials[0]).startswith("Trial(")


@pytest.fixture
def notebook(monkeypatch):
    """An IPython that notes what it shows; a kernel is at the other end."""
    shown = []

    class Handle:
        def update(self, bar):
            shown.append(bar._repr_html_())

    def display(bar, display_id):
        assert display_id
        shown.append(bar._repr_html_())
        return Handle()

    ipython, displays = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    ipython.get_ipython, displays.display = lambda: types.SimpleNamespace(kernel=object()), display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", displays)
    return shown


def test_the_bar_of_a_notebook_moves(notebook):
    maximize(lambda p: p["x"], {"x": (0.0, 1.0)}, 3, seed=1)
    assert notebook[0].startswith('<progress value="0" max="3">')
    assert notebook[-1].startswith('<progress value="3" max="3">')
    for html in notebook:
        check(html)


def test_no_bar_where_none_is_wanted(notebook):
    with progress_bar(3, show=False) as report:
        report(Now(1))
    assert notebook == []
