"""`Run`: what a distillation makes, and the shards that it is made in.

A shard follows from the run and its number alone, so any process can make any of them, and a broken run is
completed by making what is missing.
"""

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, field_validator

from tritonrl.errors import UnknownNameError
from tritonrl.synth import Config
from tritonrl.teach.shards import known_format

TEACHERS = ("composer",)
"""Those that write by rule; `teach.model` is for the others."""


@dataclass(frozen=True)
class Part:
    """One shard: which programs of which level it holds."""

    name: str
    level: int
    indices: range


class Run(BaseModel):
    """The settings of a distillation. With the versions they decide every byte of it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    teacher: str = "composer"
    levels: tuple[int, ...] = (1, 2, 3, 5)
    count: int = Field(1000, ge=1)
    """Programs of each level."""
    seed: int = 0
    profile: str = "cpu"
    dtype: str = "float32"
    views: float = 0.0
    """Share of operands that are read through a view."""
    shapes: int = Field(2, ge=1)
    """Most choices of sizes for a program; each is a row."""
    draws: int = Field(8, ge=1)
    """Draws of the teacher for a row; those with the same text count once."""
    shard_size: int = Field(500, ge=1)
    """Programs of a shard."""
    format: str = "jsonl"
    expanded: bool = False
    """Whether rows have the texts too."""

    @field_validator("teacher")
    @classmethod
    def _known_teacher(cls, value: str) -> str:
        if value not in TEACHERS:
            raise UnknownNameError("teacher", value, [*TEACHERS, "openai:NAME"])
        return value

    @field_validator("format")
    @classmethod
    def _known_format(cls, value: str) -> str:
        return known_format(value)

    @field_validator("levels")
    @classmethod
    def _each_once(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted(set(value)))

    def model_post_init(self, context: object) -> None:
        for level in self.levels:
            self.config(level)  # which refuses what is no level, profile or type

    def config(self, level: int) -> Config:
        """How the programs of a level are made."""
        return Config(level, self.seed, self.profile, dtype=self.dtype, views=self.views)

    @property
    def num_programs(self) -> int:
        return len(self.levels) * self.count

    @property
    def parts(self) -> list[Part]:
        """The shards, in order; each has one level."""
        programs = range(self.count)
        chunks = [programs[first : first + self.shard_size] for first in programs[:: self.shard_size]]
        return [
            Part(f"level{level}-{number:05}.{self.format}", level, chunk)
            for level in self.levels
            for number, chunk in enumerate(chunks)
        ]
