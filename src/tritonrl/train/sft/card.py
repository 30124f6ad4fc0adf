"""The model of a finished run, packed as nano's weights are kept, with a card of what it has learned."""

import json
from pathlib import Path
from typing import Any

from tritonrl.errors import UserError
from tritonrl.evaluate.records import versions
from tritonrl.files import refuse_what_is_there
from tritonrl.policy.nano.card import FILE, Card
from tritonrl.policy.nano.packing import pack
from tritonrl.policy.nano.shipped import NAME, shipped_weights
from tritonrl.train.begin import recipe_of
from tritonrl.train.recipe import Sft
from tritonrl.train.sft.lessons import many
from tritonrl.train.sft.run import HELD_OUT, MODEL, summary
from tritonrl.train.sft.tokens import IGNORED, examples

CAME_TO = ("num_steps", "num_tokens", "seconds", "loss", "token_accuracy")
SAMPLE = 2000
"""Lessons, drawn as those of the run were, that a card is made of: an operator that is in none of them was
hardly learned."""


def pack_run(run: Path, out: Path, num_processes: int = 1, sample: int = SAMPLE) -> Card:
    """Write the packed folder of a run that is finished; gives its card."""
    refuse_what_is_there(out)
    recipe = recipe_of(run, Sft, "train sft").model_copy(update={"out": run})
    if not (run / MODEL).is_dir():
        raise UserError(
            f"{run}: not finished: there is no folder {MODEL} in it; the command that began it goes on"
        )
    card = _card(recipe, run, num_processes, sample)
    pack(run / MODEL, out, card)
    return card


def _card(recipe: Sft, run: Path, num_processes: int, sample: int) -> Card:
    from transformers import AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(run / MODEL, local_files_only=True)
    context = json.loads((run / MODEL / "config.json").read_bytes())["max_position_embeddings"]
    held_out = frozenset(json.loads((run / HELD_OUT).read_bytes()))
    operators, levels, dtypes, lengths = set(), set(), set(), []
    for lesson in many(recipe.data, held_out, range(-sample, 0), num_processes):
        fitting = [each for each in examples(tokenizer, lesson) if len(each.tokens) <= context]
        if fitting:
            operators |= {node.op for node in lesson.program.nodes}
            levels.add(lesson.program.level)
            dtypes |= {spec.dtype for spec in lesson.program.inputs}
        lengths += [len(each.labels) - each.labels.count(IGNORED) for each in fitting]
    lengths.sort()
    return Card(
        name=NAME,
        operators=tuple(sorted(operators)),
        levels=tuple(sorted(levels)),
        dtypes=tuple(sorted(dtypes)),
        context_tokens=context,
        shortest_answer_tokens=lengths[0],
        p99_answer_tokens=lengths[min(len(lengths) - 1, int(0.99 * len(lengths)))],
        made=_made(recipe),
    )


def _made(recipe: Sft) -> dict[str, Any]:
    """How: the recipe, what came of it, and the same of the model that it began with."""
    came = {key: value for key, value in summary(recipe).items() if key in CAME_TO}
    made = {"recipe": recipe.model_dump(mode="json", exclude={"out"}), **came, "versions": versions()}
    if recipe.model.base is not None:
        base = shipped_weights() if recipe.model.base == NAME else Path(recipe.model.base)
        if (base / FILE).exists():
            made["base"] = Card.at(base).made
    return made
