"""The correct layer's work: ask the candidate the questions of the exam, in an order it cannot foresee, and
mark the answers.

Every call is checked. New values come at old addresses and old values at new ones, weights change in place
between calls, earlier outputs are looked at again: what goes wrong only at the twentieth call is wrong.
"""

import random
import secrets
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import combinations
from typing import Any

import torch

from tritonrl.verify.log import overlap
from tritonrl.verify.memory import dtype_name, extent_bytes
from tritonrl.verify.oracle.compare import Check, Mismatch, Value, comparison, first_wrong, first_wrong_among
from tritonrl.verify.oracle.exam import Draw, Exam
from tritonrl.verify.oracle.worker import Expected
from tritonrl.verify.session import Answer, Question, Session
from tritonrl.verify.settings import Settings
from tritonrl.verify.verdict import Finding

LAYER = "correct"
MOST_EXTRA_CALLS = 6
"""Added at random: how many calls there are is as little known as their order."""
OVERTIME, MOST_OVERTIME = 3.0, 20.0
"""Times the settings' total, within which a slow candidate is asked every draw at least once; after the first
only who will be through before the second, at the pace so far, is asked on."""
ALLCLOSE = 1e-2
"""KernelBench's tolerance, absolute and relative, as it was published."""
LOOK_AGAIN = 0.1
"""Share of calls after which an earlier output is looked at; the first ones and the last are at the end."""


def examine(
    session: Session, exam: Exam, first: list[tuple[Draw, Answer]], settings: Settings
) -> Iterator[Finding]:
    """The first thing that is wrong; nothing if all is right. `first` has been asked already."""
    rng = random.Random(secrets.randbits(64))
    marker = _Marker(session, exam)
    if finding := marker.mark(first):
        yield finding
        return
    started = time.monotonic()
    for questions in _together(session, _order(session, exam, settings, rng)):
        time_used = (time.monotonic() - started) / settings.total_seconds
        if time_used > 1 and len(marker.right) == len(exam.draws):
            break
        if too_slow(len(marker.right), len(exam.draws), time_used):
            yield _unasked(len(marker.right), len(exam.draws), time.monotonic() - started)
            return
        draws = [draw for draw, _ in questions]
        finding = marker.mark(list(zip(draws, session.calls(questions), strict=True)))
        if finding is None and rng.random() < LOOK_AGAIN * len(questions):
            finding = _look_again(session, exam, [rng.choice(list(session.held))])
        if finding:
            yield finding
            return
    for numbers in _of_different_rooms(session):
        if finding := _look_again(session, exam, numbers):
            yield finding
            return


def is_close(session: Session, exam: Exam) -> bool:
    """Whether a candidate is right on the task's own inputs as KernelBench has it."""
    own = [draw for draw in exam.draws if draw.kind == "own" and draw.variant == 0]
    for draw in own:
        answer = session.call(draw, 0)
        pairs = list(zip(draw.expected.outputs, answer.outputs, strict=True))
        if answer.structure != draw.expected.structure or not all(
            torch.allclose(got.double(), value.exact.double(), ALLCLOSE, ALLCLOSE, equal_nan=True)
            for value, got in pairs
        ):
            return False
    return True


def too_slow(num_right: int, num_draws: int, time_used: float) -> bool:
    """Whether a candidate will not have answered every draw once in the time that there is."""
    share = num_right / num_draws
    return time_used > OVERTIME and share < 1 and time_used > MOST_OVERTIME * share


def _unasked(num_right: int, num_draws: int, seconds: float) -> Finding:
    """Nobody is accepted who was not asked everything: else the slow would be asked less than others."""
    message = (
        f"answered {num_right} of {num_draws} questions in {seconds:.0f} s, all of them right; "
        "it is too slow to be asked the others, and only who has answered every one is accepted"
    )
    return Finding(layer=LAYER, rule="timeout", message=message)


