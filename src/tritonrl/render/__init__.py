"""What commands show a person: facts come in, rich renderables (tables, progress, source) go out."""

from tritonrl.render.evaluation import evaluation_sheet
from tritonrl.render.pairs import manifest_sheet, taught_sheet
from tritonrl.render.redteam import error_rates_sheet, redteam_sheet
from tritonrl.render.runs import reinforced_sheet, reinforcing, trained_sheet, training
from tritonrl.render.screen import console, progress, progresses, source, waiting
from tritonrl.render.search import library_entries, library_sheet, search_sheet
from tritonrl.render.synth import synth_report
from tritonrl.render.tasks import lint_sheet, program_sheet, task_sheet, task_table
from tritonrl.render.verdict import verdict_sheet

__all__ = [
    "console",
    "error_rates_sheet",
    "evaluation_sheet",
    "library_entries",
    "library_sheet",
    "lint_sheet",
    "manifest_sheet",
    "program_sheet",
    "progress",
    "progresses",
    "redteam_sheet",
    "reinforced_sheet",
    "reinforcing",
    "search_sheet",
    "source",
    "synth_report",
    "task_sheet",
    "task_table",
    "taught_sheet",
    "trained_sheet",
    "training",
    "verdict_sheet",
    "waiting",
]
