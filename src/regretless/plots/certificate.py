"""How much regret was left after each look."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from regretless.arrays import as_vector
from regretless.errors import InvalidInput
from regretless.optimizer import Certified, FrontRegret, RegionLoss
from regretless.plots.canvas import BLACK, BLUE, GREEN, GREY, ORANGE, VERMILLION, new_axes, plain_log_ticks, ticks, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_certificate"]

# Colour and shape both say it, for those who cannot tell the colours apart.
_LIGHTS = {
    "green": ("model trusted", GREEN, "o"),
    "amber": ("with care", ORANGE, "D"),
    "red": ("not trusted", VERMILLION, "X"),
    "too few data": ("too few data", GREY, "s"),
}
_TRUE = {False: "true regret", True: "truly wrong"}  # of a level set


def plot_certificate(
    records: Sequence[Certified],
    regret: Sequence[float] | None = None,
    ax: "Axes | None" = None,
    *,
    evaluations: Sequence[int] | None = None,
) -> "Axes":
    """Draw the certified bound by evaluation on a log scale, and the true regret where it is known.

    Parameters
    ----------
    records
        What ``study.certificate()`` gave, one after each evaluation. A marker says whether the model was to be trusted.
    regret
        The true regret of each record's recommendation, in the units of the bound. The scale is linear near 0 where it
        is 0.
    ax
        Where to draw; new axes by default.
    evaluations
        After how many evaluations each record was made; 1, 2, 3, ... by default.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn into.
    """
    looks = list(records)
    if not looks or not all(isinstance(look, Certified) for look in looks):
        raise InvalidInput("plot_certificate draws a list of what study.certificate() gave, one record at least.")
    at = as_vector(np.arange(1, len(looks) + 1) if evaluations is None else list(evaluations), "evaluations")
    true = None if regret is None else as_vector(list(regret), "regret")
    for what, values in (("evaluations", at), ("regret", true)):
        if values is not None and len(values) != len(looks):
            raise InvalidInput(f"{what} must hold one number per record, {len(looks)}, got {len(values)}.")
    if true is not None and true.min() < 0.0:
        raise InvalidInput(f"regret must not be negative, got {true.min()}. Measure it without noise.")
    ax = new_axes(ax)
    bound = np.array([look.bound for look in looks])
    exact = all(look.exact for look in looks)
    ax.plot(at, bound, color=BLUE, linewidth=1.8, label=_words(looks[-1], exact=exact))
    for light, (label, colour, marker) in _LIGHTS.items():
        chosen = np.array([look.trust.light == light for look in looks])
        if chosen.any():
            ax.scatter(at[chosen], bound[chosen], s=24, color=colour, marker=marker, linewidth=0, label=label, zorder=3)
    if true is not None:
        ax.step(
            at,
            true,
            where="post",
            color=BLACK,
            linewidth=1.4,
            linestyle="--",
            label=_TRUE[isinstance(looks[-1], RegionLoss)],
            zorder=2,
        )
    drawn = bound if true is None else np.concatenate([bound, true])
    if (drawn > 0.0).all():
        ax.set_yscale("log")
        if drawn.max() < 100.0 * drawn.min() and drawn.min() > 1e-3 and drawn.max() < 1e5:
            plain_log_ticks(ax)
    else:
        near = 10.0 ** np.floor(np.log10(drawn[drawn > 0.0].min(initial=1.0)))
        ax.set_yscale("symlog", linthresh=float(near))
        ax.set_ylim(bottom=-0.2 * near)  # a line at 0 stays off the frame
    ax.set_xlabel("evaluation")
    last = looks[-1]
    label = "epsilon left (widths of the front)" if isinstance(last, FrontRegret) else f"regret left ({last.objective})"
    if isinstance(last, RegionLoss):
        label = "candidates on the wrong side" if last.exact else "share on the wrong side"
    ax.set_ylabel(label)
    ax.xaxis.set_major_locator(ticks(whole=True))
    tidy(ax, grid=True)
    return ax


def _words(look: Certified, *, exact: bool) -> str:
    """What the line is: of a level set on a list an expectation, exactly, and no bound."""
    if not exact:
        return "certificate (estimate)"
    return "expected by the model" if isinstance(look, RegionLoss) else "certified bound"
