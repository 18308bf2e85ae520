"""Functions of outputs that stored studies find by their names."""


def profit(y):
    return y["b"] - 0.1 * y["a"]
