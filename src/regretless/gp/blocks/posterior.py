"""The posterior over a table that is too long for the n x N matrix: moments per row, brought up to date if needed."""

import itertools
import math
import time
import weakref
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.engines import Engine, Here
from regretless.gp.blocks.law import Law, Monotone, exact_moments
from regretless.gp.blocks.moments import Question, decide, drop, survey
from regretless.gp.regression import OfPosterior, PointMoments, Posterior

__all__ = ["BlockPosterior", "Found", "block_posterior"]

#: Blocks that each worker looks at before all compare what they found: at first so many, then twice as many each time.
_FIRST, _MOST = 64, 1 << 13
_NUMBERS = itertools.count()


class _Rows:
    """The rows of a table, and whoever keeps moments of them. Freed with the last posterior that needs it."""

    def __init__(self, codes: npt.NDArray[Any], engine: Engine) -> None:
        self.codes, self.engine, self.key = codes, engine, f"moments-{next(_NUMBERS)}"
        weakref.finalize(self, engine.unused.append, self.key)

    @property
    def address(self) -> Any:
        """The codes as a worker gets them: themselves, or the path of their file."""
        return self.codes if self.engine.shares_memory else str(getattr(self.codes, "filename", None))


@dataclass(frozen=True, slots=True)
class Found:
    """The row where a score is largest, its moments, and how many rows it took to know that.

    ``touched`` are those of the blocks that were read, ``updated`` those that were brought up to date.
    """

    row: int
    score: float
    mean: float
    sd: float
    touched: int
    updated: int


@dataclass(frozen=True, slots=True)
class BlockPosterior(OfPosterior):
    """A posterior and the rows of a table. Conditioning takes O(n^2): rows follow when they are asked about.

    ``facts`` observations were measured, later ones are imagined; None: all were measured.
    """

    posterior: Posterior
    R: Floats  # L^-1
    rows: _Rows
    facts: int | None = None

    @property
    def blocks(self) -> "BlockPosterior":
        """Itself: other beliefs have None under this name."""
        return self

    @property
    def table(self) -> None:
        """None: there is no n x N matrix."""
        return

    @property
    def candidates(self) -> None:
        """None: the rows are read block by block."""
        return

    @property
    def codes(self) -> npt.NDArray[Any]:
        """The codes of the rows."""
        return self.rows.codes

    def on(self, X: Floats | None = None) -> PointMoments:
        """Moments at the rows of X, computed once."""
        return self.posterior.on(X)

    def condition(self, x: Floats, y: float, *, noise_var: float | None = None) -> "BlockPosterior":
        """Posterior after one more observation (of a row or not), in O(n^2)."""
        after = self.posterior.condition(x, y, noise_var=noise_var)
        if after.jitter > self.posterior.jitter:  # the old rows of L changed
            return replace(self, posterior=after, R=after.factor.half_inverse())
        return replace(self, posterior=after, R=after.factor.bordered_half_inverse(self.R))

    def branch(self) -> "BlockPosterior":
        """The same posterior, whose further observations are imagined: rows forget them again."""
        return replace(self, facts=len(self))

    @property
    def law(self) -> Law:
        """What the moments of a row depend on."""
        post = self.posterior
        facts = len(self) if self.facts is None else self.facts
        return Law(post.kernel, post.prior_mean, post.X, post.u, self.R, facts)

    def moments_at(self, index: int) -> tuple[float, float]:
        """Posterior mean and sd of one row."""
        mean, sd = exact_moments(self.law, np.asarray(self.codes[index : index + 1], dtype=np.float64))
        return float(mean[0]), float(sd[0])

    def argmax(self, formula: Monotone, closed: npt.NDArray[np.intp]) -> Found | None:
        """The open row where a score is largest, exactly: the first of equals; None where no row has a finite score.

        The answer depends on the rows and on this posterior alone, to the last bit: not on what was asked before, on
        the engine, or on the number of workers. Bounds only leave out rows that cannot win, with rounding allowed for;
        the others are compared by moments that are computed by themselves.
        """
        rows, question = self.rows, Question(next(_NUMBERS), self.law, formula, closed)
        call = rows.engine.call
        while rows.engine.unused:
            call(drop, rows.engine.unused.pop())
        best, touched, updated, left, most = -math.inf, 0, 0, 1, _FIRST
        began = time.perf_counter()
        while left:
            surveys = call(survey, rows.address, rows.key, question, best, most)
            best = max(best, *(found.best for found in surveys))
            touched += sum(found.touched for found in surveys)
            updated += sum(found.updated for found in surveys)
            left, most = sum(found.left for found in surveys), min(2 * most, _MOST)
            to_come = (time.perf_counter() - began) * left / max(touched, 1)
            rows.engine.progress("suggestion", touched, touched + left, to_come)
        winners = call(decide, rows.address, rows.key, question, best)
        touched += sum(winner.touched for winner in winners)
        updated += sum(winner.updated for winner in winners)
        found = [winner for winner in winners if winner.row is not None]
        if not found:
            return None
        first = min(found, key=lambda winner: (-winner.score, winner.row))
        assert first.row is not None
        N = len(self.codes)
        return Found(first.row, first.score, first.mean, first.sd, min(touched, N), min(updated, N))


def block_posterior(posterior: Posterior, codes: npt.NDArray[Any], engine: Engine | None = None) -> BlockPosterior:
    """Posterior over the rows of a table, (N, d) codes in memory or mapped from a file. No row is looked at yet."""
    return BlockPosterior(
        posterior, posterior.factor.half_inverse(), _Rows(codes, Here() if engine is None else engine)
    )
