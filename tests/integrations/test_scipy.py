"""Every call is one that ``scipy.optimize.differential_evolution`` takes, and both must find the same optimum."""

import math
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, NonlinearConstraint, OptimizeResult, differential_evolution

from regretless import InvalidInput, Regret
from regretless.integrations.scipy import scipy_minimize

BOX = [(-1.0, 1.0), (-1.0, 1.0)]


def bowl(x, a=0.3, b=-0.2):
    return (x[0] - a) ** 2 + (x[1] - b) ** 2


def side_by_side(fun, bounds, *, atol=0.05, maxfun=30, **more):
    theirs = differential_evolution(fun, bounds, maxiter=60, popsize=10, tol=1e-8, rng=1, polish=False, **more)
    ours = scipy_minimize(fun, bounds, maxfun=maxfun, rng=1, **more)
    assert isinstance(ours, OptimizeResult)
    assert ours.success
    assert set(ours) >= {"x", "fun", "nfev", "nit", "message", "success"}
    np.testing.assert_allclose(ours.x, theirs.x, atol=atol)
    np.testing.assert_allclose(ours.fun, theirs.fun, atol=atol)
    return ours


def test_pairs_bounds_and_arguments():
    side_by_side(bowl, BOX)
    side_by_side(bowl, BOX, args=(0.5, 0.5))
    side_by_side(bowl, Bounds([-1, -1], [1, 1]))
    side_by_side(lambda x: np.array([bowl(x)]), BOX)  # an array of one number


def test_whole_numbers_and_equal_bounds():
    ours = side_by_side(bowl, [(-3, 3), (-1.0, 1.0)], args=(1.7, 0.3), integrality=[True, False])
    assert ours.x[0] == 2.0
    both = side_by_side(bowl, [(-3.5, 3.5), (-3.5, 3.5)], args=(1.7, -0.8), integrality=True)
    assert both.x.tolist() == [2.0, -1.0]
    assert side_by_side(bowl, [(0.5, 0.5), (-1.0, 1.0)]).x[0] == 0.5


def test_a_start_is_evaluated_first():
    seen = []
    scipy_minimize(lambda x: seen.append(x.tolist()) or bowl(x), BOX, x0=[0.3, -0.2], maxfun=3, rng=1)
    assert seen[0] == [0.3, -0.2]
    assert len(seen) == 3
    side_by_side(bowl, BOX, x0=np.array([0.9, 0.9]))
    with pytest.raises(InvalidInput, match="x0 is not a point that may be tried"):
        scipy_minimize(bowl, BOX, x0=[3.0, 0.0])
    with pytest.raises(InvalidInput, match="one number for each of 2"):
        scipy_minimize(bowl, BOX, x0=[0.0])


def test_constraints():
    def target(x):
        return -(x[0] + 2.0 * x[1])

    unit = [(0.0, 1.0), (0.0, 1.0)]
    linear = side_by_side(target, unit, constraints=LinearConstraint([[1.0, 1.0]], -np.inf, 1.2))
    assert linear.x.sum() <= 1.2 + 1e-9
    side_by_side(target, unit, constraints=Bounds([0.0, 0.0], [0.5, 0.5]))
    two = NonlinearConstraint(lambda x: [x[0] - x[1], x[0] ** 2 + x[1] ** 2], [-0.5, 0.2], [0.5, 1.0])
    both = side_by_side(target, unit, constraints=[two, LinearConstraint(np.eye(2), 0.0, [0.9, 0.8])], maxfun=24)
    assert both.x[0] - both.x[1] >= -0.5 - 1e-9
    assert (both.x**2).sum() <= 1.0 + 1e-9


def test_every_point_satisfies_the_constraints():
    seen = []
    limit = LinearConstraint([[1.0, 1.0]], -np.inf, 0.4)
    scipy_minimize(lambda x: seen.append(x) or bowl(x), BOX, constraints=limit, maxfun=20, rng=1)
    assert max(x.sum() for x in seen) <= 0.4 + 1e-9


def test_linear_equations_are_taken_and_others_refused():
    found = scipy_minimize(bowl, BOX, constraints=LinearConstraint([[1.0, 1.0]], 0.5, 0.5), maxfun=20, rng=1)
    assert found.x.sum() == pytest.approx(0.5, abs=1e-6)
    with pytest.raises(InvalidInput, match="is an equation"):
        scipy_minimize(bowl, BOX, constraints=NonlinearConstraint(lambda x: x[0] ** 2, 0.25, 0.25))
    with pytest.raises(InvalidInput, match="3 columns, there are 2 variables"):
        scipy_minimize(bowl, BOX, constraints=LinearConstraint([[1.0, 1.0, 1.0]], 0.0, 1.0))
    with pytest.raises(InvalidInput, match="LinearConstraint, NonlinearConstraint or Bounds"):
        scipy_minimize(bowl, BOX, constraints=[{"type": "ineq", "fun": bowl}])


