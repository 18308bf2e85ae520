"""An experiment of Ax, from the JSON that ``Client.save_to_json_file`` writes. It is plain JSON: Ax is not needed."""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from regretless.errors import InvalidInput
from regretless.integrations.choices import Choices
from regretless.integrations.imported import Imported
from regretless.integrations.records import Entry, Records, imported, number
from regretless.optimizer import Direction, Sense
from regretless.spaces import Fixed, Float, Int, Mixed, Ordinal
from regretless.study import Study

__all__ = ["from_ax", "read_ax", "records_of", "space_of"]

#: One metric of an objective: ``-loss``, ``yield`` or ``-1.0 * loss``.
_TERM = re.compile(r"\s*(?P<sign>[+-]?)\s*(?:[\d.eE]+\s*\*\s*)?(?P<name>[^\s*+-](?:.*\S)?)\s*")
_FAILED = ("FAILED", "ABANDONED", "EARLY_STOPPED")


def from_ax(
    source: str | Path | Mapping[str, Any], space: Any = None, *, into: Study | None = None, **settings: Any
) -> Imported:
    """The trials of an experiment of Ax as data of a study of ours, with a report of what was taken.

    Parameters
    ----------
    source
        The file that ``Client.save_to_json_file`` wrote, or its content after ``json.load``. Ax need not be installed.
    space
        What may be tried. None: the search space of the experiment, with its parameter constraints.
    into
        A study to add the results to, in place of a new one.
    **settings
        Of `regretless.Study`, such as ``seed``.

    Objectives, their directions and outcome constraints are those of the experiment, standard errors of means are known
    noise. Trials that failed, were abandoned or stopped early are failed ones. Each arm of a batch is a trial.
    """
    return imported(read_ax(source), space, into, **settings)


def read_ax(source: str | Path | Mapping[str, Any]) -> Records:
    """The record of an experiment of Ax 1.2 or 1.3."""
    data = source if isinstance(source, Mapping) else _read(Path(source))
    experiment = data.get("experiment", data)
    if not isinstance(experiment, Mapping) or "search_space" not in experiment or "trials" not in experiment:
        raise InvalidInput("this is no experiment of Ax: it has no search space and trials.")
    trials = [
        (trial["index"], trial["status"]["name"], [(arm["name"], arm["parameters"]) for arm in _arms(trial)])
        for trial in experiment["trials"].values()
    ]
    return records_of(experiment["search_space"], experiment.get("optimization_config"), trials, _fetched(experiment))


def records_of(
    search_space: Mapping[str, Any],
    config: Mapping[str, Any] | None,
    trials: Iterable[tuple[int, str, list[tuple[str, Mapping[str, Any]]]]],
    fetched: Iterable[tuple[int, str, str, Any, Any]],
) -> Records:
    """Trials (number, status, arms by name) with the means and errors that were fetched: of each metric the last.

    Search space and configuration are as Ax writes them.
    """
    if not config:
        raise InvalidInput("the experiment of Ax has no objective: call client.configure_optimization(...) first.")
    objectives = dict(_objectives(config["objective"]))
    constraints, notes = _outcome_constraints(config.get("outcome_constraints", ()))
    space, choices = space_of(search_space)
    values: dict[tuple[int, str], dict[str, float]] = {}
    sds: dict[tuple[int, str], dict[str, float]] = {}
    for trial, arm, metric, mean, sem in fetched:
        if metric in {**objectives, **constraints} and (value := number(mean)) is not None:
            values.setdefault((trial, arm), {})[metric] = value
            error = number(sem)
            sds.setdefault((trial, arm), {})[metric] = 0.0 if error is None else error
    entries = []
    for trial, status, arms in trials:
        for arm, params in arms:
            inward = {name: choices[name].label(v) if name in choices else v for name, v in params.items()}
            left = None if status in ("COMPLETED", *_FAILED) else f"it is {status.lower()}"
            of = (trial, arm) if status == "COMPLETED" else (-1, "")
            entries.append(Entry(f"arm {arm}", inward, values.get(of, {}), sds.get(of, {}), left))
    return Records("Ax", tuple(entries), objectives, constraints, space, notes)


