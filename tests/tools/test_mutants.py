"""The mutants that are drawn, and what is said about them."""

import ast
from pathlib import Path

import pytest
from tools.mutants.__main__ import report, sample, sources, wilson
from tools.mutants.covering import Covering, _in_junit
from tools.mutants.operators import Mutant, mutants
from tools.mutants.trial import alive, tried


def changed(source: str, operator: str) -> list[str]:
    """The texts of the mutants of one operator."""
    return [mutant.applied(source) for mutant in mutants("m.py", source) if mutant.operator == operator]


@pytest.mark.parametrize(
    ("operator", "source", "expected"),
    [
        ("boundary", "a < b <= c", ["a <= b <= c", "a < b < c"]),
        ("comparison", "a is not b", ["a is b"]),
        ("comparison", "a < b", ["a >= b"]),
        ("arithmetic", "(a + b) * c", ["(a - b) * c", "(a + b) / c"]),
        ("arithmetic", "a **= 2", ["a *= 2"]),
        ("boolean", "a and b and c", ["a or b and c", "a and b or c"]),
        ("not removed", "not a", ["bool(a)"]),
        ("sign removed", "-a", ["(a)"]),
        ("constant", "f(1, 0.5, 0.0, True)", ["f(2, 0.5, 0.0, True)", "f(1, 1.0, 0.0, True)", "f(1, 0.5, 1.0, True)",
                                              "f(1, 0.5, 0.0, False)"]),
        ("default", "def f(a=1): return 2", ["def f(a=2): return 2"]),
        ("swapped", "f(a, b, c)", ["f(b, a, c)"]),
        ("keyword removed", "f(a=1, b=2)", ["f( b=2)", "f(a=1, )"]),
        ("condition", "if a: b", ["if (not (a)): b"]),
        ("condition", "[a for a in b if c(a)]", ["[a for a in b if (not (c(a)))]"]),
        ("statement removed", "f(a)", ["pass"]),
        ("statement removed", "a.b = 1", ["pass"]),
        ("raise removed", "raise E(f'{a + 1}')", ["pass"]),
        ("break", "while a: break", ["while a: continue"]),
    ],
)  # fmt: skip
def test_what_is_changed(operator, source, expected):
    assert changed(source, operator) == expected


@pytest.mark.parametrize(
    "source", ["'text'", "x = f'{a}' + 'b'", "x: int | None", "raise E(1 + 2)", "a = b", "@d(a=1)\nclass C: pass"]
)
def test_what_is_left_alone(source):
    assert not [m for m in mutants("m.py", source) if m.operator != "raise removed"]


def test_every_mutant_of_the_package_is_another_program_with_lines_where_they_were():
    for module, source in sources(["acquisition"]).items():
        tree = ast.dump(ast.parse(source))
        for mutant in mutants(module, source)[::50]:
            text = mutant.applied(source)
            assert ast.dump(ast.parse(text)) != tree, mutant.shown(source)
            assert text.count("\n") == source.count("\n")


def test_a_default_is_tested_by_what_runs_the_function():
    source = "def f(a=1):\n    b = a\n    return b\n"
    (mutant,) = [m for m in mutants("m.py", source) if m.operator == "default"]
    assert mutant.lines == (2, 3)


def test_a_part_is_tested_by_what_runs_its_statement_and_not_by_its_body():
    source = "if (a and\n    b):\n    c = f(\n        1)\n"
    assert {m.operator: m.lines for m in mutants("m.py", source)} == {"boolean": (1, 2), "constant": (3, 4)}


def test_a_sample_has_one_of_each_stretch_and_the_seed_decides_which():
    every = mutants("m.py", "\n".join(f"a{i} + 1" for i in range(100)))
    drawn = sample(every, 20, seed=1)
    assert sorted(every.index(m) * 20 // len(every) for m in drawn) == list(range(20))
    assert drawn == sample(every, 20, seed=1) != sample(every, 20, seed=2)
    assert set(sample(every, 10**6, seed=1)) == set(every)


def test_tests_that_run_the_line_are_tried_the_near_and_cheap_ones_first():
    module = "src/regretless/gp/fit.py"
    near, far, dear, other = (
        "tests/gp/test_fit.py::a",
        "tests/lab/test_b.py::b",
        "tests/gp/test_c.py::c",
        "tests/x.py::d",
    )
    covering = Covering(
        {module: {1: [near, far, dear], 2: [other], 8: []}}, {near: 2.0, far: 1.0, dear: 50.0, other: 1.0}
    )
    mutant = Mutant(module, "constant", 1, 0, 1, "2", (1,))
    assert covering.of(mutant, budget=60.0) == [near, far, dear]
    assert covering.of(mutant, budget=10.0) == [near, far]
    at_import, never = (Mutant(module, "constant", line, 0, 1, "2", (line,)) for line in (8, 9))
    assert set(covering.of(at_import, budget=60.0)) == {near, far, dear, other}
    assert covering.of(never, budget=60.0) == []


def test_a_test_is_found_again_in_the_report_of_durations():
    assert _in_junit("tests/gp/test_fit.py::Test::test_it[a.b]") == "tests.gp.test_fit.Test.test_it[a.b]"


def test_verdicts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """In a small tree: a mistake that the test notices, and one that it does not."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    source = "def f(a, b):\n    return a + max(b, 0)\n"
    (tmp_path / "small.py").write_text(source)
    (tmp_path / "test_small.py").write_text("from small import f\ndef test_f():\n    assert f(1, 2) == 3\n")
    verdicts = {}
    for mutant in mutants("small.py", source):
        verdict, by, _ = tried(mutant, ["test_small.py::test_f"], tmp_path, seconds=1.0)
        verdicts[mutant.operator] = (verdict, by)
        assert (tmp_path / "small.py").read_text() == source
    noticed = ("killed", "test_small.py::test_f")
    assert verdicts == {"arithmetic": noticed, "swapped": ("survived", ""), "constant": ("survived", "")}
    assert tried(mutant, [], tmp_path, seconds=1.0)[0] == "no test"
    alive("small.py", ["test_small.py::test_f"], tmp_path)
    (tmp_path / "test_small.py").write_text("def test_f():\n    assert False\n")
    with pytest.raises(RuntimeError, match="test_f fails in a copy of the tree as it is"):
        alive("small.py", ["test_small.py::test_f"], tmp_path)


def test_the_share_has_its_interval_and_survivors_are_shown():
    assert wilson(85, 100) == pytest.approx((0.7672, 0.9069), abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)
    source = "b = a + 1\n"
    one, two = mutants("src/regretless/gp/m.py", source)
    fields = [{name: getattr(mutant, name) for name in Mutant.__slots__} for mutant in (one, two)]
    verdicts = [{**fields[0], "verdict": "timeout", "tests": 3}, {**fields[1], "verdict": "survived", "tests": 4}]
    said = report(verdicts, {"src/regretless/gp/m.py": source})
    assert "| gp | 2 | 1 | 50.0% | 9% to 91% |" in said
    assert "survived, 4 tests: src/regretless/gp/m.py:1  constant: 1  ->  2" in said
