"""The proof sheet: what was tried, what was accepted and why, for a person (Markdown) and for a program
(JSON)."""

from pathlib import Path
from typing import Any

from tritonrl import jsonl
from tritonrl.errors import UserError
from tritonrl.files import write_whole
from tritonrl.policy import Proposal
from tritonrl.search.found import Candidate, Found
from tritonrl.search.fragments.piece import Piece
from tritonrl.search.optimize import Optimized
from tritonrl.search.picture import picture
from tritonrl.verify.verdict import Verdict


def write(made: Optimized, model: str, place: Path) -> tuple[list[Path], dict[str, Any]]:
    """The drop-in, if there is one, and its sheets beside it; their names, and the facts."""
    found = made.found
    facts = document(found, model=model, search=made.strategy, out=str(place) if made.text else None)
    sheets = {place.with_suffix(".json"): f"{jsonl.dumps(facts)}\n".encode()}
    seen = picture(found)
    if seen:
        sheets[place.with_suffix(".png")] = seen
    text = sheet(found, model=model, picture=place.with_suffix(".png").name if seen else None)
    sheets[place.with_suffix(".md")] = text.encode()
    files = {place: made.text.encode()} if made.text else {}
    try:
        for path, data in (files | sheets).items():
            write_whole(path, data)
    except OSError as error:
        raise UserError(f"{place}: cannot be written: {error.strerror}") from error
    return [*files, *sheets], facts | {"seconds": made.seconds, "proof": [str(each) for each in sheets]}


def document(found: Found, *, model: str, search: str, out: str | None) -> dict[str, Any]:
    """Everything that was found, as JSON."""
    best = found.best
    return {
        "task": found.task.id,
        "model": model,
        "device": found.settings.device,
        "policy": found.settings.policy,
        "precision": found.settings.precision,
        "timed": found.settings.timing,
        "search": search,
        "note": found.note,
        "reason": found.reason,
        "interrupted": found.interrupted,
        "num_candidates": len(found.candidates),
        "num_accepted": len(found.accepted),
        "speedup": best.whole.speedup if best and best.whole else None,
        "best": best.sample if best else None,
        "out": out,
        "history": [{"seconds": seconds, "speedup": speedup} for seconds, speedup in found.history],
        "fragments": [_fragment(each, found) for each in found.pieces],
        "candidates": [_candidate(each) for each in found.candidates],
    }


def _fragment(piece: Piece, found: Found) -> dict[str, Any]:
    """A part of the program: what was tried for it, and where it became Triton."""
    kernel, kept = piece.kernel, found.sets.get(found.best.sample, ()) if found.best else ()
    times = (kernel and kernel.times_us) or (None, None)
    return {
        "id": piece.program.program_id,
        "ops": list(piece.program.ops),
        "num_tried": sum(each.proposal is not None for each in piece.candidates),
        "num_accepted": sum(each.is_accepted for each in piece.candidates),
        "source": kernel.source if kernel else None,
        "eager_us": times[0],
        "triton_us": times[1],
        "kept_at": [list(each.fragment.positions) for each in kept if each.piece is piece],
        "rejection": None if kernel else piece.rejection,
        "plan": kernel.plan if kernel else None,
        "code": kernel.code if kernel else None,
    }


def _candidate(each: Candidate) -> dict[str, Any]:
    completion, verdict, proposal = each.completion, each.verdict, each.proposal or Proposal(each.sample)
    return {
        "sample": each.sample,
        "plan": completion.plan if completion else None,
        "code": completion.code if completion else None,
        "error": each.error,
        "seconds": proposal.seconds,
        "tokens_in": proposal.tokens_in,
        "tokens_out": proposal.tokens_out,
        "verdict": verdict.model_dump(mode="json") if verdict else None,
        "whole": each.whole.model_dump(mode="json") if each.whole else None,
    }


def sheet(found: Found, *, model: str, picture: str | None = None) -> str:
    """The same for a reader, the best first; with a picture, where there is one."""
    best, settings = found.best, found.settings
    lines = [f"# {found.task.id}", "", outcome(found), ""]
    how = f"policy {settings.policy}, precision {settings.precision}, on {settings.device}"
    lines += [f"Written by {model}; {how}.", *([f"Beforehand: {found.note}."] if found.note else []), ""]
    lines += [f"![where the time went]({picture})", ""] if picture else []
    if best and best.whole and best.completion:
        lines += [*_proof(best.whole), *_block("The plan", best.completion.plan, "")]
        lines += _block("The code", best.completion.code, "python")
    lines += _parts(found)
    lines += ["## Candidates", "", "| sample | verdict | speedup | why |", "|---|---|---|---|"]
    lines += [_row(each) for each in found.candidates]
    return "\n".join(lines) + "\n"


def _parts(found: Found) -> list[str]:
    """Which part of it became Triton, and what became of the others that were tried."""
    if not found.pieces:
        return []
    lines = [
        "## Fragments",
        "",
        "| operators | tried | accepted | PyTorch µs | Triton µs | times in the result | why |",
    ]
    lines.append("|---|---|---|---|---|---|---|")
    for each in (_fragment(piece, found) for piece in found.pieces):
        times = ["–" if each[name] is None else f"{each[name]:.1f}" for name in ("eager_us", "triton_us")]
        why = each["rejection"] or (f"by {each['source']}" if each["source"] else "")
        counts = (each["num_tried"], each["num_accepted"], *times, len(each["kept_at"]))
        lines.append(f"| {' · '.join(each['ops'])} | {' | '.join(map(str, counts))} | {_cell(why)} |")
    return [*lines, ""]


def outcome(found: Found) -> str:
    """What came of it, in a sentence."""
    tried = f"{len(found.candidates)} candidates"
    tried += ", interrupted" if found.interrupted else ""
    best = found.best
    reason = f" The file stays as it is: {found.reason}." if found.reason and best is None else ""
    if best is None and found.accepted:
        return f"Nothing faster than PyTorch was found: {len(found.accepted)} of {tried} accepted.{reason}"
    if best is None:
        return f"Nothing was accepted, of {tried}.{reason}"
    judged = best.whole or best.verdict
    speedup = judged and judged.speedup
    speed = f"{speedup:.2f}× as fast as PyTorch" if speedup else "speed not measured"
    parts = found.sets.get(best.sample)
    made = f" Fragments in Triton: {len(parts)}; the rest is PyTorch's." if parts else ""
    return f"Candidate {best.sample} is kept: {speed}; {len(found.accepted)} of {tried} accepted.{made}"


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
    verdict, sample = each.verdict, each.sample
    if verdict is None:
        return f"| {sample} | none | – | {_cell(each.error or 'not judged')} |"
    speedup = "–" if verdict.speedup is None else f"{verdict.speedup:.2f}×"
    why = "" if verdict.rejection is None else f"{verdict.rejection.rule}: {verdict.rejection.message}"
    return f"| {sample} | {'accepted' if verdict.accepted else 'rejected'} | {speedup} | {_cell(why)} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
