"""What a language model answers that judges by the rubric, as a script of the chat server has it."""

import json
from typing import Any

from tests.llm.server import Act, Handler, completion, good, sent


def rulings(*broken: int, reason: str = "because") -> dict[str, Any]:
    return {f"rule_{n}": {"pass": n not in broken, "reason": reason} for n in range(1, 6)}


def opinion(*broken: int, reason: str = "because") -> str:
    """That these rules are broken, and no other."""
    return json.dumps(rulings(*broken, reason=reason))


def judging(*broken: int, reason: str = "because") -> Act:
    return good(opinion(*broken, reason=reason))


def telling_the_key(*broken: int) -> Act:
    """A server that gives the reason away that it was asked with."""

    def act(handler: Handler) -> None:
        told = handler.headers["Authorization"]
        sent(completion(opinion(*broken, reason=f"you sent {told}")))(handler)

    return act
