"""The layers: each looks at a case, says what is wrong with it, and writes down what it learned."""

import contextlib
from collections.abc import Callable, Iterator

from tritonrl.verify import static, tripwires
from tritonrl.verify.blame import blame
from tritonrl.verify.case import Case
from tritonrl.verify.checking import examine, is_close, mark
from tritonrl.verify.faithful import Faithfulness, examine_replays, not_in_its_text
from tritonrl.verify.kernels import NotInFile
from tritonrl.verify.loading import DoesNotCompile, compile_new, load_and_compile
from tritonrl.verify.process import Death
from tritonrl.verify.replaying import Replay
from tritonrl.verify.rubric import asking
from tritonrl.verify.rubric.opinion import NotJudged
from tritonrl.verify.session import Raised, Session
from tritonrl.verify.verdict import Finding


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


def _correct(case: Case) -> Iterator[Finding]:
    session = case.session
    assert session is not None
    try:
        if case.failed_call is not None:
            raise case.failed_call
        found = list(examine(session, case.exam, case.first, case.settings))
        if not found:
            found = list(compile_new(case, session)) if session.specialisations else []
        case.is_correct = not found
        if found and case.settings.looks_close:
            case.allclose = _is_close(case, session)
        yield from found
        if case.is_correct and case.settings.timing:
            yield from _settle(case, session)
    except DoesNotCompile as failure:
        yield from failure.findings
    except (Raised, Death) as failure:
        yield blame(case, failure, "correct", f"at {session.under_way}", "runtime_error")
    kinds = ", ".join(dict.fromkeys(draw.kind for draw in session.asked))
    case.story.append(f"{session.num_calls} calls over {len(session.asked)} draws: {kinds}")
    case.story.append(f"compared as {case.exam.dtype}: {case.exam.tolerance}")


def _is_close(case: Case, session: Session) -> bool:
    last = session.last  # the wrong answer, which the next layer looks at
    try:
        return is_close(session, case.exam)
    except (Raised, Death, DoesNotCompile):
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
            yield blame(case, failure, "faithful", "when its log was repeated", "A12")
        else:
            case.undecided = True
        return
    case.coverage = shown.coverage
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
        yield blame(case, failure, "timing", "in a timed call", "runtime_error")
        return
    case.timing = shown.timing
    case.story += shown.story
    yield from shown.findings


LAYERS: tuple[tuple[str, Callable[[Case], Iterator[Finding]], set[str]], ...] = (
    ("parse", _parse, set()),
    ("syntax", _syntax, set()),
    ("lint", _lint, set()),
    ("judge", _judge, set()),
    ("compile", load_and_compile, set()),
    ("correct", _correct, set()),
    # A wrong kernel may be a real one, and a rate of real ones is defined by that.
    ("faithful", _faithful, {"correct"}),
    ("timing", _timing, set()),
)
"""Name, check, and the layers whose failure does not make it idle."""
