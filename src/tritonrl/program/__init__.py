"""Program: the flat functional form that tasks, search and teacher share."""

from tritonrl.program.annotate import annotated
from tritonrl.program.emit import emit
from tritonrl.program.program import Node, Program, ProgramError, Spec
from tritonrl.program.table import COMPUTE, TABLE, lookup

__all__ = ["COMPUTE", "TABLE", "Node", "Program", "ProgramError", "Spec", "annotated", "emit", "lookup"]