def _order(session: Session, exam: Exam, settings: Settings, rng: random.Random) -> Iterator[Question]:
    """Every draw once, in an order that nobody knows; then any draw, as often as it takes."""
    each = _plain_ones_first(exam.draws, rng)
    wanted = max(settings.num_calls, len(each), session.num_configs + 1) + rng.randrange(MOST_EXTRA_CALLS + 1)
    draw, slots, last = each[0], [], 0
    for _ in range(wanted - session.num_calls):
        draw = each.pop(0) if each else draw if rng.random() < 0.25 else rng.choice(exam.draws)
        rooms = session.rooms.all_of(draw)
        # One room after the other, so that many go together.
        slots = [slot for slot in slots if slot < len(rooms)] or _turns(len(rooms), last, rng)
        last = slots.pop()
        yield draw, rooms[last]


def _turns(count: int, last: int, rng: random.Random) -> list[int]:
    """All rooms, in any order from the end. Half of the time the last one is the next again: a cache by
    address may look at the call before this one only."""
    turns = rng.sample(range(count), count)
    return sorted(turns, key=last.__eq__) if rng.random() < 0.5 else turns


def _plain_ones_first(draws: Sequence[Draw], rng: random.Random) -> list[Draw]:
    """In any order, but for each that is the first of its shape: what a question shows that is not plain it
    shows of a log that says nothing of it."""
    order = rng.sample(draws, len(draws))
    for place, draw in enumerate(order):
        if draw.is_plain or any(draw.asks_like(before) for before in order[:place]):
            continue
        others = range(place + 1, len(order))
        plain = (other for other in others if order[other].is_plain and order[other].asks_like(draw))
        if (other := next(plain, None)) is not None:
            order[place], order[other] = order[other], draw
    return order


def _together(session: Session, questions: Iterable[Question]) -> Iterator[list[Question]]:
    """The same, as many at a time as go with each other."""
    some: list[Question] = []
    for question in questions:
        if some and not session.goes_with(some, *question):
            yield some
            some = []
        some.append(question)
    if some:
        yield some


def mark(session: Session, exam: Exam, draw: Draw, answer: Answer) -> Iterator[Finding]:
    """What is wrong with one more answer to a question that was answered right before."""
    marker = _Marker(session, exam)
    marker.right.add(id(draw))
    if finding := marker.mark([(draw, answer)]):
        yield finding


class _Marker:
    """Marks answers, and remembers which questions were answered right."""

    def __init__(self, session: Session, exam: Exam) -> None:
        self._session, self._exam = session, exam
        self.right: set[int] = set()

    def mark(self, answers: Sequence[tuple[Draw, Answer]]) -> Finding | None:
        """The first thing that is wrong."""
        found = first_wrong_among([_faults(self._session, self._exam, *each) for each in answers])
        num_right = found[0] if found else len(answers)
        self.right |= {id(draw) for draw, _ in answers[:num_right]}
        if found is None:
            return None
        self._session.last = answers[num_right]
        return self._finding(*answers[num_right], found[1])

    def _finding(self, draw: Draw, answer: Answer, wrong: Mismatch) -> Finding:
        rule, again = wrong.rule, ""
        if id(draw) in self.right and rule == "correct":
            rule, again = (
                "C5",
                "; the same question was answered right before: results must not depend on earlier calls",
            )
        where = f"call {answer.number}, on inputs of kind {draw.kind!r}{_sizes(self._exam, draw)}"
        return Finding(layer=LAYER, rule=rule, message=f"{where}: {wrong.what}{again}")


def _faults(session: Session, exam: Exam, draw: Draw, answer: Answer) -> list[Check]:
    """All that may be wrong with an answer, the plainest first."""
    if wrong := _described_wrong(draw, answer, session.constants):
        return [_surely(wrong)]
    checks = [*results(exam, draw, answer.outputs, answer.after)]
    if not answer.log.launches and any(value.native.numel() for value in draw.expected.outputs):
        idle = "launches no kernel in this call: its result comes from elsewhere"
        checks.append(_surely(Mismatch(idle, "A6")))
    outside = Mismatch("writes outside its tensors: memory beside an input was changed", "B4")
    checks.append(Check(answer.guards_broken, lambda count: outside if count[0] else None))
    return checks


def _surely(wrong: Mismatch) -> Check:
    return Check(torch.empty(0), lambda _: wrong)


