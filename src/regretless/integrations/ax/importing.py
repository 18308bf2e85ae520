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

__all__ = ["from_ax", "read_ax"]

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
    config = experiment.get("optimization_config")
    if not config:
        raise InvalidInput(
            "the experiment of Ax has no objective: call client.configure_optimization(...), save again."
        )
    objectives = dict(_objectives(config["objective"]))
    constraints, notes = _outcome_constraints(config.get("outcome_constraints", ()))
    space, labels = _space(experiment["search_space"])
    wanted = {*objectives, *constraints}
    entries = tuple(
        Entry(
            f"arm {arm['name']}",
            {name: labels[name].label(v) if name in labels else v for name, v in arm["parameters"].items()},
            *((values, sds) if status == "COMPLETED" else ({}, {})),
            left=None if status in ("COMPLETED", *_FAILED) else f"it is {status.lower()}",
        )
        for trial in experiment["trials"].values()
        for status in (trial["status"]["name"],)
        for arm in _arms(trial)
        for values, sds in (_measured(experiment, trial, arm["name"], wanted),)
    )
    return Records("Ax", entries, objectives, constraints, space, notes)


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
        name = each["metric"]["name"]
        if each.get("relative"):
            notes.append(f"The constraint on {name} is relative to a status quo and was left out.")
        elif name in kept:
            notes.append(f"A second constraint on {name} was left out.")
        else:
            kept[name] = ("<=" if each["op"]["name"] == "LEQ" else ">=", float(each["bound"]))
    return kept, tuple(notes)


def _space(found: Mapping[str, Any]) -> tuple[Mixed, dict[str, Choices]]:
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


def _measured(
    experiment: Mapping[str, Any], trial: Mapping[str, Any], arm: str, wanted: set[str]
) -> tuple[dict[str, float], dict[str, float]]:
    """Means and standard errors of an arm by metric: the last of each, where there are several steps or fetches."""
    values: dict[str, float] = {}
    sds: dict[str, float] = {}
    fetched = experiment.get("data_by_trial", {}).get(str(trial["index"]), {}).get("value", ())
    for _, data in fetched:
        table = json.loads(data["df"]["value"])
        for i in table.get("mean", {}):
            name, mean, sem = (table[column].get(i) for column in ("metric_name", "mean", "sem"))
            if table["arm_name"][i] == arm and name in wanted and (found := number(mean)) is not None:
                values[name] = found
                sds.pop(name, None)
                if (error := number(sem)) is not None:
                    sds[name] = error
    return values, sds
