"""Functions of outcomes that stored studies find by their names."""

import numpy as np


def worth(y):
    return y["yield"] / (1.0 + np.maximum(y["cost"], 0.0))


def other(y):
    return y["yield"] - y["cost"]
