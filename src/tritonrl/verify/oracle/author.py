"""The author of an exam: it draws questions as the task does, varies them, and has the reference answer them.

An exam is made once a task by the judge with secret seeds, and kept in memory only. A draw on which the
reference is not finite, or so badly conditioned that nothing could be told, is made milder and, at the
mildest, replaced by an own one.
"""

import itertools
import secrets
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch

from tritonrl.tasks import TaskError
from tritonrl.verify.memory import dtype_name
from tritonrl.verify.oracle.compare import Value
from tritonrl.verify.oracle.draws import (
    CHOOSY,
    EVERYDAY,
    EXTREME,
    KINDS,
    Part,
    another,
    change_elements,
    in_another_order,
    redraw_parameter,
    reorder,
    vary,
)
from tritonrl.verify.oracle.exam import NUM_STATES, Draw, Exam, Redrawn, Variant
from tritonrl.verify.oracle.fitness import is_fit
from tritonrl.verify.oracle.properties import Properties, observe, one_value
from tritonrl.verify.oracle.tolerance import tolerance
from tritonrl.verify.oracle.worker import Expected, State, TaskTooLarge, Values, Work, Worker

NUM_OBSERVED = 3
LARGE_BYTES, HUGE_BYTES = 4 * 2**20, 64 * 2**20
"""Inputs, or a quarter of a question with its answer, beyond which fewer are drawn: the judge keeps all."""
KINDS_WHERE_LARGE = ("mixed", "beyond", "constants", "row_shift", "structured", "zeros")
KINDS_WHERE_HUGE = ("mixed", "beyond", "constants")
MOST_TWINS, MOST_TWINS_WHERE_LARGE, MOST_TWINS_WHERE_HUGE = 8, 3, 1
NUM_ADDED = 1
"""Questions that task lint may add, when the memory of an exam is foreseen."""
MOST_REPLACED = 3
INTENSITIES = (1.0, 0.3, 0.1, 0.02)
STATE_INTENSITIES = (1.0, 0.2)
KIND_INTENSITIES = {"zeros": (1.0,), "beyond": (1.0, 0.1, 0.02), "far": (1.0, 0.1, 0.02)}
"""Of those that have others than `INTENSITIES`."""
ASSERTS_ITS_RANGE = "aten.binary_cross_entropy"
"""On a GPU: where it reads something else nothing runs in that process any more."""
MOST_TRIES = 4
"""To find a question like another one that has another answer."""
Tells = Callable[[Values, State], bool]
"""Whether a question with these inputs could be worth its answer."""


