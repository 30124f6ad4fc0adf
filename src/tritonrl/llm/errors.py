"""How a request can fail. Each failure costs one answer; the message is one line and holds no key."""

from tritonrl.errors import UserError


class LlmError(UserError):
    """One request failed."""


class Unreachable(LlmError):
    """No connection, a connection that broke, or no answer in time."""


class Refused(LlmError):
    """401 or 403: the key is missing or wrong."""


class UnknownModel(LlmError):
    """404: the endpoint has no such model, or the address is not that of an endpoint."""


class Overloaded(LlmError):
    """408, 409, 429 or 5xx, still after all retries."""


class Rejected(LlmError):
    """Any other status, 400 above all: this request will never be answered."""


class Malformed(LlmError):
    """What came back is no chat completion, or a larger one than we take."""


HOPELESS = (Refused, Unreachable, UnknownModel)
"""Failures that every further request would meet too, where none was answered yet."""


class ClientClosed(RuntimeError):
    """The client was closed; by whom, is no business of a request's."""
