"""Plain tasks: those whose text is a program of the operator table, to the letter.

Such a text calls PyTorch and does nothing else: it leaves no trace in the process that runs it, which may
then run another.
"""

from tritonrl.program import Program, ProgramError, emit
from tritonrl.program.ops.opaque import OPAQUE
from tritonrl.tasks import Task


def is_plain(task: Task) -> bool:
    """Whether the program that a task brings along is all there is to its text."""
    if task.program is None:
        return False
    try:
        program = Program.from_json(task.program)
    except ProgramError:
        return False
    return emit(program) == task.source and all(node.op != OPAQUE.name for node in program.nodes)
