"""`Verdict`: what verification found, the only thing that rewards, search and reports read."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, computed_field

from tritonrl.errors import TritonrlError
from tritonrl.tasks import Task, TaskError

SCHEMA_VERSION = 2
LONGEST_TEXT = 2000
NOT_JUDGED = "not-judged"
"""The rule of a note that the language model gave no opinion."""


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


class Speedup(_Record):
    """A candidate against one baseline."""

    wall_us: float
    """The baseline's time for a call, by the judge's clock."""
    device_us: float
    """Of that, the device's own work."""
    speedup: float
    """By the judge's clock: what a user feels, launches included."""
    low: float
    high: float
    """An interval that holds it with 95 % confidence."""
    device_speedup: float
    """Of the device's work alone: computing, without the cost of launching it."""


class Timing(_Record):
    """How long calls take, and how that was found out; see docs/timing.md."""

    wall_us: float
    """A call of the candidate, by the judge's clock, in a batch of calls: the figure of record."""
    device_us: float
    """What its launches alone need of the device, in a clean process."""
    spread: float
    """Half the interval of the median of `wall_us`, relative to it."""
    baselines: dict[str, Speedup]
    """`eager`, `compile`."""
    num_rounds: int
    num_calls: int
    """In a batch."""
    noop_us: float
    """A batch without calls, which is taken off."""
    floor_us: float
    """The least that the device's bandwidth and rate allow."""
    num_checked: int
    """Timed calls whose outputs were checked."""
    refused: str | None = None
    """Why these figures are not to be trusted; `speedup` of the verdict is then null."""


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
    allclose: bool | None = None
    """Whether an incorrect candidate is close on the task's own inputs, as KernelBench asks; None where that
    was not looked at."""
    speedup: float | None = None
    """Against the baseline asked for, of both the eager one; None: not timed, or not to be trusted."""
    timing: Timing | None = None
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

    @property
    def not_judged(self) -> Finding | None:
        """Why validity is not decided, where that is for want of the language model's opinion."""
        return next((each for each in self.findings if each.rule == NOT_JUDGED and self.valid is None), None)

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> "Verdict":
        return cls.model_validate({key: value for key, value in document.items() if key != "accepted"})


@dataclass(frozen=True)
class Judged:
    """The outcome for candidate number `number`: a verdict, or the error that kept us from one."""

    number: int
    task: Task
    verdict: Verdict | None
    error: TritonrlError | None = None

    @property
    def blame(self) -> Literal["task", "verifier"] | None:
        """Whose fault it is that there is no verdict."""
        if self.error is None:
            return None
        return "task" if isinstance(self.error, TaskError) else "verifier"
