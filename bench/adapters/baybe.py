"""BayBE: a campaign with its default recommender, which is BoTorch once there are data."""

import numpy as np
import pandas as pd
from baybe import Campaign
from baybe.parameters import NumericalContinuousParameter
from baybe.searchspace import SearchSpace, SubspaceDiscrete
from baybe.settings import active_settings
from baybe.targets import NumericalTarget

from bench.adapters import Floats


def _names(d: int) -> list[str]:
    return [f"x{j}" for j in range(d)]


class Box:
    """A campaign on a continuous space."""

    def __init__(self, bounds: Floats, seed: int, X0: Floats, y0: Floats) -> None:
        active_settings.random_seed = seed
        self.names, self.bounds = _names(len(bounds)), bounds
        sides = zip(self.names, bounds.tolist(), strict=True)
        space = SearchSpace.from_product([NumericalContinuousParameter(name, tuple(side)) for name, side in sides])
        self.campaign = Campaign(space, NumericalTarget("y").to_objective())
        self.campaign.add_measurements(pd.DataFrame(X0, columns=self.names).assign(y=y0))

    def ask(self) -> Floats:
        """The next point."""
        x = self.campaign.recommend(1)[self.names].to_numpy()[0]
        return np.clip(x, self.bounds[:, 0], self.bounds[:, 1])

    def tell(self, x: Floats, y: float) -> None:
        """What was measured there."""
        self.campaign.add_measurements(pd.DataFrame([x], columns=self.names).assign(y=y))


class BayBETable:
    """A campaign on the listed rows, none of which is measured twice."""

    def __init__(self, X: Floats, seed: int, index0: list[int], y0: Floats) -> None:
        active_settings.random_seed = seed
        self.names = _names(X.shape[1])
        self.rows = pd.DataFrame(X, columns=self.names)
        self.campaign = Campaign(
            SubspaceDiscrete.from_dataframe(self.rows),
            NumericalTarget("y").to_objective(),
            allow_recommending_already_measured=False,
        )
        self._add(index0, y0)

    def ask(self) -> int:
        """The next row."""
        chosen = self.campaign.recommend(1)
        index = int(chosen.index[0])
        assert (self.rows.iloc[index] == chosen[self.names].iloc[0]).all()
        return index

    def tell(self, index: int, y: float) -> None:
        """What was measured there."""
        self._add([index], y)

    def _add(self, index: list[int], y: Floats | float) -> None:
        # Rows are exact: the check of every number against every value of its column, slow on big tables, is left out.
        data = self.rows.iloc[index].assign(y=y)
        self.campaign.add_measurements(data, numerical_measurements_must_be_within_tolerance=False)
