"""Small tables of the published form, made here; and the published ones where REGRETLESS_DATA names their folder."""

import hashlib
import os

import numpy as np
import pytest

from regretless.errors import InvalidInput
from regretless.problems import load, table_names
from regretless.problems.measurements import FOLDER_VARIABLE

# a repeat of the first input comes last, and the best single row (9) is not the best average (6)
TABLE = "a,b c,score\r\n1,0.5,9\r\n2,0.5,6\r\n2,0.25,1.5\r\n1,0.50,1"


def write(folder, file, text, *, bom=False):
    content = (b"\xef\xbb\xbf" if bom else b"") + text.encode()
    (folder / file).write_bytes(content)
    return hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize("bom", [False, True])
@pytest.mark.parametrize("ends", ["\r\n", "\n"])
@pytest.mark.parametrize("last", ["", "\n"])
def test_repeats_are_averaged_in_order_of_first_appearance(tmp_path, bom, ends, last):
    digest = write(tmp_path, "P3HT_dataset.csv", TABLE.replace("\r\n", ends) + last, bom=bom)
    problem = load("p3ht", tmp_path, sha256=digest)
    assert problem.space.names == ("a", "b c")
    assert [problem.space.params(i) for i in range(3)] == [
        {"a": 1.0, "b c": 0.5},
        {"a": 2.0, "b c": 0.5},
        {"a": 2.0, "b c": 0.25},
    ]
    assert [problem(problem.space.params(i)) for i in range(3)] == [5.0, 6.0, 1.5]
    assert problem.optimum == 6.0
    assert problem.optimizers.tolist() == [[2.0, 0.5]]


def test_losses_are_negated(tmp_path):
    problem = load("perovskite", tmp_path, sha256=write(tmp_path, "Perovskite_dataset.csv", TABLE, bom=True))
    assert problem.optimum == -1.5
    assert problem({"a": 1, "b c": 0.5}) == -5.0
    assert problem.regret(-5.0) == 3.5


def test_the_folder_comes_from_the_environment(tmp_path, monkeypatch):
    digest = write(tmp_path, "Crossed barrel_dataset.csv", TABLE)
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    assert load("crossed-barrel", sha256=digest).optimum == 6.0


@pytest.mark.parametrize("value", [None, ""])
def test_without_a_folder_the_error_says_what_to_set(monkeypatch, value):
    if value is None:
        monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    else:
        monkeypatch.setenv(FOLDER_VARIABLE, value)
    with pytest.raises(InvalidInput, match="Set the environment variable REGRETLESS_DATA"):
        load("agnp")


def test_a_missing_file_and_an_unknown_name_are_refused(tmp_path):
    with pytest.raises(InvalidInput, match="cannot be read"):
        load("agnp", tmp_path)
    with pytest.raises(InvalidInput, match="Known are: agnp"):
        load("steel", tmp_path)


def test_a_changed_file_is_refused(tmp_path):
    digest = write(tmp_path, "AgNP_dataset.csv", TABLE)
    with pytest.raises(InvalidInput, match="not the published file"):
        load("agnp", tmp_path)
    write(tmp_path, "AgNP_dataset.csv", TABLE.replace("\r\n", "\n"))
    with pytest.raises(InvalidInput, match=digest):
        load("agnp", tmp_path, sha256=digest)


@pytest.mark.parametrize("text", ["", "a,b", "a,b\r\n1,x", "a,b\r\n1,2\r\n3", "a\r\n1", "a,b\r\n1,nan", "a,b\r\n1,2,3"])
def test_files_of_another_form_are_refused(tmp_path, text):
    with pytest.raises(InvalidInput, match="must h"):
        load("agnp", tmp_path, sha256=write(tmp_path, "AgNP_dataset.csv", text))


# name, coordinates, distinct inputs, optimum, optimal input, next best, mean and population sd of the averages
PUBLISHED = {
    "agnp": (
        5, 164, -0.14836082, (32.50117647, 16.0, 6.501176471, 4.501176471, 850.0), -0.169340, -0.512187, 0.195355,
    ),
    "autoam": (4, 100, 0.936549, (0.0, 1.55882615, -0.349834168, -0.328645365), 0.932613, 0.513623, 0.296771),
    "crossed-barrel": (4, 600, 46.711404976666664, (12.0, 150.0, 1.9, 1.4), 44.944861, 15.321938, 10.822079),
    "p3ht": (5, 178, 838.31, (46.92, 50.3, 1.53, 0.04, 1.23), 770.35, 223.648, 224.878),
    "perovskite": (3, 94, -27122.0, (0.18, 0.82, 0.0), -38893.0, -336190.533, 270188.309),
}  # fmt: skip


def test_every_table_is_described():
    assert tuple(PUBLISHED) == table_names()


@pytest.mark.skipif(not os.environ.get(FOLDER_VARIABLE), reason=f"{FOLDER_VARIABLE} does not name the data folder")
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_tables(name):
    dim, size, optimum, best, runner_up, mean, sd = PUBLISHED[name]
    problem = load(name)
    assert (len(problem.space.names), problem.space.n_candidates) == (dim, size)
    assert problem.optimum == pytest.approx(optimum, rel=1e-8)
    assert problem.optimizers.tolist() == [list(best)]
    values = np.array([problem(problem.space.params(i)) for i in range(size)])
    assert np.sort(values)[-2] == pytest.approx(runner_up, rel=1e-5)
    assert values.mean() == pytest.approx(mean, rel=1e-5)
    assert values.std() == pytest.approx(sd, rel=1e-5)