@pytest.mark.parametrize("form", ["intermediate", "x", "x and convergence"])
@pytest.mark.parametrize("how", ["returns True", "raises"])
def test_callbacks(form, how):
    heard = []

    def ends(x):
        heard.append(np.array(x))
        if len(heard) >= 4:
            if how == "raises":
                raise StopIteration
            return True
        return None

    def intermediate(intermediate_result):
        assert intermediate_result.fun <= 4.0
        return ends(intermediate_result.x)

    def with_share(xk, convergence):
        assert 0.0 < convergence <= 1.0
        return ends(xk)

    def alone(xk):
        return ends(xk)

    callback = {"intermediate": intermediate, "x": alone, "x and convergence": with_share}[form]
    ours = scipy_minimize(bowl, BOX, callback=callback, rng=1)
    assert (ours.nfev, ours.nit, ours.status) == (4, 4, 2)
    assert "callback" in ours.message
    if form != "x":  # SciPy's has no such form here; shgo and direct do
        heard.clear()
        assert differential_evolution(bowl, BOX, callback=callback, rng=1, polish=False).nit <= 5


def test_seeds():
    same = [scipy_minimize(bowl, BOX, maxfun=9, **given).x.tolist() for given in ({"rng": 3}, {"seed": 3})]
    assert same[0] == same[1]
    drawn = [scipy_minimize(bowl, BOX, maxfun=4, rng=np.random.default_rng(5)).x.tolist() for _ in range(2)]
    assert drawn[0] == drawn[1]
    scipy_minimize(bowl, BOX, maxfun=2, seed=np.random.RandomState(1))
    with pytest.raises(InvalidInput, match="either rng or seed"):
        scipy_minimize(bowl, BOX, rng=1, seed=1)


def test_workers_are_processes_or_a_map():
    two = scipy_minimize(bowl, BOX, workers=2, maxfun=12, rng=1)
    assert (two.nfev, two.nit) == (12, 6)
    with ThreadPoolExecutor(2) as executor, ThreadPool(2) as pool:
        for mapped in (executor.map, pool.map, pool.imap):
            again = scipy_minimize(bowl, BOX, workers=mapped, maxfun=12, rng=1)
            assert again.x.tolist() == two.x.tolist()  # whoever evaluates, the same points
    assert scipy_minimize(bowl, BOX, workers=map, maxfun=5, rng=1).nit == 5
    with pytest.raises(InvalidInput, match="workers"):
        scipy_minimize(bowl, BOX, workers=0)


def test_it_stops_by_regret():
    found = scipy_minimize(bowl, BOX, maxfun=60, rng=1, stop_when=Regret(0.05))
    assert found.nfev < 60
    assert found.status == 0
    assert found.message == found.certificate.sentence
    assert bowl(found.recommended) < 0.05


def test_failures_and_nothing_but_failures():
    found = scipy_minimize(lambda x: math.nan if x[0] > 0.0 else bowl(x), BOX, maxfun=20, rng=1)
    assert found.x[0] <= 0.0
    assert sum(trial.status == "failed" for trial in found.study.trials) <= 8
    nothing = scipy_minimize(lambda _: math.inf, BOX, maxfun=3, rng=1)
    assert not nothing.success
    assert nothing.message.startswith("No evaluation gave a number")
    with pytest.raises(ZeroDivisionError):
        scipy_minimize(lambda _: 1 / 0, BOX, maxfun=3)
    with pytest.raises(InvalidInput, match="fun must return a number"):
        scipy_minimize(lambda x: x, BOX, maxfun=3)


def test_bounds_that_are_none():
    with pytest.raises(InvalidInput, match="finite"):
        scipy_minimize(bowl, [(0.0, None), (0.0, 1.0)])
    with pytest.raises(InvalidInput, match="finite"):
        scipy_minimize(bowl, Bounds())
    with pytest.raises(InvalidInput, match="pairs"):
        scipy_minimize(bowl, [(0.0, 1.0, 2.0)])


def test_a_finite_space_ends():
    found = scipy_minimize(bowl, [(0, 1), (0, 1)], integrality=True, maxfun=30, rng=1, repeats="never")
    assert (found.nfev, found.status) == (4, 3)
