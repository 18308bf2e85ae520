"""A campaign of BayBE, from the object or from data frames. Its JSON holds pickles, which are not read."""

from collections.abc import Mapping
from typing import Any

from regretless.errors import InvalidInput
from regretless.integrations.imported import Imported
from regretless.integrations.records import Entry, Records, imported, number
from regretless.optimizer import Direction
from regretless.spaces import Table
from regretless.spaces.scalars import plain
from regretless.spaces.sources import is_frame, raw_columns
from regretless.study import Study

__all__ = ["NO_PICKLES", "from_baybe"]

#: Why a campaign's file is refused, and what to do.
NO_PICKLES = (
    "the JSON of a BayBE campaign holds its data frames as pickles, which could run any code and are not read. In "
    "Python: from_baybe(campaign); or save campaign.measurements and campaign.searchspace.discrete.exp_rep as CSV"
)


def from_baybe(
    campaign: Any,
    space: Any = None,
    *,
    objectives: Mapping[str, Direction] | None = None,
    into: Study | None = None,
    **settings: Any,
) -> Imported:
    """The measurements of a BayBE campaign as data of a study of ours, with a report of what was taken.

    Parameters
    ----------
    campaign
        A ``Campaign``, or its ``measurements`` as a DataFrame.
    space
        What may be tried. None: the search space of the campaign, in its experimental representation. A DataFrame of
        measurements needs one, such as that of ``campaign.searchspace.discrete.exp_rep``.
    objectives
        Names and directions of the targets, which a DataFrame does not say: ``{"yield": "maximize"}``. None takes those
        of the campaign.
    into
        A study to add the results to, in place of a new one.
    **settings
        Of `regretless.Study`, such as ``seed``.
    """
    if isinstance(campaign, str | bytes | Mapping):
        raise InvalidInput(f"{NO_PICKLES}.")
    if is_frame(campaign):
        if objectives is None:
            raise InvalidInput('a DataFrame does not say what is wanted: give objectives={"yield": "maximize"}.')
        return imported(_records(campaign, objectives, None), space, into, **settings)
    try:
        measured, targets, searched = campaign.measurements, campaign.objective.targets, campaign.searchspace
    except AttributeError as error:
        raise InvalidInput(f"a campaign of BayBE has measurements, objective and searchspace: {error}.") from error
    wanted = {target.name: _direction(target) for target in targets} if objectives is None else objectives
    own = _space(searched) if space is None and into is None else None
    return imported(_records(measured, wanted, own), space, into, **settings)


def _direction(target: Any) -> Direction:
    """Targets of a match, or of another transformation, have no single direction."""
    kind = type(getattr(target, "transformation", None)).__name__
    if kind not in ("IdentityTransformation", "NoneType"):
        raise InvalidInput(f"target {target.name!r} is transformed by {kind}: give objectives= with a direction.")
    return "minimize" if getattr(target, "minimize", False) else "maximize"


def _space(searched: Any) -> Any:
    """The rows of a discrete space, or the bounds of a continuous one."""
    discrete, continuous = searched.discrete, searched.continuous
    if not discrete.is_empty and continuous.parameters:
        raise InvalidInput("the search space is partly discrete and partly continuous: give space=.")
    if not discrete.is_empty:
        return Table(discrete.exp_rep)
    return {each.name: (float(each.bounds.lower), float(each.bounds.upper)) for each in continuous.parameters}


def _records(frame: Any, objectives: Mapping[str, Direction], space: Any) -> Records:
    columns, _ = raw_columns(frame)
    missing = [name for name in objectives if name not in columns]
    if missing:
        raise InvalidInput(f"the measurements have no column {missing[0]!r}; there are {', '.join(columns)}.")
    names = [name for name in columns if name not in (*objectives, "BatchNr", "FitNr")]
    entries = []
    for i in range(len(next(iter(columns.values())))):
        found = {name: number(columns[name][i]) for name in objectives}
        params = {name: plain(columns[name][i]) for name in names}
        entries.append(Entry(f"measurement {i}", params, {name: v for name, v in found.items() if v is not None}))
    return Records("BayBE", tuple(entries), objectives, space=space)
