"""The one client of OpenAI-compatible chat endpoints."""

from tritonrl.llm.client import Client
from tritonrl.llm.errors import (
    LlmError,
    Malformed,
    Overloaded,
    Refused,
    Rejected,
    UnknownModel,
    Unreachable,
)
from tritonrl.llm.records import Endpoint, Message, Reply, Request, Usage

__all__ = [
    "Client",
    "Endpoint",
    "LlmError",
    "Malformed",
    "Message",
    "Overloaded",
    "Refused",
    "Rejected",
    "Reply",
    "Request",
    "UnknownModel",
    "Unreachable",
    "Usage",
]
