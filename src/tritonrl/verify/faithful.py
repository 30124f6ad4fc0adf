"""The faithful layer's work: was it the candidate's own kernels that computed the result?

A log is a program without a host. It is repeated in a clean process, on the questions it was recorded on and
on others of the same shapes, with other inputs and under other weights: numbers that were slipped into it are
then wrong. What it gives must be right. And each question is the other one of some log that was recorded
before it was asked and not on it, where there is one: what the kernels do there they do by themselves.
Then launches are left out: if the result stays right, they did not matter.
"""

import random
import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from tritonrl.verify.checking import results, too_slow
from tritonrl.verify.kernels import NotInFile, short_name
from tritonrl.verify.log import Launch, Log, Operation, is_free, why_work
from tritonrl.verify.oracle.compare import Check, Mismatch, first_wrong_among
from tritonrl.verify.oracle.exam import Draw
from tritonrl.verify.replaying import POISONS, Poisoned, Replay, Replayed
from tritonrl.verify.session import Answer, Recorded, Session
from tritonrl.verify.settings import Settings
from tritonrl.verify.verdict import Finding

LAYER = "faithful"
MOST_COUNTERFACTUAL_DRAWS = 3
ALIKE = 1e-4
"""Of the size of a wrong result, by which its replay may differ from it."""
RACE = (
    "its result depends on the order in which its programs run, and a GPU promises none; "
    "in another order, and where programs see each other's stores by atomics only, a clean process that "
    "repeats its log gets something else"
)


@dataclass
class Faithfulness:
    """What replays showed."""

    findings: list[Finding] = field(default_factory=list)
    coverage: float | None = None
    story: list[str] = field(default_factory=list)

    @property
    def rejects(self) -> bool:
        return any(finding.severity == "reject" for finding in self.findings)


def examine_replays(
    replay: Replay, session: Session, settings: Settings, *, is_correct: bool, backwards: bool = False
) -> Faithfulness:
    """Decide whether a candidate that was asked all questions is real; one that gave a wrong answer by that
    answer alone. `backwards`: whether one replay of each log has programs in another order, which the
    interpreter can do."""
    found = Faithfulness()
    examination = _Examination(replay, session, settings, found, backwards=backwards)
    if is_correct:
        found.findings += examination.of_right_answers()
    elif session.last is not None:
        found.findings += examination.of_a_wrong_answer(*session.last)
    return found


def not_in_its_text(error: NotInFile) -> Finding:
    return _finding("A11", f"a launched kernel is not in the candidate's text: {error}")


@dataclass(frozen=True)
class _Plan:
    """What a log is repeated on."""

    recorded: Recorded
    questions: list[Poisoned]
    num_needed: int
    """So many of the first ones it is repeated on however long that takes."""


