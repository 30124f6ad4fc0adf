"""The dialect of models that learn from programs alone, such as nano: no instructions, only the program.

    <|task|>…its task file, in which every value says its shape and size…
    <|answer|><think>…</think> … <|end|>

Each mark is one token. The config of such a model says `"tritonrl": {"asks": "program"}`.
"""

from tritonrl.program import Program, annotated

TASK, ANSWER, END = MARKS = ("<|task|>", "<|answer|>", "<|end|>")
CONFIG = {"asks": "program"}
"""What the config of such a model has under `tritonrl`."""


def question(program: Program) -> str:
    """What such a model reads before it answers."""
    return f"{TASK}{annotated(program).strip()}\n{ANSWER}"
