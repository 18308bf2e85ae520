"""Corrections: of results, of candidates, and of trials that will not be run."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from regretless.errors import InvalidInput
from regretless.spaces import read_rows
from regretless.study import transitions
from regretless.study.arguments import as_reason
from regretless.study.properties import Properties
from regretless.study.trial import Trial
from regretless.study.values import read_told

__all__ = ["Corrections"]


class Corrections(Properties):
    """The part of a `Study` that corrects its content; earlier versions stay on record."""

    def amend(
        self,
        trial: Trial | int,
        value: Any = None,
        *,
        sd: float | Mapping[str, float] | None = None,
        failed: bool | str | Sequence[str] = False,
        reason: str,
    ) -> Trial:
        """Correct the result of a trial. The old result stays on record, and a model fitted to it is fitted again.

        >>> from regretless import Study
        >>> study = Study({"x": (0.0, 1.0)}, seed=1)
        >>> trial = study.tell(study.ask(), 812.0)
        >>> study.amend(trial, 81.2, reason="typo").value
        81.2
        """
        known = self._known(trial)
        if isinstance(failed, bool | np.bool_) and failed == (value is not None):
            raise InvalidInput(f"amend(trial {known.number}, ...) needs either a value or failed=True.")
        told = read_told(self._task, value, failed=failed, sd=sd, what=f"trial {known.number}", known=known.values)
        return transitions.amend(self._recorder, known.number, told, as_reason(reason, needed=True))

    def exclude(self, trial: Trial | int, reason: str) -> Trial:
        """Set the result of a trial aside: it stays on record and is not used. Its candidate may be suggested again."""
        return transitions.use(self._recorder, self._known(trial).number, False, as_reason(reason, needed=True))

    def include(self, trial: Trial | int, reason: str = "") -> Trial:
        """Use an excluded result again."""
        return transitions.use(self._recorder, self._known(trial).number, True, as_reason(reason))

    def exclude_row(self, row: Any, reason: str) -> None:
        """Never suggest a candidate: the id of a table's row, or the parameters of a point of a small finite space.

        Its results are still used. It is not recommended, and certificates compare with the other candidates.
        """
        domain = self._task.domain
        index = domain.candidate_of(row)
        transitions.exclude_row(self._recorder, index, domain.name_of(index), as_reason(reason, needed=True))

    def include_row(self, row: Any, reason: str = "") -> None:
        """Let a candidate be suggested again."""
        domain = self._task.domain
        index = domain.candidate_of(row)
        transitions.include_row(self._recorder, index, domain.name_of(index), as_reason(reason))

    def release(self, trial: Trial | int, reason: str = "") -> Trial:
        """Release a pending trial that will not be run. Its candidate may be suggested again."""
        return transitions.release(self._recorder, self._known(trial).number, as_reason(reason))

    def renew(self, trial: Trial | int) -> Trial:
        """Renew the lease of a pending trial, for work that takes longer than one lease."""
        return transitions.renew(self._recorder, self._known(trial).number)

    def extend(
        self, rows: Any, *, id: str | None = None, ignore: str | Sequence[str] = (), reason: str = ""
    ) -> tuple[Any, ...]:
        """Add candidates to the table; the ids of those that are new are returned.

        Rows that the table already has are left out, so the whole list may be given after it has grown. Nothing changes
        for the old candidates: a column keeps the scale of the first table in which it varied. From then on the law of
        the rule and the certificate count all candidates. The extension is an event on record.

        Parameters
        ----------
        rows
            As for `Table`, with the same columns; or a `Table`.
        id
            The column that names the rows, where those of the table have names.
        ignore
            Columns to leave out.
        reason
            Why, for the record.

        Examples
        --------
        >>> from regretless import Study
        >>> study = Study([{"T": T} for T in (20, 40, 60, 80)], seed=1)
        >>> study.extend([{"T": 80}, {"T": 100}])
        (4,)
        >>> study.space.n_candidates
        5
        """
        if self.environment is not None:
            raise InvalidInput("a table with environments cannot be extended; begin a study with the longer one.")
        raw = read_rows(self.space, rows, id=id, ignore=ignore)
        return tuple(transitions.extend(self._recorder, raw, as_reason(reason)))
