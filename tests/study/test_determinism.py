"""Same seed, same suggestions: twice, in other processes, with other caches, whatever was looked at in between."""

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.study.helpers import SPACES, all_bits, smooth
from tests.study.torture import rules

from regretless import Study, Surrogate
from regretless.acquisition import RULES


def play(study: Study, steps: int = 8, before_ask=None) -> Study:
    """A messy life: batches, failures, late and out-of-order tells, pending trials that stay."""
    late = []
    for step in range(steps):
        if before_ask is not None:
            before_ask(study)
        batch = study.ask(1 + step % 3)
        for trial in reversed(batch):
            if (trial.number * 7) % 11 == 3:
                study.tell(trial, failed=True)
            elif (trial.number * 5) % 7 == 2:
                late.append(trial)
            else:
                study.tell(trial, smooth(trial.params))
        if len(late) > 2:
            told = late.pop(0)
            study.tell(told, smooth(told.params))
    return study


@pytest.mark.parametrize("space", SPACES)
def test_twice_the_same(space):
    """Which is also what a replayed history gives: nothing of a generator is kept, only the seed."""
    first, second = (play(Study(SPACES[space](), seed=11)) for _ in range(2))
    assert all_bits(first) == all_bits(second)
    assert all_bits(first) != all_bits(play(Study(SPACES[space](), seed=12)))


@pytest.mark.parametrize(
    ("space", "design"),
    [
        (np.arange(200)[:, None], [127, 61, 155, 196, 6, 87]),
        ({"x0": (1, 10**6)}, [868294, 390524, 639754, 142254, 779752, 316133]),
    ],
    ids=["table", "product"],
)
def test_a_seed_has_the_design_it_always_had(space, design):
    """Stored studies replay these draws: neither of the two Latin hypercubes may draw in another way."""
    trials = Study(space, seed=7, n_initial=6).ask(6)
    assert [trial.params["x0"] for trial in trials] == design


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("rule", ["irgp-ucb", "ts"])
def test_the_carried_state_changes_no_bit(space, rule):
    """The slow twin of `Study._carried`: built anew before every ask, across refits, pending, failed and late tells."""

    def forget(study):
        study._carried.forget()

    kept = play(Study(SPACES[space](), seed=3, rule=rules()[rule], surrogate=Surrogate(refit_every=4)), steps=12)
    dropped = play(
        Study(SPACES[space](), seed=3, rule=rules()[rule], surrogate=Surrogate(refit_every=4)), 12, before_ask=forget
    )
    assert all_bits(kept) == all_bits(dropped)
    fits = {repr(trial.hyperparameters) for trial in kept.trials if trial.hyperparameters is not None}
    assert len(fits) >= 3  # it did go across refits
    assert {trial.status for trial in kept.trials} == {"told", "failed", "pending"}


@pytest.mark.parametrize("space", SPACES)
def test_looking_changes_nothing(space):
    def look(study):
        if study.best is not None:
            study.recommend()
            study.predict([study.best.params])
            repr(study)
            assert study.trials

    plain = play(Study(SPACES[space](), seed=2))
    watched = play(Study(SPACES[space](), seed=2), before_ask=look)
    assert all_bits(plain) == all_bits(watched)
    assert fits_on_record(plain) == fits_on_record(watched)


def fits_on_record(study):
    return [event.data["fit"] for event in study.events() if event.kind == "asked"]


@pytest.fixture
def fits(monkeypatch):
    """The number of observations of every fit that is made."""
    made, fit = [], Surrogate.fit
    monkeypatch.setattr(Surrogate, "fit", lambda *args, **more: (made.append(len(args[2])), fit(*args, **more))[1])
    return made


@pytest.mark.parametrize("space", SPACES)
def test_what_is_known_is_fitted_once(space, fits):
    """Asking and recommending share one fit; certificates and predictions are averaged over draws, and fit nothing."""
    study = Study(SPACES[space](), seed=3, n_initial=4)
    for trial in study.ask(4):
        study.tell(trial, smooth(trial.params))
    for n in range(4, 8):
        fits.clear()
        study.recommend()
        assert fits == [n]
        study.predict([study.best.params])
        study.certificate()
        study.recommend()
        study.certificate(0.1)
        assert fits == [n]
        trial = study.ask()
        survey = fits[1:]  # of excursions, to as many as a sum is held against and to all: none twice
        assert set(survey) <= (set() if space == "table" else {4, n})
        assert len(survey) == len(set(survey))
        study.tell(trial, smooth(trial.params))


@pytest.mark.parametrize("space", SPACES)
def test_a_fit_made_for_a_recommendation_is_that_of_the_suggestion(space, fits):
    """Also where a trial fails in between, after which another trial is the one that is asked for."""
    looked, quiet = Study(SPACES[space](), seed=3, n_initial=4), Study(SPACES[space](), seed=3, n_initial=4)
    for study in (looked, quiet):
        for trial in study.ask(4):
            study.tell(trial, smooth(trial.params))
        more = study.ask(2)
        study.tell(more[0], smooth(more[0].params))
        if study is looked:
            study.recommend()
        study.tell(more[1], failed=True)
        study.add(more[1].params, failed=True)
        fits.clear()
        trial = study.ask()
        own = [] if study is looked or "excursion" in trial.details else [5]  # an excursion goes by a model of its own
        assert [n for n in fits if n == 5] == own + [5] * (
            "excursion" in trial.details and "additive" not in trial.details
        )
    assert all_bits(looked) == all_bits(quiet)
    assert fits_on_record(looked) == fits_on_record(quiet)


