"""What a server sent, read as a chat completion: whole, or as a stream of events.

`Malformed` says what is wrong with it in our words; what the server wrote is quoted only from an `error` of
its own, and is not yet scrubbed.
"""

import contextlib
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tritonrl.llm.errors import Malformed

LARGEST_TEXT_BYTES = 2**20
LARGEST_BODY_BYTES = 8 * LARGEST_TEXT_BYTES
"""JSON may write a byte of text as six, and reasoning may stand beside it."""

_CUT = ("length", "content_filter")


@dataclass(frozen=True)
class Answer:
    text: str
    finished: bool
    tokens_in: int | None
    tokens_out: int | None


class _Part(BaseModel):
    model_config = ConfigDict(strict=True)


_Count = Annotated[int, Field(ge=0, le=2**53)]


class _Usage(_Part):
    prompt_tokens: _Count | None = None
    completion_tokens: _Count | None = None


class _Text(_Part):
    content: str | None = None


class _Choice(_Part):
    message: _Text
    finish_reason: str | None = None


class _Completion(_Part):
    choices: list[_Choice] = Field(min_length=1)
    usage: _Usage | None = None


class _Delta(_Part):
    delta: _Text = _Text()
    finish_reason: str | None = None


class _Chunk(_Part):
    choices: list[_Delta] = []
    usage: _Usage | None = None
    error: Any = None


class _Complaint(_Part):
    error: Any


_Shape = TypeVar("_Shape", bound=_Part)


def read_completion(body: bytes) -> Answer:
    """The first choice of a completion."""
    complaint = _as(_Complaint, body)
    if isinstance(complaint, _Complaint) and complaint.error:
        raise Malformed(f"an error instead of an answer: {complaint_of(complaint.error)}")
    completion = _as(_Completion, body)
    if isinstance(completion, str):
        raise Malformed(f"no chat completion: {completion}")
    choice, usage = completion.choices[0], completion.usage or _Usage()
    finished = choice.finish_reason not in _CUT
    text = choice.message.content
    if text is None and finished:
        raise Malformed("no chat completion: its content is null")
    # Cut off while still reasoning, a model has written no text at all.
    text = text or ""
    _check_size(len(text.encode()))
    return Answer(text, finished, usage.prompt_tokens, usage.completion_tokens)


class EventReader:
    """Reads a stream of events; `answer` is whole once `pieces` has ended."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._size = 0
        self._reason: str | None = None
        self._usage = _Usage()

    async def pieces(self, body: AsyncIterator[bytes]) -> AsyncGenerator[str, None]:
        async with contextlib.aclosing(_lines(body)) as lines:
            async for line in lines:
                field, _, data = line.partition(b":")
                if field.strip() != b"data":
                    continue  # comments and other fields
                if data.strip() == b"[DONE]":
                    return
                if piece := self._piece(data):
                    self._size += len(piece.encode())
                    _check_size(self._size)
                    self._texts.append(piece)
                    yield piece
        if self._reason is None:
            raise Malformed("the stream ended before its answer did")

    @property
    def answer(self) -> Answer:
        usage = self._usage
        finished = self._reason not in _CUT
        return Answer("".join(self._texts), finished, usage.prompt_tokens, usage.completion_tokens)

    def _piece(self, data: bytes) -> str | None:
        chunk = _as(_Chunk, data)
        if isinstance(chunk, str):
            raise Malformed(f"an event that is no part of a chat completion: {chunk}")
        if chunk.error:
            raise Malformed(f"an error instead of an answer: {complaint_of(chunk.error)}")
        self._usage = chunk.usage or self._usage
        if not chunk.choices:
            return None
        self._reason = chunk.choices[0].finish_reason or self._reason
        return chunk.choices[0].delta.content


def complaint_of(error: Any) -> str:
    """What a server says in the `error` of its JSON."""
    message = error.get("message") if isinstance(error, dict) else error
    return message if isinstance(message, str) else "without a message"


def read_complaint(body: bytes) -> str:
    """What an error page says: its JSON's message, or its text."""
    complaint = _as(_Complaint, body)
    return body.decode(errors="replace") if isinstance(complaint, str) else complaint_of(complaint.error)


def _as(shape: type[_Shape], data: bytes) -> _Shape | str:
    """The data in that shape, or the reason why it is not."""
    try:
        return shape.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        return ": ".join(filter(None, (".".join(map(str, first["loc"])), first["msg"])))


async def _lines(body: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    parts: list[bytes] = []
    size = 0
    async for chunk in body:
        first, *others = chunk.split(b"\n")
        parts.append(first)
        size += len(first)
        if size > LARGEST_BODY_BYTES:
            raise Malformed(f"an event of more than {LARGEST_BODY_BYTES:,} bytes")
        if others:
            yield b"".join(parts)
            for line in others[:-1]:
                yield line
            parts, size = [others[-1]], len(others[-1])
    yield b"".join(parts)


def _check_size(size_bytes: int) -> None:
    if size_bytes > LARGEST_TEXT_BYTES:
        raise Malformed(f"an answer of more than {LARGEST_TEXT_BYTES:,} bytes")
