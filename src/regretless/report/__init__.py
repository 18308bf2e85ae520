"""Where a study stands, and reports: one HTML file that says all about a study and needs nothing else."""

from regretless.report.effects import Effect, effects
from regretless.report.explain import Explanation, Pick, explain
from regretless.report.html import html_report
from regretless.report.status import StudyStatus, status_of

__all__ = ["Effect", "Explanation", "Pick", "StudyStatus", "effects", "explain", "html_report", "status_of"]
