"""`Lesson`: what a model is asked to teach."""

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from tritonrl.errors import UnknownNameError, UserError
from tritonrl.llm import Endpoint
from tritonrl.synth import Config
from tritonrl.teach.shards import known_format

MOST_VARIANTS = 5
"""Of a task, at other shapes: as many as TritonRL had."""
PROGRAMS: dict[str, Any] = {
    "levels": (1, 2, 3, 5), "count": 1000, "seed": 0, "profile": "cpu", "dtype": "float32",
}  # fmt: skip
"""What is drawn where no tasks are named."""


ANSWER_SECONDS = 600.0
"""A model that thinks before it writes may take minutes."""


def teacher_named(name: str, settings: Iterable[str]) -> Endpoint:
    """The endpoint of `openai:NAME`, with settings of the form `key=value`."""
    known = sorted(Endpoint.model_fields.keys() - {"model"})
    given: dict[str, Any] = {"seconds": ANSWER_SECONDS}
    for each in settings:
        key, found, value = each.partition("=")
        if not found:
            raise UserError("--endpoint: expected KEY=VALUE, as in temperature=0.6")
        if key not in known:
            raise UnknownNameError("setting of an endpoint", key, known)
        given[key] = value
    return Endpoint.named(name, **given)


class Lesson(BaseModel):
    """The settings of a distillation from a model. With the versions they decide what a run is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    teacher: str
    url: str
    temperature: float | None = None
    """Here and below: None leaves it to the endpoint."""
    top_p: float | None = None
    max_tokens: int | None = None
    tasks: str | None = None
    """Whatever `tritonrl tasks` reads; None: programs are drawn, as the next five say."""
    levels: tuple[int, ...] | None = None
    count: int | None = Field(None, ge=1)
    """Programs of each level; of tasks that are named the first ones, or all."""
    seed: int | None = None
    profile: str | None = None
    dtype: str | None = None
    draws: int = Field(5, ge=1)
    """Answers a task; those with the same code count once."""
    label: bool = False
    augment: int = Field(0, ge=0, le=MOST_VARIANTS)
    """Variants of a task, at other shapes."""
    device: str = "cpu"
    """Where answers are verified."""
    shard_size: int = Field(500, ge=1)
    """Pairs of a shard."""
    format: str = "jsonl"

    @classmethod
    def of(cls, endpoint: Endpoint, **fields: Any) -> "Lesson":
        """By this model; fields that are None are left as usual."""
        asked = endpoint.model_dump(include={"temperature", "top_p", "max_tokens"})
        given = {name: value for name, value in fields.items() if value is not None}
        return cls(teacher=f"openai:{endpoint.model}", url=endpoint.url, **asked, **given)

    @model_validator(mode="before")
    @classmethod
    def _tasks_or_programs(cls, fields: dict[str, Any]) -> dict[str, Any]:
        given = {name: value for name, value in fields.items() if value is not None}
        if "tasks" not in given:
            return PROGRAMS | given
        if odd := [name for name in PROGRAMS if name in given and name != "count"]:
            what = f"{' and '.join(odd)} of programs that are drawn"
            raise UserError(f"tasks {given['tasks']!r} are what they are: leave out the {what}")
        return given

    @field_validator("levels")
    @classmethod
    def _each_once(cls, value: tuple[int, ...] | None) -> tuple[int, ...] | None:
        return value and tuple(sorted(set(value)))

    @field_validator("format")
    @classmethod
    def _known(cls, value: str) -> str:
        return known_format(value)

    def model_post_init(self, context: object) -> None:
        _ = self.configs  # which refuse what is no level, profile or type

    @property
    def configs(self) -> list[Config]:
        """How the programs of each level are drawn; none where tasks are named."""
        if self.levels is None or self.seed is None or self.profile is None or self.dtype is None:
            return []
        return [Config(level, self.seed, self.profile, dtype=self.dtype) for level in self.levels]
