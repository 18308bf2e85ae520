"""What the file of ``optimize`` says about parameters, against the same words in Python."""

import pytest

from regretless.cli._config import read_config
from regretless.errors import InvalidInput
from regretless.spaces import Table, as_space


@pytest.fixture
def space_of(tmp_path):
    def read(entry):
        path = tmp_path / "tune.toml"
        path.write_text(f'python = "module:function"\nbudget = 3\n[space]\np = {entry}\n')
        return read_config(str(path)).space

    return read


@pytest.mark.parametrize(
    ("entry", "meant"),
    [
        ('[1e-5, 0.1, "log"]', (1e-5, 0.1, "log")),
        ("{ low = 1e-5, high = 0.1, log = true }", (1e-5, 0.1, "log")),
        ('[1, 64, "log"]', (1, 64, "log")),
        ("{ low = 0.0, high = 1.0 }", (0.0, 1.0)),
        ("{ low = 1, high = 6 }", (1, 6)),
        ("[0.0, 1.0, 0.25]", [0.0, 0.25, 1.0]),
        ('["log", "linear"]', ["log", "linear"]),
        ("5", 5),
    ],
)
def test_a_parameter_means_in_toml_what_it_means_in_python(space_of, entry, meant):
    assert space_of(entry) == as_space({"p": meant})


@pytest.fixture
def table_of(tmp_path):
    def read(entry, data):
        (tmp_path / "scope.csv").write_text(data)
        (tmp_path / "tune.toml").write_text(f'python = "module:function"\nbudget = 3\ntable = {entry}\n')
        return read_config(str(tmp_path / "tune.toml")).space

    return read


def test_a_table_is_read_as_in_python(table_of, tmp_path):
    data = "sample;notes;T;kind\nA1;;1,5;1\nA2;x;2,5;2\n"
    with pytest.raises(InvalidInput, match=r'use table = \{ file = ..., ignore = "notes" \} to leave'):
        table_of('"scope.csv"', data)
    told = '{ file = "scope.csv", id = "sample", ignore = ["notes"], categorical = "kind", decimal = "," }'
    found = table_of(told, data)
    assert found == Table.from_csv(
        tmp_path / "scope.csv", id="sample", ignore="notes", categorical="kind", decimal=",", repeats=found.repeats
    )
    assert table_of('"scope.csv"', "T\n1\n2\n").ids == (2, 3)


@pytest.mark.parametrize(
    "entry",
    [
        "3",
        '{ ignore = "notes" }',
        '{ file = "scope.csv", ignored = "x" }',
        '{ file = "scope.csv", id = 3 }',
        '{ file = "scope.csv", ignore = [["x"]] }',
    ],
)
def test_other_tables_are_refused(table_of, entry):
    with pytest.raises(InvalidInput, match="table must be a file"):
        table_of(entry, "T\n1\n2\n")


def test_a_log_scale_that_starts_at_zero_is_refused(space_of):
    with pytest.raises(InvalidInput, match="p"):
        space_of('[0.0, 0.1, "log"]')


@pytest.mark.parametrize("setting", ['direction = "minimize"', "budget = 40", "timeout = 5", 'stop = "1%"'])
def test_a_setting_below_the_space_is_no_parameter(tmp_path, setting):
    """TOML takes it for an entry of [space]; as a parameter that never varies nobody would notice it."""
    path = tmp_path / "tune.toml"
    path.write_text(f'python = "module:function"\nbudget = 3\n[space]\np = [1, 2]\n{setting}\n')
    with pytest.raises(InvalidInput, match=r"stands below \[space\].* Move it above"):
        read_config(str(path))


def test_a_parameter_that_is_called_as_a_setting_is(tmp_path):
    path = tmp_path / "tune.toml"
    path.write_text('command = ["prog", "{seed}", "{p}"]\nbudget = 3\n[space]\np = [1, 2]\nseed = 7\n')
    assert read_config(str(path)).space == as_space({"p": [1, 2], "seed": 7})
    path.write_text('python = "module:function"\nbudget = 3\n[space]\np = [1, 2]\nseed = [7]\n')
    assert "seed" in read_config(str(path)).space.names


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('python = "model.py:loss"\nbudget = 3\n[space]\np = [1, 2]\n', 'a module, not a file: "model:loss"'),
        ('python = "lib/model:loss"\nbudget = 3\n[space]\np = [1, 2]\n', 'a module, not a file: "model:loss"'),
        ('python = "model:loss"\n[space]\np = [1, 2]\n', "budget is missing.*such as budget = 40"),
    ],
)
def test_what_is_missing_or_misnamed_is_said(tmp_path, text, says):
    path = tmp_path / "tune.toml"
    path.write_text(text)
    with pytest.raises(InvalidInput, match=says):
        read_config(str(path))
