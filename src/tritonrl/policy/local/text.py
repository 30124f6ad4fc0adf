"""From tokens to text, piece by piece."""

from collections.abc import Callable, Iterable, Sequence, Set

import torch
from transformers import PreTrainedTokenizerBase
from transformers.generation.streamers import BaseStreamer

HALF = "\N{REPLACEMENT CHARACTER}"
"""Stands for a character of which bytes are missing."""


class Text:
    """An opening and what a row of tokens says, up to its first end token.

    A token is read together with those of the piece before: how it is written may depend on its neighbours.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerBase, ends: Set[int], opening: str = "") -> None:
        self._tokenizer, self._ends = tokenizer, ends
        self._tokens: list[int] = []
        self._start = self._done = 0
        self._ended = False
        self._opening = opening
        self.said = ""

    def add(self, tokens: Iterable[int], last: bool = False) -> str:
        """The piece that these tokens make whole; with the last, whatever is left."""
        for token in tokens:
            self._ended = self._ended or token in self._ends
            if not self._ended:
                self._tokens.append(token)
        before, now = self._read(self._start, self._done), self._read(self._start, None)
        if now.endswith(HALF) and not (last or self._ended):
            return ""
        self._start, self._done = self._done, len(self._tokens)
        piece, self._opening = self._opening + now[len(before) :], ""
        self.said += piece
        return piece

    def _read(self, start: int, stop: int | None) -> str:
        tokens = self._tokens[start:stop]
        return str(self._tokenizer.decode(tokens, clean_up_tokenization_spaces=False))


class Listener(BaseStreamer):
    """Tells the pieces of each row of a batch while `generate` makes its tokens."""

    def __init__(self, texts: Sequence[Text], tell: Callable[[int, str], None]) -> None:
        self._texts, self._tell = texts, tell
        self._has_prompt = False

    def put(self, value: torch.Tensor) -> None:
        if not self._has_prompt:  # which comes first
            self._has_prompt = True
            return
        for row, token in enumerate(value.tolist()):
            self._pass_on(row, self._texts[row].add([token]))

    def end(self) -> None:
        for row, text in enumerate(self._texts):
            self._pass_on(row, text.add([], last=True))

    def _pass_on(self, row: int, piece: str) -> None:
        if piece:
            self._tell(row, piece)
