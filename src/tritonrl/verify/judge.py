"""The judge: runs a candidate through the layers and writes the Verdict. It executes no code but its own.

    verdict = verify(load_task("task.py"), Path("kernel.py").read_text())

The first layer that fails decides. A failure of the candidate is data in the Verdict; a failure of the task
is a `TaskError`, of our own machinery a `VerifierError`.
"""

import base64
import contextlib
import importlib.metadata
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

import tritonrl
from tritonrl.errors import UserError
from tritonrl.llm import Client
from tritonrl.tasks import Task
from tritonrl.verify import static, tripwires
from tritonrl.verify.checking import examine, is_close, mark
from tritonrl.verify.compiling import Cubin, compile_launches
from tritonrl.verify.completion import Completion
from tritonrl.verify.faithful import Faithfulness, examine_replays, not_in_its_text
from tritonrl.verify.kernels import NotInFile, Specialisation
from tritonrl.verify.launchers import build_launcher
from tritonrl.verify.log import Log
from tritonrl.verify.oracle.exam import Draw, Exam
from tritonrl.verify.oracle.oracle import CONTEXT_BYTES, Oracle
from tritonrl.verify.replaying import Replay
from tritonrl.verify.roles import Death, DeviceFull, Zygotes, says_full, zygotes_of_own
from tritonrl.verify.rubric import asking
from tritonrl.verify.rubric.opinion import NotJudged
from tritonrl.verify.sandbox import Report
from tritonrl.verify.session import Answer, Raised, Session
from tritonrl.verify.settings import Settings
from tritonrl.verify.streams import may_use_streams
from tritonrl.verify.turns import Turns
from tritonrl.verify.verdict import Finding, Layer, Sandbox, Timing, Verdict

VALIDITY = ("parse", "syntax", "lint", "judge", "faithful", "timing")
"""The layers that decide whether a candidate is a real Triton implementation; one that does something else
when it is timed is none."""

WORTH_TELLING_SECONDS = 0.1
QUESTIONS_AT_ONCE = 5
"""What a candidate takes of a device, with all processes that look at it: so many times a question with its
answer."""
NUM_HELD_PROCESSES = 3
"""While it waits for its turn to be timed: its own, that of the reference, and that which repeats its log."""

DEATHS = {
    "timeout": ("timeout", "a candidate must answer in time"),
    "memory": ("memory", "a candidate must fit into the memory it is given"),
    "threads": ("threads", "a candidate needs no crowd of threads"),
    "crashed": ("crash", "a candidate must not take its process down"),
    "exited": ("D7", "leaving early is no answer: every question must be answered"),
    "protocol": ("D6", "only the judge decides, and it listens to nothing but the answers it asked for"),
}
"""How a candidate's process can end → the rule, and the rule in words."""


@dataclass
class Case:
    """One verification as it goes along."""

    task: Task
    completion: Completion
    settings: Settings
    zygotes: Zygotes
    oracle: Oracle
    model: Client | None = None
    """The language model that judges, where one is asked for."""
    needed_bytes: int = 0
    """Of the device's memory."""
    spent: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    """Of the device's budget."""
    session: Session | None = None
    replay: Replay | None = None
    first: list[tuple[Draw, Answer]] = field(default_factory=list)
    story: list[str] = field(default_factory=list)
    """What the layer in progress has to tell."""
    notes: list[Finding] = field(default_factory=list)
    replaced: bool | None = None
    sandbox: Report | None = None
    failed_call: Exception | None = None
    is_correct: bool = False
    allclose: bool | None = None
    coverage: float | None = None
    timed_log: Log | None = None
    """What a call does when it is timed."""
    timing: Timing | None = None
    compiled: list[Specialisation] = field(default_factory=list)
    """What was compiled on demand and not told of yet."""
    has_failed: bool = False
    """Whether the candidate gave no answer."""
    found_full: bool = False
    """Whether the device had no memory left then."""
    not_judged: bool = False
    """Whether the language model gave no opinion."""
    undecided: bool = False
    """Whether a wrong answer could not be repeated, so that nothing is known of how it was made."""

    @property
    def code(self) -> str:
        assert self.completion.code is not None
        return self.completion.code

    @property
    def turns(self) -> Turns:
        return self.zygotes.turns(self.settings.device)

    def close_replay(self) -> None:
        if self.replay is not None:
            self.replay.close()
            self.replay = None

    def close(self) -> None:
        self.close_replay()
        if self.session is not None:
            self.session.close()
        self.spent.close()
        self.failed_call = None  # its frames know this case

    def prepare(self) -> None:
        """Write the exam, once a task, and wait for memory on the device: before the clock of the first
        layer that needs them starts."""
        began = time.perf_counter()
        count = len(self.exam.draws)
        if self.settings.device != "cpu":
            self.needed_bytes = _needed_bytes(self.exam.draws[0], self.settings)
            with self.turns.apart():
                self.spent.enter_context(self.zygotes.budget(self.settings.device).spent(self.needed_bytes))
            if _is_full(self.settings.device, self.needed_bytes):
                torch.cuda.empty_cache()  # what PyTorch keeps for later is wanted now
        if (seconds := time.perf_counter() - began) > WORTH_TELLING_SECONDS:
            self.story.append(f"{count} questions were prepared in {seconds:.1f} s")

    @property
    def exam(self) -> Exam:
        return self.oracle.exam(replace_weights=self.replaced is not False)


