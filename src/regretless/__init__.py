"""Regretless finds the best of what you can try in the fewest tries, and says how much regret is left.

The public names stand in ``__init__.pyi``. Each is imported when it is first used, which keeps the import quick.
"""

import lazy_loader

from regretless._version import __version__

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ = [*__all__, "__version__"]
