"""What is stored comes back exactly: settings, suggestions, and every suggestion after that."""

import json
import math
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.study.helpers import SPACES, all_bits, smooth
from tests.study.torture import CASES, FAILED, check_trial, rules

from regretless import (
    EI,
    GPUCB,
    IRGPUCB,
    JES,
    RGPUCB,
    Box,
    Categorical,
    Fixed,
    Float,
    Int,
    InvalidInput,
    Mixed,
    Ordinal,
    Rule,
    Study,
    Surrogate,
    Table,
    replay,
)
from regretless.acquisition import RULES, MomentScore
from regretless.acquisition.ucb import UpperBound
from regretless.confidence import GammaLaw, Schedule, ShiftedExponential
from regretless.spaces import space_from_data, space_to_data
from regretless.study import MemoryStore
from regretless.study.codec import Trust, object_from_data, object_to_data
from regretless.study.stores.rows import from_json, to_json

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**60), 2**60), st.floats(allow_nan=False, allow_infinity=False), st.text()
)
LEVELS = st.lists(SCALARS, min_size=1, max_size=5, unique_by=lambda v: (v, 0))


@st.composite
def dimensions(draw):
    kind = draw(st.sampled_from(["float", "log", "int", "ordinal", "categorical", "fixed"]))
    low = draw(st.floats(1e-6, 1e6))
    match kind:
        case "float":
            return Float(low, low + draw(st.floats(1.0, 1e6)))
        case "log":
            return Float(low, low * draw(st.floats(2.0, 1e6)), log=True)
        case "int":
            first = draw(st.integers(1, 10**6))
            return Int(first, first + draw(st.integers(1, 10**6)), log=draw(st.booleans()))
        case "ordinal":
            return Ordinal(draw(LEVELS))
        case "categorical":
            return Categorical(draw(LEVELS))
        case _:
            return Fixed(draw(SCALARS))


def through_json(data):
    text = json.dumps(data, allow_nan=False)
    assert json.loads(text) == from_json(to_json(data))
    return from_json(to_json(data))


@given(st.dictionaries(st.text(min_size=1), dimensions(), min_size=1, max_size=4), st.sampled_from(["allow", "never"]))
@settings(max_examples=60, deadline=None)
def test_product_spaces(parts, repeats):
    space = Mixed(parts, repeats=repeats)
    twin = space_from_data(through_json(space_to_data(space)))
    assert twin == space
    assert repr(twin) == repr(space)


CELLS = st.one_of(
    st.lists(st.integers(-(2**53), 2**53), min_size=6, max_size=6),
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=6, max_size=6),
    st.lists(st.text(max_size=4), min_size=6, max_size=6),
    st.lists(st.booleans(), min_size=6, max_size=6),
)


@given(st.dictionaries(st.text(min_size=1).filter(lambda n: n != "id"), CELLS, min_size=1, max_size=4), st.booleans())
@settings(max_examples=60, deadline=None)
def test_tables(columns, named):
    """Values, ids, duplicates and codes, bit for bit."""
    try:
        ids = {"id": [f"r{i}" for i in range(6)]} if named else {}
        table = Table({**columns, **ids}, id="id" if named else None, repeats="never")
    except InvalidInput:
        return  # numbers too large to be told apart
    twin = space_from_data(through_json(space_to_data(table)))
    assert twin == table
    assert twin.X.tobytes() == table.X.tobytes()
    assert (twin.ids, twin.names, twin.n_levels) == (table.ids, table.names, table.n_levels)
    for i in range(table.n_candidates):
        assert repr(twin.params(i)) == repr(table.params(i))
        assert twin.rows(i) == table.rows(i)


def test_spaces_without_names():
    for space in (Box([(0, 1), (-5, 5)]), Table(np.arange(6.0).reshape(3, 2)), Table(np.arange(4))):
        twin = space_from_data(through_json(space_to_data(space)))
        assert (twin, type(twin), twin.unnamed) == (space, type(space), True)


@dataclass(frozen=True)
class Cautious(Rule):
    """A rule of a user's own."""

    name = "cautious"
    root: float = 0.5

    def draw(self, view, _t, _rng):
        return MomentScore(view.posterior, UpperBound(self.root), {"odd": math.inf})


class Bare(Cautious.__mro__[1]):
    name = "bare"

    def draw(self, view, _t, _rng):
        return MomentScore(view.posterior, UpperBound(1.0))


