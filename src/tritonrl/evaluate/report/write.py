"""`write_report`: runs come in, `report.html`, `report.md` and charts go out. The same runs give the same
bytes."""

from collections.abc import Sequence
from pathlib import Path

from tritonrl.errors import UserError
from tritonrl.evaluate.folder import Folder
from tritonrl.evaluate.protocols import Protocol
from tritonrl.evaluate.report.charts import charts
from tritonrl.evaluate.report.markdown import markdown
from tritonrl.evaluate.report.page import page
from tritonrl.evaluate.report.runs import read_runs
from tritonrl.files import write_whole


def write_report(folders: Sequence[Folder], out: Path, protocol: Protocol) -> list[Path]:
    """Compare these runs, in this order, under a protocol; the paths that were written."""
    if not folders:
        raise UserError("a report needs a run")
    runs = read_runs(folders, protocol)
    drawn = charts(runs)
    files = {f"{each.name}.png": each.png for each in drawn}
    files["report.md"] = markdown(runs, drawn).encode()
    files["report.html"] = page(runs, drawn).encode()
    try:
        for name, data in files.items():
            write_whole(out / name, data)
    except OSError as error:
        raise UserError(f"{out}: cannot be written: {error.strerror}") from error
    return [out / name for name in files]
