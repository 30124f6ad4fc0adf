"""The recipe of a run of reinforcement learning.

recipe = load(Path("recipes/nano-hrd.toml"), Rl, ["objective.alpha=0.2"])
"""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from tritonrl.synth import PROFILES
from tritonrl.train.recipe import DRAWN, HeldOut, Part, check_shares
from tritonrl.train.rewards import SPEED_CAP


class Lora(Part):
    """Small matrices beside the model's own, which stay as they are. Needs peft."""

    rank: int = Field(default=32, ge=1)
    alpha: int = Field(default=64, ge=1)
    modules: str = "all-linear"
    """Which layers have them, as peft names them."""


class Model(Part):
    """Who learns: a causal language model of transformers."""

    base: str
    """Its folder, as transformers or as we pack weights; `nano`: the weights of the package."""
    lora: Lora | None = None
    """Without it all weights are trained."""
    dtype: Literal["float32", "bfloat16"] = "float32"
    """Of the weights that are trained; an optimizer's small steps need float32, unless LoRA holds them."""
    gradient_checkpointing: bool = False


class Tasks(Part):
    """What is asked: programs, drawn as they are needed, or tasks of the user's own."""

    own: str | None = None
    """Whatever `tritonrl tasks` reads; without it programs are drawn."""
    seed: int = 0
    profiles: dict[str, float] = Field(default={"gpu": 1.0})
    """Here and below: what is drawn → share."""
    dtypes: dict[str, float] = Field(default={"float32": 1.0})
    views: dict[float, float] = Field(default={0.0: 1.0})
    held_out: HeldOut = HeldOut()
    """Programs that evaluation asks about, which are never trained on."""

    @model_validator(mode="after")
    def _known(self) -> "Tasks":
        check_shares(self, DRAWN)
        return self


class Curriculum(Part):
    """In which order: level by level, the next when the model passes on programs that are held out."""

    levels: tuple[int, ...] = Field(default=(1, 2, 3, 5), min_length=1)
    promote_at: float = Field(default=0.5, ge=0, le=1)
    """Held-out pass@1 above which the next level begins."""
    rehearsal: float = Field(default=0.2, ge=0, lt=1)
    """Share of questions that are of earlier levels."""
    revisit: float = Field(default=0.5, ge=0, lt=1)
    """Share of questions that were asked before: those that are solved sometimes come first."""

    @model_validator(mode="after")
    def _ascending(self) -> "Curriculum":
        if list(self.levels) != sorted(set(self.levels)):
            raise ValueError("levels must ascend")
        return self


class HeldOutCurve(Part):
    """The programs by which progress is seen."""

    every: int = Field(default=5, ge=1)
    """Generations between two looks; there is one before the first and one after the last."""
    count: int = Field(default=64, ge=1)
    """Programs of each level."""
    levels: tuple[int, ...] | None = None
    """Besides the one that is learned; None: all of the curriculum."""
    profile: str = "gpu"
    seed: int = 2026

    @model_validator(mode="after")
    def _known(self) -> "HeldOutCurve":
        if self.profile not in PROFILES:
            raise ValueError(f"profile {self.profile!r} is unknown; known: {', '.join(PROFILES)}")
        return self


class Generation(Part):
    """How answers are written."""

    temperature: float = Field(default=1.0, gt=0)
    max_prompt_tokens: int = Field(default=1024, ge=1)
    """Longer questions are not asked."""
    max_new_tokens: int = Field(default=1024, ge=1)
    batch: int = Field(default=256, ge=1)
    """Most answers at a time on a GPU; a CPU writes them all together."""


class Verification(Part):
    """How answers are judged."""

    device: Literal["auto", "cpu", "cuda"] = "auto"
    timing: bool | None = None
    """Whether speed is measured; None: where there is a GPU."""
    policy: Literal["full", "hybrid"] = "full"
    precision: str = "ieee"
    baseline: Literal["eager", "compile"] = "eager"
    judge: str | None = None
    """A language model that judges, too, `openai:NAME`."""
    workers: int | None = Field(default=None, ge=1)
    total_seconds: float = Field(default=20.0, gt=0)
    """After which a slow candidate is asked nothing twice."""
    cache: Path | None = None
    """Where verdicts are kept; None: in the folder of the run."""


class _Objective(Part):
    speed_cap: float = Field(default=SPEED_CAP, gt=0)
    """Speedups above this are worth no more."""
    clip: float = Field(default=0.2, gt=0, lt=1)


class Hrd(_Objective):
    """See `objectives.hrd`."""

    name: Literal["hrd"]
    alpha: float = Field(default=0.1, ge=0)
    """Weight of the plan, which answers for speed."""


class Grpo(_Objective):
    """See `objectives.grpo`."""

    name: Literal["grpo"]
    beta: float = Field(default=0.9, ge=0, le=1)
    """Weight of correctness; the rest is speed's."""


class Drpo(Part):
    """See `objectives.drpo`."""

    name: Literal["drpo"]
    tau: float = Field(default=5.0, gt=0)
    lam: float = Field(default=0.1, gt=0)
    beta: float = Field(default=100.0, ge=0)
    delta: float = Field(default=0.001, ge=0)


Objective = Annotated[Hrd | Drpo | Grpo, Field(discriminator="name")]


class Training(Part):
    """A generation is so many questions with so many answers each, verified, and the updates made of them."""

    num_generations: int = Field(ge=1)
    groups: int = Field(default=32, ge=1)
    """Questions of a generation."""
    group_size: int = Field(default=8, ge=2)
    """Answers to a question."""
    micro_batch: int = Field(default=32, ge=1)
    """Answers in a pass through the model."""
    updates: int = Field(default=1, ge=1)
    """Steps of the optimizer over a generation, each with its own part of it."""
    passes: int = Field(default=1, ge=1)
    """How often a generation is gone over."""
    learning_rate: float = Field(default=1e-6, gt=0)
    warm_up_steps: int = Field(default=0, ge=0)
    weight_decay: float = Field(default=0.0, ge=0)
    max_grad_norm: float = Field(default=1.0, gt=0)
    save_every: int = Field(default=1, ge=1)
    """Generations between two checkpoints: what a crash may cost."""
    seed: int = 0
    bf16: bool = True
    """Whether a GPU computes in bfloat16."""

    @model_validator(mode="after")
    def _divides(self) -> "Training":
        rows = self.groups * self.group_size
        if rows % (self.micro_batch * self.updates):
            raise ValueError(
                f"{rows} answers are not divided into {self.updates} updates of micro-batches of "
                f"{self.micro_batch}"
            )
        return self

    @property
    def steps_a_generation(self) -> int:
        """Of the optimizer."""
        return self.updates * self.passes


class Rl(Part):
    """A run of reinforcement learning."""

    out: Path
    model: Model
    objective: Objective
    tasks: Tasks = Tasks()
    curriculum: Curriculum = Curriculum()
    held_out: HeldOutCurve = HeldOutCurve()
    generation: Generation = Generation()
    verification: Verification = Verification()
    training: Training
    recheck: int = Field(default=200, ge=0)
    """Of the last so many answers, those that were accepted are verified again in the end, most strictly."""

    @model_validator(mode="after")
    def _whole_groups(self) -> "Rl":
        size = self.training.group_size
        if self.objective.name == "drpo" and self.training.micro_batch % size:
            raise ValueError(f"drpo compares whole groups: training.micro_batch is a multiple of {size}")
        return self
