"""Recipes: a training run as a TOML file that a person can repeat, and single values given beside it.

recipe = load(Path("recipes/nano-sft.toml"), Sft, ["training.num_steps=100"])
"""

import importlib.util
import random
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from tritonrl.errors import UnknownNameError, UserError
from tritonrl.folders import first_line
from tritonrl.synth import PROFILES
from tritonrl.synth.generate import DTYPES

Recipe = TypeVar("Recipe", bound=BaseModel)
Key = TypeVar("Key")


class Part(BaseModel):
    """Of a recipe; what it does not know it refuses."""

    model_config = ConfigDict(frozen=True, extra="forbid")


DRAWN = ("profiles", "dtypes", "views")
"""What is drawn for every program."""


def check_shares(part: Part, names: Iterable[str]) -> None:
    """Whether these are shares, of what there is."""
    for name, known in (("profiles", tuple(PROFILES)), ("dtypes", DTYPES)):
        for each in getattr(part, name):
            if each not in known:
                raise ValueError(f"{name} has {each!r}; known: {', '.join(known)}")
    for name in names:
        shares = getattr(part, name).values()
        if not shares or min(shares) < 0 or sum(shares) <= 0:
            raise ValueError(f"{name} needs shares, none of them negative")


def drawn(shares: Mapping[Key, float], rng: random.Random) -> Key:
    """One of these, by their shares."""
    return rng.choices(list(shares), list(shares.values()))[0]


class Model(Part):
    """A model from its weights, or a Llama of these sizes from nothing."""

    base: str | None = None
    """A model that is trained on, with its tokenizer: a folder, packed or not, or `nano`. It has sizes of its
    own."""
    vocab_size: int = Field(default=4096, ge=512)
    hidden_size: int = Field(default=512, ge=8)
    intermediate_size: int = Field(default=1376, ge=8)
    num_hidden_layers: int = Field(default=8, ge=1)
    num_attention_heads: int = Field(default=8, ge=1)
    context: int = Field(default=2048, ge=64)
    """Most tokens of a question and its answer: pairs that are longer are left out."""


class HeldOut(Part):
    """Programs that evaluation asks about, so that training does not: the first of each level."""

    levels: tuple[int, ...] = (1, 2, 3, 5)
    profiles: tuple[str, ...] = ("gpu", "cpu")
    seeds: tuple[int, ...] = (0, 2026)
    count: int = Field(default=500, ge=0)


class Data(Part):
    """Programs, and the composer's answers to them. Shares are weights: they need not sum to anything."""

    folders: dict[str, float] = {}
    """Folders that `distil` made → share; without any, programs are drawn as they are needed. Their answers
    are written anew."""
    seed: int = 0
    first_block: int = Field(default=0, ge=0)
    """Batches before this one were used by an earlier run."""
    levels: dict[int, float] = {1: 1.0, 2: 1.0, 3: 1.0, 5: 1.0}
    """Here and below: what is drawn → share. Folders have but levels to choose from."""
    profiles: dict[str, float] = {"gpu": 1.0}
    dtypes: dict[str, float] = {"float32": 1.0}
    views: dict[float, float] = {0.0: 1.0}
    """Share of operands that are read through a view → share."""
    numbers: float = Field(default=0.0, ge=0, le=1)
    """Share of the numbers in programs that are others than the operator table has; see `teach.numbers`."""
    networks: float = Field(default=0.0, ge=0, le=1)
    """Share of lessons whose programs are parts of networks; see `teach.networks`."""
    num_answers: int = Field(default=6, ge=1)
    """Most answers to a program; those with the same text count once."""
    num_for_tokenizer: int = Field(default=2000, ge=1)
    """Programs whose pairs a new tokenizer learns from."""
    held_out: HeldOut = HeldOut()

    @model_validator(mode="after")
    def _known(self) -> "Data":
        check_shares(self, ("levels", *DRAWN, *(["folders"] if self.folders else [])))
        return self


class Training(Part):
    """How it is trained."""

    num_steps: int = Field(ge=1)
    batch_tokens: int = Field(default=131072, ge=64)
    """Of a step."""
    optimizer: Literal["adamw", "muon"] = "adamw"
    """Muon is for a model from nothing: it learns more from a batch; see `train.sft.optimizer`."""
    learning_rate: float = Field(default=1e-3, gt=0)
    warm_up_steps: int = Field(default=200, ge=0)
    decay_steps: int = Field(default=0, ge=0)
    """At the end, in which the rate falls to nothing."""
    max_seconds: float | None = Field(default=None, gt=0)
    """Of training, in all processes of a run together: where `num_steps` would take longer, the fall begins
    early enough to end in time."""
    weight_decay: float = Field(default=0.1, ge=0)
    save_every: int = Field(default=500, ge=1)
    log_every: int = Field(default=20, ge=1)
    num_workers: int = Field(default=2, ge=0)
    """Processes that make batches."""
    seed: int = 0
    bf16: bool = True
    compile: bool = True


class Sft(Part):
    """A supervised run."""

    out: Path
    model: Model = Model()
    data: Data = Data()
    training: Training

    @model_validator(mode="after")
    def _holds_an_example(self) -> "Sft":
        if self.training.batch_tokens < self.model.context:
            raise ValueError(
                f"training.batch_tokens is {self.training.batch_tokens}, "
                f"less than model.context: {self.model.context}"
            )
        return self


def load(path: Path, kind: type[Recipe], changes: Sequence[str] = ()) -> Recipe:
    """A recipe with some values changed (`training.num_steps=100`); a `UserError` names what is wrong."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: not valid TOML: {error}") from error
    for change in changes:
        _change(document, change)
    try:
        return kind.model_validate(document)
    except ValidationError as error:
        raise UserError(f"{path}: {_what_is_wrong(error, kind)}") from error


def _what_is_wrong(error: ValidationError, kind: type[BaseModel]) -> str:
    """The first thing; of a key that is not known, those that are."""
    first = error.errors()[0]
    if first["type"] != "extra_forbidden":
        return first_line(error)
    part: Any = kind
    for name in first["loc"][:-1]:
        part = part.model_fields[name].annotation if name in getattr(part, "model_fields", ()) else part
    known: list[str] = list(getattr(part, "model_fields", {}))
    return str(UnknownNameError("key", ".".join(map(str, first["loc"])), known))


def need(library: str) -> None:
    """A library that only training needs; a `UserError` where it is not there."""
    if importlib.util.find_spec(library) is None:
        raise UserError(f"training needs {library}: pip install 'tritonrl[train]'")


def _change(document: dict[str, Any], change: str) -> None:
    name, equals, text = change.partition("=")
    *parts, last = name.strip().split(".")
    if not equals or not last:
        raise UserError(f"{change}: expected key=value, as in training.num_steps=100")
    for part in parts:
        document = document.setdefault(part, {})
        if not isinstance(document, dict):
            raise UserError(f"{change}: {part!r} is a value and has no parts")
    try:
        document[last] = tomllib.loads(f"value = {text.strip()}")["value"]
    except tomllib.TOMLDecodeError:
        document[last] = text.strip()  # a word needs no quotes
