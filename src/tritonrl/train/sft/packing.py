"""Packing: whole examples side by side in rows of one length, no two of a lesson in the same row.

Within a row everything before can be seen, and a model that saw another answer to the same question would
learn to copy it.
"""

from dataclasses import dataclass, field

from tritonrl.train.sft.tokens import IGNORED, Example


@dataclass
class Row:
    """Examples that share a row."""

    tokens: list[int] = field(default_factory=list)
    labels: list[int] = field(default_factory=list)
    lessons: set[int] = field(default_factory=set)


class Rows:
    """So many rows of one length, filled as examples come."""

    def __init__(self, count: int, length: int) -> None:
        self._rows = [Row() for _ in range(count)]
        self._length = length

    @property
    def filled(self) -> float:
        """Share of the tokens that are in use."""
        return sum(len(row.tokens) for row in self._rows) / (len(self._rows) * self._length)

    def place(self, example: Example, lesson: int) -> bool:
        """Put an example into the first row that has room and nothing of its lesson, if there is one."""
        for row in self._rows:
            if lesson not in row.lessons and len(row.tokens) + len(example.tokens) <= self._length:
                row.tokens += example.tokens
                row.labels += example.labels
                row.lessons.add(lesson)
                return True
        return False

    def finished(self, pad: int) -> list[dict[str, list[int]]]:
        """All rows at their full length."""
        return [
            {
                "input_ids": row.tokens + [pad] * (self._length - len(row.tokens)),
                "labels": row.labels + [IGNORED] * (self._length - len(row.labels)),
            }
            for row in self._rows
        ]
