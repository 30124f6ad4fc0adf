"""Labels: how hard a model calls a task. One word too many, and there is no label."""

import re

from tritonrl.llm import Reply
from tritonrl.verify.completion import after_plan

_LABEL = re.compile(r"level: ([12])", re.IGNORECASE)


def read_label(reply: Reply | None) -> int | None:
    """1, one kernel suffices, or 2, a fusion; None where a reply does not say exactly one of them."""
    if reply is None or not reply.finished:
        return None
    found = _LABEL.fullmatch(after_plan(reply.text).strip())
    return int(found[1]) if found else None
