"""The one error tree.

A `UserError` means that the question was wrong: the command line prints its message as one line and
exits with `exit_code`. Anything else that escapes is a bug of ours and keeps its traceback.
"""


class TritonrlError(Exception):
    """Root of every error that tritonrl raises on purpose."""


class UserError(TritonrlError):
    """The input is at fault. The message says what is wrong, where, and what would be right."""

    exit_code = 2


class UnknownNameError(UserError):
    """A name that is not in a table; the message lists the names that are."""

    def __init__(self, kind: str, name: str, known: list[str]) -> None:
        super().__init__(f"unknown {kind} {name!r}; known: {', '.join(known)}")
