r"""Bounds for a law that has the theorem's shift at every k-th step only, as the default rule has on a table.

Steps t = k, 2k, ... draw zeta = s + Exp(rate 1/2) with s = 2 log(N/2), the *theorem steps*; the *exploiting steps* in
between draw Exp(rate 1/2). Lemma 4.2 of Takeno et al. (2023) is about one step given all data, whoever chose them, so
it holds at every theorem step. For any zeta >= 0 the argmax satisfies mu(x_t) >= max mu - sqrt(zeta_t) sd(x_t), so an
exploiting step costs the regret of the recommendation plus its own width:

.. math:: E\,r_t \le E[\sqrt{\zeta_t}\, \sigma_{t-1}(x_t)] \text{ at a theorem step}, \qquad
          E\,r_t \le E\,\mathrm{SR}_{t-1} + E[\sqrt{\zeta_t}\, \sigma_{t-1}(x_t)] \text{ in between}

SR_t is the regret of argmax mu_t. Setting, initial data and ``info_gain`` as in :mod:`regretless.theory.bounds`.
"""

import math

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats, as_nonnegative, as_vector, as_whole
from regretless.confidence import ShiftedExponential
from regretless.errors import InvalidInput
from regretless.theory.bounds import c1, initial_design_regret
from regretless.theory.conditions import variance_sum

__all__ = ["expected_regret_interleaved", "expected_regret_interleaved_theorem", "simple_regret_interleaved"]

#: E[zeta] of an exploiting step: Exp(rate 1/2).
_BETWEEN = 2.0


def simple_regret_interleaved(
    T: int,
    *,
    every: int,
    n_candidates: int,
    info_gain: float,
    noise_var: float,
    signal_var: float = 1.0,
    told: int | None = None,
    repeats: bool = True,
) -> float:
    r"""The recommendation's expected regret on a table when only every k-th step has the theorem's law.

    .. math:: E[f(x^*) - f(\hat x_T)] \le \sqrt{C_1 (s + 2)\, \gamma_m / m}, \qquad m = \lfloor T/k \rfloor

    Theorem 4.1 at m evaluations: ``info_gain`` is gamma_m. The variances at the m theorem steps given all data are at
    most those given the earlier theorem steps alone, whose sum is at most C_1 gamma_m, and E max mu_T is at least the
    average of E f(x_t) over these steps. Where theorem steps failed or are pending, give as ``told`` the number of
    those that were told: it is m then. Infinite before the first of them; 0 for one candidate.

    With ``repeats=False`` candidates already measured are left out of the argmax, as under a table's
    ``repeats="never"``, or ``"auto"`` while the noise is small. A measured one has a variance below sigma^2, so the
    bound has one more term: sqrt((s + 2) (C_1 gamma_m/m + sigma^2)).

    >>> case = {"n_candidates": 1000, "info_gain": 100.0, "noise_var": 1e-4}
    >>> simple_regret_interleaved(200, every=4, **case) == simple_regret_interleaved(50, every=1, **case)
    True
    """
    m = as_whole(T, "T", least=1) // as_whole(every, "every", least=1) if told is None else _check_told(told, T, every)
    law = ShiftedExponential.for_table(n_candidates)
    variances = variance_sum(info_gain, noise_var=noise_var, signal_var=signal_var)
    if n_candidates == 1:
        return 0.0
    if not m:
        return math.inf
    return math.sqrt(law.mean(t=1) * (variances / m + (0.0 if repeats else noise_var)))


