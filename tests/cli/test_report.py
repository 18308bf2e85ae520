import re
import sys


def test_the_command(run, lab, scope, monkeypatch):
    run("init", "scope.csv", "--objective", "yield", "--seed", 1)
    run("report", "--html", "early.html")
    assert "Nothing was measured yet" in (lab / "early.html").read_text()
    for k in range(6):
        run("suggest")
        run("record", k, k + 0.5)
    run("amend", 0, "--value", 1, "--reason", "a <typo>")
    run("report", "--html", "early.html")  # a report may be replaced
    html = (lab / "early.html").read_text()
    assert "a &lt;typo&gt;" in html
    assert html.count('src="data:image/png;base64,') == 3
    run("report", "--html", "scope.csv", code=2)
    assert scope.read_text().startswith("solvent")
    for module in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    run("report", "--html", "plain.html")
    html = (lab / "plain.html").read_text()
    assert re.search(r"Without figures: .*regretless\[plots\]", html)
    assert "<img" not in html
    assert "eight of ten candidates" in html