def _needed_bytes(draw: Draw, settings: Settings) -> int:
    """Of a device's memory, for a candidate and all that is done with it."""
    needed = QUESTIONS_AT_ONCE * draw.size_bytes
    if settings.timing:
        from tritonrl.verify.timing.sets import timed_bytes

        needed += NUM_HELD_PROCESSES * CONTEXT_BYTES + timed_bytes(draw)
    return needed


def _parse(case: Case) -> Iterator[Finding]:
    found = list(static.parse(case.completion, case.settings.needs_plan))
    if not found:
        case.story.append(
            f"{len(case.code.splitlines())} lines of code{', with a plan' if case.completion.plan else ''}"
        )
    yield from found


def _syntax(case: Case) -> Iterator[Finding]:
    yield from static.syntax(case.code, case.task)


def _lint(case: Case) -> Iterator[Finding]:
    yield from tripwires.lint(case.code)


def _judge(case: Case) -> Iterator[Finding]:
    """Ask a language model. What it does not say clearly is neither for nor against the candidate."""
    assert case.model is not None
    try:
        with case.turns.apart():
            opinion = asking.ask(case.model, case.task, case.code, case.settings.policy)
    except NotJudged as why:
        case.not_judged = True
        case.story.append(f"{case.settings.judge} gave no opinion: {why}")
        yield asking.not_judged(why)
        return
    case.story.append(f"{case.settings.judge} finds {len(opinion.broken) or 'none'} of five rules broken")
    yield from asking.findings(opinion)


def _compile(case: Case) -> Iterator[Finding]:
    """Load the candidate, ask it one question at each size, and compile every kernel that it launched."""
    try:
        session = _open_session(case)
    except (Raised, Death) as failure:
        yield _blame(case, failure, "compile", "when it was loaded", "import_error")
        return
    for number in range(len(case.exam.variants)):
        draw = next(draw for draw in case.exam.draws if draw.variant == number)
        try:
            case.first.append((draw, session.call(draw, 0)))
        except _DoesNotCompile as failure:
            yield from failure.findings
            return
        except (Raised, Death) as failure:
            # What it launched until then is compiled all the same: a wrong result is the next layer's to
            # tell.
            case.failed_call = failure
            break
    yield from _compile_new(case, session)


def _compile_new(case: Case, session: Session) -> Iterator[Finding]:
    launches = session.take_specialisations()
    if case.compiled:
        launches, case.compiled = case.compiled + launches, []
    if not launches and not session.kernels:
        if case.failed_call is None:
            message = "no Triton kernel was launched: there is nothing to compile, the work is done elsewhere"
            yield Finding(layer="compile", rule="A2", message=message)
        else:
            yield _blame(case, case.failed_call, "compile", "in its first call", "runtime_error")
        return
    names = sorted({launch.kernel.partition("@")[0] for launch in launches})
    kinds = f"{len(launches)} specialisation{'s' if len(launches) > 1 else ''}"
    case.story.append(f"{kinds} of {', '.join(names)} for {case.settings.target}")
    if case.settings.device != "cpu":
        return  # they were compiled when they were to be launched
    try:
        yield from compile_launches(case.zygotes, case.code, session.kernels, launches, case.settings)
    except Death as death:
        yield _blame(case, death, "compile", "while its kernels were compiled", "compile")


