"""Reports: one HTML file that says all about a study and needs nothing else."""

from regretless.report.effects import Effect, effects
from regretless.report.explain import Explanation, Pick, explain
from regretless.report.html import html_report

__all__ = ["Effect", "Explanation", "Pick", "effects", "explain", "html_report"]