class _Examination:
    """One candidate's logs before the replay."""

    def __init__(
        self, replay: Replay, session: Session, settings: Settings, found: Faithfulness, *, backwards: bool
    ) -> None:
        self.replay = replay
        self.exam = replay.exam
        self.session = session
        self.settings = settings
        self.found = found
        self.backwards = backwards
        self.num_replays = 0
        self.rng = random.Random(secrets.randbits(64))

    def of_right_answers(self) -> Iterator[Finding]:
        """Every log gives what is right, whatever was in memory, and not without the kernels."""
        copying: set[str] = set()
        working: set[str] = set()
        cost = 0.0
        plans = self._plans()
        needed, repeated = sum(each.num_needed for each in plans), 0
        # As long for each replay as there was for a question.
        seconds = self.settings.total_seconds * needed / len(self.exam.draws)
        started = time.monotonic()
        for each in plans:
            recorded, plan, num_done = each.recorded, each.questions, 0
            while num_done < len(plan):
                used = time.monotonic() - started
                if used > self.settings.total_seconds and num_done >= each.num_needed:
                    break
                if too_slow(repeated + min(num_done, each.num_needed), needed, used / seconds):
                    yield _unrepeated(repeated + num_done, needed, used)
                    return
                race = None
                if num_done == 1 and self.backwards:
                    is_right, race = self._backwards(recorded, plan[1])
                    if is_right:
                        num_done += 1
                        continue
                count = self.replay.most_at_once(plan[0][0]) if num_done else 1
                questions = plan[num_done : num_done + count]
                replays = self._run(recorded, questions, looks=not num_done, follows=not self.replay.library)
                if found := first_wrong_among(self._faults(questions, replays)):
                    number, wrong = found
                    yield self._explain(recorded, questions[number][0], replays[number], wrong)
                    return
                if beyond := next((each.beyond for each in replays if each.beyond), ""):
                    yield _out_of_bounds(beyond)
                    return
                if finding := _masking(recorded.log, replays):
                    yield finding
                    return
                if race is not None:
                    yield _finding("race", f"{RACE}: {race.what}")
                    return
                if not num_done:
                    for number, step in enumerate(recorded.log.steps):
                        if isinstance(step, Launch):
                            (copying if number in replays[0].identities else working).add(step.kernel)
                    if plan[0][0].variant == 0:
                        cost = max(cost, sum(replays[0].costs.values()))
                num_done += len(questions)
            repeated += each.num_needed
        self._tell_coverage(cost)
        yield from self._counterfactuals(copying - working)
        self.found.story.append(
            f"{len(self.session.recorded)} logs repeated {self.num_replays} times over two poisons"
        )

    def _plans(self) -> list["_Plan"]:
        """The questions that each log is repeated on: the first it was recorded on under both poisons, then
        others, then in any order the rest that it was recorded on. Of the rest each question is needed
        once."""
        logs = list(self.session.recorded.values())
        others = [self._crosses(recorded) for recorded in logs]
        needed: list[list[Draw]] = [[] for _ in logs]
        for draw in self.rng.sample(self.session.asked, len(self.session.asked)):
            without = [place for place, recorded in enumerate(logs) if self._is_without(recorded, draw)]
            if without and not any(_holds(others[place], draw) for place in without):
                others[self.rng.choice(without)].append(draw)
            having = [place for place, recorded in enumerate(logs) if recorded.has(draw)]
            if not any(_holds([logs[place].draws[0], *others[place]], draw) for place in having):
                needed[self.rng.choice(having)].append(draw)
        return [self._plan(*each) for each in zip(logs, others, needed, strict=True)]

    def _is_without(self, recorded: Recorded, draw: Draw) -> bool:
        """Whether nothing of a question can be in a log of others like it: it had not been asked when the log
        was made, and no host chose that log when it was."""
        fits = any(each.asks_like(draw) for each in recorded.draws)
        return fits and not recorded.knows(draw) and not recorded.has(draw)

    def _crosses(self, recorded: Recorded) -> list[Draw]:
        """Questions that a log must fit beside the first it was recorded on, secretly chosen: one with unlike
        inputs, under the same weights where there is such a one, and then one under unlike weights. A log
        that the host chose by looking at values fits all that it was recorded on: so one that it was not
        recorded on comes first, of those one with another answer, and of those one that was not known
        yet."""
        first = recorded.draws[0]
        # What was slipped into the log of a twin of the first draw may fit that one, too.
        origin = next(draw for draw in self.exam.draws if draw.variant == first.variant)

        def known(draw: Draw) -> tuple[bool, ...]:
            is_answered = recorded.has(draw) or any(draw.answers_like(each) for each in recorded.draws)
            is_near = first.is_twin and draw is origin
            is_known = recorded.knows(draw)
            return recorded.has(draw), is_answered, is_known, draw.is_twin, is_near, draw.state != first.state

        draws = self.rng.sample(self.exam.draws, len(self.exam.draws))
        alike = [draw for draw in draws if draw.asks_like(first) and draw is not first]
        alike.sort(key=known)
        unlike = [draw for draw in alike if not (draw.is_twin and recorded.has(draw))][:1]
        weights = self.exam.variants[first.variant].unlike(first.state)
        if any(draw.state == weights for draw in unlike):
            return unlike
        return [*unlike, *[draw for draw in alike if draw.state == weights][:1]]

    def _plan(self, recorded: Recorded, others: list[Draw], needed: list[Draw]) -> "_Plan":
        first, *rest = recorded.draws
        draws = [first, *others, *(draw for draw in needed if not _holds(others, draw))]
        num_needed = 1 + len(draws)
        draws += [draw for draw in self.rng.sample(rest, len(rest)) if not _holds(draws, draw)]
        questions = [(draw, POISONS[n % 2]) for n, draw in enumerate(draws)]
        return _Plan(recorded, [(first, POISONS[1]), *questions], num_needed)

    def _run(self, recorded: Recorded, questions: list[Poisoned], **options: Any) -> list[Replayed]:
        self.num_replays += len(questions)
        return self.replay.run(recorded, questions, **options)

    def _backwards(self, recorded: Recorded, question: Poisoned) -> tuple[bool, Mismatch | None]:
        """Whether a log gives what is right with programs in another order, and what is wrong where it is
        not. A launch that fails then says nothing: programs that wait for earlier ones, as they may, wait for
        ever."""
        questions = [question]
        replays = self._run(recorded, questions, backwards=True)
        for failure in {**replays[0].not_backwards, **replays[0].failures}.values():
            told = f"its programs were not seen in another order: {failure}"
            if told not in self.found.story:
                self.found.story.append(told)
        if replays[0].failures:
            return False, None
        found = first_wrong_among(self._faults(questions, replays))
        return found is None, found[1] if found else None

    def _faults(self, questions: list[Poisoned], replays: list[Replayed]) -> list[list[Check]]:
        return [
            [*results(self.exam, draw, replayed.outputs, replayed.after)]
            for (draw, _), replayed in zip(questions, replays, strict=True)
        ]

    def _tell_coverage(self, cost: float) -> None:
        whole = self.exam.work.seconds
        share = min(1.0, cost / whole) if whole else float(cost > 0)
        self.found.coverage = round(1.0 - share, 4)
        self.found.story.append(f"{self.found.coverage:.0%} of the reference's work is done in Triton")

    def _counterfactuals(self, copies: set[str]) -> Iterator[Finding]:
        """Leave out the launches of each kernel, and of all. `copies` are kernels that only copy."""
        if not any(value.native.numel() for draw in self.exam.draws for value in draw.expected.outputs):
            return
        kernels = list(
            dict.fromkeys(
                launch.kernel for each in self.session.recorded.values() for launch in each.log.launches
            )
        )
        idle = [kernel for kernel in kernels if not self._matters({kernel})]
        if len(idle) == len(kernels) and (len(kernels) == 1 or not self._matters(set(kernels))):
            yield _finding("A3", "the result is right without any of its launches: its kernels are a decoy")
            return
        for kernel in idle:
            if self._matters({kernel}, POISONS[1]):
                continue  # the maxima of a softmax: any number does for most inputs, but there must be one
            message = (
                f"the result is right without the launches of {short_name(kernel)!r}: it does not matter"
            )
            yield _finding("A3", message, severity="warning")
        if self.replay.library:
            real = [kernel for kernel in kernels if kernel not in copies and kernel not in idle]
            if not real:
                message = "its kernels only copy, cast or add nothing, and libraries do the work: a fig leaf"
                yield _finding("A4", message)
            elif self.found.coverage == 0.0:
                message = (
                    "its library operators are as much work as the whole reference: "
                    "nothing that the reference does is left for its kernels"
                )
                yield _finding("A4", message)

    def _matters(self, kernels: set[str], poison: str = POISONS[0]) -> bool:
        """Whether something goes wrong without these kernels, on any of a few questions, where they find this
        poison instead of what is missing."""
        using = [
            each
            for each in self.session.recorded.values()
            if kernels & {launch.kernel for launch in each.log.launches}
        ]
        for recorded in using:
            for draw in recorded.draws[:MOST_COUNTERFACTUAL_DRAWS]:
                questions = [(draw, poison)]
                replays = self._run(recorded, questions, without=kernels)
                if first_wrong_among(self._faults(questions, replays)):
                    return True
        return False

    def _explain(self, recorded: Recorded, draw: Draw, replayed: Replayed, wrong: Mismatch) -> Finding:
        """Why a replay gives something else, from the trace."""
        what = f"a clean process that repeats its log gets something else: {wrong.what}"
        log = recorded.log
        if replayed.beyond:
            return _addresses() if log.addresses else _out_of_bounds(replayed.beyond)
        for number, failure in replayed.failures.items():
            if isinstance(step := log.steps[number], Launch):
                return _finding(
                    "A11", f"kernel {short_name(step.kernel)!r} does not run by itself: {failure}"
                )
        if used := self._library_steps(log):
            names = ", ".join(dict.fromkeys(_operator(step) for step in used))
            why = next(filter(None, (why_work(step, self.exam.work.operators) for step in used)), "")
            rule = "under the full policy only Triton may"
            message = f"libraries do the work ({names}), and {rule}{why}: {what}"
            return _finding("A1", message, line=used[0].line)
        for number in replayed.failures:
            if isinstance(step := log.steps[number], Operation) and self.replay.library:
                message = f"{_operator(step)} cannot be repeated in another process: {what}"
                return _finding("A1", message, line=step.line)
        if log.foreign:
            message = (
                "it uses a tensor that this call has not made: one that was first made in an earlier call, "
                f"of inputs or weights, or out of sight: {what}"
            )
            return _finding("A12", message)
        if not recorded.has(draw):
            is_of_weights = all(draw.state != each.state for each in recorded.draws)
            fitted, other = ("weights", "under other ones") if is_of_weights else ("questions", "on another")
            loose = self.replay.numbers.loose(log)
            cure = f" ({', '.join(loose)}: pass the tensor and tl.load it)" if loose else ""
            message = f"its launches carry numbers that fit some {fitted} only{cure}; {other}, {what}"
            return _finding("A12", message)
        return _finding("A12", f"its result was made out of sight of PyTorch and Triton: {what}")

    def _library_steps(self, log: Log) -> list[Operation]:
        if self.replay.library:
            return []
        steps = [step for step in log.steps if isinstance(step, Operation)]
        return [step for step in steps if not is_free(step, self.exam.work.operators, log.sizes)]

    def of_a_wrong_answer(self, draw: Draw, answer: Answer) -> Iterator[Finding]:
        """A wrong answer is real if a replay gives the same, wherever it gives anything."""
        if not answer.log.launches:
            yield _finding("A2", "no kernel is launched: the result comes from elsewhere")
            return
        recorded = Recorded(answer.log, [draw])
        follows = not self.replay.library
        first, second = (self._run(recorded, [(draw, poison)], follows=follows)[0] for poison in POISONS)
        self._tell_coverage(sum(first.costs.values()) if draw.variant == 0 else 0.0)
        known = 0
        for given, one, other in zip(answer.outputs, first.outputs, second.outputs, strict=True):
            same = (one == other) | (one.isnan() & other.isnan() & given.isnan())
            known += int(same.sum())
            size = float(given[same].double().abs().nan_to_num().mean()) if same.any() else 0.0
            if not torch.allclose(
                one[same].double(), given[same].double(), rtol=ALIKE, atol=ALIKE * size, equal_nan=True
            ):
                wrong = Mismatch("other values than it returned")
                yield self._explain(recorded, draw, first, wrong)
                return
        if not known and any(given.numel() for given in answer.outputs):
            wrong = Mismatch("nothing: its output was never written")
            yield self._explain(recorded, draw, first, wrong)
        elif finding := _masking(answer.log, [first, second]):
            yield finding