class _DoesNotCompile(Exception):
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
            raise _DoesNotCompile(found)
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


def _correct(case: Case) -> Iterator[Finding]:
    session = case.session
    assert session is not None
    try:
        if case.failed_call is not None:
            raise case.failed_call
        found = list(examine(session, case.exam, case.first, case.settings))
        if not found:
            found = list(_compile_new(case, session)) if session.specialisations else []
        case.is_correct = not found
        if found and case.settings.looks_close:
            case.allclose = _is_close(case, session)
        yield from found
        if case.is_correct and case.settings.timing:
            yield from _settle(case, session)
    except _DoesNotCompile as failure:
        yield from failure.findings
    except (Raised, Death) as failure:
        yield _blame(case, failure, "correct", f"at {session.under_way}", "runtime_error")
    kinds = ", ".join(dict.fromkeys(draw.kind for draw in session.asked))
    case.story.append(f"{session.num_calls} calls over {len(session.asked)} draws: {kinds}")
    case.story.append(f"compared as {case.exam.dtype}: {case.exam.tolerance}")


def _is_close(case: Case, session: Session) -> bool:
    last = session.last  # the wrong answer, which the next layer looks at
    try:
        return is_close(session, case.exam)
    except (Raised, Death, _DoesNotCompile):
        return False
    finally:
        session.last = last


def _settle(case: Case, session: Session) -> Iterator[Finding]:
    """Before a candidate is timed: autotuned kernels choose, and one more checked call shows what a call then
    does."""
    own = case.exam.draws[0]
    if session.num_configs > 1:
        with case.turns.alone():
            session.tune(own)
    answer = session.call(own, 0)
    case.timed_log = answer.log
    yield from mark(session, case.exam, own, answer)


def _faithful(case: Case) -> Iterator[Finding]:
    """Repeat what was recorded, without the candidate."""
    session = case.session
    assert session is not None
    if not case.settings.timing:
        session.process.end()
    try:
        shown = _replay(case, session)
    except NotInFile as error:
        yield not_in_its_text(error)
        return
    except (Raised, Death) as failure:
        if case.is_correct:
            yield _blame(case, failure, "faithful", "when its log was repeated", "A12")
        else:
            case.undecided = True
        return
    case.coverage = shown.coverage
    case.story += shown.story
    yield from shown.findings


def _timing(case: Case) -> Iterator[Finding]:
    """Measure speed."""
    from tritonrl.verify.timing.layer import Subject, time_candidate  # which imports triton: not for nothing

    assert case.session is not None
    assert case.replay is not None
    assert case.timed_log is not None
    parts = (case.zygotes, case.oracle, case.exam, case.session, case.replay, case.timed_log)
    try:
        shown = time_candidate(Subject(*parts, case.settings))
    except (Raised, Death) as failure:
        yield _blame(case, failure, "timing", "in a timed call", "runtime_error")
        return
    case.timing = shown.timing
    case.story += shown.story
    yield from shown.findings


def _replay(case: Case, session: Session) -> Faithfulness:
    """Where kernels are interpreted also with programs in another order; if that is the end of the process,
    without: it is no fault."""
    try:
        return _examine(case, session, backwards=case.settings.device_kind == "cpu")
    except (Raised, Death):
        if case.replay is None or not case.replay.is_backwards:
            raise
        return _examine(case, session, backwards=False)


