"""The rows of one worker: bounds on the moments of each, tightened where a row can still win.

Of each row three numbers are kept: an upper bound on its mean given so many observations, how many they are, and an
upper bound on its sd. No observation raises an sd: it stays a bound. A full pass after a fit computes all of them, and
later a row is refreshed when its own bound says that it may win; it is looked for in blocks, whose bounds are those of
their rows together. All that is done in single precision where that leaves bounds sharp, and rounding is allowed for.
Rows that may win after all are then compared by their exact moments.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.gp.blocks.bounds import GRID, Envelopes, envelope
from regretless.gp.blocks.law import CANON, Law, Monotone, exact_moments
from regretless.gp.blocks.rough import Rough, rough, single, spurious_flags
from regretless.linalg import single_thread

__all__ = ["BLOCK", "Question", "Survey", "Winner", "decide", "drop", "survey"]

#: Rows that are bounded together.
BLOCK = 128
#: Neighbouring blocks that have the same owner.
_STRIPE = 128
#: Kernel values computed at once, two or four megabytes: with fewer, what Python takes for each tile counts.
_ENTRIES = 1 << 19
#: Observations by which variances are lowered before rows are looked at again.
_STEP = 32
#: Every so many-th block of a full pass comes first, so that there is something to beat.
_SAMPLE = 128
#: Blocks of a full pass after which all workers compare what they found.
_PIECE = 1 << 13
#: Blocks whose rows are bounded one by one at a time, in order of the blocks' bounds.
_GROUP = 32


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
    """What a worker found: a score that some row has, and of how many rows bounds may have to be looked at, and were.

    ``updated`` rows were refreshed or compared by exact moments.
    """

    best: float
    left: int
    touched: int
    updated: int


@dataclass(frozen=True, slots=True)
class Winner:
    """The best row of a worker, the first of equals; None where all its rows are closed or have no finite score."""

    row: int | None
    score: float
    mean: float
    sd: float
    touched: int
    updated: int


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


#: (upper bounds on means, upper bounds on sds) -> which rows are worth a better bound.
_Worth: TypeAlias = Callable[[Floats, Floats], npt.NDArray[np.bool_]]


class Moments:
    """Bounds on the rows that one worker owns, which are called by their places in its own arrays."""

    def __init__(self, codes: npt.NDArray[Any], share: tuple[int, int]) -> None:
        self._codes = np.asarray(codes)
        number, workers = share
        blocks = np.arange(-(-len(codes) // BLOCK))
        self._blocks = blocks[(blocks // _STRIPE) % workers == number]
        count = len(self._blocks)
        self._mean, self._sd = (np.empty((count, BLOCK), dtype=np.float32) for _ in range(2))
        self._seen = np.empty((count, BLOCK), dtype=np.uint16)
        self._envelope = np.empty((count, len(GRID) + 1), dtype=np.float32)
        self._version = np.zeros(count, dtype=np.intp)  # observations that envelopes know of
        self._wide = math.sqrt(2.0 * math.log(max(len(codes), 2)) + 2.0)
        self._best_wide = -math.inf
        self._queue = np.empty(0, dtype=np.intp)
        self._law: Law | None = None
        self._memory: dict[str, Floats] = {}
        self._look: _Look | None = None

    # A question --------------------------------------------------------------------------------------------------

    def survey(self, question: Question, best: float, most: int) -> Survey:
        """See `survey`."""
        look = self._looking(question, best)
        touched, updated, self._law = look.touched, look.updated, None
        if len(self._queue):
            look.pass_over(self._queue[:_PIECE])
            self._queue = self._queue[_PIECE:]
            left = len(self._queue)
        else:
            left = look.go_on(most)
        self._law = question.law
        return Survey(look.best, left * BLOCK, look.touched - touched, look.updated - updated)

    def decide(self, question: Question, best: float) -> Winner:
        """See `decide`."""
        look = self._looking(question, best)
        touched, updated, self._law = look.touched, look.updated, None
        if len(self._queue):  # of a worker that came in for a lost one
            look.pass_over(self._queue)
            self._queue = self._queue[:0]
        look.go_on(len(self._blocks))
        self._law, self._look = question.law, None
        return Winner(*look.found, look.touched - touched, look.updated - updated)

    def _looking(self, question: Question, best: float) -> "_Look":
        """The look at rows for a question, which lasts until it is decided."""
        if self._look is None or self._look.question.number != question.number:
            self._follow(question.law)
            self._look = _Look(self, question)
            if not len(self._queue):
                self._look.go_by(self._envelope, self._version)
        self._look.best = max(self._look.best, best)
        return self._look

    def _follow(self, law: Law) -> None:
        """Keep the bounds if the new law only adds observations to the one they are for; else begin anew.

        Also where a question was broken off: there is no law while bounds change.
        """
        if self._law is None or len(self._queue) or not law.begins_with(self._law, self._law.facts):
            self._best_wide = -math.inf
            sample = np.zeros(len(self._blocks), dtype=np.bool_)
            sample[::_SAMPLE] = True
            self._queue = np.concatenate([np.flatnonzero(sample), np.flatnonzero(~sample)])
        self._law = law

    # Rows --------------------------------------------------------------------------------------------------------

    def rows_at(self, places: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """The numbers of some rows in the table; those behind the last are not less than the number of rows."""
        rows: npt.NDArray[np.intp] = self._blocks[places // BLOCK] * BLOCK + places % BLOCK
        return rows

    def codes_at(self, places: npt.NDArray[np.intp]) -> Floats:
        """The codes of some rows."""
        return self._codes[self.rows_at(places)].astype(np.float64)

    def _codes_of(self, blocks: npt.NDArray[np.intp]) -> Floats:
        """The codes of some blocks; the last row stands for those behind it."""
        X = self._room("codes", np.float64, len(blocks) * BLOCK, self._codes.shape[1]).reshape(len(blocks), BLOCK, -1)
        for i, begin in enumerate((self._blocks[blocks] * BLOCK).tolist()):
            part = self._codes[begin : begin + BLOCK]
            X[i, : len(part)], X[i, len(part) :] = part, part[-1]
        return X.reshape(-1, X.shape[2])

    @property
    def n_rows(self) -> int:
        """How many rows the table has, all workers' together."""
        return len(self._codes)

    def state_of(self, blocks: npt.NDArray[np.intp]) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
        """Bounds on mean and sd of the rows of some blocks, and how many observations their means have seen."""
        return self._mean[blocks], self._sd[blocks], self._seen[blocks]

    def put(self, places: npt.NDArray[np.intp], mean: Floats, sd: Floats, seen: int) -> None:
        """Keep bounds on some rows."""
        for kept, new in ((self._mean, _raised(mean)), (self._sd, _raised(sd)), (self._seen, seen)):
            kept.reshape(-1)[places] = new

    # Bounds ------------------------------------------------------------------------------------------------------

    def pass_over(self, law: Rough, blocks: npt.NDArray[np.intp], worth: _Worth) -> None:
        """Bounds on the rows of some blocks.

        Variances go on while a row is worth it, or its upper bound with the root of large draws of zeta is not below
        the best such: otherwise the next large one would find many rows whose variance is not known well enough.
        """

        def on(mean: Floats, sd: Floats) -> npt.NDArray[np.bool_]:
            go_on: npt.NDArray[np.bool_] = worth(mean, sd) | (mean + self._wide * sd >= self._best_wide)
            return go_on

        K, mean = law.kernel_values(law.facts, self._codes_of(blocks), self._room)
        sd, last = self._cascade(law, K, mean, np.full(len(mean), math.inf), on)
        if len(last):
            self._best_wide = max(self._best_wide, float((mean[last] + self._wide * sd[last]).max()))
        for kept, new in ((self._mean, mean), (self._sd, sd)):
            kept[blocks] = _raised(new).reshape(-1, BLOCK)
        self._seen[blocks] = law.facts
        self.enclose(law.law, blocks)

    def refresh(self, law: Rough, places: npt.NDArray[np.intp], worth: _Worth) -> tuple[Floats, Floats]:
        """Better bounds on mean and sd of some rows; what is imagined is forgotten again."""
        K, mean = law.kernel_values(len(law.law), self.codes_at(places), self._room)
        sd, _ = self._cascade(law, K, mean, self._sd.reshape(-1)[places].astype(np.float64), worth)
        self.put(places, mean, sd, law.facts)
        if law.facts < len(law.law):
            V = self._product(law.R[law.facts :], K)
            mean = mean + law.law.u[law.facts :] @ V
            sd = law.sd_above(sd * sd - np.einsum("ij,ij->j", V, V))
        return mean, sd

    def _cascade(
        self, law: Rough, K: Floats, mean: Floats, sd: Floats, worth: _Worth
    ) -> tuple[Floats, npt.NDArray[np.intp]]:
        """Bounds on sds, by forward substitution that ends for a row when it is not worth it; who came to the end."""
        prior_var, n = law.law.kernel.signal_var, law.facts
        sd = np.minimum(sd, math.sqrt(prior_var))
        alive = np.flatnonzero(worth(mean, sd))
        var = np.full(len(alive), prior_var, dtype=law.dtype)
        for begin in range(0, n, _STEP):
            if not len(alive):
                break
            end = min(begin + _STEP, n)
            V = self._product(law.R[begin:end, :end], self._columns(K[:end], alive))
            var -= np.einsum("ij,ij->j", V, V)
            sd[alive] = np.minimum(sd[alive], law.sd_above(var))
            if end < n:
                on = worth(mean[alive], sd[alive])
                alive, var = alive[on], var[on]
        return sd, alive

    def enclose(self, law: Law, blocks: npt.NDArray[np.intp]) -> None:
        """The envelopes of some blocks, given all that was measured."""
        mean, sd, seen = self.state_of(blocks)
        if blocks[-1] == len(self._blocks) - 1:
            behind = np.arange(BLOCK) >= self.n_rows - self._blocks[-1] * BLOCK
            mean[-1, behind], sd[-1, behind] = -np.inf, 0.0
        self._envelope[blocks] = envelope(mean, sd, single(lacking(law.u[: law.facts]))[seen])
        self._version[blocks] = law.facts

    def _room(self, name: str, dtype: Any, rows: int, columns: int) -> Floats:
        """Memory that the next call of that name takes.

        Fresh memory for every tile takes as long as the products that go there where the system hands it out page by
        page, as it does on a worker of Dask, whose nanny has malloc return what is freed at once.
        """
        size, kept = rows * columns, self._memory.get(name)
        if kept is None or len(kept) < size or kept.dtype != dtype:
            kept = self._memory[name] = np.empty(size, dtype=dtype)
        return kept[:size].reshape(rows, columns)

    def _product(self, A: Floats, B: Floats) -> Floats:
        """``A @ B``, in memory that the next product takes."""
        with spurious_flags():
            return np.matmul(A, B, out=self._room("product", A.dtype, len(A), B.shape[1]))

    def _columns(self, K: Floats, rows: npt.NDArray[np.intp]) -> Floats:
        """Some columns of kernel values, in memory that the next call takes; all of them as they are."""
        if len(rows) == K.shape[1]:
            return K
        out = self._room("columns", K.dtype, len(K), len(rows))
        return np.take(K, rows, axis=1, out=out, mode="clip")


