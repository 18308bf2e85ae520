"""Past certificates, after some of the results."""

from contextlib import suppress

import numpy as np

from regretless.errors import InvalidInput, NumericalError
from regretless.optimizer import Certified
from regretless.study import Study

__all__ = ["certificates"]

#: Certificates that are computed again for a figure: each needs a fit.
_LOOKS = 12


def certificates(study: Study, most: int = _LOOKS) -> tuple[list[Certified], list[int]]:
    """What the certificate was after some of the results, and after how many; the last is the one now.

    All of them are the study's own: its model, its candidates, the results as they are corrected today.
    """
    used = (trial for trial in study.trials if trial.status != "released" and not trial.excluded)
    n = sum(trial.value is not None for trial in used)
    counts = sorted({int(count) for count in np.linspace(min(3, n), n, most)})
    looks = {}
    for count in reversed(counts):  # now first: its model is at hand
        # Values may be too large to say what is left, or outcomes without any.
        with suppress(NumericalError, InvalidInput):
            looks[count] = study.certificate(leave_out=n - count)
    return list(looks.values())[::-1], list(looks)[::-1]
