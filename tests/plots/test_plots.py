import subprocess
import sys
from collections.abc import Iterator

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from regretless import Certificate, InvalidInput, Study, Table, maximize
from regretless.errors import MissingExtra
from regretless.plots import plot_certificate, plot_posterior, plot_regret, plot_run


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    before = dict(mpl.rcParams)
    yield
    plt.close("all")
    assert dict(mpl.rcParams) == before, "a plot changed a global setting of matplotlib"


def line(p: dict[str, float]) -> float:
    return -((p["dose"] - 0.3) ** 2)


def bowl(p: dict[str, float]) -> float:
    return -((p["heat"] - 30.0) ** 2) / 100.0 - (p["flow"] - 2.0) ** 2


@pytest.fixture(scope="module")
def study_1d() -> Study:
    return maximize(line, {"dose": (0.0, 1.0)}, n_trials=10, seed=1).study


@pytest.fixture(scope="module")
def study_2d() -> Study:
    return maximize(bowl, {"heat": (0.0, 100.0), "flow": (0.0, 4.0)}, n_trials=12, seed=1).study


def told(study: Study) -> np.ndarray:
    return np.array([trial.value for trial in study.trials if trial.value is not None])


def line_of(ax: Axes, label: str) -> tuple[np.ndarray, np.ndarray]:
    (found,) = [line for line in ax.lines if line.get_label() == label]
    return np.asarray(found.get_xdata()), np.asarray(found.get_ydata())


def points_of(ax: Axes, label: str) -> np.ndarray:
    (found,) = [drawn for drawn in ax.collections if drawn.get_label() == label]
    return np.asarray(found.get_offsets())


class TestRegret:
    def test_best_so_far_is_the_running_maximum_of_the_records(self, study_1d: Study) -> None:
        ax = plot_regret(study_1d)
        x, y = line_of(ax, "best so far")
        np.testing.assert_array_equal(x, np.arange(1, 11))
        np.testing.assert_array_equal(y, np.maximum.accumulate(told(study_1d)))
        assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_yscale()) == ("evaluation", "value", "linear")

    def test_known_optimum_gives_regret_on_a_log_scale(self, study_1d: Study) -> None:
        ax = plot_regret(study_1d, optimum=0.5)
        _, y = line_of(ax, "best so far")
        np.testing.assert_allclose(y, 0.5 - np.maximum.accumulate(told(study_1d)), rtol=1e-15)
        assert (ax.get_ylabel(), ax.get_yscale()) == ("simple regret", "log")

    def test_initial_design_is_marked_apart(self, study_1d: Study) -> None:
        ax = plot_regret(study_1d)
        n = sum(trial.source == "design" for trial in study_1d.trials)
        assert 0 < n < 10
        np.testing.assert_array_equal(points_of(ax, "initial design")[:, 1], told(study_1d)[:n])
        np.testing.assert_array_equal(points_of(ax, "chosen by irgp-ucb")[:, 1], told(study_1d)[n:])

    def test_what_the_user_added_is_no_part_of_the_design(self) -> None:
        study = maximize(bowl, {"heat": (0.0, 100.0), "flow": (0.0, 4.0)}, n_trials=8, seed=1).study
        study.add({"heat": 30.0, "flow": 2.0}, 0.25)
        ax = plot_regret(study)
        np.testing.assert_array_equal(points_of(ax, "added by the user"), [[9, 0.25]])
        assert len(points_of(ax, "initial design")) == sum(trial.source == "design" for trial in study.trials)

    def test_regret_zero_is_drawn(self) -> None:
        study = Study({"n": (1, 3)}, seed=0)
        for n, value in ((1, 5.0), (2, 7.0), (3, 6.0)):
            study.add({"n": n}, value)
        ax = plot_regret(study, optimum=7.0)
        assert ax.get_yscale() == "symlog"
        np.testing.assert_array_equal(line_of(ax, "best so far")[1], [2.0, 0.0, 0.0])

    def test_minimising_turns_the_sign_once(self) -> None:
        study = Study({"x": (0.0, 1.0)}, direction="minimize", seed=0)
        for x, value in ((0.1, 3.0), (0.5, 4.0), (0.9, 2.0)):
            study.add({"x": x}, value)
        np.testing.assert_array_equal(line_of(plot_regret(study), "best so far")[1], [3.0, 3.0, 2.0])
        np.testing.assert_array_equal(line_of(plot_regret(study, optimum=1.5), "best so far")[1], [1.5, 1.5, 0.5])

    def test_failed_trials_count_and_pending_ones_do_not(self) -> None:
        study = Study({"x": (0.0, 1.0)}, seed=0)
        study.add({"x": 0.1}, failed=True)
        study.add({"x": 0.2}, 1.0)
        study.ask()
        x, y = line_of(plot_regret(study), "best so far")
        np.testing.assert_array_equal(x, [1, 2])
        np.testing.assert_array_equal(y, [np.nan, 1.0])

    def test_nothing_told_is_said(self) -> None:
        with pytest.raises(InvalidInput, match="nothing to draw"):
            plot_regret(Study({"x": (0.0, 1.0)}))

    def test_only_studies_and_results(self) -> None:
        with pytest.raises(InvalidInput, match="Study or a Result"):
            plot_regret([1.0, 2.0])  # type: ignore[arg-type]


