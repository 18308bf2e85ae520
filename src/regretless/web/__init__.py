"""The page for the people who do the experiments, and the JSON API for robots. Needs the extra ``regretless[web]``."""

from regretless.web.app import create_app
from regretless.web.bench import Bench
from regretless.web.guard import Doors

__all__ = ["Bench", "Doors", "create_app"]
