"""Answers in a folder: the same question is asked once, over runs and processes.

A file an answer, named after a hash of all that the answer depends on. A torn or foreign file is no answer.
"""

import hashlib
import json
from pathlib import Path

from pydantic import ValidationError

from tritonrl.errors import UserError
from tritonrl.files import write_whole
from tritonrl.llm.records import Endpoint, Record, Reply, Request


class _Kept(Record):
    asked: str
    reply: Reply


class ReplyCache:
    """Any number of processes may share the folder."""

    def __init__(self, folder: Path, endpoint: Endpoint) -> None:
        self._folder = folder
        self._endpoint = endpoint
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"{folder}: cannot keep answers there: {error.strerror}") from error

    def get(self, request: Request) -> Reply | None:
        asked = self._asked(request)
        try:
            kept = _Kept.model_validate_json(self._path(asked).read_bytes())
        except (OSError, ValidationError):
            return None
        return kept.reply.model_copy(update={"cached": True}) if kept.asked == asked else None

    def put(self, request: Request, reply: Reply) -> None:
        asked = self._asked(request)
        kept = _Kept(asked=asked, reply=reply)
        try:
            write_whole(self._path(asked), kept.model_dump_json().encode())
        except OSError as error:
            raise UserError(f"{self._folder}: cannot keep answers there: {error.strerror}") from error

    def _asked(self, request: Request) -> str:
        end = self._endpoint
        messages = [[message.role, message.content] for message in request.messages]
        asked = [end.model, end.url, messages, end.temperature, end.top_p, end.max_tokens, request.sample]
        return hashlib.sha256(json.dumps(asked).encode()).hexdigest()

    def _path(self, asked: str) -> Path:
        return self._folder / asked[:2] / f"{asked}.json"
