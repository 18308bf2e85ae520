import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_info

from regretless.errors import NumericalError
from regretless.linalg import JITTERS, Factor, cholesky, single_thread


def spd(n, seed=0, floor=0.1):
    B = np.random.default_rng(seed).standard_normal((n, n))
    return B @ B.T + floor * np.eye(n)


def with_eigenvalues(values, seed=0):
    Q, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((len(values), len(values))))
    A = Q @ np.diag(values) @ Q.T
    return (A + A.T) / 2


def blas_threads():
    return [lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"]


@pytest.mark.parametrize("n", [1, 2, 5, 40])
def test_factor_is_that_of_numpy(n):
    A = spd(n)
    factor = cholesky(A)
    assert len(factor) == n
    np.testing.assert_allclose(factor.L, np.linalg.cholesky(A), rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(np.triu(factor.L, 1), 0.0)


@settings(max_examples=30, deadline=None)
@given(n=st.integers(1, 12), m=st.integers(0, 4), seed=st.integers(0, 10**6))
def test_solutions_are_those_of_the_textbook_inverse(n, m, seed):
    A = spd(n, seed, floor=1.0)
    B = np.random.default_rng(seed + 1).standard_normal((n, m))
    factor = cholesky(A)
    L_inverse = np.linalg.inv(np.linalg.cholesky(A))
    tolerance = {"rtol": 1e-9, "atol": 1e-9}
    np.testing.assert_allclose(factor.half_solve(B), L_inverse @ B, **tolerance)
    np.testing.assert_allclose(factor.half_solve_transposed(B), L_inverse.T @ B, **tolerance)
    np.testing.assert_allclose(factor.solve(B), np.linalg.inv(A) @ B, **tolerance)
    np.testing.assert_allclose(factor.inverse(), np.linalg.inv(A), **tolerance)
    np.testing.assert_allclose(factor.logdet(), np.linalg.slogdet(A)[1], **tolerance)


def test_the_inverse_is_symmetric_to_the_last_bit():
    inverse = cholesky(spd(20)).inverse()
    np.testing.assert_array_equal(inverse, inverse.T)


@pytest.mark.parametrize("solve", ["half_solve", "half_solve_transposed", "solve"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_vector_is_solved_as_a_column_and_nothing_is_overwritten(solve, order):
    factor = cholesky(spd(6))
    B = np.array(np.random.default_rng(1).standard_normal((6, 3)), order=order)
    before, L = B.copy(), factor.L.copy()
    whole = getattr(factor, solve)(B)
    vector = getattr(factor, solve)(B[:, 1])
    assert vector.shape == (6,)
    np.testing.assert_allclose(vector, whole[:, 1], rtol=1e-13)
    T = {"half_solve": factor.L, "half_solve_transposed": factor.L.T, "solve": factor.L @ factor.L.T}[solve]
    np.testing.assert_allclose(T @ whole, B, rtol=0, atol=1e-13)
    np.testing.assert_array_equal(B, before)
    np.testing.assert_array_equal(factor.L, L)


@pytest.mark.parametrize("n", [1, 2])
def test_one_column_stays_a_matrix(n):
    assert cholesky(np.eye(n)).half_solve(np.ones((n, 1))).shape == (n, 1)


def test_empty_matrices():
    factor = cholesky(np.empty((0, 0)))
    assert len(factor) == 0
    assert factor.jitter == 0.0
    assert factor.logdet() == 0.0
    assert factor.inverse().shape == (0, 0)
    for solve in (factor.half_solve, factor.half_solve_transposed, factor.solve):
        assert solve(np.empty(0)).shape == (0,)
        assert solve(np.empty((0, 4))).shape == (0, 4)
    assert cholesky(np.eye(3)).half_solve(np.empty((3, 0))).shape == (3, 0)
    appended = factor.append(np.empty(0), 4.0)
    np.testing.assert_array_equal(appended.L, [[2.0]])
    assert appended.jitter == 0.0


def test_an_empty_answer_is_not_the_argument_itself():
    B = np.empty((0, 3))
    assert cholesky(np.empty((0, 0))).half_solve(B) is not B


@settings(max_examples=30, deadline=None)
@given(n=st.integers(0, 15), more=st.integers(1, 5), seed=st.integers(0, 10**6))
def test_appending_rows_equals_a_fresh_factor(n, more, seed):
    A = spd(n + more, seed)
    factor = cholesky(A[:n, :n])
    for i in range(n, n + more):
        factor = factor.append(A[i, :i], A[i, i])
    fresh = cholesky(A)
    np.testing.assert_allclose(factor.L, fresh.L, rtol=1e-8, atol=1e-9)
    assert factor.jitter == fresh.jitter == 0.0


def test_appending_leaves_the_old_factor_alone():
    A = spd(5)
    old = cholesky(A[:4, :4])
    L = old.L.copy()
    new = old.append(A[4, :4], A[4, 4])
    new.L[:] = np.nan
    np.testing.assert_array_equal(old.L, L)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_a_well_conditioned_matrix_gets_no_jitter(scale):
    assert cholesky(scale * spd(30)).jitter == 0.0


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("n", [2, 10])
def test_a_singular_matrix_gets_the_smallest_jitter_and_says_so(n, scale):
    factor = cholesky(scale * np.ones((n, n)))  # n times the same row: exactly singular
    assert factor.jitter == pytest.approx(JITTERS[1] * scale, rel=1e-12)
    np.testing.assert_allclose(factor.L @ factor.L.T, scale * (np.ones((n, n)) + JITTERS[1] * np.eye(n)), rtol=1e-14)


@pytest.mark.parametrize("seed", range(10))
def test_a_pivot_made_of_rounding_errors_is_not_trusted(seed):
    # Replicated rows are singular; rounding leaves a last pivot of either sign near 1e-16.
    A = spd(4, seed)
    rows = [0, 1, 2, 3, 2, 0]
    factor = cholesky(A[np.ix_(rows, rows)])
    assert factor.jitter > 0.0
    assert np.diagonal(factor.L).min() ** 2 > 0.5 * factor.jitter


@pytest.mark.parametrize("rung", range(1, len(JITTERS)))
def test_the_jitter_is_the_first_of_the_ladder_above_the_lowest_eigenvalue(rung):
    # The lowest eigenvalue is minus 0.3 of the rung, and three times the rung below: only this rung and higher work.
    scale = 0.9
    A = with_eigenvalues([-0.3 * JITTERS[rung] * scale, 0.5, 1.3, 1.8])
    A *= scale / np.mean(np.diagonal(A))
    assert cholesky(A).jitter == pytest.approx(JITTERS[rung] * scale, rel=1e-9)


@pytest.mark.parametrize(
    "A",
    [
        np.diag([1.0, -1.0]),
        np.diag([1.0, -1e-2]),
        -np.eye(3),
        np.zeros((2, 2)),
        np.array([[1.0, 2.0], [2.0, 1.0]]),
    ],
)
def test_an_indefinite_matrix_is_an_error(A):
    with pytest.raises(NumericalError, match="not positive definite"):
        cholesky(A)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("where", [(0, 0), (1, 0), (1, 1), (3, 1), (3, 3)])
def test_a_matrix_that_is_not_finite_is_an_error(bad, where):
    A = np.eye(4)
    A[where] = bad
    with pytest.raises(NumericalError):
        cholesky(A)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_row_that_is_not_finite_is_an_error(bad):
    factor = cholesky(np.eye(3))
    with pytest.raises(NumericalError, match="not finite"):
        factor.append(np.array([0.0, bad, 0.0]), 1.0)
    with pytest.raises(NumericalError, match="not finite"):
        factor.append(np.zeros(3), bad)


def test_the_argument_is_not_changed():
    A = np.asfortranarray(np.ones((4, 4)))
    cholesky(A)
    np.testing.assert_array_equal(A, 1.0)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_appending_a_row_twice_is_finite_and_records_its_jitter(scale):
    A = scale * spd(4)
    twin = cholesky(A).append(A[2], A[2, 2])
    bordered = np.block([[A, A[:, [2]]], [A[[2]], A[2, 2]]])
    assert np.isfinite(twin.L).all()
    assert twin.jitter == pytest.approx(JITTERS[1] * np.mean(np.diagonal(bordered)), rel=1e-12)
    # L L' is the bordered matrix with the recorded jitter on the whole diagonal, as of a fresh factor.
    np.testing.assert_allclose(twin.L @ twin.L.T, bordered + twin.jitter * np.eye(5), rtol=0, atol=1e-13 * scale)
    np.testing.assert_allclose(twin.L, cholesky(bordered).L, rtol=1e-4, atol=1e-8 * np.sqrt(scale))
    # What is appended later carries the same jitter, and asks for no more.
    again = twin.append(bordered[2], A[2, 2])
    assert again.jitter == twin.jitter
    np.testing.assert_array_equal(again.L[:5, :5], twin.L)
    np.testing.assert_allclose((again.L @ again.L.T)[5, 5], A[2, 2] + twin.jitter, rtol=1e-14)


def test_appending_to_a_factor_with_jitter_adds_it_to_the_corner():
    factor = Factor(np.sqrt(1.5) * np.eye(2), jitter=0.5).append(np.zeros(2), 1.0)
    assert factor.jitter == 0.5
    np.testing.assert_allclose(factor.L @ factor.L.T, 1.5 * np.eye(3))


def test_a_row_that_needs_more_jitter_gets_the_next_of_the_ladder():
    # With 1e-10 on the diagonal the bordered matrix still has an eigenvalue near -0.3e-7: the next that helps is 1e-7.
    A = with_eigenvalues([-0.3e-7, 0.5, 1.2, 2.3], seed=1)
    A /= np.mean(np.diagonal(A))
    first = cholesky(A[:3, :3] + 0.0)
    second = Factor(cholesky(A[:3, :3] + 1e-10 * np.eye(3)).L, 1e-10)
    assert first.jitter == 0.0
    for factor in (first, second):
        appended = factor.append(A[3, :3], A[3, 3])
        assert appended.jitter == pytest.approx(1e-7, rel=1e-9)
        np.testing.assert_allclose(appended.L @ appended.L.T, A + appended.jitter * np.eye(4), rtol=0, atol=1e-13)


def test_a_row_that_no_jitter_helps_is_an_error():
    with pytest.raises(NumericalError, match="not positive definite"):
        cholesky(np.eye(2)).append(np.array([2.0, 0.0]), 1.0)


@pytest.mark.parametrize("solve", ["half_solve", "half_solve_transposed", "inverse"])
@pytest.mark.parametrize("B", [np.ones(2), np.ones((2, 3)), np.ones((2, 3), order="F")], ids=["vector", "C", "F"])
def test_a_zero_on_the_diagonal_is_an_error(solve, B):
    factor = Factor(np.asfortranarray(np.diag([1.0, 0.0])))
    with pytest.raises(NumericalError, match="zero on its diagonal"):
        factor.inverse() if solve == "inverse" else getattr(factor, solve)(B)


def test_single_thread_limits_blas_and_restores_it():
    spd(3) @ spd(3)
    before = blas_threads()
    assert before
    with single_thread():
        assert blas_threads() == [1] * len(before)
        with single_thread():
            assert blas_threads() == [1] * len(before)
        assert blas_threads() == [1] * len(before)
    assert blas_threads() == before


def test_single_thread_restores_after_an_error():
    before = blas_threads()
    with pytest.raises(KeyError), single_thread():
        raise KeyError
    assert blas_threads() == before


def test_a_shift_may_be_one_number_per_row():
    A, shift = spd(6, seed=3), np.linspace(0.0, 2.0, 6)
    factor = cholesky(A, shift=shift)
    np.testing.assert_allclose(factor.L @ factor.L.T, A + np.diag(shift), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(cholesky(A, shift=np.full(6, 0.5)).L, cholesky(A, shift=0.5).L)


def test_jitter_comes_on_top_of_a_shift_per_row():
    A, shift = np.ones((3, 3)), np.array([0.0, 0.0, 1.0])
    factor = cholesky(A, shift=shift)
    assert factor.jitter > 0.0
    np.testing.assert_allclose(factor.L @ factor.L.T, A + np.diag(shift + factor.jitter), rtol=1e-12)