def test_a_fit_to_other_values_is_not_taken_for_the_same(fits):
    """Amended, set aside and taken back: each time the hyperparameters are fitted to what counts now."""
    study = Study(SPACES["table"](), seed=3, n_initial=4)
    for trial in study.ask(6):
        study.tell(trial, smooth(trial.params))
    for change in (
        lambda: study.amend(2, 5.0, reason="typo"),
        lambda: study.exclude(3, "doubtful"),
        lambda: study.include(3),
    ):
        before = study.recommend()
        change()
        fits.clear()
        after = study.recommend()
        assert len(fits) == 1
        assert after != before
        study._carried.forget()
        assert study.recommend() == after


def test_a_fit_from_another_start_is_not_taken_for_the_same(fits):
    """The same values, but the fit that the search began from is not on record any more."""
    study = Study(SPACES["table"](), seed=3, n_initial=4)
    for trial in study.ask(6):
        study.tell(trial, smooth(trial.params))
    trial = study.ask()  # puts a fit on record
    study.tell(trial, smooth(trial.params))
    study.recommend()
    study.exclude(1, "doubtful")
    study.include(1)
    fits.clear()
    after = study.recommend()
    assert fits == [7]
    study._carried.forget()
    assert study.recommend() == after


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("rule", ["irgp-ucb", "mes"])
def test_the_order_of_tells_does_not_matter(space, rule):
    """A batch told in several orders, one trial of it failed: the same next batch, bit for bit."""
    outcomes = []
    for order in ([0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0], [3, 0, 5, 1, 4, 2]):
        study = Study(SPACES[space](), seed=6, rule=rules()[rule], n_initial=6)
        for _ in range(2):
            batch = study.ask(6)
            for i in order:
                if i == 2:
                    study.tell(batch[i], failed=True)
                else:
                    study.tell(batch[i], smooth(batch[i].params))
        study.ask(2)
        outcomes.append((all_bits(study), study.recommend()))
    assert outcomes[0] == outcomes[1] == outcomes[2]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("space", ["box", "table", "mixed"])
def test_maximising_f_is_minimising_minus_f(space, rule):
    up = Study(SPACES[space](), seed=4, rule=rules()[rule], direction="maximize", n_initial=3)
    down = Study(SPACES[space](), seed=4, rule=rules()[rule], direction="minimize", n_initial=3)
    for step in range(7):
        a, b = up.ask(), down.ask()
        assert (a.params, a.row, a.source, a.hyperparameters is None) == (b.params, b.row, b.source, a.source != "rule")
        details = {k: -v if k == "mean" else v for k, v in b.details.items()}
        assert details == a.details
        if step == 4:
            up.tell(a, failed=True)
            down.tell(b, failed=True)
        else:
            up.tell(a, smooth(a.params))
            down.tell(b, -smooth(b.params))
    one, other = up.recommend(), down.recommend()
    assert (one.params, one.mean, one.sd) == (other.params, -other.mean, other.sd)
    assert up.best.params == down.best.params
    assert up.best.value == -down.best.value


SCRIPT = """
import json, sys
sys.path.insert(0, {root!r})
from regretless import Study
from tests.study.helpers import SPACES, all_bits
from tests.study.test_determinism import play, rules
out = {{}}
for space in SPACES:
    for rule in ("irgp-ucb", "jes"):
        study = play(Study(SPACES[space](), seed=21, rule=rules()[rule]), steps=5)
        out[space + rule] = [repr(b) for b in all_bits(study)] + [repr(study.recommend())]
study = Study([(0.0, 1.0)] * 3, seed=1)
import numpy as np
for x in np.random.default_rng(0).random((150, 3)):
    study.add(x, float(np.sin(5 * x).sum()))
out["large"] = [repr(b) for b in all_bits(study)] if study.ask(3) else []
print(json.dumps(out))
"""


def test_across_processes_threads_and_hash_seeds():
    code = SCRIPT.format(root=str(Path(__file__).resolve().parents[2]))
    outputs = []
    for threads, hashed in (("1", "0"), ("2", "1"), ("4", "4242")):
        environment = {
            **os.environ,
            "OPENBLAS_NUM_THREADS": threads,
            "OMP_NUM_THREADS": threads,
            "PYTHONHASHSEED": hashed,
        }
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.append(json.loads(done.stdout))
    assert outputs[0] == outputs[1] == outputs[2]
    assert any("'rule'" in line for line in outputs[0]["large"])


def test_a_seed_that_was_not_given_is_kept():
    study = play(Study([(0.0, 1.0)]), 4)
    assert all_bits(play(Study([(0.0, 1.0)], seed=study.seed), 4)) == all_bits(study)
    assert Study([(0.0, 1.0)]).seed != study.seed


def test_the_global_generator_is_left_alone():
    np.random.seed(0)  # noqa: NPY002 - what users may do
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    first = play(Study(SPACES["mixed"](), seed=1), 4)
    assert (np.random.get_state()[1] == state).all()  # noqa: NPY002
    np.random.seed(1)  # noqa: NPY002
    assert all_bits(play(Study(SPACES["mixed"](), seed=1), 4)) == all_bits(first)


def test_a_pickled_study_goes_on():
    study = Study({"x": (0.0, 1.0), "c": ["a", "b"]}, seed=1)
    for _ in range(9):
        trial = study.ask()
        study.tell(trial, trial.params["x"])
    study.certificate()
    copy = pickle.loads(pickle.dumps(study))
    assert copy.certificate() == study.certificate()
    assert copy.ask().params == study.ask().params
