"""What a source of tasks is: the specs that it accepts, and the tasks that such a spec names.

To add one, write a file beside this one with a `SOURCE`, and put that into the table of
`tritonrl.tasks.load`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tritonrl.tasks.task import Task


@dataclass(frozen=True)
class Source:
    form: str
    """What a user types, for the message that lists all forms."""

    matches: Callable[[str], bool]
    """Whether a spec has that form; whether it also exists is for `load` to say."""

    load: Callable[[str], Iterator[Task]]
    """The tasks of such a spec, in a stable order, or a `UserError`."""

    one: str
    """How to name a single task of it."""