class Hidden(Bare):
    def __init__(self):
        self.secret = 3


OBJECTS = [
    *(rule() for rule in RULES.values()),
    IRGPUCB("heuristic"),
    IRGPUCB(ShiftedExponential.for_box(dim=2, side=1.0, lipschitz_bound=3.0)),
    GPUCB(Schedule.constant(4.0)),
    RGPUCB(GammaLaw.for_table(50)),
    EI(incumbent="value"),
    JES(n_samples=3),
    Surrogate(),
    Surrogate.paper(),
    Surrogate.known("rbf", (0.1, 0.2), signal_var=1.0, noise_var=0.1),
    Cautious(0.25),
]


@pytest.mark.parametrize("thing", OBJECTS, ids=repr)
def test_rules_and_models(thing):
    twin = object_from_data(through_json(object_to_data(thing, "it")), "it", Trust.of(thing))
    assert twin == thing
    assert type(twin) is type(thing)


def test_rules_of_ones_own(place):
    study = Study.open(place, "s", space={"x": (0.0, 1.0)}, rule=Cautious(0.25), n_initial=1, seed=1)
    study.tell(study.ask(), 1.0)
    trial = study.ask()
    again = Study.open(place, "s", rule=Cautious(0.25))
    assert again.rule == Cautious(0.25)
    assert again.trials[1].details["odd"] == math.inf
    assert again.trials[1] == trial
    assert all(entry.matches for entry in replay(again))
    assert isinstance(Study.open(place, "bare", space={"x": (0.0, 1.0)}, rule=Bare()).rule, Bare)


def test_what_cannot_be_stored_is_refused():
    class Local(Bare):
        pass

    for rule, match in (
        (Hidden(), "dataclass"),
        (Local(), "inside a function"),
        (IRGPUCB(ShiftedExponential(lambda t: float(t))), "shift|function"),
    ):
        with pytest.raises(InvalidInput, match=match):
            Study.open(MemoryStore(), "s", space={"x": (0.0, 1.0)}, rule=rule)
    data = {"class": "no.such.module:Rule", "settings": {}}
    with pytest.raises(InvalidInput, match="cannot be imported"):
        object_from_data(data, "rule", Trust(modules=["no"]))
    with pytest.raises(InvalidInput, match="neither a Rule nor a dataclass"):
        object_from_data({"class": "os:getcwd", "settings": {}}, "rule", Trust(modules=["os"]))


BAD_VALUES = [
    math.nan, math.inf, -math.inf, -math.nan, np.nan, np.float32("inf"), "1", "1.0", "", "nan", b"1", None, True, False,
    np.True_, [], ["1"], (1.0, None), {}, {"v": 1.0}, set(), 1j, np.ones((2, 1)), np.ones(0),
    np.array([[1.0]]), np.array("a"),
    object(), type, print, range(3), Ellipsis, NotImplemented, 10**400, -(10**400), np.datetime64("2020-01-01"),
    Path("x"), slice(1), bytearray(b"1"), memoryview(b"1"), iter([1.0]), lambda: 1.0,
]  # fmt: skip


def test_forty_bad_values(place):
    """Refused with a clear error, nothing stored, and the trial can still be told."""
    assert len(BAD_VALUES) >= 40
    study = Study.open(place, "s", space={"x": (0.0, 1.0)}, seed=1)
    trial, before = study.ask(), study.events()
    for value in BAD_VALUES:
        for call in (
            lambda value=value: study.tell(trial, value),
            lambda value=value: study.add({"x": 0.5}, value),
            lambda value=value: study.amend(trial, value, reason="why"),
        ):
            with pytest.raises(InvalidInput):
                call()
    assert study.events() == before
    assert study.tell(trial, np.float32(0.5)).value == 0.5
    assert Study.open(place, "s").trials[0].value == 0.5


#: In a normal run every eighth; `slow` tries all of them, under every rule.
CHEAP = [name for name, case in CASES.items() if case.cheap]


@pytest.mark.parametrize("name", CHEAP[::8])
def test_torture(name, tmp_path):
    """The cases that break optimisers, each step with the study opened anew, beside one in memory."""
    drive(CASES[name], "irgp-ucb", tmp_path / "lab.db")


@pytest.mark.slow
@pytest.mark.parametrize("rule", sorted(RULES))
def test_torture_under_every_rule(rule, tmp_path):
    for i, name in enumerate(CHEAP):
        drive(CASES[name], rule, tmp_path / f"{i}.db")


