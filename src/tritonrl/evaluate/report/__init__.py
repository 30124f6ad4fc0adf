"""The report of evaluation runs: one page that needs nothing else, Markdown for a README, charts."""

from tritonrl.evaluate.report.write import write_report

__all__ = ["write_report"]