def _holds(draws: list[Draw], draw: Draw) -> bool:
    return any(draw is each for each in draws)


def _finding(rule: str, message: str, line: int | None = None, severity: str = "reject") -> Finding:
    return Finding.model_validate(
        {"layer": LAYER, "rule": rule, "message": message, "line": line, "severity": severity}
    )


def _out_of_bounds(does: str) -> Finding:
    message = f"a kernel {does} beyond the memory that it was given; on a GPU that is another's, or nobody's"
    return _finding("out_of_bounds", message)


def _unrepeated(num_done: int, num_needed: int, seconds: float) -> Finding:
    message = (
        f"its logs were repeated on {num_done} of {num_needed} questions in {seconds:.0f} s and gave what is "
        "right; they are too slow to be repeated on the others, and only who was repeated on all is accepted"
    )
    return _finding("timeout", message)


def _addresses() -> Finding:
    message = (
        "it gives a kernel a table of addresses from data_ptr(); in a clean process that repeats its log "
        "tensors lie elsewhere, so what goes through such a table cannot be checked: give the kernel the "
        "tensors, or one tensor and offsets within it"
    )
    return _finding("addresses", message)


def _masking(log: Log, replays: Sequence[Replayed]) -> Finding | None:
    """A finding for a host that returns what a kernel has computed with something else in a part of it."""
    numbers = sorted({number for each in replays for number in each.overwriting})
    steps = [step for number in numbers if isinstance(step := log.steps[number], Operation)]
    if not steps:
        return None
    names = ", ".join(dict.fromkeys(map(_operator, steps)))
    message = (
        f"the host overwrites what was computed and returns it ({names}): to put a number in a part of a "
        "result is work, and under the full policy only Triton may; mask in the kernel"
    )
    return _finding("A4", message, line=steps[0].line)


def _operator(step: Operation) -> str:
    return step.name.rpartition(".")[0]
