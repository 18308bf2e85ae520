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
    # progress, one effect per factor, a map of two of them, a check
    assert html.count("<svg") >= 5
    run("report", "--html", "scope.csv", code=2)
    assert scope.read_text().startswith("solvent")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    run("report", "--html", "plain.html")  # figures need no other package
    plain = (lab / "plain.html").read_text()
    assert plain.count("<svg") == html.count("<svg")
    assert "<img" not in plain