def _examine(case: Case, session: Session, *, backwards: bool) -> Faithfulness:
    """By a process that others have used before, if there is one; a rejection needs a fresh one."""
    for fresh in (False, True):
        case.close_replay()
        case.replay = Replay(case.zygotes, session, case.code, case.settings, fresh=fresh)
        is_fresh = case.replay.process.num_uses == 1
        with contextlib.suppress(*(() if is_fresh else (Raised, Death))):
            shown = examine_replays(
                case.replay, session, case.settings, is_correct=case.is_correct, backwards=backwards
            )
            if is_fresh or not shown.rejects:
                return shown
    raise AssertionError("unreachable")


def _blame(case: Case, failure: Exception, layer: str, when: str, rule: str) -> Finding:
    """A finding for what the candidate's process raised, or for how it ended."""
    error = failure.error if isinstance(failure, Raised) else {}
    case.has_failed = True
    case.found_full |= _is_full(case.settings.device, error=error)
    if isinstance(failure, Death):
        name, reason = DEATHS[failure.reason]
        printed = f"; it last printed: {failure.output.strip()[-300:]!r}" if failure.output.strip() else ""
        return Finding(
            layer=layer, rule=name, message=f"its process {failure.detail} {when}: {reason}{printed}"
        )
    denied = error.get("denied") is True
    message = f"raised {error.get('type')} {when}: {str(error.get('message'))[:500]}"
    if denied:
        message += "; the sandbox refuses files, programs, processes and network that a kernel has no use for"
    line = error.get("line")
    return Finding(
        layer=layer,
        rule="sandbox" if denied else rule,
        message=message,
        line=line if type(line) is int else None,
    )


JUDGES_SHARE = 0.5
"""Of a device's memory, for all judges."""
LEAST_FREE_BYTES = 2 * 2**30

LAYERS: tuple[tuple[str, Callable[[Case], Iterator[Finding]], set[str]], ...] = (
    ("parse", _parse, set()),
    ("syntax", _syntax, set()),
    ("lint", _lint, set()),
    ("judge", _judge, set()),
    ("compile", _compile, set()),
    ("correct", _correct, set()),
    # A wrong kernel may be a real one, and a rate of real ones is defined by that.
    ("faithful", _faithful, {"correct"}),
    ("timing", _timing, set()),
)
"""Name, check, and the layers whose failure does not make it idle."""


def verify(
    task: Task,
    candidate: str | Completion,
    settings: Settings | None = None,
    *,
    zygotes: Zygotes | None = None,
    oracle: Oracle | None = None,
    model: Client | None = None,
    crowded: bool = False,
    tell: Callable[[Layer], None] = lambda layer: None,
) -> Verdict:
    """Judge one candidate: plain code, or a completion. `zygotes`, `oracle` and `model` (the client of
    `settings.judge`) are kept by callers that judge many. Where the device is crowded a candidate that fails
    while it is full is not judged by that; else only where it is still full afterwards, and so was not filled
    by the candidate. `tell` hears of each layer as it is through."""
    settings = settings or Settings()
    completion = Completion.of_code(candidate) if isinstance(candidate, str) else candidate
    with contextlib.ExitStack() as stack:
        held = stack.enter_context(zygotes_of_own(zygotes))
        held.expect(settings.device)
        known = oracle or stack.enter_context(contextlib.closing(Oracle(held, task, settings)))
        if settings.judge and model is None:
            model = stack.enter_context(asking.open_model(settings.judge))
        case = Case(task, completion, settings, held, known, model)
        stack.callback(case.close)
        stack.enter_context(case.turns.sharing())
        stack.enter_context(_on(settings.device, JUDGES_SHARE / held.num_judges))
        try:
            verdict = _run(case, tell)
        except torch.OutOfMemoryError as error:
            raise DeviceFull("the device has no memory left for the judge") from error
    if case.found_full if crowded else case.has_failed and _is_full(settings.device):
        raise DeviceFull("the device has no memory left, so that a candidate's failure says nothing of it")
    return verdict


def _is_full(device: str, needed_bytes: int = 0, error: Mapping[str, Any] | None = None) -> bool:
    """Whether a GPU has no room for a candidate, or had none when it raised: who had the memory then may have
    given it back since."""
    if device == "cpu":
        return False
    had_none = error is not None and says_full(error)
    return had_none or torch.cuda.mem_get_info(device)[0] < LEAST_FREE_BYTES + needed_bytes


