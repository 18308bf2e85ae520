"""What the file of ``optimize`` says about parameters, against the same words in Python."""

import pytest

from regretless.cli._config import read_config
from regretless.errors import InvalidInput
from regretless.spaces import as_space


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


def test_a_log_scale_that_starts_at_zero_is_refused(space_of):
    with pytest.raises(InvalidInput, match="p"):
        space_of('[0.0, 0.1, "log"]')
