"""The operator table: the single source of truth about operators, by name and by category."""

from tritonrl.errors import UnknownNameError
from tritonrl.program.op import Op
from tritonrl.program.ops import ROWS
from tritonrl.program.ops.opaque import OPAQUE

TABLE: dict[str, Op] = {row.name: row for row in (*ROWS, OPAQUE)}

COMPUTE: tuple[str, ...] = tuple(row.name for row in ROWS if not row.is_view)
"""What the synthesiser draws from; the level of a program counts these."""


def lookup(name: str) -> Op:
    """The row of that name; an unknown name is an error that lists the known ones."""
    try:
        return TABLE[name]
    except KeyError:
        raise UnknownNameError("operator", name, sorted(TABLE)) from None
