"""`Card`: what a model states of itself, in card.json beside its weights."""

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tritonrl.errors import UserError
from tritonrl.program import Program

FILE = "card.json"


class Card(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    operators: tuple[str, ...] = Field(min_length=1)
    """Those of the table that were in the programs it learned from, views included."""
    levels: tuple[int, ...] = Field(min_length=1)
    """Levels of these programs: numbers of their compute operators."""
    dtypes: tuple[str, ...] = Field(min_length=1)
    """Element types of these programs."""
    context_tokens: int
    """Most tokens of a question and its answer together."""
    shortest_answer_tokens: int
    """No answer that it learned from was shorter."""
    p99_answer_tokens: int
    """Of a hundred answers that it learned from, one was longer."""
    made: dict[str, Any] = {}
    """How it was made: recipe, pairs, steps, versions."""

    @classmethod
    def at(cls, folder: Path) -> "Card":
        try:
            return cls.model_validate_json((folder / FILE).read_bytes())
        except OSError as error:
            raise UserError(f"{folder / FILE}: cannot be read: {error.strerror}") from error
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise UserError(f"{folder / FILE}: no card of a model: {where}: {first['msg']}") from error

    @property
    def scope(self) -> str:
        return (
            f"{self.name} has learned from programs of up to {max(self.levels)} operators, of "
            f"{len(self.operators)} kinds ({FILE} names them), in {', '.join(self.dtypes)}; question and "
            f"answer together have at most {self.context_tokens} tokens"
        )

    def note(self, program: Program, num_prompt_tokens: int) -> str | None:
        """In which ways a program is not like those it learned from; None where it is."""
        strange = sorted({node.op for node in program.nodes} - set(self.operators))
        types = sorted({spec.dtype for spec in program.inputs} - set(self.dtypes))
        room = self.context_tokens - num_prompt_tokens
        ways = []
        if strange:
            ways.append(f"it has never seen {', '.join(strange)}")
        if program.level > max(self.levels):
            ways.append(f"{program.level} operators are more than the {max(self.levels)} it has learned with")
        if types:
            ways.append(f"it has seen no {', '.join(types)}")
        if room < self.p99_answer_tokens:
            ways.append(f"{room} tokens are left for an answer, and some need {self.p99_answer_tokens}")
        return f"{self.name} is likely to fail here: {'; '.join(ways)}" if ways else None
