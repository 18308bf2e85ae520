"""Reports: one HTML file that says all about a study and needs nothing else."""

from regretless.report.html import html_report

__all__ = ["html_report"]
