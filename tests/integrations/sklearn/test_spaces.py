import numpy as np
import pytest

pytest.importorskip("sklearn", reason="needs scikit-learn: pip install 'regretless[sklearn]'")

from scipy import stats

from regretless import Categorical, Fixed, Float, Int, InvalidInput, Mixed, Ordinal, Table
from regretless.integrations.choices import Choices
from regretless.integrations.sklearn.spaces import as_search_space


def skopt_like(kind, **attributes):
    """What scikit-optimize's dimensions look like from outside; the benchmarks run the real ones."""
    return type(kind, (), {"__module__": "skopt.space.space", **attributes})()


@pytest.mark.parametrize(
    ("entry", "dimension"),
    [
        ((0.1, 1.0), Float(0.1, 1.0)),
        ((1, 9), Int(1, 9)),
        ((1e-3, 1.0, "log"), Float(1e-3, 1.0, log=True)),
        ((1e-3, 1.0, "log-uniform"), Float(1e-3, 1.0, log=True)),
        ((0.0, 1.0, "uniform"), Float(0.0, 1.0)),
        ((1, 100, "log-uniform"), Int(1, 100, log=True)),
        (Float(0, 1, step=0.1), Float(0, 1, step=0.1)),
        ([4, 1, 2], Ordinal([1, 2, 4])),
        (np.array([0.5, 0.1]), Ordinal([0.1, 0.5])),
        (np.logspace(-1, 1, 3), Ordinal([0.1, 1.0, 10.0])),
        (range(1, 6), Int(1, 5)),
        (["rbf", "poly"], Categorical(["rbf", "poly"])),
        (("rbf", "poly"), Categorical(["rbf", "poly"])),
        ([None, 5], Categorical([None, 5])),
        ([True, False], Categorical([True, False])),
        ("rbf", Fixed("rbf")),
        (stats.uniform(1.0, 3.0), Float(1.0, 4.0)),
        (stats.uniform(loc=2, scale=1), Float(2.0, 3.0)),
        (stats.loguniform(1e-3, 1e2), Float(1e-3, 1e2, log=True)),
        (stats.randint(1, 10), Int(1, 9)),
        (stats.binom(10, 0.5), Int(0, 10)),
        (stats.poisson(3.0), Int(0, 10)),
        (skopt_like("Real", low=1e-6, high=1.0, prior="log-uniform"), Float(1e-6, 1.0, log=True)),
        (skopt_like("Real", low=0, high=1, prior="uniform"), Float(0.0, 1.0)),
        (skopt_like("Integer", low=np.int64(1), high=np.int64(8), prior="uniform"), Int(1, 8)),
        (skopt_like("Categorical", categories=("a", "b"), prior=None), Categorical(["a", "b"])),
    ],
)
def test_dialects(entry, dimension):
    assert as_search_space({"p": entry}).space.dimensions["p"] == dimension


def test_other_distributions_are_searched_by_quantile():
    space = as_search_space({"C": stats.expon(scale=100.0)})
    assert space.params({"C": 0.5})["C"] == pytest.approx(100.0 * np.log(2.0))


def test_values_of_any_kind_come_back_as_they_are():
    layers = [(100,), (50, 50), np.array([1, 2])]
    space = as_search_space({"layers": layers, "one": [1, True], "estimator": [Choices]})
    labels = space.space.dimensions["layers"].choices
    assert [space.params({"layers": label})["layers"] is each for label, each in zip(labels, layers, strict=True)] == [
        True
    ] * 3
    assert [type(space.params({"one": label})["one"]) for label in space.space.dimensions["one"].choices] == [int, bool]
    assert space.params({"estimator": space.space.dimensions["estimator"].choices[0]}) == {"estimator": Choices}


def test_objects_that_look_alike_are_told_apart():
    class Same:
        def __repr__(self):
            return "Same()"

    choices = Choices.of([first := Same(), second := Same()])
    assert choices.labels == ("Same()", "Same() #2")
    assert choices.value(choices.label(second)) is second
    assert choices.label(first) == "Same()"
    with pytest.raises(InvalidInput, match="none of the choices"):
        choices.label(Same())


def test_several_spaces_are_one_conditional_space():
    space = as_search_space([{"kernel": ["linear"], "C": (1.0, 9.0)}, {"kernel": ["rbf"], "C": [1, 2], "tol": (1, 5)}])
    found = [space.params(space.space.decode(x)) for x in space.space.sample(40, np.random.default_rng(1))]
    assert {frozenset(params) for params in found} == {frozenset({"kernel", "C"}), frozenset({"kernel", "C", "tol"})}
    assert all(("tol" in params) == (params["kernel"] == "rbf") for params in found)
    assert as_search_space([{"C": (1.0, 2.0)}]).space.names == ("C",)


def test_spaces_of_ours_are_taken_as_they_are():
    table = Table([{"C": 1.0, "tol": 0.1}, {"C": 2.0, "tol": 0.2}])
    assert as_search_space(table).params({"C": 1.0, "tol": 0.1}) == {"C": 1.0, "tol": 0.1}
    assert as_search_space(mixed := Mixed({"C": (1.0, 2.0)}, constraints="C >= 1.5")).space is mixed


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("C", "mapping of parameter names"),
        ([], "empty list"),
        ([({"C": (1, 2)}, 5)], "list of such mappings"),
        ({"C": {1, 2}}, "parameter 'C': a set has no order"),
        ({"C": (2.0, 1.0)}, "parameter 'C': low must be below high"),
        ({"C": skopt_like("Other")}, "Real, Integer, Categorical"),
    ],
)
def test_what_is_no_space_is_refused(given, says):
    with pytest.raises(InvalidInput, match=says):
        as_search_space(given)
