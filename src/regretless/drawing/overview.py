"""All figures of a study: what the page, the report and notebooks show is drawn here and nowhere else."""

from collections.abc import Sequence
from dataclasses import dataclass

from regretless.drawing.effects import effect_figures
from regretless.drawing.figure import Figure
from regretless.drawing.front import front_figures, hypervolume_figure
from regretless.drawing.parity import parity_figure
from regretless.drawing.progress import history_figure, regret_figure
from regretless.drawing.region import region_figure
from regretless.lab.looks import certificates
from regretless.lab.text import is_measured, objectives_of
from regretless.optimizer import StopRule
from regretless.spaces import FileTable
from regretless.study import Study

__all__ = ["Overview", "overview_of"]

#: Results from which on a model can say something of each other.
_ENOUGH = 3
#: Earlier certificates that are computed again, and for how many candidates so many are few.
_LOOKS, _FEW_LOOKS, _MANY = 10, 4, 20_000


@dataclass(frozen=True, slots=True)
class Overview:
    """Progress, answers (a front or a region), the effect of each factor, and predicted against measured.

    ``pair`` are the two factors with the largest effects, which are worth a map.
    """

    progress: Sequence[Figure] = ()
    answers: Sequence[Figure] = ()
    effects: Sequence[Figure] = ()
    checks: Sequence[Figure] = ()
    pair: tuple[str, ...] = ()


def overview_of(study: Study, outcome: str | None = None, stop: StopRule | None = None) -> Overview:
    """The figures of one outcome, with the target of a stop rule; none before every outcome has a result."""
    if not is_measured(study):
        return Overview()
    name = study.objective if outcome is None else outcome
    looks, counts = certificates(study, _looks(study))
    progress = [regret_figure(looks, counts, stop), hypervolume_figure(study), history_figure(study, name)]
    effects = effect_figures(study, name)
    told = sum(trial.values.get(name) is not None and not trial.excluded for trial in study.trials)
    return Overview(
        progress=[figure for figure in progress if figure is not None],
        answers=_answers(study),
        effects=effects,
        checks=[parity_figure(study, name)] if told >= _ENOUGH else [],
        pair=tuple(each.title for each in effects[:2]) if len(effects) > 1 else (),
    )


def _looks(study: Study) -> int:
    """How many certificates are worth their price: one on a table in a file is a pass over all of it."""
    if isinstance(study.space, FileTable):
        return 0
    return _FEW_LOOKS if (study.space.n_candidates or 0) > _MANY else _LOOKS


def _answers(study: Study) -> list[Figure]:
    """Of several objectives the fronts, of a level set the region."""
    region = region_figure(study)
    if region is not None:
        return [region]
    return front_figures(study, study.front) if len(objectives_of(study)) > 1 else []
