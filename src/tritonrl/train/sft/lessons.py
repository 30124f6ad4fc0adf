"""Lessons: a program and some answers to it. The same number always gives the same lesson.

Answers are written as they are needed, by whichever process needs them, so that no pair need be seen twice.
Programs are drawn likewise, or come from folders: drawing one takes as long as writing a dozen answers.
"""

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tritonrl import jsonl
from tritonrl.errors import UserError
from tritonrl.program import Program
from tritonrl.synth import Config, program, rows
from tritonrl.synth.generate import NoHealthyProgram, derive_seed
from tritonrl.synth.pool import pool
from tritonrl.teach.composer import Composer
from tritonrl.teach.networks import network
from tritonrl.teach.numbers import with_other_numbers
from tritonrl.teach.shards import FORMATS, read_rows
from tritonrl.train.recipe import Data, HeldOut, drawn

Draw = Callable[[random.Random, int], Program]
"""A program by random numbers, and a number that no other lesson has."""


@dataclass(frozen=True)
class Lesson:
    program: Program
    answers: tuple[str, ...]


class Lessons:
    """Those that a recipe names, without the programs of some ids."""

    def __init__(self, data: Data, held_out: frozenset[str]) -> None:
        self._data, self._held_out = data, held_out
        self._draw = _stored(data) if data.folders else _sampled(data)

    def lesson(self, number: int) -> Lesson | None:
        """None where the program is one that is held out, and where there is none."""
        data = self._data
        rng = random.Random(derive_seed("lesson", data.seed, number))
        try:
            made = self._program(rng, number)
        except NoHealthyProgram:  # a run of hours does not end for one of a million
            return None
        if made.program_id in self._held_out:
            return None
        composer = Composer(made)
        return Lesson(made, tuple(dict.fromkeys(composer.answer(rng) for _ in range(data.num_answers))))

    def _program(self, rng: random.Random, number: int) -> Program:
        data = self._data
        if rng.random() < data.networks:
            made = network(rng, drawn(data.levels, rng), drawn(data.dtypes, rng))
        else:
            made = self._draw(rng, number)
        return with_other_numbers(made, rng, data.numbers) if data.numbers else made


def many(data: Data, held_out: frozenset[str], numbers: range, num_processes: int) -> Iterator[Lesson]:
    """Lessons by their numbers, made by so many processes, without programs that are held out."""
    size = -(-len(numbers) // num_processes)
    parts = [numbers[start : start + size] for start in range(0, len(numbers), size)]
    if len(parts) == 1:
        yield from _part(data, held_out, numbers)
        return
    with pool(len(parts)) as processes:
        for made in processes.map(partial(_part, data, held_out), parts):
            yield from made


def _part(data: Data, held_out: frozenset[str], numbers: range) -> list[Lesson]:
    lessons = Lessons(data, held_out)
    return [made for number in numbers if (made := lessons.lesson(number)) is not None]


def held_out_ids(held_out: HeldOut, num_processes: int = 1) -> frozenset[str]:
    """Of the programs that evaluation asks about."""
    configs = [
        Config(level, seed, profile)
        for level in held_out.levels
        for profile in held_out.profiles
        for seed in held_out.seeds
    ]
    return frozenset(
        row["id"] for config in configs for row in rows(config, held_out.count, workers=num_processes)
    )


def _sampled(data: Data) -> Draw:
    """Programs that nobody has seen."""

    def draw(rng: random.Random, number: int) -> Program:
        config = Config(
            drawn(data.levels, rng), data.seed, drawn(data.profiles, rng), views=drawn(data.views, rng),
            dtype=drawn(data.dtypes, rng),
        )  # fmt: skip
        return program(config, number)

    return draw


def _stored(data: Data) -> Draw:
    """Programs of folders that `distil` made."""
    programs = {folder: _programs(Path(folder), data.levels) for folder in data.folders}

    def draw(rng: random.Random, number: int) -> Program:
        by_level = programs[drawn(data.folders, rng)]
        level = drawn({level: data.levels[level] for level in by_level}, rng)
        return Program.from_json(rng.choice(by_level[level]))

    return draw


def _programs(folder: Path, levels: Iterable[int]) -> dict[int, list[str]]:
    """The programs of a folder by their level, as text: there may be many, and each is wanted seldom."""
    found: dict[int, list[str]] = {}
    for path in sorted(path for suffix in FORMATS for path in folder.glob(f"level*.{suffix}")):
        for row in read_rows(path):
            if row.get("level") in levels and "program" in row:
                found.setdefault(row["level"], []).append(jsonl.dumps(row["program"]))
    if not found:
        raise UserError(f"{folder}: no programs of these levels; `tritonrl distil` writes such a folder")
    return found
