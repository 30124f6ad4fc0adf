"""The proof sheet: what was tried, what was accepted and why, for a person (Markdown) and for a program
(JSON)."""

from typing import Any

from tritonrl.search.best_of_n import Candidate, Found
from tritonrl.verify.verdict import Verdict


def document(found: Found, *, model: str, out: str | None) -> dict[str, Any]:
    """Everything that was found, as JSON."""
    best = found.best
    return {
        "task": found.task.id,
        "model": model,
        "device": found.settings.device,
        "policy": found.settings.policy,
        "precision": found.settings.precision,
        "timed": found.settings.timing,
        "note": found.note,
        "interrupted": found.interrupted,
        "num_candidates": len(found.candidates),
        "num_accepted": len(found.accepted),
        "speedup": best.whole.speedup if best and best.whole else None,
        "best": best.proposal.sample if best else None,
        "out": out,
        "candidates": [_candidate(each) for each in found.candidates],
    }


def _candidate(each: Candidate) -> dict[str, Any]:
    completion, verdict = each.completion, each.verdict
    return {
        "sample": each.proposal.sample,
        "plan": completion.plan if completion else None,
        "code": completion.code if completion else None,
        "error": each.error,
        "seconds": each.proposal.seconds,
        "tokens_in": each.proposal.tokens_in,
        "tokens_out": each.proposal.tokens_out,
        "verdict": verdict.model_dump(mode="json") if verdict else None,
        "whole": each.whole.model_dump(mode="json") if each.whole else None,
    }


def sheet(found: Found, *, model: str) -> str:
    """The same for a reader, the best first."""
    best, settings = found.best, found.settings
    lines = [f"# {found.task.id}", "", outcome(found), ""]
    how = f"policy {settings.policy}, precision {settings.precision}, on {settings.device}"
    lines += [f"Written by {model}; {how}.", *([f"Beforehand: {found.note}."] if found.note else []), ""]
    if best and best.whole and best.completion:
        lines += [*_proof(best.whole), *_block("The plan", best.completion.plan, "")]
        lines += _block("The code", best.completion.code, "python")
    lines += ["## Candidates", "", "| sample | verdict | speedup | why |", "|---|---|---|---|"]
    lines += [_row(each) for each in found.candidates]
    return "\n".join(lines) + "\n"


def outcome(found: Found) -> str:
    """What came of it, in a sentence."""
    tried = f"{len(found.candidates)} candidates"
    tried += ", interrupted" if found.interrupted else ""
    best = found.best
    if best is None and found.accepted:
        return f"Nothing faster than PyTorch was found: {len(found.accepted)} of {tried} accepted."
    if best is None:
        return f"Nothing was accepted, of {tried}."
    judged = best.whole or best.verdict
    speedup = judged and judged.speedup
    speed = f"{speedup:.2f}× as fast as PyTorch" if speedup else "speed not measured"
    return f"Candidate {best.proposal.sample} is kept: {speed}; {len(found.accepted)} of {tried} accepted."


def _proof(verdict: Verdict) -> list[str]:
    lines = [
        "## What was checked",
        "",
        "The file as it is, guard included.",
        "",
        "| layer | outcome | seconds | what was seen |",
        "|---|---|---|---|",
    ]
    for layer in verdict.layers:
        story = "; ".join(layer.story).replace("|", "\\|")
        lines.append(f"| {layer.name} | {layer.status} | {layer.seconds:.1f} | {story} |")
    coverage = "not measured" if verdict.coverage is None else f"{verdict.coverage:.0%}"
    calls = f"{verdict.num_calls} checked calls over {verdict.num_draws} draws"
    lines += ["", f"{calls}; {coverage} of the work is done in Triton.", ""]
    if verdict.timing:
        lines += ["| against | a call | the candidate's | speedup | 95 % |", "|---|---|---|---|---|"]
        for name, each in verdict.timing.baselines.items():
            lines.append(
                f"| {name} | {each.wall_us:.1f} µs | {verdict.timing.wall_us:.1f} µs | {each.speedup:.2f}× | "
                f"{each.low:.2f} to {each.high:.2f} |"
            )
        lines.append("")
    return lines


def _block(title: str, text: str | None, language: str) -> list[str]:
    if not text:
        return []
    fence = "`" * max(3, 1 + max((len(run) for run in text.split() if set(run) == {"`"}), default=0))
    return [f"## {title}", "", f"{fence}{language}", text.rstrip(), fence, ""]


def _row(each: Candidate) -> str:
    verdict, sample = each.verdict, each.proposal.sample
    if verdict is None:
        return f"| {sample} | none | – | {_cell(each.error or 'not judged')} |"
    speedup = "–" if verdict.speedup is None else f"{verdict.speedup:.2f}×"
    why = "" if verdict.rejection is None else f"{verdict.rejection.rule}: {verdict.rejection.message}"
    return f"| {sample} | {'accepted' if verdict.accepted else 'rejected'} | {speedup} | {_cell(why)} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
