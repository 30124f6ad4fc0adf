"""`Verdict`: what verification found, the only thing that rewards, search and reports read."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, computed_field

SCHEMA_VERSION = 1
LONGEST_TEXT = 2000


def _presentable(text: str) -> str:
    """Text that may hold what a candidate said: cut to a length, and writable as UTF-8."""
    return text[:LONGEST_TEXT].encode("utf-8", "replace").decode()


Text = Annotated[str, BeforeValidator(_presentable)]

Status = Literal["pass", "fail", "skip"]
Severity = Literal["reject", "warning", "note"]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Finding(_Record):
    """One reason, written for a person."""

    layer: str
    """The layer that found it."""
    rule: str
    """An id of the catalogue of cheats (`E3`), or a plain name (`timeout`)."""
    message: Text
    """What was seen, where, and what the rule is."""
    line: int | None = None
    """Line of the candidate's code."""
    severity: Severity = "reject"
    """Only `reject` decides."""


class Layer(_Record):
    """One step of verification."""

    name: str
    status: Status
    seconds: float
    story: tuple[Text, ...] = ()
    """What the layer did and saw, a sentence each; shown by `--explain`."""


class Sandbox(_Record):
    """Which features of the sandbox held while foreign code ran."""

    held: tuple[str, ...]
    missing: dict[str, str]
    """Feature → why it could not be applied."""


class Verdict(_Record):
    """The judgement on one candidate."""

    schema_version: int = SCHEMA_VERSION
    task: str
    device: str
    policy: str
    precision: str
    target: str
    """The GPU that kernels were compiled for."""
    valid: bool | None
    """An honest Triton implementation as far as the layers that ran can tell; None where that was not
    decided."""
    compiled: bool | None
    correct: bool | None
    speedup: float | None = None
    """None: not timed."""
    coverage: float | None = None
    """Share of the reference's work done in Triton; None: not measured."""
    findings: tuple[Finding, ...]
    layers: tuple[Layer, ...]
    num_draws: int
    """Distinct inputs that the candidate was checked on."""
    num_calls: int
    """Checked calls of the candidate."""
    weights_replaced: bool | None
    """Whether parameters were randomised through the state; None where there are none."""
    sandbox: Sandbox | None
    """None where no foreign code ran."""
    versions: dict[str, str]
    seconds: float
    cached: bool = False
    """Taken from the persistent cache."""

    @computed_field
    @property
    def accepted(self) -> bool:
        return bool(self.valid and self.compiled and self.correct)

    @property
    def rejection(self) -> Finding | None:
        """The finding that decided; None for an accepted candidate."""
        return next((finding for finding in self.findings if finding.severity == "reject"), None)

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> "Verdict":
        return cls.model_validate({key: value for key, value in document.items() if key != "accepted"})
