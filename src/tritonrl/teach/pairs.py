"""Pairs: a task and an answer to it, which a model learns from; and the row that several of them are made of.

    for row in read_rows(path):
        for pair in expand(row):
            ...

A compact row has a program and the numbers of the teacher's draws: a few hundred bytes for eight pairs of
several thousand. `expand` writes their texts, always the same ones for a version of tritonrl. It needs the
operator table and the composer, which are plain Python: no torch, no solver.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict

from tritonrl.form import END_OF_PLAN
from tritonrl.program import Program, emit
from tritonrl.synth.generate import derive_seed
from tritonrl.teach.composer import Composer


@dataclass(frozen=True)
class Pair:
    """What is asked, and what the teacher answers."""

    source: str
    """The functional task file."""
    completion: str
    """Plan and code, as a model is to write them."""
    program_id: str
    """Of a task that is no program, its own id."""
    level: int | None
    dtype: str | None
    seed: int
    """Number of the teacher's draw for this task."""


class Row(TypedDict):
    """A program at one choice of sizes, and the draws whose answers differ."""

    id: str
    """The `program_id`."""
    structure: str
    """The `structure_id`: the same for all sizes of a program, so that they can be kept together."""
    level: int
    dtype: str
    program: Mapping[str, Any] | str
    """The program as JSON, or as its text in a column of parquet."""
    seeds: list[int]
    source_chars: int
    plan_chars: list[int]
    """For each seed, up to and with the end of the plan; the rest of the answer is code."""
    code_chars: list[int]
    source: NotRequired[str]
    """Here and below: the texts, where the row is expanded already."""
    completions: NotRequired[list[str]]


class Taught(TypedDict):
    """A task and one answer of a model to it, which the verifier accepted."""

    task: str
    kind: str
    entry: str
    source: str
    completion: str
    level: int | None
    dtype: str | None
    ops: list[str] | None
    """Operators, where they are known."""
    difficulty: int | None
    """1, one kernel suffices, or 2, a fusion, as the model called it; None where it did not."""
    origin: str | None
    """The task that this one is a variant of, at other shapes."""
    teacher: str
    sample: int


def row_of(program: Program, dtype: str, num_draws: int, *, expanded: bool = False) -> Row:
    """The row of a program. A draw that gives the text of an earlier one is left out."""
    texts: dict[str, int] = {}
    composer = Composer(program)
    for seed in range(num_draws):
        texts.setdefault(_answer(composer, program.program_id, seed), seed)
    source = emit(program)
    plans = [text.index(END_OF_PLAN) + len(END_OF_PLAN) for text in texts]
    row: Row = Row(
        id=program.program_id,
        structure=program.structure_id,
        level=program.level,
        dtype=dtype,
        program=program.to_json(),
        seeds=list(texts.values()),
        source_chars=len(source),
        plan_chars=plans,
        code_chars=[len(text) - plan for text, plan in zip(texts, plans, strict=True)],
    )
    return {**row, "source": source, "completions": list(texts)} if expanded else row


def expand(row: Row | Taught) -> list[Pair]:
    """The pairs of a row: its texts where it has them, else written anew."""
    if "completion" in row:
        task, level, dtype = row["task"], row["level"], row["dtype"]
        return [Pair(row["source"], row["completion"], task, level, dtype, row["sample"])]
    if "source" in row and "completions" in row:
        source, texts = row["source"], row["completions"]
    else:
        program = Program.from_json(row["program"])
        composer = Composer(program)
        source, texts = emit(program), [_answer(composer, row["id"], seed) for seed in row["seeds"]]
    return [
        Pair(source, text, row["id"], row["level"], row["dtype"], seed)
        for seed, text in zip(row["seeds"], texts, strict=True)
    ]


def _answer(composer: Composer, program_id: str, seed: int) -> str:
    return composer.answer(random.Random(derive_seed("teacher", program_id, seed)))
