"""The figures of a study's page."""

from collections.abc import Sequence
from dataclasses import dataclass

from regretless.drawing import (
    Figure,
    effect_figures,
    front_figures,
    history_figure,
    map_figure,
    parity_figure,
    regret_figure,
)
from regretless.lab.lab import Lab
from regretless.lab.looks import certificates
from regretless.lab.slices import slices
from regretless.lab.text import is_measured

__all__ = ["Figures", "figures_of", "map_of"]

#: Results from which on a model can say something of each other.
_ENOUGH = 3
#: Earlier certificates that are computed again, and for how many candidates so many are few.
_LOOKS, _FEW_LOOKS, _MANY = 10, 4, 20_000


@dataclass(frozen=True, slots=True)
class Figures:
    """Progress, fronts, the effect of each factor, and predicted against measured; ``pair`` is worth a map."""

    progress: Sequence[Figure]
    fronts: Sequence[Figure]
    effects: Sequence[Figure]
    checks: Sequence[Figure]
    pair: tuple[str, ...]


def figures_of(lab: Lab, outcome: str) -> Figures:
    """All figures of one outcome."""
    study = lab.study
    if not is_measured(study):
        return Figures((), (), (), (), ())
    many = (study.space.n_candidates or 0) > _MANY
    looks, counts = certificates(study, _FEW_LOOKS if many else _LOOKS)
    target = None if lab.stop is None or not looks else lab.stop.threshold(looks[-1])
    progress = [regret_figure(looks, counts, target), history_figure(study, outcome)]
    anchored = not lab.several or bool(study.best_trials)
    found = slices(study, outcome) if anchored else []
    told = sum(trial.values.get(outcome) is not None and not trial.excluded for trial in study.trials)
    return Figures(
        progress=[figure for figure in progress if figure is not None],
        fronts=front_figures(study, study.front) if lab.several else (),
        effects=effect_figures(found, outcome),
        checks=[parity_figure(study, outcome)] if told >= _ENOUGH else [],
        pair=tuple(each.axis.name for each in found[:2]) if len(found) > 1 else (),
    )


def map_of(lab: Lab, first: str, second: str, outcome: str) -> Figure:
    """A map of two factors."""
    return map_figure(lab.study, first, second, outcome)