def _described_wrong(draw: Draw, answer: Answer, constants: Sequence[torch.Tensor]) -> Mismatch | None:
    """What is wrong before any value is looked at."""
    expected = draw.expected
    if answer.structure != expected.structure or len(answer.described) != len(expected.outputs):
        words = f"returns {_shape_of(answer.structure)} instead of {_shape_of(expected.structure)}"
        return Mismatch(words, "B8")
    for place, (value, described) in enumerate(zip(expected.outputs, answer.described, strict=True)):
        if described.get("device") != answer.device:
            return Mismatch(f"{value.name} lies on {described.get('device')}, not on {answer.device}", "B8")
        if wrong := _output_wrong(value, described, expected.aliases[place], expected.overlapping[place]):
            return wrong
    return _laid_wrong(expected, answer, constants) or _shared_wrong(expected, answer.log.outputs)


def _output_wrong(
    value: Value, described: dict[str, object], aliases: bool, overlaps: bool
) -> Mismatch | None:
    name, native = value.name, value.native
    dtype, shape = str(native.dtype).removeprefix("torch."), list(native.shape)
    if described.get("type") != "Tensor" or described.get("layout") != "torch.strided":
        return Mismatch(
            f"{name} is a {described.get('type')} ({described.get('layout')}), not a plain dense tensor", "B8"
        )
    if described.get("dtype") != dtype or described.get("shape") != shape:
        return Mismatch(
            f"{name} is {described.get('dtype')}{described.get('shape')} instead of {dtype}{shape}", "B8"
        )
    stride = described.get("stride")
    if (
        not overlaps
        and isinstance(stride, list)
        and any(s == 0 and n > 1 for s, n in zip(stride, shape, strict=False))
    ):
        return Mismatch(f"{name} has strides {stride}: several elements share one place in memory", "B8")
    if described.get("aliases") is not None and not aliases:
        return Mismatch(
            f"{name} lies in the memory of input {described['aliases']}; the reference makes a new tensor",
            "B5",
        )
    return None


def _laid_wrong(expected: Expected, answer: Answer, constants: Sequence[torch.Tensor]) -> Mismatch | None:
    """Where outputs lie by the log, which a replay confirms, whatever the process says of them otherwise."""
    log = answer.log
    if len(log.outputs) != len(expected.outputs):
        return Mismatch("its log has other outputs than it returned", "B8")
    inputs = {each[1]: number for number, each in enumerate(log.inputs)}
    kept = {memory: constants[number] for memory, number in log.constants if number < len(constants)}
    for place, (value, logged) in enumerate(zip(expected.outputs, log.outputs, strict=True)):
        name, shape = value.name, list(value.native.shape)
        try:
            _, memory, dtype, said, stride, _ = logged
            is_shared = any(s == 0 and n > 1 for s, n in zip(stride, shape, strict=True))
        except (TypeError, ValueError):
            return Mismatch(f"its log says nothing of {name}", "B8")
        if (dtype, said) != (dtype_name(value.native.dtype), shape):
            return Mismatch(f"its log says that {name} is {dtype}{said}, which it is not", "B8")
        if is_shared and not expected.overlapping[place]:
            return Mismatch(f"{name} has strides {stride}: several elements share one place in memory", "B8")
        if memory in inputs and not expected.aliases[place] and 0 not in shape:
            words = f"{name} lies in the memory of input {inputs[memory]}; the reference makes a new tensor"
            return Mismatch(words, "B5")
        if memory in kept and not _holds(kept[memory], logged, answer.outputs[place]):
            words = f"{name} lies in a buffer that was there before the first call: the next one writes there"
            return Mismatch(words, "B6")
    return None


def _holds(memory: torch.Tensor, logged: list[Any], got: torch.Tensor) -> bool:
    """Whether a tensor in this memory has these values, to the bit."""
    _, _, dtype, shape, stride, offset = logged
    if (
        offset * got.itemsize + extent_bytes({"dtype": dtype, "shape": shape, "stride": stride})
        > memory.numel()
    ):
        return False
    found = torch.empty(0, dtype=got.dtype, device=memory.device)
    found.set_(memory.untyped_storage(), offset, shape, stride)
    return torch.equal(_bits(found), _bits(got))


