"""The curriculum: which questions a generation asks.

Levels come one after another: the next begins when the policy passes often enough on held-out programs of
the present one. A share of the questions rehearses earlier levels. Within a level some questions are new, and
some were asked before: of these the ones that the policy solves sometimes come first, because a group that is
all right or all wrong teaches nothing. What is drawn follows from the seed, the generation and the state.

    chosen = curriculum.draw(generation, count=32, ask=…)     # of each: level, number and what `ask` gave
    curriculum.tell(level, number, num_right=3, num_scored=8)
    curriculum.look(generation, {1: 0.53})                    # held-out pass@1 by level; may promote
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from tritonrl import files
from tritonrl.errors import UserError
from tritonrl.synth.generate import derive_seed

Asked = TypeVar("Asked")
Ask = Callable[[int, int], Asked | None]
"""Question number n of a level; None where it cannot be asked."""

FADES = 0.5
"""What a visit keeps of the counts before it: the policy changes."""
MOST_MISSES = 1000


class Promotion(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    generation: int
    level: int
    """That was passed."""
    passed: float


class State(BaseModel):
    """All that it knows."""

    model_config = ConfigDict(extra="forbid")

    stage: int = 0
    next_number: dict[int, int] = {}
    """Level → the first question of it that was never asked."""
    solved: dict[int, dict[int, tuple[float, float]]] = {}
    """Level → question → right and scored answers, those of earlier visits faded."""
    promotions: list[Promotion] = []


@dataclass(frozen=True)
class Chosen(Generic[Asked]):
    level: int
    number: int
    asked: Asked


class Curriculum:
    """`counts` says how many questions a level has; a level that is not there has no end."""

    def __init__(
        self,
        levels: tuple[int, ...],
        promote_at: float = 0.5,
        rehearsal: float = 0.2,
        revisit: float = 0.5,
        seed: int = 0,
        counts: Mapping[int, int] | None = None,
    ) -> None:
        self._levels, self._promote_at = levels, promote_at
        self._rehearsal, self._revisit = rehearsal, revisit
        self._seed, self._counts = seed, counts or {}
        self.state = State()

    @property
    def level(self) -> int:
        """The one that is learned."""
        return self._levels[self.state.stage]

    def draw(self, generation: int, count: int, ask: Ask[Asked]) -> list[Chosen[Asked]]:
        """So many questions, no two alike unless a level has fewer."""
        rng = random.Random(derive_seed("curriculum", self._seed, generation))
        chosen: list[Chosen[Asked]] = []
        for _ in range(count):
            chosen.append(self._one(rng, ask, {(each.level, each.number) for each in chosen}))
        return chosen

    def tell(self, level: int, number: int, num_right: float, num_scored: int) -> None:
        """What became of the answers to a question."""
        right, scored = self.state.solved.setdefault(level, {}).get(number, (0.0, 0.0))
        self.state.solved[level][number] = (FADES * right + num_right, FADES * scored + num_scored)

    def look(self, generation: int, passed: Mapping[int, float]) -> bool:
        """Held-out pass@1 by level; whether the next level begins."""
        found = passed.get(self.level)
        if found is None or found <= self._promote_at or self.state.stage + 1 == len(self._levels):
            return False
        promotion = Promotion(generation=generation, level=self.level, passed=found)
        self.state.promotions.append(promotion)
        self.state.stage += 1
        return True

    def save(self, path: Path) -> None:
        files.write_whole(path, self.state.model_dump_json(indent=1).encode())

    def restore(self, path: Path) -> None:
        self.state = State.model_validate_json(path.read_bytes())

    def _one(self, rng: random.Random, ask: Ask[Asked], taken: set[tuple[int, int]]) -> Chosen[Asked]:
        earlier = self._levels[: self.state.stage]
        level = rng.choice(earlier) if earlier and rng.random() < self._rehearsal else self.level
        seen = self._seen(level, taken)
        if seen and (rng.random() < self._revisit or self._is_exhausted(level)):
            number = rng.choices(list(seen), list(seen.values()))[0]
            if (asked := ask(level, number)) is not None:
                return Chosen(level, number, asked)
        return self._new(level, ask, rng)

    def _seen(self, level: int, taken: set[tuple[int, int]]) -> dict[int, float]:
        """Questions that were asked before, each with its chance p(1 - p), p the share of right answers;
        half an answer of either kind is added, so that none is given up."""
        known = self.state.solved.get(level, {})
        free = {number: found for number, found in known.items() if (level, number) not in taken} or known
        shares = {
            number: (right + 0.5) / (scored + 1) for number, (right, scored) in free.items() if scored > 0
        }
        return {number: share * (1 - share) for number, share in shares.items()}

    def _is_exhausted(self, level: int) -> bool:
        return self.state.next_number.get(level, 0) >= self._counts.get(level, float("inf"))

    def _new(self, level: int, ask: Ask[Asked], rng: random.Random) -> Chosen[Asked]:
        for _ in range(MOST_MISSES):
            number = self.state.next_number.get(level, 0)
            if number >= (count := self._counts.get(level, number + 1)):
                number = rng.randrange(count)  # all were asked, and none scored
            else:
                self.state.next_number[level] = number + 1
            if (asked := ask(level, number)) is not None:
                return Chosen(level, number, asked)
        raise UserError(
            f"level {level}: none of {MOST_MISSES} questions can be asked; is the prompt too long?"
        )