def drive(case, rule, path):
    memory = Study(case.space(), rule=rules()[rule], seed=1, **case.settings)
    stored = Study.open(path, "s", space=case.space(), rule=rules()[rule], seed=1, **case.settings)
    for study in (memory, stored):
        for params, value in case.history():
            study.add(params, failed=True) if value is FAILED else study.add(params, value)
        if case.pending:
            study.ask(case.pending)
    for i in range(case.asks):
        again = Study.open(path, "s")
        trial = again.ask()
        check_trial(again, trial)
        assert repr(trial) == repr(memory.ask())
        value = case.values[i % len(case.values)]
        for study in (again, memory):
            study.tell(trial, failed=True) if value is FAILED else study.tell(trial, value)
    final = Study.open(path, "s")
    assert repr(final.trials) == repr(memory.trials)
    if final.best is not None:
        assert final.recommend() == memory.recommend()
    assert all(entry.matches for entry in replay(final))


@pytest.mark.parametrize("space", SPACES)
def test_restarted_at_any_point(space, tmp_path):
    """A life with batches, failures and late answers, interrupted after every call."""
    memory = Study(SPACES[space](), seed=11)
    stored = Study.open(tmp_path / "lab.db", "s", space=SPACES[space](), seed=11)
    late = []
    for step in range(7):
        batch = stored.ask(1 + step % 3)
        assert repr(batch) == repr(memory.ask(1 + step % 3))
        for trial in reversed(batch):
            stored = Study.open(tmp_path / "lab.db", "s")
            if (trial.number * 5) % 7 == 2:
                late.append(trial)
                continue
            failed = (trial.number * 7) % 11 == 3
            for study in (stored, memory):
                study.tell(trial, failed=True) if failed else study.tell(trial, smooth(trial.params))
        if step == 4:
            for study in (stored, memory):
                study.amend(2 if 2 not in [t.number for t in late] else 0, 0.25, reason="typo")
    assert all_bits(stored) == all_bits(memory)
    if memory.best is not None:
        assert stored.recommend() == memory.recommend()


def test_the_model_is_fitted_no_more_often_for_being_reopened(tmp_path):
    """Hyperparameters last as long as they do in one go: the fit is on record, with the trials it saw."""
    models = []
    for _ in range(14):
        with Study.open(tmp_path / "lab.db", "s", space={"x": (0.0, 1.0)}, n_initial=2, seed=1,
                        rule=IRGPUCB(excursions=False), surrogate=Surrogate(refit_every=4)) as study:  # fmt: skip
            trial = study.ask()
            study.tell(trial, math.sin(5.0 * trial.params["x"]))
            models.append(repr(trial.hyperparameters))
    assert models[:2] == ["None", "None"]
    assert [models.index(model) for model in models[2:]] == [2] * 4 + [6] * 4 + [10] * 4


SCRIPT = """
import json, sys
sys.path.insert(0, {root!r})
from regretless import Study
from tests.study.helpers import SPACES, all_bits, smooth
out = {{}}
for space in ("box", "table"):
    for count in {counts}:
        more = {{"space": SPACES[space](), "seed": 5}}
        study = Study.open({place!r}, space, **more) if {place!r} else Study(**more)
        for _ in range(count):
            trial = study.ask()
            study.tell(trial, smooth(trial.params))
    out[space] = [repr(bits) for bits in all_bits(study)]
print(json.dumps(out))
"""


def halves(counts, place, threads) -> dict:
    root = str(Path(__file__).resolve().parents[3])
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}
    code = SCRIPT.format(root=root, counts=counts, place=place)
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_halves_make_a_whole(tmp_path, server):
    """n + n = 2n, bit for bit: in memory in one go; in SQLite and in PostgreSQL with a restart and other threads."""
    whole = halves((10,), "", "1")
    assert halves((7, 3), str(tmp_path / "a.db"), "2") == whole
    assert halves((4, 6), server.new_database(), "4") == whole


@pytest.mark.slow
@pytest.mark.parametrize("threads", ["1", "2", "4"])
def test_25_and_25_make_50(tmp_path, server, threads):
    whole = halves((50,), "", "1")
    assert halves((50,), "", threads) == whole
    assert halves((25, 25), str(tmp_path / "a.db"), threads) == whole
    assert halves((25, 25), server.new_database(), threads) == whole