def _read(path: Path) -> Any:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InvalidInput(f"{path} is not JSON: {error}.") from error
    if not isinstance(data, Mapping):
        raise InvalidInput(f"{path} is no experiment of Ax: it holds {type(data).__name__}, not an object.")
    return data


def _objectives(objective: Mapping[str, Any]) -> Iterable[tuple[str, Direction]]:
    """Ax 1.3 writes ``-loss, accuracy``, before that metrics by name."""
    if "expression" in objective:
        for part in objective["expression"].split(","):
            found = _TERM.fullmatch(part)
            if found is None or re.search(r"\s[*+-]\s", found["name"]):
                raise InvalidInput(
                    f"the objective {part.strip()!r} of Ax is no single metric. Record it as one, then save."
                )
            yield found["name"], "minimize" if found["sign"] == "-" else "maximize"
    elif "metric" in objective:
        yield objective["metric"]["name"], "minimize" if objective["minimize"] else "maximize"
    elif "objectives" in objective:
        for each in objective["objectives"]:
            yield from _objectives(each)
    else:
        raise InvalidInput("the objective of Ax is no single metric, nor several of them. Record it as one, then save.")


def _outcome_constraints(found: Iterable[Mapping[str, Any]]) -> tuple[dict[str, tuple[Sense, float]], tuple[str, ...]]:
    kept: dict[str, tuple[Sense, float]] = {}
    notes = []
    for each in found:
        if "metric" not in each:
            notes.append("A constraint on several metrics was left out.")
            continue
        name = each["metric"]["name"]
        if each.get("relative"):
            notes.append(f"The constraint on {name} is relative to a status quo and was left out.")
        elif name in kept:
            notes.append(f"A second constraint on {name} was left out.")
        else:
            kept[name] = ("<=" if each["op"]["name"] == "LEQ" else ">=", float(each["bound"]))
    return kept, tuple(notes)


def space_of(found: Mapping[str, Any]) -> tuple[Mixed, dict[str, Choices]]:
    """The parameters, and of those with choices that need labels which stands for what."""
    when: dict[str, dict[str, list[Any]]] = {}
    for each in found["parameters"]:
        for value, names in (each.get("dependents") or {}).items():
            for name in names:
                when.setdefault(name, {}).setdefault(each["name"], []).append(value)
    dimensions, labels = {}, {}
    for each in found["parameters"]:
        dimensions[each["name"]], choices = _dimension(each, when.get(each["name"]))
        if choices is not None:
            labels[each["name"]] = choices
    texts = [each["inequality"] for each in found.get("parameter_constraints", ())]
    return Mixed(dimensions, constraints=texts), labels


def _dimension(each: Mapping[str, Any], when: Any) -> tuple[Any, Choices | None]:
    kind, name = each["__type"], each["name"]
    if each.get("is_fidelity") or each.get("is_task"):
        raise InvalidInput(f"parameter {name!r} of Ax is a fidelity or a task, of which a study here knows nothing.")
    if kind == "RangeParameter":
        number_of = Int if each["parameter_type"]["name"] == "INT" else Float
        return number_of(each["lower"], each["upper"], log=bool(each.get("log_scale")), when=when), None
    if kind == "FixedParameter":
        return Fixed(each["value"]), None
    if kind == "ChoiceParameter":
        numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in each["values"])
        if each.get("is_ordered") and numbers:
            return Ordinal(sorted(each["values"]), when=when), None
        choices = Choices.of(each["values"])
        return choices.dimension if when is None else type(choices.dimension)(choices.labels, when=when), choices
    raise InvalidInput(f"parameter {name!r} of Ax is a {kind}, which has no counterpart here. Give space=.")


def _arms(trial: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    runs = trial.get("generator_runs") or [trial.get("generator_run")]
    return [arm for run in runs if run for arm in run["arms"]]


def _fetched(experiment: Mapping[str, Any]) -> Iterable[tuple[int, str, str, Any, Any]]:
    for index, data in experiment.get("data_by_trial", {}).items():
        for _, each in data.get("value", ()):
            table = json.loads(each["df"]["value"])
            for i, mean in table.get("mean", {}).items():
                yield int(index), table["arm_name"][i], table["metric_name"][i], mean, table["sem"][i]
