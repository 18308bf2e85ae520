"""Which points of a space may be tried: constraints that are known beforehand."""