def _shared_wrong(expected: Expected, outputs: Sequence[list[Any]]) -> Mismatch | None:
    """Outputs that lie in one another where the reference's are separate: who changes one changes both."""
    for place, other in combinations(range(min(len(expected.outputs), len(outputs))), 2):
        if expected.memories[place] != expected.memories[other] and overlap(outputs[place], outputs[other]):
            names = f"{expected.outputs[other].name} lies in the memory of {expected.outputs[place].name}"
            return Mismatch(f"{names}; the reference makes separate tensors", "B5")
    return None


def results(
    exam: Exam, draw: Draw, outputs: Sequence[torch.Tensor], after: Sequence[torch.Tensor]
) -> Iterator[Check]:
    """Outputs must be right. Inputs and state must be changed as the reference changes them, and otherwise be
    left alone, to the bit."""
    expected = draw.expected
    for value, got in zip(expected.outputs, outputs, strict=True):
        yield comparison(value, got, exam.tolerance, expected.num_terms)
    state = exam.variants[draw.variant].states[draw.state]
    before = (*draw.inputs.tensors, *(state.tensors if exam.replaces_weights else ()))
    for place, (old, new) in enumerate(zip(before, after, strict=True)):
        if value := expected.changed.get(place):
            yield comparison(value, new.clone(), exam.tolerance, expected.num_terms)
            continue
        inputs = len(draw.inputs.tensors)
        name = f"input {place}" if place < inputs else f"{state.names[place - inputs]!r} of its state"
        wrong = Mismatch(f"changes {name}, which the reference leaves alone", "B4")
        changed = (_bits(old) != _bits(new)).any()
        yield Check(changed, lambda is_changed, wrong=wrong: wrong if is_changed[0] else None)


def _of_different_rooms(session: Session) -> Iterator[list[int]]:
    """The calls whose outputs are held, as many at a time as lie in different rooms."""
    rest = dict(session.held)
    while rest:
        first_of = {id(room): number for number, (_, room) in reversed(rest.items())}
        yield sorted(first_of.values())
        rest = {number: held for number, held in rest.items() if number not in first_of.values()}


def _look_again(session: Session, exam: Exam, numbers: Sequence[int]) -> Finding | None:
    checks = [
        Check(check.numbers, partial(_told_of, number, check))
        for number, (draw, outputs) in zip(numbers, session.look_again(numbers), strict=True)
        for check in _outputs(exam, draw, outputs)
    ]
    if wrong := first_wrong(checks):
        return Finding(layer=LAYER, rule="B6", message=wrong.what)
    return None


def _outputs(exam: Exam, draw: Draw, outputs: Sequence[torch.Tensor]) -> Iterator[Check]:
    expected = draw.expected
    for value, got, aliases in zip(expected.outputs, outputs, expected.aliases, strict=True):
        if not aliases:  # it would lie in an input, which has been written anew
            yield comparison(value, got, exam.tolerance, expected.num_terms)


def _told_of(call: int, check: Check, numbers: list[float]) -> Mismatch | None:
    """What a check tells, as an output of this call that has changed."""
    if (wrong := check.tell(numbers)) is None:
        return None
    said = f"the output of call {call} was right when it was returned and is wrong after later calls"
    return Mismatch(lambda: f"{said} (one buffer for all results?): {wrong.what}")


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    """The memory of a tensor, in words as long as there are."""
    flat = tensor.contiguous().reshape(-1).view(torch.uint8)
    return flat if flat.numel() % 8 or flat.storage_offset() % 8 else flat.view(torch.int64)


def _sizes(exam: Exam, draw: Draw) -> str:
    sizes = exam.variants[draw.variant].sizes
    return f" at {', '.join(f'{name} = {size}' for name, size in sizes.items())}" if sizes else ""


def _shape_of(structure: object) -> str:
    """A structure in words: `list of 2 (tensor, tensor)`."""
    if not isinstance(structure, list) or len(structure) != 2:
        return "nothing known"
    kind, content = structure
    if kind in ("list", "tuple") and isinstance(content, list):
        kinds = [str(each[0]) for each in content[:4] if isinstance(each, list) and each]
        return f"a {kind} of {len(content)} ({', '.join(kinds)})"
    return f"a {kind}"
