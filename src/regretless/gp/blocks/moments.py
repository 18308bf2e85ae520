"""The rows of one worker, block by block: mean and variance of each, brought up to date where a row can still win.

Of each row three numbers are kept. Its mean is given all observations up to its block's version. Its variance is given
the first ``done`` observations of the last full pass and all later ones: an upper bound while that is not all of them,
since every observation can only lower it. The full pass stops early for most rows (a cascade); a row that may win after
all is completed when its block is looked at.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.gp.blocks.bounds import GRID, Envelopes, envelope
from regretless.gp.blocks.law import CANON, Law, Monotone, exact_moments
from regretless.linalg import single_thread

__all__ = ["BLOCK", "Question", "Survey", "Winner", "decide", "drop", "survey"]

#: Rows that are brought up to date together, and bounded together until then.
BLOCK = 128
#: Neighbouring blocks that have the same owner.
_STRIPE = 128
#: Kernel values computed at once: two megabytes, which stay in the cache.
_ENTRIES = 1 << 18
#: Observations by which the variance is lowered before rows are looked at again.
_STEP = 32
#: Every so many-th block of a full pass comes first, so that there is something to beat.
_SAMPLE = 128
#: Blocks of a full pass after which all workers compare what they found.
_PIECE = 1 << 13
#: Blocks taken at a time in order of their bounds.
_GROUP = 32
_UNSEEN = -1


@dataclass(frozen=True, slots=True)
class Question:
    """A score whose largest value is looked for, among the rows that are not ``closed`` (row numbers, ascending).

    It has a number of its own, by which a worker knows that it has looked at some rows for it already.
    """

    number: int
    law: Law
    formula: Monotone
    closed: npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Survey:
    """What a worker found: a score that some row reaches for certain, rows that may have to be looked at, and were."""

    best: float
    left: int
    touched: int


@dataclass(frozen=True, slots=True)
class Winner:
    """The best row of a worker, the first of equals; None where all its rows are closed or have no finite score."""

    row: int | None
    score: float
    mean: float
    sd: float
    touched: int


def survey(
    worker: dict[Any, Any], share: tuple[int, int], codes: Any, key: Any, question: Question, best: float, most: int
) -> Survey:
    """Go on with the full pass, where one is due; else with the most promising blocks, at most so many of them.

    A score of ``best`` is reached for certain by some row of this worker or of another.
    """
    with single_thread():
        return _moments(worker, share, codes, key).survey(question, best, most)


def decide(
    worker: dict[Any, Any], share: tuple[int, int], codes: Any, key: Any, question: Question, best: float
) -> Winner:
    """The best row of a worker, after its surveys."""
    with single_thread():
        return _moments(worker, share, codes, key).decide(question, best)


def drop(worker: dict[Any, Any], share: tuple[int, int], key: Any) -> None:  # noqa: ARG001
    """Free the memory of what is not asked about any more."""
    worker.pop(key, None)


def _moments(worker: dict[Any, Any], share: tuple[int, int], codes: Any, key: Any) -> "Moments":
    if isinstance(codes, str):
        if codes not in worker:
            worker[codes] = np.load(codes, mmap_mode="r")
        codes = worker[codes]
    if key not in worker:
        worker[key] = Moments(codes, share)
    found: Moments = worker[key]
    return found


class Moments:
    """Mean and variance of the rows that one worker owns."""

    def __init__(self, codes: npt.NDArray[Any], share: tuple[int, int]) -> None:
        self._codes = codes
        number, workers = share
        blocks = np.arange(-(-len(codes) // BLOCK))
        self._blocks = blocks[(blocks // _STRIPE) % workers == number]
        count = len(self._blocks)
        self._mean, self._var = np.empty((count, BLOCK)), np.empty((count, BLOCK))
        self._done = np.empty((count, BLOCK), dtype=np.uint16)
        self._envelope = np.empty((count, len(GRID) + 1))
        self._version = np.full(count, _UNSEEN)
        self._wide = math.sqrt(2.0 * math.log(max(len(codes), 2)) + 2.0)
        self._queue = np.empty(0, dtype=np.intp)
        self._base, self._best_wide = 0, -math.inf
        self._law: Law | None = None
        self._memory: dict[str, Floats] = {}
        self._look: _Look | None = None

    # A question --------------------------------------------------------------------------------------------------

    def survey(self, question: Question, best: float, most: int) -> Survey:
        """See `survey`."""
        look = self._looking(question, best)
        before = look.touched
        if len(self._queue):
            now, self._queue = self._queue[:_PIECE], self._queue[_PIECE:]
            look.at(now)
            left = len(self._queue)
        else:
            left = look.go_on(most)
        return Survey(look.best, left * BLOCK, look.touched - before)

    def decide(self, question: Question, best: float) -> Winner:
        """See `decide`."""
        look = self._looking(question, best)
        before = look.touched
        if len(self._queue):  # of a worker that came in for a lost one
            look.at(self._queue)
            self._queue = self._queue[:0]
        look.go_on(len(self._blocks))
        self._look = None
        return look.winner(look.touched - before)

    def _looking(self, question: Question, best: float) -> "_Look":
        """The look at rows for a question, which lasts until it is decided."""
        if self._look is None or self._look.question.number != question.number:
            self._follow(question.law)
            self._look = _Look(self, question, np.empty(0) if len(self._queue) else self._bounds(question))
        self._look.best = max(self._look.best, best)
        return self._look

    def _bounds(self, question: Question) -> Floats:
        """For each block a bound on the scores of its rows."""
        law = question.law
        of_mean, of_var = law.rounding()
        envelopes = Envelopes(
            self._envelope[:, :-1], self._envelope[:, -1], of_mean, math.sqrt(of_var) + math.sqrt(law.floor)
        )
        since = np.append(np.cumsum((law.u * law.u)[::-1])[::-1], 0.0)  # squared innovations from each version on
        return question.formula.stale(envelopes, since[self._version])

    def _follow(self, law: Law) -> None:
        """Keep the moments if the new law only adds observations to the one they are for; else begin anew."""
        if self._law is None or not law.begins_with(self._law, self._law.facts):
            self._version[:] = _UNSEEN
            self._base = law.facts
            self._best_wide = -math.inf
            sample = np.zeros(len(self._blocks), dtype=np.bool_)
            sample[::_SAMPLE] = True
            self._queue = np.concatenate([np.flatnonzero(sample), np.flatnonzero(~sample)])
        self._law = law

    # Some blocks -------------------------------------------------------------------------------------------------

    def rows_of(self, blocks: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """The numbers of the rows of some blocks; those behind the last are not less than the number of rows."""
        rows: npt.NDArray[np.intp] = (self._blocks[blocks, None] * BLOCK + np.arange(BLOCK)).ravel()
        return rows

    def codes_of(self, blocks: npt.NDArray[np.intp]) -> Floats:
        """Their codes; the last row stands for those behind it."""
        X = np.empty((len(blocks), BLOCK, self._codes.shape[1]))
        for i, begin in enumerate((self._blocks[blocks] * BLOCK).tolist()):
            part = self._codes[begin : begin + BLOCK]
            X[i, : len(part)], X[i, len(part) :] = part, part[-1]
        return X.reshape(-1, X.shape[2])

    def codes_at(self, rows: npt.NDArray[np.intp]) -> Floats:
        """The codes of some rows."""
        return np.asarray(self._codes[rows], dtype=np.float64)

    @property
    def n_rows(self) -> int:
        """How many rows the table has, all workers' together."""
        return len(self._codes)

    def tiles(self, blocks: npt.NDArray[np.intp], n: int) -> list[npt.NDArray[np.intp]]:
        """Parts of the blocks whose kernel values with n observations stay in the cache."""
        width = max(1, _ENTRIES // (max(n, 1) * BLOCK))
        return [blocks[begin : begin + width] for begin in range(0, len(blocks), width)]

    def kernel_values(self, law: Law, X: Floats) -> Floats:
        """``K_Xx``, (n, rows), in memory that the next call takes."""
        out, spare = (self._room(name, len(law), len(X)) for name in ("kernel", "spare"))
        return law.kernel.into(law.X, X, out, spare) if out.size else out

    def _room(self, name: str, *shape: int) -> Floats:
        """Memory that the next call of that name takes.

        Fresh memory for every tile takes as long as the products that go there where the system hands it out page by
        page, as it does on a worker of Dask, whose nanny has malloc return what is freed at once.
        """
        size = math.prod(shape)
        kept = self._memory.get(name)
        if kept is None or len(kept) < size:
            kept = self._memory[name] = np.empty(size)
        return kept[:size].reshape(shape)

    def product(self, A: Floats, B: Floats) -> Floats:
        """``A @ B``, in memory that the next product takes."""
        return np.matmul(A, B, out=self._room("product", len(A), B.shape[1]))

    def _columns(self, K: Floats, rows: npt.NDArray[np.intp] | slice) -> Floats:
        """Some columns of kernel values, in memory that the next call takes; all of them as they are."""
        if isinstance(rows, slice):
            return K
        return np.take(K, rows, axis=1, out=self._room("columns", len(K), len(rows)), mode="clip")

    def versions(self, blocks: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """How many observations each of them has seen."""
        return self._version[blocks]

    def were_seen(self, blocks: npt.NDArray[np.intp]) -> bool:
        """Whether the pass has been there."""
        return bool(self._version[blocks[0]] != _UNSEEN)

    def bring_up_to_date(self, question: Question, blocks: npt.NDArray[np.intp], K: Floats, best: float) -> None:
        """Mean and variance given all that was measured; the variance of rows that cannot win may stay too large."""
        law, count = question.law, len(blocks)
        mean, var = self._mean[blocks].ravel(), self._var[blocks].ravel()
        version = np.repeat(self._version[blocks], BLOCK)
        if not self.were_seen(blocks):
            mean = law.prior_mean + law.weights(self._base) @ K[: self._base]
            var, done = self._cascade(question, K, mean, best)
            self._done[blocks] = done.reshape(count, BLOCK)
            version[:] = self._base
        first, last = int(version.min()), law.facts
        if first < last:
            V = self.product(law.R[first:last, :last], K[:last])
            if int(version.max()) > first:
                V[np.arange(first, last)[:, None] < version] = 0.0
            mean += law.u[first:last] @ V
            var -= np.einsum("ij,ij->j", V, V)
        self._keep(law, blocks, mean, var)
        self._version[blocks] = last

    def _keep(self, law: Law, blocks: npt.NDArray[np.intp], mean: Floats, var: Floats) -> None:
        self._mean[blocks], self._var[blocks] = mean.reshape(-1, BLOCK), var.reshape(-1, BLOCK)
        sd = np.sqrt(np.maximum(self._var[blocks], law.floor))
        behind = (self.rows_of(blocks) >= self.n_rows).reshape(-1, BLOCK)
        self._envelope[blocks] = envelope(np.where(behind, -np.inf, self._mean[blocks]), np.where(behind, 0.0, sd))

    def _cascade(self, question: Question, K: Floats, mean: Floats, best: float) -> tuple[Floats, npt.NDArray[Any]]:
        """Variances by forward substitution, which ends for a row as soon as it cannot be the best by far.

        A row goes on while its score is not below the best, nor its upper bound with the root of large draws of zeta:
        otherwise the next large one would find many rows whose variance is not known well enough.
        """
        law, n = question.law, self._base
        var, done = np.full(len(mean), law.kernel.signal_var), np.zeros(len(mean), dtype=np.uint16)
        alive: npt.NDArray[np.intp] | slice = slice(None)
        for begin in range(0, n, _STEP):
            end = min(begin + _STEP, n)
            V = self.product(law.R[begin:end, :end], self._columns(K[:end], alive))
            var[alive] -= np.einsum("ij,ij->j", V, V)
            done[alive] = end
            sd = np.sqrt(np.maximum(var[alive], law.floor))
            wide = mean[alive] + self._wide * sd
            if end == n:
                self._best_wide = max(self._best_wide, float(wide.max()))
                break
            on = (question.formula.value(mean[alive], sd) >= best) | (wide >= self._best_wide)
            if not on.all():
                alive = np.flatnonzero(on) if isinstance(alive, slice) else alive[on]
                if not len(alive):
                    break
        return var, done

    def complete(self, law: Law, blocks: npt.NDArray[np.intp], K: Floats, rows: npt.NDArray[np.intp] | slice) -> Floats:
        """Bring the variance of some rows (of those of the blocks) to its end; by how much it fell is returned."""
        n, done = self._base, self._done[blocks].ravel()
        so_far, columns = done[rows], self._columns(K[:n], rows)
        less = np.zeros(len(so_far))
        for begin in range(int(so_far.min()), n, _STEP):  # where the cascade ends a row has a whole number of steps
            end = min(begin + _STEP, n)
            V = self.product(law.R[begin:end, :end], columns[:end])
            less += np.where(so_far <= begin, np.einsum("ij,ij->j", V, V), 0.0)
        var = self._var[blocks].ravel()
        var[rows] -= less
        done[rows] = n
        self._done[blocks] = done.reshape(-1, BLOCK)
        self._keep(law, blocks, self._mean[blocks].ravel(), var)
        return less

    def state_of(self, blocks: npt.NDArray[np.intp]) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
        """Mean and variance of the rows of some blocks, and which variances are not at their end."""
        return self._mean[blocks].ravel(), self._var[blocks].ravel(), self._done[blocks].ravel() < self._base


class _Look:
    """One look at some blocks: rows that may be the best, and the best score that is reached for certain.

    Blocks are looked at by falling ``bounds`` on their scores. There are none in a full pass, which looks at all.
    """

    def __init__(self, moments: Moments, question: Question, bounds: Floats) -> None:
        self._moments, self.question = moments, question
        self._of_mean, self._of_var = question.law.rounding()
        self._order = np.argsort(-bounds, kind="stable")
        self._falling = -bounds[self._order]  # ascending
        self._next = 0
        self._rows: list[npt.NDArray[np.intp]] = []
        self._upper: list[Floats] = []
        self.best = -math.inf
        self.touched = 0

    def go_on(self, most: int) -> int:
        """Look at so many further blocks whose bounds are not below the best; how many of them are left."""
        end = self._next + most
        while self._next < min(end, self._promising):
            group = self._order[self._next : min(self._next + _GROUP, end, self._promising)]
            self._next += len(group)
            self.at(group[np.argsort(self._moments.versions(group), kind="stable")])
        return max(self._promising - self._next, 0)

    @property
    def _promising(self) -> int:
        """How many blocks have bounds that are not below the best."""
        return int(np.searchsorted(self._falling, -self.best, side="right"))

    def at(self, blocks: npt.NDArray[np.intp]) -> None:
        """Look at the rows of some blocks."""
        for tile in self._moments.tiles(blocks, len(self.question.law)):
            self._look(tile)

    def _look(self, blocks: npt.NDArray[np.intp]) -> None:
        moments, law = self._moments, self.question.law
        rows = moments.rows_of(blocks)
        K = moments.kernel_values(law, moments.codes_of(blocks))
        again = moments.were_seen(blocks)
        moments.bring_up_to_date(self.question, blocks, K, self.best)
        mean, var, unfinished = moments.state_of(blocks)
        if again and unfinished.any():  # its bound was too loose once: with variances at their end it need not be again
            var -= moments.complete(law, blocks, K, slice(None))
            unfinished[:] = False
        if law.facts < len(law):  # what is imagined is forgotten again
            V = moments.product(law.R[law.facts :], K)
            mean, var = mean + law.u[law.facts :] @ V, var - np.einsum("ij,ij->j", V, V)
        open_ = (rows < moments.n_rows) & ~_among(rows, self.question.closed)
        upper = np.where(open_, self._score(mean, var, 1.0), -np.inf)
        doubtful = np.flatnonzero(unfinished & (upper >= self.best) & open_)
        if len(doubtful):
            var[doubtful] -= moments.complete(law, blocks, K, doubtful)
            upper[doubtful] = self._score(mean[doubtful], var[doubtful], 1.0)
            unfinished[doubtful] = False
        may = np.flatnonzero((upper >= self.best) & ~unfinished & np.isfinite(upper))
        if len(may):
            self.best = max(self.best, float(self._score(mean[may], var[may], -1.0).max()))
            self._rows.append(rows[may])
            self._upper.append(upper[may])
        self.touched += int(np.count_nonzero(rows < moments.n_rows))

    def _score(self, mean: Floats, var: Floats, side: float) -> Floats:
        """The score at the far end of what rounding may have done to the moments."""
        sd = np.sqrt(np.maximum(var + side * self._of_var, self.question.law.floor))
        return self.question.formula.value(mean + side * self._of_mean, sd)

    def winner(self, touched: int) -> Winner:
        """The best row of all that were looked at, its moments computed by themselves."""
        rows = np.concatenate(self._rows) if self._rows else np.empty(0, dtype=np.intp)
        if len(rows):
            rows = np.sort(rows[np.concatenate(self._upper) >= self.best])
        found: tuple[int | None, float, float, float] = (None, -math.inf, math.nan, math.nan)
        for begin in range(0, len(rows), CANON):
            some = rows[begin : begin + CANON]
            mean, sd = exact_moments(self.question.law, self._moments.codes_at(some))
            score = self.question.formula.value(np.resize(mean, CANON), np.resize(sd, CANON))[: len(some)]
            score[~np.isfinite(score)] = -np.inf
            i = int(np.argmax(score))
            if score[i] > found[1]:
                found = (int(some[i]), float(score[i]), float(mean[i]), float(sd[i]))
        return Winner(*found, touched)


def _among(rows: npt.NDArray[np.intp], closed: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
    """Which of the rows are closed; both are ascending within a block, and few are closed."""
    if not len(closed):
        return np.zeros(len(rows), dtype=np.bool_)
    at = np.minimum(np.searchsorted(closed, rows), len(closed) - 1)
    hit: npt.NDArray[np.bool_] = closed[at] == rows
    return hit
