"""The generation node and the stopping strategy in Ax's own client: after a restart, in batches, with failures."""

import logging
import math

import pytest

pytest.importorskip("ax", reason="Ax is not installed: make test-integrations")

from ax.adapter.registry import Generators
from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
from ax.exceptions.core import SearchSpaceExhausted
from ax.generation_strategy.generation_node import GenerationNode
from ax.generation_strategy.generation_strategy import GenerationStrategy
from ax.generation_strategy.generator_spec import GeneratorSpec
from ax.generation_strategy.transition_criterion import MinTrials
from ax.storage.json_store.decoder import object_from_json
from ax.storage.json_store.encoder import object_to_json

from regretless import Study
from regretless.errors import InvalidInput
from regretless.integrations.ax import RegretlessNode, StopByRegret, from_ax
from regretless.integrations.ax.experiments import notes_of
from regretless.integrations.botorch import RandomizedUpperConfidenceBound
from regretless.optimizer import FAILED, PENDING, TOLD

pytestmark = pytest.mark.filterwarnings("default")

PARAMETERS = [
    RangeParameterConfig(name="x", parameter_type="float", bounds=(0, 1)),
    RangeParameterConfig(name="n", parameter_type="int", bounds=(1, 8)),
    ChoiceParameterConfig(name="act", parameter_type="str", values=["relu", "tanh"], is_ordered=False),
]


@pytest.fixture(autouse=True)
def quiet():
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


def loss(p):
    return (p["x"] - 0.3) ** 2 + abs(p["n"] - 3) * 0.1 + (p["act"] == "tanh")


def client(*nodes, parameters=PARAMETERS, objective="-loss", **more):
    made = Client()
    made.configure_experiment(name="test", parameters=parameters)
    made.configure_optimization(objective=objective, **more)
    made.set_generation_strategy(GenerationStrategy(nodes=list(nodes) or [RegretlessNode(seed=1)], name="ours"))
    return made


def run(made, rounds, n=1, data=lambda p: {"loss": loss(p)}):
    for _ in range(rounds):
        for index, params in made.get_next_trials(max_trials=n).items():
            made.complete_trial(index, raw_data=data(params))
    return made


def params_of(made):
    return [arm.parameters for trial in made._experiment.trials.values() for arm in trial.arms]


def test_after_a_restart_the_next_trials_are_the_same_with_batches_pending_and_failed_trials(tmp_path):
    made = run(client(), 4, n=2)
    made.mark_trial_failed(next(iter(made.get_next_trials(max_trials=1))))
    made.mark_trial_abandoned(next(iter(made.get_next_trials(max_trials=1))))
    made.get_next_trials(max_trials=2)  # stay pending
    path = str(tmp_path / "experiment.json")
    made.save_to_json_file(path)
    again = Client.load_from_json_file(path)
    for _ in range(2):
        ours, theirs = (each.get_next_trials(max_trials=3) for each in (made, again))
        assert ours == theirs
        for each, trials in ((made, ours), (again, theirs)):
            for index, params in trials.items():
                each.complete_trial(index, raw_data={"loss": loss(params)})
    assert len({str(params) for params in params_of(made)}) == len(params_of(made))
    found = from_ax(path, seed=1)
    assert (found.taken, len(found.left)) == (10, 2)


def test_the_trials_are_those_of_a_study_with_the_same_seed():
    made = run(client(), 12)
    study = Study(
        {"x": (0.0, 1.0), "n": (1, 8), "act": ["relu", "tanh"]},
        direction="minimize",
        objective="loss",
        repeats="never",
        seed=1,
    )
    for params in params_of(made):
        trial = study.ask()
        assert dict(trial.params) == params
        study.tell(trial, round(loss(params), 10))
    notes = notes_of(made._experiment)
    assert [note["source"] for note in notes] == [trial.source for trial in study.trials]
    assert [note["record"].get("zeta") for note in notes] == [trial.zeta for trial in study.trials]
    assert min(loss(params) for params in params_of(made)) < 0.02