def _on(device: str, share: float) -> contextlib.AbstractContextManager[Any]:
    """Where the judge's own tensors are made, in its share of the memory there: at the limit PyTorch gives
    back what it keeps for later."""
    if device == "cpu":
        return contextlib.nullcontext()
    if not torch.cuda.is_initialized():
        from tritonrl.verify.device_memory import wait_without_spinning

        wait_without_spinning()
        torch.cuda.set_per_process_memory_fraction(share, torch.device(device).index or 0)
    return torch.cuda.device(device)


def _run(case: Case, tell: Callable[[Layer], None]) -> Verdict:
    started = time.perf_counter()
    layers: list[Layer] = []
    findings: list[Finding] = []
    for name, check, despite in LAYERS:
        decided = any(layer.status == "fail" and layer.name not in despite for layer in layers)
        decided |= name == "faithful" and (case.session is None or case.session.last is None)
        decided |= name == "timing" and not case.settings.timing
        decided |= name == "judge" and case.settings.judge is None
        if decided or name in case.settings.skip_layers:
            layers.append(Layer(name=name, status="skip", seconds=0.0))
            continue
        case.story = []
        if name == "compile":
            case.prepare()
        began = time.perf_counter()
        found = list(check(case))
        # A late specialisation is compiled while correctness is checked, and its finding is the compiler's.
        failed = any(finding.severity == "reject" for finding in found)
        seconds = round(time.perf_counter() - began, 4)
        status = "fail" if failed else "skip" if name == "judge" and case.not_judged else "pass"
        layers.append(Layer(name=name, status=status, seconds=seconds, story=tuple(case.story)))
        tell(layers[-1])
        findings += found
    findings += [*case.notes, *case.oracle.warnings()]
    return _verdict(case, layers, findings, time.perf_counter() - started)


def _verdict(case: Case, layers: list[Layer], findings: list[Finding], seconds: float) -> Verdict:
    status = {layer.name: layer.status for layer in layers}
    decided_by = {finding.layer for finding in findings if finding.severity == "reject"}
    sandbox = case.sandbox
    return Verdict(
        task=case.task.id,
        device=case.settings.device_kind,
        policy=case.settings.policy,
        precision=case.settings.precision,
        target=case.settings.target,
        valid=_valid(case, status, findings),
        compiled=_outcome(status["compile"]) if "compile" not in decided_by else False,
        correct=_outcome(status["correct"]),
        allclose=case.allclose,
        speedup=_speedup(case.timing, case.settings.baseline) if "timing" not in decided_by else None,
        timing=case.timing,
        coverage=case.coverage,
        findings=tuple(findings),
        layers=tuple(layers),
        num_draws=len(case.session.asked) if case.session else 0,
        num_calls=case.session.num_calls if case.session else 0,
        weights_replaced=case.replaced,
        sandbox=None
        if sandbox is None
        else Sandbox(
            held=tuple(name for name, reason in sandbox.items() if reason is None),
            missing={name: reason for name, reason in sandbox.items() if reason is not None},
        ),
        versions=versions(),
        seconds=round(seconds, 4),
    )


def _valid(case: Case, status: dict[str, str], findings: list[Finding]) -> bool | None:
    """Whether it is a real Triton implementation, right or wrong; None where nothing could be repeated, or a
    judge that was asked gave no opinion."""
    if case.undecided:
        return None
    if any(status[name] == "fail" for name in VALIDITY) or "A2" in {each.rule for each in findings}:
        return False
    return True if status["faithful"] == "pass" and not case.not_judged else None


def _speedup(timing: Timing | None, baseline: str) -> float | None:
    """None where the figure is not to be trusted. Of two baselines, against the eager one."""
    if timing is None or timing.refused:
        return None
    found = timing.baselines.get("compile" if baseline == "compile" else "eager")
    return found.speedup if found else None


def _outcome(status: str) -> bool | None:
    return {"pass": True, "fail": False}.get(status)


def versions() -> dict[str, str]:
    packages = {name: importlib.metadata.version(name) for name in ("torch", "triton")}
    return {"tritonrl": tritonrl.__version__, **packages}
