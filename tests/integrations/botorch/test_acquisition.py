"""The acquisition function in BoTorch's own test case: devices, dtypes, shapes, and every way it is optimised there."""

import math
import warnings

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: make test-integrations")
pytest.importorskip("botorch", reason="BoTorch is not installed: make test-integrations")

from botorch.acquisition.analytic import UpperConfidenceBound  # noqa: E402
from botorch.acquisition.input_constructors import get_acqf_input_constructor  # noqa: E402
from botorch.acquisition.objective import ScalarizedPosteriorTransform  # noqa: E402
from botorch.exceptions import UnsupportedError  # noqa: E402
from botorch.models import SingleTaskGP  # noqa: E402
from botorch.models.transforms import Normalize, Standardize  # noqa: E402
from botorch.optim.optimize import optimize_acqf, optimize_acqf_discrete, optimize_acqf_list  # noqa: E402
from botorch.utils.datasets import SupervisedDataset  # noqa: E402
from botorch.utils.testing import BotorchTestCase, MockModel, MockPosterior  # noqa: E402

from regretless import IRGPUCB, Study  # noqa: E402
from regretless.confidence import Schedule, ShiftedExponential  # noqa: E402
from regretless.errors import InvalidInput  # noqa: E402
from regretless.integrations.botorch import RandomizedUpperConfidenceBound  # noqa: E402
from regretless.rng import Purpose, stream  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")


def fitted(tkwargs, n=8, d=2, **options):
    generator = torch.Generator().manual_seed(3)
    X = torch.rand(n, d, generator=generator, dtype=torch.float64).to(**tkwargs)
    Y = -((X - 0.3) ** 2).sum(-1, keepdim=True)
    return SingleTaskGP(X, Y, **options)


class TestRandomizedUpperConfidenceBound(BotorchTestCase):
    def cases(self):
        for dtype in (torch.float, torch.double):
            yield {"device": self.device, "dtype": dtype}

    def test_the_formula_over_devices_dtypes_and_batches(self):
        for tkwargs in self.cases():
            for batch in ((1,), (2,), (3, 2)):
                mean = torch.zeros(*batch, 1, 1, **tkwargs)
                model = MockModel(MockPosterior(mean=mean + 0.5, variance=mean + 4.0))
                acqf = RandomizedUpperConfidenceBound(model, seed=1)
                value = acqf(torch.zeros(*batch, 1, 2, **tkwargs))
                assert value.dtype == tkwargs["dtype"]
                assert value.shape == batch
                expected = 0.5 + math.sqrt(acqf.zeta) * 2.0
                self.assertAllClose(value, torch.full_like(value, expected))
                small = RandomizedUpperConfidenceBound(model, seed=1, maximize=False)
                self.assertAllClose(small(torch.zeros(*batch, 1, 2, **tkwargs)), value - 1.0)

    def test_ensembles_are_averaged(self):
        for tkwargs in self.cases():
            mean = torch.tensor([1.0, 3.0], **tkwargs).view(2, 1, 1)
            model = MockModel(MockPosterior(mean=mean, variance=torch.ones_like(mean)))
            model._is_ensemble = True
            acqf = RandomizedUpperConfidenceBound(model, seed=1)
            value = acqf(torch.zeros(1, 1, 2, **tkwargs))
            assert float(value.squeeze()) == pytest.approx(2.0 + math.sqrt(acqf.zeta), rel=1e-5)

    def test_several_outputs_need_a_transform(self):
        for tkwargs in self.cases():
            mean = torch.tensor([[[1.0, 2.0]]], **tkwargs)
            model = MockModel(MockPosterior(mean=mean, variance=torch.ones_like(mean)))
            with pytest.raises(UnsupportedError, match="Must specify a posterior transform"):
                RandomizedUpperConfidenceBound(model, seed=1)
            transform = ScalarizedPosteriorTransform(weights=torch.ones(2, **tkwargs))
            RandomizedUpperConfidenceBound(model, seed=1, posterior_transform=transform)

    def test_it_is_their_upper_bound_with_our_zeta(self):
        for tkwargs in self.cases():
            model = fitted(tkwargs)
            acqf = RandomizedUpperConfidenceBound(model, seed=4, trial=7)
            theirs = UpperConfidenceBound(model, beta=acqf.zeta)
            X = torch.rand(5, 1, 2, **tkwargs)
            self.assertAllClose(acqf(X), theirs(X), rtol=1e-6)

    def test_pending_points_are_observed_at_their_mean(self):
        for tkwargs in self.cases():
            for options in (
                {"outcome_transform": None},
                {},
                {"input_transform": Normalize(d=2), "outcome_transform": Standardize(m=1)},
                {"train_Yvar": torch.full((8, 1), 1e-3, **tkwargs)},
            ):
                model = fitted(tkwargs, **options)
                X = torch.tensor([[0.9, 0.1], [0.05, 0.8]], **tkwargs)
                rest = torch.rand(4, 1, 2, **tkwargs)
                acqf = RandomizedUpperConfidenceBound(model, seed=1)
                mean, sd = acqf._mean_and_sigma(X.unsqueeze(-2))
                before, zeta = acqf(rest), acqf.zeta
                acqf.set_X_pending(X)
                again, less = acqf._mean_and_sigma(X.unsqueeze(-2))
                tolerance = {"rtol": 1e-3, "atol": 1e-4} if tkwargs["dtype"] == torch.float else {"rtol": 1e-6}
                self.assertAllClose(again, mean, **tolerance)
                assert bool((less < 0.8 * sd).all())
                assert acqf.zeta != zeta
                acqf.set_X_pending(None)
                assert acqf.zeta == zeta
                self.assertAllClose(acqf(rest), before)

    def test_optimisers_of_botorch(self):
        tkwargs = {"device": self.device, "dtype": torch.double}
        model = fitted(tkwargs)
        bounds = torch.tensor([[0.0, 0.0], [1.0, 1.0]], **tkwargs)
        acqf = RandomizedUpperConfidenceBound(model, seed=1, trial=8)
        options = {"num_restarts": 4, "raw_samples": 32}
        one, _ = optimize_acqf(acqf, bounds, q=1, **options)
        three, values = optimize_acqf(acqf, bounds, q=3, sequential=True, **options)
        assert one.shape == (1, 2)
        assert three.shape == (3, 2)
        assert len(torch.unique(three, dim=0)) == 3
        assert values.shape == (3,)
        assert acqf.X_pending is None
        choices = torch.rand(30, 2, generator=torch.Generator().manual_seed(0), dtype=torch.double)
        listed = RandomizedUpperConfidenceBound(model, seed=1, trial=8, n_candidates=30)
        chosen, _ = optimize_acqf_discrete(listed, q=3, choices=choices, unique=True)
        assert len(torch.unique(chosen, dim=0)) == 3
        first = choices[listed(choices.unsqueeze(-2)).argmax()]
        self.assertAllClose(chosen[0], first)
        several = [RandomizedUpperConfidenceBound(model, seed=seed) for seed in (1, 2, 3)]
        found, _ = optimize_acqf_list(several, bounds, **options)
        assert len(torch.unique(found, dim=0)) == 3
        with pytest.raises(AssertionError, match="q=1"):
            acqf(torch.rand(2, 3, 2, **tkwargs))

    def test_the_input_constructor(self):
        tkwargs = {"device": self.device, "dtype": torch.double}
        model = fitted(tkwargs)
        X = torch.rand(8, 2, **tkwargs)
        data = SupervisedDataset(X=X, Y=X[:, :1], feature_names=["a", "b"], outcome_names=["y"])
        make = get_acqf_input_constructor(RandomizedUpperConfidenceBound)
        inputs = make(model=model, training_data=data, seed=5, X_pending=X[:2])
        acqf = RandomizedUpperConfidenceBound(**inputs)
        assert acqf.zeta == zeta_of(5, 10, 11)
        assert RandomizedUpperConfidenceBound(**make(model=model, training_data={"y": data}, trial=3)).trial == 3


