"""The one client of OpenAI-compatible chat endpoints."""

from tritonrl.llm.client import Client
from tritonrl.llm.errors import (
    ClientClosed,
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
    "ClientClosed",
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
