"""Regretless finds the best of what you can try in the fewest tries, and says how much regret is left.

The public names stand in ``__init__.pyi``. Each is imported when it is first used, which keeps the import quick.
"""

from typing import Any

import lazy_loader

from regretless._version import __version__
from regretless.deprecation import warn_renamed

_import, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ = [*__all__, "__version__"]

_RENAMED = {"RemainingRegret": "Certificate"}


def __getattr__(name: str) -> Any:
    if name in _RENAMED:
        warn_renamed(f"regretless.{name}", f"regretless.{_RENAMED[name]}")
        name = _RENAMED[name]
    return _import(name)