def zeta_of(seed, trial, t, n_candidates=None, dim=2):
    return IRGPUCB().law(n_candidates, dim).draw(t, stream(seed, trial, Purpose.RULE))


@pytest.mark.parametrize("table", [False, True])
def test_the_zetas_are_those_of_a_study_to_the_last_bit(table):
    space = [{"x": i / 20, "y": j / 20} for i in range(20) for j in range(5)] if table else [(0.0, 1.0), (0.0, 1.0)]
    rule = IRGPUCB(excursions=False)  # on a table the default; excursions go by a second model, which BoTorch has not
    study = Study(space, rule=rule, n_initial=4, seed=9)
    for _ in range(14):
        trial = study.ask()
        study.tell(trial, -sum((value - 0.3) ** 2 for value in trial.params.values()))
    n = study.space.n_candidates if table else None
    model = fitted({"dtype": torch.double})
    pending = torch.rand(12, 2, dtype=torch.double)
    for trial in study.trials[4:]:
        t = trial.number - 3
        acqf = RandomizedUpperConfidenceBound(model, seed=9, trial=trial.number, t=t, n_candidates=n)
        assert acqf.zeta.hex() == trial.zeta.hex()
        batch = RandomizedUpperConfidenceBound(model, seed=9, trial=4, t=1, n_candidates=n)
        batch.set_X_pending(pending[: trial.number - 4])
        assert batch.zeta.hex() == trial.zeta.hex()


def test_laws_and_seeds():
    model = fitted({"dtype": torch.double}, d=3)
    assert RandomizedUpperConfidenceBound(model, law=Schedule.constant(4.0)).zeta == 4.0
    heuristic = RandomizedUpperConfidenceBound(model, seed=1, law="heuristic")
    assert heuristic.law == ShiftedExponential.heuristic(3)
    theory = RandomizedUpperConfidenceBound(model, seed=1, law="theory", n_candidates=500)
    assert theory.law == ShiftedExponential.for_table(500)
    a, b = RandomizedUpperConfidenceBound(model), RandomizedUpperConfidenceBound(model)
    assert a.seed != b.seed
    assert RandomizedUpperConfidenceBound(model, seed=a.seed).zeta == a.zeta
    with pytest.raises(InvalidInput, match="needs constants of the kernel"):
        RandomizedUpperConfidenceBound(model, law="theory")
    with pytest.raises(InvalidInput, match="needs the dimension"):
        RandomizedUpperConfidenceBound(MockModel(MockPosterior(mean=torch.zeros(1, 1, 1))), law="heuristic")


def test_a_whole_loop_finds_the_optimum():
    bounds = torch.tensor([[0.0, 0.0], [1.0, 1.0]], dtype=torch.double)
    X = torch.rand(5, 2, generator=torch.Generator().manual_seed(1), dtype=torch.double)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a fit that is left as it starts
        for _ in range(10):
            Y = -((X - 0.3) ** 2).sum(-1, keepdim=True)
            acqf = RandomizedUpperConfidenceBound(SingleTaskGP(X, Y), seed=2, trial=len(X), t=len(X) - 4)
            torch.manual_seed(len(X))
            found, _ = optimize_acqf(acqf, bounds, q=1, num_restarts=4, raw_samples=64)
            X = torch.cat([X, found])
    assert float(((X - 0.3) ** 2).sum(-1).min()) < 1e-3
