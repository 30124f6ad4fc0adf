"""What Triton's compiler makes of a launch: one kernel for all launches that it does not tell apart.

Integers are one, a multiple of 16, or neither, of 32 or 64 bits; pointers are aligned or not. Computed alike
in the judge, which has kernels compiled, and in a role on a GPU, which looks for the one to launch. Plain
data.
"""

import json
from collections.abc import Iterator
from typing import Any

import torch

Value = list[Any]


def specialise(launch: dict[str, Any]) -> dict[str, Any]:
    """The kernel, arguments and options that are compiled, of a launch as it is logged."""
    arguments = {
        name: value if name in launch["constants"] else _specialised(value)
        for name, value in launch["arguments"].items()
    }
    return {"kernel": launch["kernel"], "arguments": arguments, "options": launch["options"]}


def text_of(specialisation: dict[str, Any]) -> str:
    """The name of a specialisation."""
    return json.dumps(specialisation, sort_keys=True)


def functions_given(launch: dict[str, Any]) -> list[str]:
    """Keys of the candidate's own functions among the arguments of a launch, or of its specialisation."""
    return sorted(set(_functions(list(launch["arguments"].values()))))


def file_of(launch: dict[str, Any]) -> str:
    """The name of the file that a launch is compiled from and repeated from, which is one for both."""
    return json.dumps([launch["kernel"], *functions_given(launch)])


def _functions(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        if value[:1] == ["function"] and ":" not in value[1]:
            yield value[1]
        for each in value:
            yield from _functions(each)


def _specialised(value: Value) -> Value:
    kind, *rest = value
    if kind == "tensor":
        _, dtype, _, _, offset = rest
        return ["pointer", dtype, offset * getattr(torch, dtype).itemsize % 16 == 0]
    if kind == "tuple":
        return ["tuple", [_specialised(each) for each in rest[0]]]
    if kind == "descriptor":
        return ["descriptor", rest[0][2], *rest[1:]]
    if kind == "value" and type(rest[0]) is bool:
        return ["bool"]
    if kind == "value" and type(rest[0]) is int:
        number = rest[0]
        kept = 1 if number == 1 else 16 if number % 16 == 0 else 17
        return ["int", kept if -(2**31) <= number < 2**31 else (kept if kept > 1 else 17) << 32]
    if kind == "float" or (kind == "value" and type(rest[0]) is float):
        return ["number"]
    return value
