"""Amounts of the objective in words: three digits, and the unit that the objective's name ends with."""

import math
import re

__all__ = ["amount", "rounded"]

#: ``yield [%]``: a name and its unit.
_NAME_UNIT = re.compile(r"(?P<name>.*\S)\s*\[(?P<unit>[^\[\]]+)\]\s*", re.DOTALL)
#: What stands in place of a unit where there is none.
_NO_UNIT = ("-", "\N{EN DASH}", "\N{EM DASH}", "1")


def amount(size: float, objective: str) -> str:
    """An amount of the objective: a difference of percentages is given in percentage points.

    >>> amount(4.2, "yield [%]"), amount(0.35, "mass [mg]"), amount(4.2, "yield")
    ('4.2 percentage points of yield', '0.35 mg of mass', '4.2 yield')
    """
    found = _NAME_UNIT.fullmatch(objective)
    unit = "" if found is None else found["unit"].strip()
    if found is None or not unit:
        return f"{rounded(size)} {objective}"
    if unit in _NO_UNIT:
        return f"{rounded(size)} {found['name']}"
    return f"{rounded(size)} {'percentage points' if unit == '%' else unit} of {found['name']}"


def rounded(value: float) -> str:
    """Three significant digits, for what is known no better; whole digits are kept, as zeros.

    >>> rounded(4.9312), rounded(30912.5), rounded(0.00012345)
    ('4.93', '30900', '0.000123')
    """
    if math.isfinite(value) and 1e3 <= abs(value) < 1e15:
        return f"{round(value, 2 - math.floor(math.log10(abs(value)))):.0f}"
    return f"{value:.3g}"
