"""The correct layer's work: ask the candidate the questions of the exam, in an order it cannot foresee, and
mark the answers.

Every call is checked. New values come at old addresses and old values at new ones, weights change in place
between calls, earlier outputs are looked at again: what goes wrong only at the twentieth call is wrong.
"""

import random
import secrets
import time
from collections.abc import Iterator, Sequence

import torch

from tritonrl.verify.oracle.compare import Check, Mismatch, Value, comparison, first_wrong
from tritonrl.verify.oracle.exam import Draw, Exam
from tritonrl.verify.session import NUM_ROOMS, Answer, Session
from tritonrl.verify.settings import Settings
from tritonrl.verify.verdict import Finding

LAYER = "correct"
MOST_EXTRA_CALLS = 6
"""Added at random: how many calls there are is as little known as their order."""
LEAST_DRAWS = 5
OVERTIME = 3.0
"""Times the settings' total, within which a slow candidate is asked every draw at least once."""
ALLCLOSE = 1e-2
"""KernelBench's tolerance, absolute and relative, as it was published."""
LOOK_AGAIN = 0.1
"""Share of calls after which an earlier output is looked at; the first ones and the last are at the end."""


def examine(
    session: Session, exam: Exam, first: list[tuple[Draw, Answer]], settings: Settings
) -> Iterator[Finding]:
    """The first thing that is wrong; nothing if all is right. `first` has been asked already."""
    rng = random.Random(secrets.randbits(64))
    right: set[int] = set()
    for draw, answer in first:
        if finding := _mark(exam, draw, answer, id(draw) in right):
            yield finding
            return
        right.add(id(draw))
    started = time.monotonic()
    for draw, slot in _order(session, exam, settings, rng):
        if _enough(len(right), len(exam.draws), (time.monotonic() - started) / settings.total_seconds):
            break
        answer = session.call(draw, slot)
        finding = _mark(exam, draw, answer, id(draw) in right)
        if finding is None and rng.random() < LOOK_AGAIN:
            finding = _look_again(session, exam, rng.choice(list(session.held)))
        if finding:
            yield finding
            return
        right.add(id(draw))
    for number in list(session.held):
        if finding := _look_again(session, exam, number):
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


def _enough(num_right: int, num_draws: int, time_used: float) -> bool:
    """Whether a slow candidate has been asked enough: every draw once, or five of them after overtime."""
    return time_used > 1 and (num_right == num_draws or (num_right >= LEAST_DRAWS and time_used > OVERTIME))


def _order(
    session: Session, exam: Exam, settings: Settings, rng: random.Random
) -> Iterator[tuple[Draw, int]]:
    """Every draw once, in any order; then any draw, as often as it takes."""
    each = list(exam.draws)
    rng.shuffle(each)
    wanted = max(settings.num_calls, len(each), session.num_configs + 1) + rng.randrange(MOST_EXTRA_CALLS + 1)
    draw, slot = each[-1], 0
    while session.num_calls < wanted:
        again = rng.random() < 0.25
        draw = each.pop() if each else draw if again else rng.choice(exam.draws)
        slot = (slot + 1) % NUM_ROOMS if again else rng.randrange(NUM_ROOMS)
        yield draw, slot


def mark(exam: Exam, draw: Draw, answer: Answer) -> Iterator[Finding]:
    """What is wrong with one more answer to a question that was answered right before."""
    if finding := _mark(exam, draw, answer, was_right=True):
        yield finding


def _mark(exam: Exam, draw: Draw, answer: Answer, was_right: bool) -> Finding | None:
    wrong = next(_faults(exam, draw, answer), None)
    if wrong is None:
        return None
    rule, again = wrong.rule, ""
    if was_right and rule == "correct":
        rule, again = (
            "C5",
            "; the same question was answered right before: results must not depend on earlier calls",
        )
    message = (
        f"call {answer.number}, on inputs of kind {draw.kind!r}{_sizes(exam, draw)}: {wrong.what}{again}"
    )
    return Finding(layer=LAYER, rule=rule, message=message)


def _faults(exam: Exam, draw: Draw, answer: Answer) -> Iterator[Mismatch]:
    """Everything wrong with an answer, the plainest first."""
    expected = draw.expected
    if answer.structure != expected.structure or len(answer.described) != len(expected.outputs):
        yield Mismatch(
            f"returns {_shape_of(answer.structure)} instead of {_shape_of(expected.structure)}", "B8"
        )
        return
    for place, (value, described) in enumerate(zip(expected.outputs, answer.described, strict=True)):
        if described.get("device") != answer.device:
            yield Mismatch(f"{value.name} lies on {described.get('device')}, not on {answer.device}", "B8")
            return
        if wrong := _described_wrong(value, described, expected.aliases[place], expected.overlapping[place]):
            yield wrong
            return
    checks = [*results(exam, draw, answer.outputs, answer.after)]
    if not answer.log.launches and any(value.native.numel() for value in expected.outputs):
        idle = Mismatch("launches no kernel in this call: its result comes from elsewhere", "A6")
        checks.append(Check(answer.guards_broken[:0], lambda _: idle))
    outside = Mismatch("writes outside its tensors: memory beside an input was changed", "B4")
    checks.append(Check(answer.guards_broken, lambda count: outside if count[0] else None))
    if wrong := first_wrong(checks):
        yield wrong


def _described_wrong(
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


def _look_again(session: Session, exam: Exam, number: int) -> Finding | None:
    draw, outputs = session.look_again(number)
    expected = draw.expected
    checks = [
        comparison(value, got, exam.tolerance, expected.num_terms)
        for value, got, aliases in zip(expected.outputs, outputs, expected.aliases, strict=True)
        if not aliases  # it would lie in an input, which has been written anew
    ]
    if wrong := first_wrong(checks):
        message = (
            f"the output of call {number} was right when it was returned and is wrong after later calls "
            f"(one buffer for all results?): {wrong.what}"
        )
        return Finding(layer=LAYER, rule="B6", message=message)
    return None


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
