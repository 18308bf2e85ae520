"""Whether to stop, in a sentence: from the certificate, the stop rule, and whether that is met."""

from regretless.lab.text import number
from regretless.optimizer import (
    Certified,
    FrontRegret,
    HypervolumeLeft,
    Misclassified,
    RegionLoss,
    Regret,
    StopRule,
)
from regretless.optimizer.wording import rounded

__all__ = ["advice_on"]

_RED = "Go on, or look at the data: the model does not fit them, so do not stop on its word."
_TOO_FEW = "Go on: there are too few data to trust the model with that decision."


def advice_on(left: Certified | None, stop: StopRule | None, *, met: bool, option: str) -> str:
    """Advice once something was measured; ``option`` is how the user says when to stop.

    >>> advice_on(None, None, met=False, option="--stop")
    'Go on, or look at the data: without a certificate there is no reason to stop.'
    """
    if left is None:
        return "Go on, or look at the data: without a certificate there is no reason to stop."
    if isinstance(left, RegionLoss):
        return _on_region(left, stop, met=met, option=option)
    gain = f"expected to gain {left.cost}"
    if left.trust.light == "red":
        return _RED
    if met:
        return f"You can stop: going on is {gain}."
    if stop is None:
        return f"Going on is {gain}. Say how much is worth it with {option}."
    if left.trust.light == "too few data":
        return _TOO_FEW
    if stop.measure(left) <= stop.threshold(left):
        return f"Go on: what is left is little enough now, but not yet {stop.patience} times in a row."
    if isinstance(left, FrontRegret) and isinstance(stop, Regret):
        width = f"{100.0 * left.epsilon:.3g} % of the front's width"
        return f"Go on: what is left is up to {width}, more than the {_enough(stop, left)} at which to stop."
    return f"Go on: that is {gain}, more than the {_enough(stop, left)} at which to stop."


def _on_region(left: RegionLoss, stop: StopRule | None, *, met: bool, option: str) -> str:
    counted = f"{rounded(left.wrong)} of {left.candidates} candidates" if left.exact else f"{100.0 * left.share:.3g} %"
    wrong = f"{counted} are expected on the wrong side"
    if left.trust.light == "red":
        return _RED
    if met:
        return f"You can stop: {wrong}."
    if stop is None:
        return f"By now {wrong}. Say how many may be with {option}."
    if left.trust.light == "too few data":
        return _TOO_FEW
    if stop.measure(left) <= stop.threshold(left):
        return f"Go on: little enough is wrong now, but not yet {stop.patience} times in a row."
    return f"Go on: {wrong}, more than the {_enough(stop, left)} at which to stop."


def _enough(stop: StopRule, left: Certified) -> str:
    of = " of hypervolume" if isinstance(stop, HypervolumeLeft) else ""
    if isinstance(stop, Misclassified):
        return f"{number(stop.eps)} candidates" if stop.eps is not None else f"{100.0 * (stop.relative or 0.0):g} %"
    if stop.eps is not None:
        return f"{number(stop.eps)}{of}"
    whole = "the recommended value"
    if isinstance(left, FrontRegret):
        whole = "it" if of else "the front's width"
    return f"{100.0 * (stop.relative or 0.0):g} % of {whole}"