class _Look:
    """One look at some rows, and the best of those whose exact moments were needed.

    Blocks are looked at by falling bounds on their scores. There are none in a full pass, which looks at all.
    """

    def __init__(self, moments: Moments, question: Question) -> None:
        self._moments, self.question = moments, question
        law = question.law
        self._law, self._lacking = rough(law), lacking(law.u)
        self._of_mean, self._of_var = law.rounding()  # of exact moments
        self._order, self._falling, self._next = np.empty(0, dtype=np.intp), np.empty(0), 0
        self._waiting: list[tuple[npt.NDArray[np.intp], Floats]] = []  # places and bounds of rows to be compared
        self.found: tuple[int | None, float, float, float] = (None, -math.inf, math.nan, math.nan)
        self.best = -math.inf
        self.touched = self.updated = 0

    def go_by(self, envelopes: npt.NDArray[Any], versions: npt.NDArray[np.intp]) -> None:
        """Look at blocks by the bounds that follow from these."""
        double = envelopes.astype(np.float64)
        known = Envelopes(double[:, :-1], double[:, -1], self._of_mean, self._of_sd)
        bounds = self.question.formula.stale(known, self._lacking[versions])
        self._order = np.argsort(-bounds, kind="stable")
        self._falling = -bounds[self._order]  # ascending

    def go_on(self, most: int) -> int:
        """Look at so many further blocks whose bounds are not below the best; how many of them are left."""
        end = self._next + most
        while self._next < min(end, self._promising):
            group = self._order[self._next : min(self._next + _GROUP, end, self._promising)]
            self._next += len(group)
            self._at(np.sort(group))
        self._compare()
        return max(self._promising - self._next, 0)

    def pass_over(self, blocks: npt.NDArray[np.intp]) -> None:
        """A part of the full pass, and a look at its rows."""
        for tile in _tiles(blocks, BLOCK * len(self.question.law)):
            self._moments.pass_over(self._law, tile, self._worth)
            self.updated += BLOCK * len(tile)
            self._at(tile)
        self._compare()

    @property
    def _promising(self) -> int:
        """How many blocks have bounds that are not below the best."""
        return int(np.searchsorted(self._falling, -self.best, side="right"))

    @property
    def _of_sd(self) -> float:
        """What is allowed for in the sd of a row that is out of date: rounding, and the smallest sd there is."""
        return math.sqrt(self._of_var) + math.sqrt(self.question.law.floor)

    def _at(self, blocks: npt.NDArray[np.intp]) -> None:
        """Look at the rows of some blocks that may be the best, by falling bounds on their scores."""
        moments, law = self._moments, self.question.law
        mean, sd, seen = (part.reshape(-1) for part in moments.state_of(blocks))
        mean, sd = mean.astype(np.float64), sd.astype(np.float64)
        self.touched += len(mean)
        upper = self.question.formula.upper(mean + self._of_mean, sd + self._of_sd, self._lacking[seen])
        may = np.flatnonzero((upper >= self.best) & (upper > -np.inf))
        places = blocks[may // BLOCK] * BLOCK + may % BLOCK
        open_ = self._is_open(places)
        may, places = may[open_], places[open_]
        upper, stale = upper[may], (seen[may] < law.facts) | (law.facts < len(law))
        upper[~stale] = self._score(mean[may[~stale]], sd[may[~stale]])
        changed = []
        for tile in _tiles(np.argsort(-upper, kind="stable"), len(law)):
            still = np.sort(tile[upper[tile] >= self.best])
            old = still[stale[still]]
            if len(old):
                upper[old] = self._score(*moments.refresh(self._law, places[old], self._worth))
                changed.append(places[old])
            self._wait(places[still], upper[still])
        self._enclose(changed)

    def _is_open(self, places: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
        rows, closed = self._moments.rows_at(places), self.question.closed
        is_open: npt.NDArray[np.bool_] = rows < self._moments.n_rows
        if len(closed):
            is_open &= closed[np.minimum(np.searchsorted(closed, rows), len(closed) - 1)] != rows
        return is_open

    def _worth(self, mean: Floats, sd: Floats) -> npt.NDArray[np.bool_]:
        """Whether rows may be the best whose moments are at most these."""
        may: npt.NDArray[np.bool_] = self._score(mean, sd) >= self.best
        return may

    def _score(self, mean: Floats, sd: Floats) -> Floats:
        """A bound on the score that exact moments will have which are at most these."""
        return self.question.formula.value(mean + self._of_mean, np.sqrt(sd * sd + self._of_var))

    def _wait(self, places: npt.NDArray[np.intp], upper: Floats) -> None:
        """Have rows compared, as soon as there are enough of them or nothing is known of the best."""
        may = upper >= self.best
        self._waiting.append((places[may], upper[may]))
        if self.best == -math.inf or sum(len(some) for some, _ in self._waiting) >= CANON:
            self._compare()

    def _compare(self) -> None:
        """Compare those that wait by their exact moments, which are kept; the first of equals is the best."""
        if not self._waiting:
            return
        law = self.question.law
        places, upper = (np.concatenate(parts) for parts in zip(*self._waiting, strict=True))
        self._waiting, changed = [], []
        for some in _tiles(np.argsort(-upper, kind="stable"), _ENTRIES // CANON):
            those = np.sort(places[some[upper[some] >= self.best]])
            if not len(those):
                break
            mean, sd = exact_moments(law, self._moments.codes_at(those))
            score = self.question.formula.value(np.resize(mean, CANON), np.resize(sd, CANON))[: len(those)]
            score[~np.isfinite(score)] = -np.inf
            i = int(np.argmax(score))
            row, best = int(self._moments.rows_at(those[i : i + 1])[0]), float(score[i])
            if best > self.found[1] or (best == self.found[1] and row < (self.found[0] or 0)):
                self.found = (row, best, float(mean[i]), float(sd[i]))
            self.best = max(self.best, best)
            if law.facts == len(law):
                self._moments.put(those, mean + self._of_mean, np.sqrt(sd * sd + self._of_var), law.facts)
                changed.append(those)
        self._enclose(changed)

    def _enclose(self, changed: list[npt.NDArray[np.intp]]) -> None:
        """Have the blocks of rows whose bounds changed bounded anew."""
        if changed:
            places = np.concatenate(changed)
            self._moments.enclose(self.question.law, np.unique(places // BLOCK))
            self.updated += len(places)


def lacking(u: Floats) -> Floats:
    """The sum of squares of the innovations from each on, and of none."""
    return np.append(np.cumsum((u * u)[::-1])[::-1], 0.0)


def _raised(bound: Floats) -> Floats:
    """Upper bounds in single precision, rounded up."""
    raised: Floats = single(bound + np.abs(bound) * np.finfo(np.float32).eps)
    return raised


def _tiles(things: npt.NDArray[np.intp], values_each: int) -> list[npt.NDArray[np.intp]]:
    """Parts of some blocks or rows whose kernel values stay in the cache."""
    width = max(1, _ENTRIES // max(values_each, 1))
    return [things[begin : begin + width] for begin in range(0, len(things), width)]
