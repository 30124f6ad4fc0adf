"""What a kernel may ask of a GPU and not of the interpreter: nothing is known of it without one."""

from collections.abc import Callable
from typing import Any


class GpuOnly(NotImplementedError):
    """An operation that Triton's interpreter cannot do."""

    def __init__(self, operation: str) -> None:
        super().__init__(f"{operation} runs on a GPU only")


def refusing(operation: str) -> Callable[..., Any]:
    """A builder's method for such an operation."""

    def refuse(*operands: Any, **options: Any) -> None:
        raise GpuOnly(operation)

    return refuse