def test_statuses_and_standard_errors_reach_the_model():
    node = RegretlessNode(seed=1)
    made = run(client(node), 3, data=lambda p: {"loss": (loss(p), 0.2)})
    made.mark_trial_failed(next(iter(made.get_next_trials(max_trials=1))))
    made.mark_trial_abandoned(next(iter(made.get_next_trials(max_trials=1))))
    index = next(iter(made.get_next_trials(max_trials=1)))
    made.attach_data(index, raw_data={"loss": 1.0})
    made.mark_trial_early_stopped(index)
    made.get_next_trials(max_trials=1)
    made.get_next_trials(max_trials=1)
    node.update_generator_state(made._experiment, made._experiment.lookup_data())
    history = node._history([])
    assert history.status[:, 0].tolist() == [TOLD] * 3 + [FAILED] * 3 + [PENDING] * 2
    assert history.noise[0].sd.tolist() == [0.2] * 3 + [0.0] * 5


def test_keeps_away_from_points_that_fail():
    made = client(RegretlessNode(seed=3, n_initial=4))
    failed = 0
    for _ in range(16):
        [(index, params)] = made.get_next_trials(max_trials=1).items()
        if params["x"] > 0.6:
            made.mark_trial_failed(index)
            failed += 1
        else:
            made.complete_trial(index, raw_data={"loss": -params["x"]})
    assert failed <= 8


def test_after_another_node_its_trials_are_data():
    sobol = GenerationNode(
        name="Sobol",
        generator_specs=[GeneratorSpec(Generators.SOBOL, generator_kwargs={"seed": 0})],
        transition_criteria=[MinTrials(threshold=5, transition_to="Regretless")],
    )
    made = run(client(sobol, RegretlessNode(seed=1, n_initial=5)), 8)
    notes = notes_of(made._experiment)
    assert [note and note["source"] for note in notes[:5]] == [None] * 5
    assert [note["source"] for note in notes[6:]] == ["rule"] * 2


def test_several_objectives_and_outcome_constraints():
    def data(p):
        return {"loss": loss(p), "size": float(p["n"]), "heat": p["x"]}

    made = client(objective="-loss, -size", outcome_constraints=["heat <= 0.8"])
    run(made, 9, data=data)
    notes = notes_of(made._experiment)
    assert notes[-1]["source"] == "rule"
    assert len(notes[-1]["fits"]) == 3
    assert len({str(params) for params in params_of(made)}) == 9


def test_an_exhausted_space_says_so():
    levels = [ChoiceParameterConfig(name="n", parameter_type="int", values=[1, 2, 3], is_ordered=True)]
    made = run(client(parameters=levels), 3, data=lambda p: {"loss": float(p["n"])})
    with pytest.raises(SearchSpaceExhausted):
        made._generation_strategy.gen_single_trial(experiment=made._experiment, n=1)


def test_the_stopping_strategy_and_its_message():
    made = run(client(), 12)
    stop = StopByRegret(0.5, patience=2)
    stops, message = stop.should_stop_optimization(made._experiment)
    assert stops
    assert "recommending (x=" in message
    assert not StopByRegret(1e-9, patience=2).should_stop_optimization(made._experiment)[0]
    assert not StopByRegret(0.5, min_trials=50).should_stop_optimization(made._experiment)[0]
    made.get_next_trials(max_trials=1)
    assert "pending" in stop.should_stop_optimization(made._experiment)[1]


def test_both_are_stored_as_plain_json():
    node = object_from_json(object_to_json(RegretlessNode(7, n_initial=3, rule="ei", name="mine")))
    assert (node.seed, node.n_initial, node.rule, node.name) == (7, 3, "ei", "mine")
    stop = object_from_json(object_to_json(StopByRegret(relative=0.01, patience=3, min_trials=9)))
    assert (stop.when.relative, stop.when.patience, stop.min_trials) == (0.01, 3, 9)
    with pytest.raises(InvalidInput, match="the name of one"):
        RegretlessNode(rule=3)


def test_the_acquisition_function_in_ax_s_own_generator():
    made = run(client(), 7)
    generator = Generators.BOTORCH_MODULAR(
        experiment=made._experiment,
        data=made._experiment.lookup_data(),
        botorch_acqf_class=RandomizedUpperConfidenceBound,
        acquisition_options={"seed": 3, "maximize": True},
    )
    [arm] = generator.gen(n=1).arms
    assert set(arm.parameters) == {"x", "n", "act"}
    assert math.isfinite(arm.parameters["x"])
