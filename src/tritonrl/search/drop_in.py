"""The drop-in: a file that needs torch and triton only, and stands in for the task's own.

It is the candidate's code and a guard: calls like those that were verified go to the kernels, any others to
the task's own PyTorch, since a kernel may be written for one shape and has no gradient. The guard is code
like any other, so what is verified at the end is the whole file.
"""

import ast
from textwrap import dedent, indent

from tritonrl.search.found import Found
from tritonrl.source import syntax_tree
from tritonrl.tasks import Task
from tritonrl.verify import Zygotes
from tritonrl.verify.completion import Completion
from tritonrl.verify.oracle.worker import Worker
from tritonrl.verify.pool import Hands
from tritonrl.verify.roles import VerifierError

DRAW_SECONDS = 120.0
NUMBER = -1
"""Of the first file, among those that are judged, and less for others: no candidate has it."""
HEAD = "# Written by {model} for {task}; `tritonrl verify` says what of it holds.\n"
GUARD = '''

VERIFIED = {kinds}
"""Shape, strides and type of each input that the kernels were verified for."""


def _kinds(value):
    if isinstance(value, (list, tuple)):
        return [_kinds(each) for each in value]
    if isinstance(value, dict):
        return {{key: _kinds(each) for key, each in value.items()}}
    if isinstance(value, torch.Tensor):
        return (tuple(value.shape), value.stride(), str(value.dtype))
    return value


def _as_verified(args, parameters=()):
    """Other inputs are left to PyTorch, and calls that want gradients too: kernels have none."""
    given = (*args, *parameters) if torch.is_grad_enabled() else ()
    if any(getattr(each, "requires_grad", False) for each in given):
        return False
    return _kinds(args) == VERIFIED
'''
CLASS = '''

class {entry}({made}):
    """The module with its forward in Triton, for calls like those that were verified."""

    def forward(self, *args, **kwargs):
        if kwargs or not _as_verified(args, self.parameters()):
            return self._forward_in_torch(*args, **kwargs)
        return super().forward(*args)

{fallback}


{made} = {entry}
'''
FUNCTION = """

_in_triton = {made}


{fallback}


def {entry}(*args):
    return _in_triton(*args) if _as_verified(args) else _in_torch(*args)


{made} = {entry}
"""
NO_FALLBACK = """def {name}(*args, **kwargs):
    raise ValueError(f"the kernels were verified for {{VERIFIED}} only")
"""


def drop_in(found: Found, hands: Hands, zygotes: Zygotes, model: str) -> str | None:
    """The file of the best candidate that is accepted as a whole; None where nothing is worth having, or
    somebody interrupts. Candidates then have the verdicts on their files."""
    try:
        kinds = kinds_of(zygotes, found.task) if found.best else []
        while (best := found.best) and best.completion and best.completion.code:
            text = written(found.task, best.completion.code, kinds, model)
            number = NUMBER - best.sample
            judged = hands.submit(number, found.task, Completion.of_code(text)).result()
            if judged.verdict is None:
                raise judged.error or VerifierError(f"no verdict on the file of candidate {best.sample}")
            best.whole = judged.verdict
            if best.whole.accepted:
                return text
            found.reason = f"the file of candidate {best.sample} is not accepted: {best.whole.rejection}"
    except KeyboardInterrupt:
        found.interrupted = True
    return None


def written(task: Task, code: str, kinds: list, model: str) -> str:
    """The file, for inputs of these kinds."""
    is_function = task.kind == "functional"
    name = "_in_torch" if is_function else "_forward_in_torch"
    fallback = _own(task, name) or NO_FALLBACK.format(name=name)
    guard = GUARD.format(kinds=kinds)
    rest = (FUNCTION if is_function else CLASS).format(
        entry=task.entry,
        made=task.candidate_entry,
        fallback=fallback if is_function else indent(fallback, "    "),
    )
    imported = "" if "import torch\n" in code else "import torch\n"
    return f"{HEAD.format(model=model, task=task.id)}{imported}{code.rstrip()}\n{guard}{rest.rstrip()}\n"


def kinds_of(zygotes: Zygotes, task: Task) -> list:
    """Shapes and types of the task's own inputs, as the guard sees them."""
    with Worker(zygotes, task, DRAW_SECONDS, zygotes.device) as worker:
        drawn = worker.draw(0, worker.varying)
    kinds = [(tuple(each.shape), each.stride(), str(each.dtype)) for each in drawn.tensors]
    found = _kinds(drawn.structure, kinds)
    assert isinstance(found, list)
    return found


def _kinds(structure: list, tensors: list) -> object:
    kind, content = structure
    if kind == "tensor":
        return tensors[content]
    if kind in ("list", "tuple"):
        return [_kinds(each, tensors) for each in content]
    if kind == "dict":
        return {key: _kinds(each, tensors) for key, each in content}
    return content


def _own(task: Task, name: str) -> str | None:
    """The task's own function or forward under another name; None where it has none that can stand alone."""
    body = syntax_tree(task.source).body
    if task.kind != "functional":
        classes = [node for node in body if isinstance(node, ast.ClassDef) and node.name == task.entry]
        body = classes[0].body if classes else []
    wanted = "forward" if task.kind != "functional" else task.entry
    found = next((node for node in body if isinstance(node, ast.FunctionDef) and node.name == wanted), None)
    text = ast.get_source_segment(task.source, found, padded=True) if found else None
    if text is None or "super()" in text:
        return None
    decorators = [f"@{ast.unparse(each)}" for each in found.decorator_list] if found else []
    return "\n".join([*decorators, dedent(text).replace(f"def {wanted}(", f"def {name}(", 1)])
