"""The compile layer: load the candidate, ask it one question at each size, and compile every kernel that it
launched.
"""

import base64
from collections.abc import Iterator
from typing import Any

from tritonrl.errors import UserError
from tritonrl.verify.blame import blame
from tritonrl.verify.case import Case
from tritonrl.verify.compiling import Cubin, compile_launches
from tritonrl.verify.launchers import build_launcher
from tritonrl.verify.process import Death
from tritonrl.verify.session import Raised, Session
from tritonrl.verify.streams import may_use_streams
from tritonrl.verify.verdict import Finding


def load_and_compile(case: Case) -> Iterator[Finding]:
    """Load the candidate, ask it one question at each size, and compile every kernel that it launched."""
    try:
        session = _open_session(case)
    except (Raised, Death) as failure:
        yield blame(case, failure, "compile", "when it was loaded", "import_error")
        return
    for number in range(len(case.exam.variants)):
        draw = next(draw for draw in case.exam.draws if draw.variant == number)
        try:
            case.first.append((draw, session.call(draw, 0)))
        except DoesNotCompile as failure:
            yield from failure.findings
            return
        except (Raised, Death) as failure:
            # What it launched until then is compiled all the same: a wrong result is the next layer's to
            # tell.
            case.failed_call = failure
            break
    yield from compile_new(case, session)


def compile_new(case: Case, session: Session) -> Iterator[Finding]:
    launches = session.take_specialisations()
    if case.compiled:
        launches, case.compiled = case.compiled + launches, []
    if not launches and not session.kernels:
        if case.failed_call is None:
            message = "no Triton kernel was launched: there is nothing to compile, the work is done elsewhere"
            yield Finding(layer="compile", rule="A2", message=message)
        else:
            yield blame(case, case.failed_call, "compile", "in its first call", "runtime_error")
        return
    names = sorted({launch.kernel.partition("@")[0] for launch in launches})
    kinds = f"{len(launches)} specialisation{'s' if len(launches) > 1 else ''}"
    case.story.append(f"{kinds} of {', '.join(names)} for {case.settings.target}")
    if case.settings.device != "cpu":
        return  # they were compiled when they were to be launched
    try:
        yield from compile_launches(case.zygotes, case.code, session.kernels, launches, case.settings)
    except Death as death:
        yield blame(case, death, "compile", "while its kernels were compiled", "compile")


class DoesNotCompile(Exception):
    """A kernel that was to be launched on a GPU has findings instead of code."""

    def __init__(self, findings: list[Finding]) -> None:
        super().__init__("does not compile")
        self.findings = findings


def _provide(case: Case, session: Session) -> list[dict[str, Any]]:
    """Have made what a candidate on a GPU wants to launch."""
    cubins: list[Cubin] = []
    launches = session.take_specialisations()
    with case.turns.apart():
        found = list(
            compile_launches(case.zygotes, case.code, session.kernels, launches, case.settings, cubins)
        )
        case.compiled += launches
        if any(finding.severity == "reject" for finding in found):
            raise DoesNotCompile(found)
        case.notes += found
        for each in cubins:
            build_launcher(case.zygotes.launchers, each.signature, each.metadata)
    return [
        {
            "specialisation": each.specialisation.text,
            "metadata": each.metadata,
            "cubin": base64.b64encode(each.code).decode(),
        }
        for each in cubins
    ]


def _open_session(case: Case) -> Session:
    """A loaded candidate with an exam that fits it: one that sets weights, or one that shares seeds."""
    session = _loaded(case)
    replaced = [session.construct(number) for number in range(len(case.exam.variants))]
    if case.exam.variants[0].states[0].names:
        case.replaced = all(replaced)
        if not case.replaced:
            session.close()
            session = _loaded(case)
            for number in range(len(case.exam.variants)):
                session.construct(number)
            case.notes.append(_not_replaced(session))
    session.take_constants()
    return session


def _not_replaced(session: Session) -> Finding:
    message = (
        "parameters and buffers have other names or shapes than the reference's: weights were not replaced, "
        "both sides were constructed under the same one-time seeds, and parameters that are then of one "
        "value were given others"
    )
    if session.missing:
        message += f"; it has nothing for {', '.join(map(repr, sorted(session.missing)))}"
    return Finding(layer="correct", rule="weights", message=message, severity="note")


def _loaded(case: Case) -> Session:
    provide = None if case.settings.device == "cpu" else lambda session: _provide(case, session)
    num_queues = 2 if may_use_streams(case.code) else 1
    case.session = Session(case.zygotes, case.exam, case.settings, provide, num_queues)
    case.sandbox = case.session.process.sandbox
    missing = [name for name, reason in case.sandbox.items() if reason]
    if missing and case.settings.require_sandbox:
        raise UserError(
            f"--require-sandbox: this machine does not allow {', '.join(missing)}; see `tritonrl doctor`"
        )
    case.session.load(case.code)
    return case.session
