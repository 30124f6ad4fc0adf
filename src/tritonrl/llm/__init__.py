"""The one client of OpenAI-compatible chat endpoints."""

from tritonrl.llm.client import Client
from tritonrl.llm.errors import (
    HOPELESS,
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
    "HOPELESS",
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