class Author:
    """Writes the exam of one task from a secret seed, and further questions where the first ones are too
    easy."""

    def __init__(
        self, worker: Worker, precision: str, *, replace_weights: bool = True, seed: int | None = None
    ) -> None:
        self.worker = worker
        self.precision = precision
        self.replace_weights = replace_weights
        self.claim: Callable[[int], None] = lambda size_bytes: None
        """Told what the exam will take, as soon as that is known; may wait until there is room."""
        seed = secrets.randbits(63) if seed is None else seed
        self.seeds = torch.Generator().manual_seed(seed)
        self.generator = torch.Generator(worker.device).manual_seed(self._seed())
        self.dtype = "float32"
        self.tolerance = tolerance(self.dtype)
        self.properties: list[Properties] = []
        """Of the task's own inputs."""
        self.usual_sizes: list[float] = []
        """Of its results on them."""
        self.work = Work(0.0, 0, frozenset())
        """Of the reference on them."""

    def write(self, kinds: tuple[str, ...] = EVERYDAY) -> Exam:
        """All questions of the task."""
        variants: list[Variant] = []
        draws: list[Draw] = []
        for place, sizes in enumerate(self._sizes()):
            try:
                variant, made = self._variant(
                    len(variants), sizes, kinds if place == 0 else ("row_shift", "mixed")
                )
            except TaskError:
                if place == 0 or self.worker.process.ended is not None:
                    raise
                continue  # the task itself does not run at these sizes
            variants.append(variant)
            draws += made
        return Exam(
            self.worker.task,
            self.dtype,
            self.tolerance,
            tuple(variants),
            tuple(draws),
            self.work,
            self.replace_weights,
        )

    def harder(self, exam: Exam, tells: Tells) -> Iterator[Draw]:
        """Further questions at the task's own sizes: every kind again, and those that are no everyday ones.
        Where inputs of a kind tell nothing, their answer is not looked for."""
        variant, kinds = exam.variants[0], self._apt(tuple(KINDS), self.properties, exam.work)
        yield from self._varied_draws(0, variant, self.properties, kinds, tells)

    def _apt(self, kinds: tuple[str, ...], properties: list[Properties], work: Work) -> tuple[str, ...]:
        """Those kinds that are about some input, and that the reference lives through."""
        without = {"beyond"} if self.worker.device != "cpu" and ASSERTS_ITS_RANGE in work.operators else set()
        return tuple(
            kind
            for kind in kinds
            if kind not in without and (kind not in CHOOSY or any(map(CHOOSY[kind], properties)))
        )

    def _sizes(self) -> Iterator[dict[str, int]]:
        """The sizes of the file, then boundary ones: all 1, odd ones, one less, and beyond the next power of
        two."""
        own = self.worker.varying
        yield dict(own)
        if not self.replace_weights:
            yield dict(own)  # once more, under a second seed
        if own:
            yield dict.fromkeys(own, 1)
            yield {name: size + 1 + size % 2 for name, size in own.items()}
            yield {name: max(1, size - 1 - 2 * place) for place, (name, size) in enumerate(own.items())}
            yield {name: 2 * size + 1 for name, size in own.items()}

    def _variant(
        self, number: int, sizes: dict[str, int], kinds: tuple[str, ...]
    ) -> tuple[Variant, list[Draw]]:
        observed = [self.worker.draw(self._seed(), sizes) for _ in range(NUM_OBSERVED)]
        properties = self._properties(observed)
        if number == 0:
            self.properties = properties
            self.dtype = _dtype_of(observed[0])
            self.tolerance = tolerance(self.dtype, self.precision)
        seed = self._seed() % 2**31
        built = self.worker.build(number, seed, sizes)
        redrawn = () if self.replace_weights else self._redrawn(number, built, observed[0])
        states = self._states(number, with_redrawn(built, redrawn), observed[0])
        variant = Variant(sizes, seed, tuple(states), redrawn)
        draws = list(self._draws(number, variant, observed, properties, kinds))
        draws = list(self._with_mates(variant, draws, properties))
        if any(draw.expected.random for draw in draws):
            raise TaskError(
                self.worker.task.id,
                "is random (an active dropout?), or keeps something that is no parameter or buffer: two "
                "calls on the same inputs, in the same state, differ, so no answer is right",
            )
        return variant, draws

    def _draws(
        self,
        number: int,
        variant: Variant,
        observed: list[Values],
        properties: list[Properties],
        kinds: tuple[str, ...],
    ) -> Iterator[Draw]:
        count, most_twins = len(variant.states), MOST_TWINS
        for place, own in enumerate(observed):
            draw = self._ask("own", number, variant, own, place % count, own=True)
            if draw is None:
                raise TaskError(self.worker.task.id, "gives other values in float64, some of them not finite")
            if number == place == 0:
                self.work = self.worker.work(0, own, variant.states[0])
            if place == 0:
                kinds, most_twins = _as_many_as_fit(self._apt(kinds, properties, self.work), draw)
            if number == place == 0:
                foreseen = len(observed) + most_twins + len(kinds) + NUM_ADDED
                self.claim(foreseen * draw.size_bytes)
            yield draw
        for kind, inputs, state in itertools.islice(
            self._near_twins(observed, properties, count), most_twins
        ):
            if draw := self._ask(kind, number, variant, inputs, state):
                yield draw
        if other := _with_other_numbers(observed[0], self.seeds):
            yield from filter(None, [self._ask("other numbers", number, variant, other, 0)])
        yield from self._varied_draws(number, variant, properties, kinds)

    def _with_mates(
        self, variant: Variant, draws: list[Draw], properties: list[Properties]
    ) -> Iterator[Draw]:
        """The draws, and for each that has no plain one like it one, under other weights: what is recorded on
        a question is repeated on another."""
        num_tries = MOST_TRIES
        plain = [draw for draw in draws if draw.is_plain]
        for draw in draws:
            yield draw
            alone = not any(draw.asks_like(each) for each in plain if each is not draw)
            if alone and len(draw.inputs.tensors) == len(properties):
                mate = self._mate(draw, variant, properties, num_tries)
                if mate is None or mate.shares_an_answer(draw):
                    num_tries = 1  # it is the task's way
                if mate is not None:
                    plain.append(mate)
                    yield mate

    def _mate(
        self, draw: Draw, variant: Variant, properties: list[Properties], num_tries: int
    ) -> Draw | None:
        """A question like this one with another answer: in all its tensors if possible. Where the reference
        does not take other whole numbers it is given the same ones in another order."""
        unlike = variant.unlike(draw.state)
        state = draw.state if unlike is None else unlike
        pairs = list(zip(draw.inputs.tensors, properties, strict=True))
        found: list[Draw] = []
        for change in (*[another] * num_tries, in_another_order):
            if found and change is in_another_order:
                break
            inputs = draw.inputs.with_tensors([change(own, p, self.generator) for own, p in pairs])
            mate = self._ask("mixed", draw.variant, variant, inputs, state)
            if mate is None or not mate.answers_in_shapes_of(draw):
                continue
            found.append(mate)
            if not mate.shares_an_answer(draw):
                break
        return min(reversed(found), key=draw.answers_like, default=None)

    def _varied_draws(
        self,
        number: int,
        variant: Variant,
        properties: list[Properties],
        kinds: tuple[str, ...],
        tells: Tells = lambda inputs, state: True,
    ) -> Iterator[Draw]:
        def ask(kind: str, state: int, chosen: Collection[int], intensities: Sequence[float]) -> Draw | None:
            for intensity in intensities:
                inputs = self._varied(kind, variant.sizes, properties, intensity, chosen)
                if not tells(inputs, variant.states[state]):
                    break
                if draw := self._ask(kind, number, variant, inputs, state):
                    return draw
            return None

        for place, kind in enumerate(kinds):
            state, intensities = place % len(variant.states), KIND_INTENSITIES.get(kind, INTENSITIES)
            is_apt = CHOOSY.get(kind, lambda _: True)
            chosen = [number for number, each in enumerate(properties) if is_apt(each)]
            if draw := ask(kind, state, chosen, intensities):
                yield draw
            elif kind in CHOOSY and len(chosen) > 1:
                # One of them must not be so (it is divided by, a logarithm is taken): each alone.
                alone = (ask(kind, state, (each,), intensities) for each in chosen)
                yield from filter(None, alone)

    def _ask(
        self, kind: str, number: int, variant: Variant, inputs: Values, state: int, own: bool = False
    ) -> Draw | None:
        expected = self._expect(number, inputs, variant.states[state], own, everywhere=kind in EXTREME)
        return Draw(kind, number, inputs, state, expected) if expected else None

    def _properties(self, observed: list[Values]) -> list[Properties]:
        if len({len(draw.tensors) for draw in observed}) > 1:
            return []
        return [observe(column) for column in zip(*(draw.tensors for draw in observed), strict=True)]

    def _states(self, number: int, built: State, inputs: Values) -> list[State]:
        """States with different weights; milder ones, or the built one, where the reference is not finite."""
        if not built.names or not self.replace_weights:
            return [built]
        states = []
        for _ in range(NUM_STATES):
            for intensity in STATE_INTENSITIES:
                tensors = [
                    redraw_parameter(role, own, intensity, self.generator)
                    for role, own in zip(built.roles, built.tensors, strict=True)
                ]
                if self._expect(number, inputs, built.with_tensors(tensors)) is not None:
                    states.append(built.with_tensors(tensors))
                    break
        if len(states) == NUM_STATES:
            # Beside them the first with a few weights changed: a copy made from a sample of them is out of
            # date.
            pairs = zip(states[0].tensors, states[1].tensors, strict=True)
            states.append(built.with_tensors([change_elements(a, b, 2, self.generator) for a, b in pairs]))
        states = states or [built]
        return [*states, *self._lived_in(number, states[0], inputs)]

    def _lived_in(self, number: int, state: State, inputs: Values) -> Iterator[State]:
        """The state that a call of the reference leaves behind, where it leaves another: what only a second
        call shows of a mean that moves, of a count of steps."""
        first = len(inputs.tensors)
        after = self.worker.after(number, inputs, state)
        changed = {place - first: new for place, new in after.items() if place >= first}
        if changed:
            tensors = (changed.get(place, own) for place, own in enumerate(state.tensors))
            yield state.with_tensors(tensors)

    def _redrawn(self, number: int, built: State, inputs: Values) -> tuple[Redrawn, ...]:
        """Parameters of one value (a norm's ones and zeros), of which no seed shows whether a candidate has
        them. Those that are alike get the same values: which is which is nobody's to know."""
        alike: dict[tuple[int, torch.dtype, float], list[int]] = {}
        for place, (role, own) in enumerate(zip(built.roles, built.tensors, strict=True)):
            if role == "parameter" and (value := one_value(own)) is not None:
                alike.setdefault((own.numel(), own.dtype, value), []).append(place)
        for intensity in STATE_INTENSITIES if alike else ():
            made = tuple(
                Redrawn(
                    tuple(built.names[place] for place in places), value,
                    redraw_parameter(
                        "parameter", built.tensors[places[0]].flatten(), intensity, self.generator
                    ),
                )
                for (_, _, value), places in alike.items()
            )  # fmt: skip
            if self._expect(number, inputs, with_redrawn(built, made)) is not None:
                return made
        return ()

    def _varied(
        self,
        kind: str,
        sizes: Mapping[str, int],
        properties: list[Properties],
        intensity: float,
        chosen: Collection[int],
    ) -> Values:
        """Inputs of this kind, which is about those of the numbers given."""
        own = self.worker.draw(self._seed(), sizes)
        if len(own.tensors) != len(properties):
            return own
        seed = self._seed()
        tensors = [
            vary(kind, each, p, intensity, self.generator, Part(number, seed, number in chosen))
            for number, (each, p) in enumerate(zip(own.tensors, properties, strict=True))
        ]
        return own.with_tensors(tensors)

    def _near_twins(
        self, observed: list[Values], properties: list[Properties], num_states: int
    ) -> Iterator[tuple[str, Values, int]]:
        """Questions that differ from the first own draw in little: a cache takes them for the same."""
        first, other = observed[:2]
        if len(first.tensors) == len(other.tensors):
            pairs = list(zip(first.tensors, other.tensors, strict=True))
            for name, count in (("a few elements changed", 2), ("many elements changed", 64)):
                changed = [
                    change_elements(a, b, count, self.generator, p)
                    for (a, b), p in zip(pairs, properties or [None] * len(pairs), strict=True)
                ]
                yield name, first.with_tensors(changed), 0
            places = torch.randperm(len(pairs), generator=self.seeds).tolist() if len(pairs) > 1 else []
            for place in places[:MOST_REPLACED]:
                replaced = (b if number == place else a for number, (a, b) in enumerate(pairs))
                yield f"only input {place} changed", first.with_tensors(replaced), 0
        if len(properties) == len(first.tensors):
            reordered = (
                reorder(each, p, self.generator) for each, p in zip(first.tensors, properties, strict=True)
            )
            yield "the same values in another order", first.with_tensors(reordered), 0
        for state in range(1, num_states):
            yield "the same inputs, other weights", first, state

    def _expect(
        self, number: int, inputs: Values, state: State, own: bool = False, *, everywhere: bool = False
    ) -> Expected | None:
        """The answer, or None where there is none worth checking. The task's own inputs are always worth
        it."""
        noise = [self._seed() for _ in range(self.tolerance.num_noise)]
        far = [self._seed() for _ in range(self.tolerance.num_far)]
        try:
            expected = self.worker.expect(number, inputs, state, self.tolerance, noise, far, twice=own)
        except TaskError as error:
            if own or isinstance(error, TaskTooLarge) or self.worker.process.ended is not None:
                raise
            return None
        if not all(
            is_fit(value, self.tolerance, expected.num_terms, own, everywhere=everywhere)
            for value in expected.values
        ):
            return None
        if own and not self.usual_sizes:
            self.usual_sizes = [_size(value) for value in expected.outputs]
        return self._for_comparing(expected)

    def _for_comparing(self, expected: Expected) -> Expected:
        roundoff = self.tolerance.roundoff
        changed = {place: value.for_comparing(roundoff) for place, value in expected.changed.items()}
        usual = itertools.chain(self.usual_sizes, itertools.repeat(0.0))
        outputs = tuple(
            value.for_comparing(roundoff, size) for value, size in zip(expected.outputs, usual, strict=False)
        )
        return replace(expected, outputs=outputs, changed=changed)

    def _seed(self) -> int:
        return int(torch.randint(0, 2**62, (), generator=self.seeds))


