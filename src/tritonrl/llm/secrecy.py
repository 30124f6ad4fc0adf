"""The key: where it is read, and how it is kept out of every text.

A server that is wrong or hostile may send the key back. It is replaced in answers, messages and log records
as it is, and as JSON and URLs write it; a server that disguises it otherwise is not stopped.
"""

import json
import logging
import os
import re
from urllib.parse import quote

from tritonrl.errors import UserError
from tritonrl.llm.records import Endpoint

PLACEHOLDER = "none"
SHORTEST_SECRET = 8
"""Shorter keys are words like `EMPTY` and `ollama`, which answers may use."""
LONGEST_MESSAGE = 300

_LOGGERS = (
    "asyncio", "openai", "openai._base_client", "openai._response", "openai._legacy_response",
    *(name + version for version in ("", "2") for name in ("httpx", "httpcore")),
    *(
        f"httpcore{version}.{part}"
        for version in ("", "2")
        for part in ("connection", "http11", "http2", "proxy", "socks")
    ),
)  # fmt: skip


def read_key(endpoint: Endpoint) -> str:
    """The key of an endpoint; a placeholder where a server of one's own has none."""
    variable = endpoint.key_variable
    key = os.environ.get(variable, "").strip()
    if not key and endpoint.is_openai:
        raise UserError(f"{variable} is not set: it must hold the key for {endpoint.url}")
    if not (key.isascii() and key.isprintable() and " " not in key):
        # The HTTP library would quote it in its own complaint.
        raise UserError(f"{variable} holds characters that no key has")
    return key or PLACEHOLDER


def one_line(text: str, most: int = LONGEST_MESSAGE) -> str:
    """Text fit to print: spaces for control characters, and an end.

    A space, not nothing: the halves of a key must not meet.
    """
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= most else line[: most - 1] + "…"


class Scrubber:
    """Replaces the key in a text."""

    def __init__(self, key: str) -> None:
        forms = {key, json.dumps(key)[1:-1], key.replace("/", "\\/"), quote(key, safe="")}
        secret = len(key) >= SHORTEST_SECRET
        self._forms = sorted(forms, key=len, reverse=True) if secret else []
        self._pattern = re.compile("|".join(map(re.escape, self._forms)) or "(?!)")

    def __call__(self, text: str) -> str:
        return self._pattern.sub("<key>", text)

    def message(self, text: str) -> str:
        return one_line(self(one_line(text, len(text))))

    def split(self, text: str) -> tuple[str, str]:
        """The text scrubbed, without an end that may be the beginning of the key; and that end."""
        text = self(text)
        longest = min(len(text), max(map(len, self._forms), default=1) - 1)
        for size in range(longest, 0, -1):
            if any(form.startswith(text[-size:]) for form in self._forms):
                return text[:-size], text[-size:]
        return text, ""


class LogScrubber(logging.Filter):
    """Scrubs what the HTTP libraries log, for as long as it is installed."""

    def __init__(self, scrub: Scrubber) -> None:
        super().__init__()
        self._scrub = scrub

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = self._scrub(record.getMessage()), ()
        return True

    def install(self) -> None:
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(self)

    def remove(self) -> None:
        for name in _LOGGERS:
            logging.getLogger(name).removeFilter(self)
