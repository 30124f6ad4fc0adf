"""What the model is asked: files of text, filled in with the reference and the candidate.

The candidate is data. It is shown without comments and docstrings: they do nothing, so nothing that they say,
to a reader or to a model, can count. What is left, names and strings, stands between lines with a mark that
neither text contains, so that no text can end its own quotation.
"""

import ast
import hashlib
import itertools
from importlib.resources import files
from string import Template

from tritonrl.llm import Message
from tritonrl.source import syntax_tree
from tritonrl.tasks import Task

LONGEST_SHOWN = 2**17
"""Characters. A longer candidate is not judged: a part of it would hide the rest."""


def messages(task: Task, code: str, policy: str) -> tuple[Message, ...]:
    """The same texts always give the same question."""
    reference, candidate = task.source.strip(), bare(code)
    system = Template(_text("system")).substitute(host=_text(policy).strip())
    asked = Template(_text("question")).substitute(
        made=task.candidate_entry, reference=reference, candidate=candidate, mark=_mark(reference, candidate)
    )
    return Message(role="system", content=system), Message(role="user", content=asked)


def bare(code: str) -> str:
    """Code without comments, docstrings and layout; as it is where Python cannot take it apart."""
    try:
        return ast.unparse(_Undocumented().visit(syntax_tree(code)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return code


class _Undocumented(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        """Strings that stand alone go, wherever they stand."""
        text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, (str, bytes))
        return None if text else node


def _mark(*texts: str) -> str:
    """A word that is in none of the texts; they would have to hold their own digest."""
    for number in itertools.count():
        whole = "\0".join((str(number), *texts))
        mark = hashlib.sha256(whole.encode(errors="replace")).hexdigest()[:16]
        if not any(mark in text for text in texts):
            return mark
    raise AssertionError("unreachable")


def _text(name: str) -> str:
    return (files(__package__ or "") / f"{name}.md").read_text(encoding="utf-8")
