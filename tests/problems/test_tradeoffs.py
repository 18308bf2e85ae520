"""Small tables of the published form, made here; and the published ones where REGRETLESS_DATA names their folder."""

import hashlib
import os

import numpy as np
import pytest

from regretless.errors import InvalidInput
from regretless.problems import load_tradeoff, missing, tradeoff_names
from regretless.problems.measurements import FOLDER_VARIABLE

AUTOAM = "Prime Delay,Print Speed,X,Y,Score\r\n0,4,0,0,0.5\r\n1,2,0,0,0.75\r\n2,1,0,0,0.5\r\n"
BARREL = "n,theta,r,t,toughness\r\n6,0,2,1,10\r\n6,0,2,1,14\r\n12,0,2,1,20\r\n6,50,2,1,2\r\n"


def write(folder, file, text):
    (folder / file).write_bytes(text.encode())
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_fast_line_and_a_good_one(tmp_path):
    problem = load_tradeoff("autoam", tmp_path, sha256=write(tmp_path, "AutoAM_dataset.csv", AUTOAM))
    assert dict(problem.objectives) == {"score": "maximize", "speed": "maximize"}
    assert problem(problem.space.params(1)) == {"score": 0.75, "speed": 2.0}
    assert problem.best_hypervolume == 0.5 * 4.0 + 0.25 * 2.0


def test_a_tough_barrel_and_a_light_one(tmp_path):
    problem = load_tradeoff("crossed-barrel", tmp_path, sha256=write(tmp_path, "Crossed barrel_dataset.csv", BARREL))
    light = 6.0 * np.pi * (2.0**2 - 1.0**2)
    assert problem(problem.space.params(0)) == pytest.approx({"toughness": 12.0, "cross-section": light})
    assert dict(problem.objectives) == {"toughness": "maximize", "cross-section": "minimize"}
    assert dict(problem.reference) == pytest.approx({"toughness": 0.0, "cross-section": 2.0 * light})
    assert problem.best_hypervolume == pytest.approx(12.0 * light)  # the heaviest row adds nothing to it
    with pytest.raises(InvalidInput, match="not a row"):
        problem([1.0, 0.0, 2.0, 1.0])


def test_other_tables_have_no_second_objective():
    with pytest.raises(InvalidInput, match="Known are: autoam, crossed-barrel"):
        load_tradeoff("agnp")


@pytest.mark.skipif(
    not os.environ.get(FOLDER_VARIABLE) or bool(missing(tradeoff_names())), reason="needs the published tables"
)
@pytest.mark.parametrize(("name", "rows", "volume"), [("autoam", 100, 7.413456), ("crossed-barrel", 600, 6215.870892)])
def test_the_published_tables(name, rows, volume):
    problem = load_tradeoff(name)
    assert problem.space.n_candidates == rows
    assert problem.best_hypervolume == pytest.approx(volume, rel=1e-6)
