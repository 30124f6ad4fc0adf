"""Verified: which share of the pairs the verifier accepts, from a sample that follows from the run's seed."""

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tritonrl.errors import UserError
from tritonrl.intervals import wilson
from tritonrl.synth.generate import derive_seed
from tritonrl.tasks import Task
from tritonrl.teach.manifest import Manifest, Rejected, Verified
from tritonrl.teach.model.lesson import Lesson
from tritonrl.teach.pairs import Pair, expand
from tritonrl.teach.run import Run
from tritonrl.teach.shards import read_rows
from tritonrl.verify import Completion, Judged, Settings, Zygotes, verify_many
from tritonrl.verify.settings import choose_target


def settings_for(run: Run | Lesson, device: str) -> Settings:
    """How pairs of a run are verified on a device, as `choose_device` gives it."""
    if run.profile == "gpu" and device == "cpu":
        raise UserError("pairs of the gpu profile are verified on a GPU only: interpreted they take minutes")
    return Settings(device=device, target=choose_target(None, device), needs_plan=True)


def verify_sample(
    folder: Path,
    manifest: Manifest,
    count: int,
    settings: Settings,
    *,
    zygotes: Zygotes | None = None,
    progress: Callable[[int], None] = lambda pairs: None,
) -> Manifest:
    """The manifest with the outcome for `count` pairs, any with the same chance; written to the folder."""
    run = manifest.settings
    rng = random.Random(derive_seed("verified", run.seed))
    numbers = sorted(rng.sample(range(manifest.num_pairs), min(count, manifest.num_pairs)))
    chosen = list(_pairs(folder, manifest, numbers))
    pairs = [pair for pair, _ in chosen]
    tasks = [Task.functional(pair.program_id, pair.source, pair.level, made) for pair, made in chosen]
    answers = [Completion.parse(pair.completion) for pair in pairs]
    outcomes: list[Judged] = []
    for judged in verify_many(tasks, answers, settings, zygotes=zygotes):
        outcomes.append(judged)
        progress(len(outcomes))
    outcomes.sort(key=lambda judged: judged.number)
    accepted = sum(bool(each.verdict and each.verdict.accepted) for each in outcomes)
    judged = sum(each.verdict is not None for each in outcomes)
    verified = Verified(
        device=settings.device,
        sample=len(pairs),
        judged=judged,
        accepted=accepted,
        rate=accepted / judged if judged else None,
        interval=wilson(accepted, judged) if judged else None,
        rejected=tuple(
            _rejected(pairs[each.number], each)
            for each in outcomes
            if not (each.verdict and each.verdict.accepted)
        ),
    )
    told = manifest.model_copy(update={"verified": verified})
    told.write(folder)
    return told


def _pairs(folder: Path, manifest: Manifest, numbers: Sequence[int]) -> Iterator[tuple[Pair, dict[str, Any]]]:
    """The pairs of these numbers, ascending, counted over all shards, each with its program."""
    wanted, first = set(numbers), 0
    for shard in manifest.shards:
        if wanted.isdisjoint(range(first, first + shard.pairs)):
            first += shard.pairs
            continue
        for row in read_rows(folder / shard.name):
            chosen = [place for place in range(len(row["seeds"])) if first + place in wanted]
            expanded = expand(row) if chosen else []
            yield from ((expanded[place], row["program"]) for place in chosen)
            first += len(row["seeds"])


def _rejected(pair: Pair, judged: Judged) -> Rejected:
    if judged.verdict is None:
        return Rejected(
            program_id=pair.program_id, seed=pair.seed, layer=None, rule=None, message=str(judged.error)
        )
    finding = judged.verdict.rejection
    assert finding is not None, "what is not accepted has a reason"
    return Rejected(
        program_id=pair.program_id, seed=pair.seed, layer=finding.layer, rule=finding.rule,
        message=finding.message,
    )  # fmt: skip