def _with_other_numbers(own: Values, seeds: torch.Generator) -> Values | None:
    """The same with other plain numbers among the inputs; None where there are none. Whole ones may be sizes:
    they stay."""

    def changed(structure: Any) -> Any:
        kind, content = structure
        if kind == "value" and type(content) is float:
            return [kind, content * (0.75 + 0.5 * float(torch.rand((), generator=seeds)))]
        if kind in ("list", "tuple"):
            return [kind, [changed(each) for each in content]]
        return [kind, [[key, changed(each)] for key, each in content]] if kind == "dict" else structure

    structure = changed(own.structure)
    return None if structure == own.structure else Values(structure, own.tensors)


def with_redrawn(built: State, redrawn: tuple[Redrawn, ...]) -> State:
    new = {name: each.tensor for each in redrawn for name in each.names}
    pairs = zip(built.names, built.tensors, strict=True)
    return built.with_tensors(new[name].view(own.shape) if name in new else own for name, own in pairs)


def _as_many_as_fit(kinds: tuple[str, ...], draw: Draw) -> tuple[tuple[str, ...], int]:
    """The kinds of questions, and the number of twins, where each takes as much as this one."""
    size = max(sum(each.nbytes for each in draw.inputs.tensors), draw.size_bytes // 4)
    if size <= LARGE_BYTES:
        return kinds, MOST_TWINS
    if size <= HUGE_BYTES:
        return tuple(kind for kind in kinds if kind in KINDS_WHERE_LARGE), MOST_TWINS_WHERE_LARGE
    return tuple(kind for kind in kinds if kind in KINDS_WHERE_HUGE), MOST_TWINS_WHERE_HUGE


def _dtype_of(values: Values) -> str:
    """The widest floating-point type of the inputs: what the task computes in."""
    floats = [each.dtype for each in values.tensors if each.is_floating_point()]
    return dtype_name(max(floats, key=lambda dtype: torch.finfo(dtype).bits)) if floats else "float32"


def _size(value: Value) -> float:
    return float(value.size) if value.native.is_floating_point() else 0.0
