"""Folders of pairs."""

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from tritonrl.teach.manifest import Manifest
    from tritonrl.teach.model.manifest import ModelManifest


def manifest_sheet(manifest: "Manifest") -> RenderableType:
    """What a folder of pairs holds, by level, and what the verifier said of a sample."""
    lengths = ("characters", "median", "90 %", "99 %", "longest")
    table = Table("level", "structures", "programs", "pairs", *lengths, box=None, pad_edge=False)
    for level, counts in manifest.levels.items():
        first = [str(level), *(f"{each:,}" for each in (counts.structures, counts.programs, counts.pairs))]
        for what, found in manifest.lengths[level].items():
            sizes = (f"{number:,}" for number in (found.median, found.p90, found.p99, found.max))
            table.add_row(*first, what, *sizes)
            first = [""] * len(first)
    size_bytes = sum(shard.bytes for shard in manifest.shards)
    lines = [f"{manifest.num_pairs:,} pairs in {len(manifest.shards)} shards, {size_bytes:,} bytes"]
    verified = manifest.verified
    if verified and verified.rate is not None and verified.interval:
        low, high = verified.interval
        lines.append(
            f"the verifier ({verified.device}) accepted {verified.accepted} of {verified.judged} pairs: "
            f"{verified.rate:.1%}, 95 % interval {low:.1%} to {high:.1%}"
        )
    for each in verified.rejected if verified else ():
        reason = f"{each.layer}, {each.rule}" if each.layer else "not judged"
        lines.append(f"  {each.program_id} draw {each.seed}: {reason}: {each.message}")
    return Group(table, Text(), *map(Text, lines))


def taught_sheet(manifest: "ModelManifest") -> RenderableType:
    """What a model was asked, what came of it, and what it cost."""
    answers, rate, lesson = manifest.answers, manifest.rate, manifest.settings
    lines = [f"{manifest.num_pairs:,} pairs in {len(manifest.shards)} shards, from {lesson.teacher}"]
    if rate.rate is not None and rate.interval:
        low, high = rate.interval
        lines.append(
            f"the verifier ({lesson.device}) accepted {rate.accepted:,} of {rate.judged:,} answers: "
            f"{rate.rate:.1%}, 95 % interval {low:.1%} to {high:.1%}; {answers.repeated:,} repeat a code"
        )
    told = {
        "rejected by": answers.rejected,
        "no verdict, the fault of": answers.no_verdict,
        "requests that failed": answers.failed,
        "labels (tasks)": manifest.labels or {},
    }
    lines += [
        f"{what}: {', '.join(f'{name} ({count:,})' for name, count in counts.items())}"
        for what, counts in told.items()
        if counts
    ]
    if found := manifest.variants:
        lines.append(f"{found.tasks:,} tasks have variants: {found.accepted:,} of {found.written:,} written")
    spent = Table("spent on", "requests", "tokens in", "tokens out", "cost", box=None, pad_edge=False)
    for purpose, usage in manifest.usage.items():
        counts = (f"{each:,}" for each in (usage.requests, usage.tokens_in, usage.tokens_out))
        spent.add_row(purpose, *counts, "not known" if usage.cost is None else f"{usage.cost:.4f}")
    return Group(*map(Text, lines), Text(), spent)
