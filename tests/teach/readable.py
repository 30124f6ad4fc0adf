"""What a number of an answer may be: one that its question says, or one known by heart."""

import re

from tritonrl.program import Program, annotated
from tritonrl.teach.composer.numbers import LARGEST_KNOWN
from tritonrl.teach.composer.strategies.cost import NUM_PROCESSORS

INTEGER = re.compile(r"(?<![\w.])\d+(?![\w.])")
KNOWN = {*range(17), *(1 << power for power in range(LARGEST_KNOWN.bit_length())), NUM_PROCESSORS}


def integers(text: str) -> set[int]:
    return set(map(int, INTEGER.findall(text)))


def unreadable(program: Program, answer: str) -> set[int]:
    """Integers of the answer, plan and code, that can not be read from the annotated question."""
    return integers(answer) - integers(annotated(program)) - KNOWN
