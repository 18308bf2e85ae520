r"""Batches and delayed results: bounds on the expected regret when suggestions are made before results are in.

At suggestion t some earlier points P are pending. D is the data told, H is D with the pending points conditioned on as
if they had returned their means: the mean stays that of D, the sd becomes that of all points suggested so far. The rule

.. math:: x_t = \arg\max_x \mu_D(x) + \sqrt{\zeta_t}\, \sigma_H(x), \qquad \zeta_t \text{ fresh for every suggestion}

is what a study does with pending trials. ``delay`` is tau, the largest number of suggestions made between one and its
result; synchronous batches of B have tau = B - 1.

Proof. Lemma 4.2 of Takeno et al. (2023) holds given D, and sigma_D <= sigma_H + Delta_t with Delta_t = max_x
(sigma_D - sigma_H)(x), so E r_t <= E sqrt(zeta_t) (sigma_H(x_t) + Delta_t). sigma_H(x_t) is the sd of the sequential
run, whose squares sum to C_1 gamma_T. sigma_H/sigma_D = exp(-I(f(x); y_P | D)), so Delta_t is at most kappa times the
information in the pending results; by the chain rule that is at most the sum of the information of each when it was
suggested, each is pending at most tau times, and all of it is at most gamma_T.

It needs: delays that do not depend on the values (a run that ends early because f is bad breaks it); the argmax over
all candidates, pending ones included; no failed trials; and the setting of :mod:`regretless.theory.bounds`.
"""

import math

import numpy as np
import numpy.typing as npt

from regretless.arrays import as_nonnegative, as_positive, as_vector, as_whole
from regretless.confidence import ShiftedExponential
from regretless.errors import InvalidInput
from regretless.theory.bounds import expected_regret_table

__all__ = ["delayed_step", "expected_regret_batch", "expected_regret_delayed", "regret_of_delayed_run"]


def expected_regret_delayed(
    T: int, *, delay: int, n_candidates: int, info_gain: float, noise_var: float, signal_var: float = 1.0
) -> float:
    r"""IRGP-UCB on a table with delayed results: bound on the expected cumulative regret.

    .. math:: \mathrm{BCR}_T \le \sqrt{C_1 \gamma_T T (s + 2)} + \tau\, \kappa\, E[\sqrt\zeta]\, \gamma_T

    With the theorem's law at every suggestion. No factor on the first term and no first phase of exploration: where
    gamma_T grows slower than sqrt(T), the delay costs a term of lower order. It holds for the sd of the data told in
    the place of sigma_H too. With tau = 0 it is :func:`expected_regret_table`.

    >>> round(expected_regret_delayed(60, delay=3, n_candidates=49, info_gain=28.4, noise_var=0.1), 4)
    354.6427
    """
    sequential = expected_regret_table(
        T, n_candidates=n_candidates, info_gain=info_gain, noise_var=noise_var, signal_var=signal_var
    )
    if n_candidates == 1:
        return 0.0
    kappa, law = math.sqrt(as_positive(signal_var, "signal_var")), ShiftedExponential.for_table(n_candidates)
    return sequential + as_whole(delay, "delay") * kappa * law.mean_sqrt(t=1) * info_gain


def expected_regret_batch(
    T: int, *, batch_gain: float, n_candidates: int, info_gain: float, noise_var: float, signal_var: float = 1.0
) -> float:
    r"""The same in the form of Desautels, Krause and Burdick (2014), for comparison.

    .. math:: \mathrm{BCR}_T \le e^{C} \sqrt{C_1 \gamma_T T (s + 2)}, \qquad C \ge \max_{|P| < B} I(f; y_P \mid D_0)

    since sigma_D <= exp(C) sigma_H for any batch. ``batch_gain`` is C, the largest information that B - 1 pending
    results can hold given the initial data; it is below (B - 1)/2 log(1 + max sd^2/noise_var). Smaller than
    :func:`expected_regret_delayed` only where an initial design has made C small. It is about other rules: the
    one that multiplies sqrt(zeta) by exp(C), and the one with the sd of the data told in the place of sigma_H.

    >>> round(expected_regret_batch(60, batch_gain=0.5, n_candidates=49, info_gain=28.4, noise_var=0.1), 3)
    180.116
    """
    sequential = expected_regret_table(
        T, n_candidates=n_candidates, info_gain=info_gain, noise_var=noise_var, signal_var=signal_var
    )
    return math.exp(as_nonnegative(batch_gain, "batch_gain")) * sequential


def delayed_step(sd_told: npt.ArrayLike, sd_pending: npt.ArrayLike) -> float:
    r"""What the pending points take off the sd, :math:`\Delta_t = \max_x \sigma_D(x) - \sigma_H(x)`; on a table.

    >>> delayed_step([0.8, 0.2], [0.5, 0.1]).__round__(6)
    0.3
    """
    told, pending = as_vector(sd_told, "sd_told"), as_vector(sd_pending, "sd_pending")
    if len(told) != len(pending) or not len(told):
        raise InvalidInput(f"sd_told and sd_pending need an entry per candidate, got {len(told)} and {len(pending)}.")
    return max(float((told - pending).max()), 0.0)


def regret_of_delayed_run(zeta: npt.ArrayLike, sd: npt.ArrayLike, delta: npt.ArrayLike) -> float:
    r"""What a run with delays shows: a sum, known after it, whose expectation bounds the expected cumulative regret.

    .. math:: \sum_{t \le T} \sqrt{\zeta_t}\, \big(\sigma_H(x_t) + \Delta_t\big)

    ``zeta`` are the draws of the theorem's law, ``sd`` is sigma_H at the points suggested and ``delta`` comes from
    :func:`delayed_step`, 0 where nothing was pending. Usually far below :func:`expected_regret_delayed`.

    >>> regret_of_delayed_run([4.0, 1.0], [0.5, 0.2], [0.0, 0.1]).__round__(6)
    1.3
    """
    z, s, d = as_vector(zeta, "zeta"), as_vector(sd, "sd"), as_vector(delta, "delta")
    if not len(z) == len(s) == len(d) or (len(z) and min(z.min(), s.min(), d.min()) < 0.0):
        raise InvalidInput(
            f"zeta, sd and delta need an entry >= 0 per suggestion, got {len(z)}, {len(s)} and {len(d)}."
        )
    return float(np.sqrt(z) @ (s + d))