class TestPosterior:
    def test_one_parameter_draws_mean_band_and_points(self, study_1d: Study) -> None:
        ax = plot_posterior(study_1d, n_grid=21)
        x, y = line_of(ax, "posterior mean")
        mean, sd = study_1d.predict([{"dose": value} for value in x])
        np.testing.assert_allclose(y, mean, rtol=1e-12)
        (band,) = [drawn for drawn in ax.collections if drawn.get_label() == "mean ± 2 sd"]
        assert band.get_paths()[0].vertices[:, 1].max() == pytest.approx((mean + 2 * sd).max())
        drawn = np.vstack([points_of(ax, "initial design"), points_of(ax, "chosen by irgp-ucb")])
        wanted = [[trial.params["dose"], trial.value] for trial in study_1d.trials]
        np.testing.assert_array_equal(drawn, wanted)
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("dose", "value")

    def test_two_parameters_draw_the_points_in_the_users_units_by_order(self, study_2d: Study) -> None:
        ax = plot_posterior(study_2d, n_grid=15)
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("heat", "flow")
        assert (ax.get_xlim(), ax.get_ylim()) == ((0.0, 100.0), (0.0, 4.0))
        chosen = [trial for trial in study_2d.trials if trial.source == "rule"]
        wanted = [[trial.params["heat"], trial.params["flow"]] for trial in chosen]
        np.testing.assert_array_equal(points_of(ax, "chosen by irgp-ucb"), wanted)
        (dots,) = [drawn for drawn in ax.collections if drawn.get_label() == "chosen by irgp-ucb"]
        np.testing.assert_array_equal(dots.get_array(), [trial.number + 1 for trial in chosen])
        best = study_2d.recommend().params
        np.testing.assert_array_equal(points_of(ax, "recommended"), [[best["heat"], best["flow"]]])
        assert {other.get_ylabel() for other in ax.figure.axes} >= {"posterior mean", "evaluation"}

    def test_log_parameters_get_a_log_axis(self) -> None:
        space = {"rate": (1e-4, 1e-1, "log"), "n": (1, 6)}
        study = maximize(lambda p: -abs(p["n"] - 3) - p["rate"], space, n_trials=8, seed=0).study
        ax = plot_posterior(study, n_grid=9)
        assert (ax.get_xscale(), ax.get_yscale()) == ("log", "linear")
        assert ax.get_ylim() == (1.0, 6.0)

    def test_more_parameters_need_a_slice(self) -> None:
        space = {"a": (0.0, 1.0), "b": (0.0, 1.0), "c": (0.0, 1.0), "kind": ["u", "v"]}
        study = maximize(lambda p: -((p["a"] - 0.5) ** 2), space, n_trials=11, seed=0).study
        with pytest.raises(InvalidInput, match="4 parameters vary"):
            plot_posterior(study)
        with pytest.raises(InvalidInput, match="'kind' is no real or whole-number parameter; there are: a, b, c"):
            plot_posterior(study, over=["a", "kind"])
        with pytest.raises(InvalidInput, match="one or two different"):
            plot_posterior(study, over=["a", "a"])
        ax = plot_posterior(study, over="a", n_grid=11)
        held = study.recommend().params
        x, y = line_of(ax, "posterior mean")
        np.testing.assert_allclose(y, study.predict([{**held, "a": value} for value in x])[0])
        assert ax.texts[0].get_text().startswith("slice at b = ")

    def test_tables_are_refused_with_advice(self) -> None:
        study = Study(Table([{"x": 0.0}, {"x": 1.0}]), seed=0)
        study.add({"x": 0.0}, 1.0)
        with pytest.raises(InvalidInput, match="is a table"):
            plot_posterior(study)


