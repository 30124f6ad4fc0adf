"""The verdict cache: the same question is answered once, over runs and processes.

A file a verdict, named after a hash of the task, the code without its comments and layout, the settings and
the versions. Verdicts that depend on the load of the machine (a timeout, too much memory), or lack a language
model's opinion, are not kept.
"""

import ast
import hashlib
import json
from pathlib import Path

from tritonrl.errors import UserError
from tritonrl.files import write_whole
from tritonrl.source import syntax_tree
from tritonrl.tasks import Task
from tritonrl.verify.completion import Completion
from tritonrl.verify.judge import versions
from tritonrl.verify.keeping import cache_folder
from tritonrl.verify.settings import Settings
from tritonrl.verify.verdict import NOT_JUDGED, SCHEMA_VERSION, Verdict

PASSING_RULES = ("timeout", "memory", "crash", NOT_JUDGED)
"""Findings that another try might not have."""


def default_folder() -> Path:
    """Where verdicts are kept unless the user says otherwise."""
    return cache_folder("verdicts")


class VerdictCache:
    """Verdicts in a folder; any number of processes may share it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"{folder}: cannot keep verdicts there: {error.strerror}") from error

    def get(self, task: Task, completion: Completion, settings: Settings) -> Verdict | None:
        path = self._path(task, completion, settings)
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            verdict = Verdict.from_json(document["verdict"])
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return None  # absent, or torn by something that is not us
        findings = verdict.findings
        if document.get("code") != _digest(completion.code or ""):
            # The same program, laid out otherwise: its lines have moved.
            findings = tuple(finding.model_copy(update={"line": None}) for finding in findings)
        return verdict.model_copy(update={"cached": True, "task": task.id, "findings": findings})

    def put(self, task: Task, completion: Completion, settings: Settings, verdict: Verdict) -> None:
        if any(finding.rule in PASSING_RULES for finding in verdict.findings):
            return
        path = self._path(task, completion, settings)
        document = {"code": _digest(completion.code or ""), "verdict": verdict.model_dump(mode="json")}
        write_whole(path, json.dumps(document).encode())

    def _path(self, task: Task, completion: Completion, settings: Settings) -> Path:
        asked = [
            SCHEMA_VERSION, task.kind, task.entry, task.init_style, task.source, bool(completion.plan),
            normalised(completion.code), settings.model_dump(mode="json"), versions(),
        ]  # fmt: skip
        name = _digest(json.dumps(asked, sort_keys=True))
        return self.folder / name[:2] / f"{name}.json"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def normalised(code: str | None) -> str | None:
    """The code without comments and layout; as it is where it is not Python."""
    try:
        return None if code is None else ast.unparse(syntax_tree(code))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return code
