"""The paper's experiments: run them, draw them, judge its claims. ``regretless paper`` is the command."""

from regretless.paper.claims import VERDICTS
from regretless.paper.experiments import EXPERIMENTS
from regretless.paper.reproduction import Reproduction, reproduce
from regretless.paper.settings import Settings, read_settings

__all__ = ["EXPERIMENTS", "VERDICTS", "Reproduction", "Settings", "read_settings", "reproduce"]