class TestCertificate:
    @pytest.fixture(scope="class")
    @classmethod
    def looks(cls) -> list[Certificate]:
        study, looks = Study([{"t": t} for t in range(12)], objective="yield", seed=1), []
        for _ in range(10):
            trial = study.ask()
            study.tell(trial, -0.1 * (trial.params["t"] - 7) ** 2)
            looks.append(study.certificate())
        return looks

    def test_bound_after_each_look_with_the_light_as_marker(self, looks: list[Certificate]) -> None:
        ax = plot_certificate(looks)
        x, y = line_of(ax, "certified bound")
        np.testing.assert_array_equal(x, np.arange(1, 11))
        np.testing.assert_array_equal(y, [look.bound for look in looks])
        np.testing.assert_array_equal(points_of(ax, "too few data")[:, 0], np.arange(1, 8))
        np.testing.assert_array_equal(points_of(ax, "model trusted"), [[n, looks[n - 1].bound] for n in (8, 9, 10)])
        assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_yscale()) == ("evaluation", "regret left (yield)", "log")

    def test_true_regret_and_zero(self, looks: list[Certificate]) -> None:
        true = [0.1 * (look.params["t"] - 7) ** 2 for look in looks]
        assert min(true) == 0.0
        ax = plot_certificate(looks, true, evaluations=range(3, 13))
        x, y = line_of(ax, "true regret")
        np.testing.assert_array_equal(x, np.arange(3, 13))
        np.testing.assert_array_equal(y, true)
        assert ax.get_yscale() == "symlog"
        ax.figure.canvas.draw()

    def test_an_estimate_is_called_so(self, study_1d: Study) -> None:
        assert line_of(plot_certificate([study_1d.certificate()]), "certificate (estimate)")[0].tolist() == [1.0]

    @pytest.mark.parametrize(
        ("records", "more", "match"),
        [
            (0, {}, "one record at least"),
            (3, {"regret": [1.0]}, "regret must hold one number per record, 3, got 1"),
            (2, {"evaluations": [1]}, "evaluations must hold"),
            (1, {"regret": [-0.1]}, "must not be negative"),
        ],
        ids=["nothing", "regret", "evaluations", "negative"],
    )
    def test_what_cannot_be_drawn_is_refused(self, looks, records, more, match) -> None:
        with pytest.raises(InvalidInput, match=match):
            plot_certificate(looks[:records], **more)

    def test_only_certificates(self) -> None:
        with pytest.raises(InvalidInput, match="one record at least"):
            plot_certificate([0.1, 0.2])  # type: ignore[list-item]


def test_axes_handed_in_are_used(study_1d: Study) -> None:
    _, (left, right) = plt.subplots(1, 2)
    assert plot_certificate([study_1d.certificate()], ax=left) is left
    assert plot_regret(study_1d, ax=left) is left
    assert plot_posterior(study_1d, right) is right


def test_the_figure_of_a_run_has_two_panels(study_2d: Study) -> None:
    figure = plot_run(study_2d, optimum=0.1)
    labels = [(ax.get_xlabel(), ax.get_ylabel()) for ax in figure.axes[:2]]
    assert labels == [("evaluation", "simple regret"), ("heat", "flow")]
    figure.canvas.draw()


def test_without_matplotlib_the_extra_is_named(study_1d: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [module for module in sys.modules if module.split(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match=r"pip install 'regretless\[plots\]'"):
        plot_regret(study_1d)


def test_importing_plots_does_not_import_matplotlib() -> None:
    code = "import sys, regretless.plots; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("over", ["heat", ["heat", "flow"]])
def test_data_beyond_the_bounds_are_not_drawn_beside_the_axes(over: str | list[str]) -> None:
    study = maximize(bowl, {"heat": (0.0, 100.0), "flow": (0.0, 4.0)}, n_trials=8, seed=1).study

    def drawn() -> int:
        drawn = plot_posterior(study, over=over).collections
        return sum(len(marks.get_offsets()) for marks in drawn if marks.get_label() == "added by the user")

    before = drawn()
    study.add({"heat": 130.0, "flow": 2.0}, -99.0)
    assert drawn() == before
    study.add({"heat": 30.0, "flow": 2.0}, 0.0)
    assert drawn() == before + 1