def expected_regret_interleaved(
    T: int,
    *,
    every: int,
    n_candidates: int,
    info_gain: npt.ArrayLike,
    noise_var: float,
    signal_var: float = 1.0,
) -> float:
    r"""Expected cumulative regret on a table when only every k-th step has the theorem's law: the sums as they are.

    .. math:: \mathrm{BCR}_T \le \sum_{t \le T,\, k \nmid t} \min\Big(\kappa E\sqrt{\zeta},
              \sqrt{C_1 (s + 2) \gamma_j/j}\Big) + \sqrt{C_1 \gamma_T \big(m (s + 2) + 2 (T - m)\big)}, \qquad
              j = \lfloor t/k \rfloor, \; m = \lfloor T/k \rfloor

    The sum bounds the regret of the recommendation before each exploiting step (kappa E sqrt(zeta), by the lemma,
    before the first theorem step); the root is Cauchy and Schwarz over all T widths. ``info_gain[t]`` bounds gamma_t
    for t = 0..T, as :attr:`regretless.theory.InformationGain.upper` does. The argmax must be over *all* candidates: a
    run that leaves out what it has measured can have linear regret. Every step must be told. 0 for one candidate.

    It holds for any zeta >= 0 in between with mean at most 2, random or not, as long as it is drawn before f is seen
    at x_t. With k = 1 it is Theorem 4.1.

    >>> gain = np.log1p(10.0 * np.arange(201.0))
    >>> case = {"n_candidates": 100, "info_gain": gain, "noise_var": 0.1}
    >>> round(expected_regret_interleaved(200, every=4, **case), 3)
    309.266
    """
    T, k, gain = as_whole(T, "T", least=1), as_whole(every, "every", least=1), _check_gains(info_gain, T)
    widths = _widths(T, k, n_candidates, float(gain[T]), noise_var, signal_var)
    if n_candidates == 1:
        return 0.0
    t = np.arange(1, T + 1)
    j = (t // k)[t % k > 0]  # theorem steps before each exploiting step
    constant = c1(noise_var, signal_var) * ShiftedExponential.for_table(n_candidates).mean(t=1)
    before = initial_design_regret(1, n_candidates=n_candidates, signal_var=signal_var)  # kappa E sqrt(zeta)
    recommended = np.sqrt(constant * gain[j] / np.maximum(j, 1))
    return math.fsum(np.where(j > 0, np.minimum(before, recommended), before)) + widths


def expected_regret_interleaved_theorem(
    T: int,
    *,
    every: int,
    n_candidates: int,
    info_gain: npt.ArrayLike,
    noise_var: float,
    signal_var: float = 1.0,
) -> float:
    r"""Expected cumulative regret on a table when only every k-th step has the theorem's law: in closed form.

    .. math:: \mathrm{BCR}_T \le (k - 1)\, \kappa E\sqrt{\zeta} + 2 (k - 1) \sqrt{C_1 (s + 2)\, m \gamma_m}
              + \sqrt{C_1 \gamma_T \big(m (s + 2) + 2 (T - m)\big)} = O\big(\sqrt{T \gamma_T \log N}\big)

    The order of Theorem 4.1, with larger constants; never below :func:`expected_regret_interleaved`, whose conditions
    it shares (gamma_j grows with j, and the sum of 1/sqrt(j) up to m is at most 2 sqrt(m)).

    >>> gain = np.log1p(10.0 * np.arange(201.0))
    >>> case = {"n_candidates": 100, "info_gain": gain, "noise_var": 0.1}
    >>> round(expected_regret_interleaved_theorem(200, every=4, **case), 3)
    382.988
    """
    T, k, gain = as_whole(T, "T", least=1), as_whole(every, "every", least=1), _check_gains(info_gain, T)
    widths = _widths(T, k, n_candidates, float(gain[T]), noise_var, signal_var)
    if n_candidates == 1:
        return 0.0
    m, law = T // k, ShiftedExponential.for_table(n_candidates)
    variances = variance_sum(float(gain[m]), noise_var=noise_var, signal_var=signal_var)
    first = initial_design_regret(k - 1, n_candidates=n_candidates, signal_var=signal_var)
    return first + 2.0 * (k - 1) * math.sqrt(variances * law.mean(t=1) * m) + widths


def _widths(T: int, k: int, n_candidates: int, info_gain: float, noise_var: float, signal_var: float) -> float:
    """E sum sqrt(zeta_t) sd_{t-1}(x_t) over all steps, by Cauchy and Schwarz."""
    m, law = T // k, ShiftedExponential.for_table(n_candidates)
    variances = variance_sum(info_gain, noise_var=noise_var, signal_var=signal_var)
    return math.sqrt(variances * (m * law.mean(t=1) + (T - m) * _BETWEEN))


def _check_gains(info_gain: npt.ArrayLike, T: int) -> Floats:
    """gamma_0..gamma_T, or more of them."""
    gain = as_vector(info_gain, "info_gain")
    if len(gain) <= T:
        raise InvalidInput(
            f"info_gain must hold gamma_0..gamma_T, {T + 1} numbers for T = {T}, got {len(gain)}. "
            "Take information_gain(...).upper."
        )
    as_nonnegative(float(gain[: T + 1].min()), "info_gain")
    return gain


def _check_told(told: int, T: int, every: int) -> int:
    steps = as_whole(T, "T", least=1) // as_whole(every, "every", least=1)
    return as_whole(told, "told", most=steps, hint=f"There are {steps} theorem steps among T = {T} at every = {every}.")
