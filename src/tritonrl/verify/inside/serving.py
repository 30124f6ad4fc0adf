"""The loop of a role: a message in, the named handler's answer out, whatever a handler raises as data."""

import importlib.util
import os
import sys
import traceback
from collections.abc import Callable
from types import ModuleType
from typing import Any

from tritonrl.verify.channel import Channel, Closed
from tritonrl.verify.device_memory import DeviceMapping
from tritonrl.verify.inside.gpu_only import GpuOnly
from tritonrl.verify.memory import Mapping

LONGEST_MESSAGE = 2000
LONGEST_TRACE = 4000

Handler = Callable[[dict[str, Any]], dict[str, Any]]


class Memory:
    """The shared memory that the judge has handed over, by name."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self._mappings: dict[str, Mapping | DeviceMapping] = {}

    def accept(self, message: dict[str, Any]) -> None:
        """Map what came with a message, under the names that it gives; of memory on a GPU it gives the
        size."""
        maps = message.get("maps", ())
        for (name, size), descriptor in zip(maps, self.channel.take_descriptors(), strict=True):
            self.drop(name)
            self._mappings[name] = Mapping(descriptor) if size is None else DeviceMapping.of(descriptor, size)
            os.close(descriptor)

    def drop(self, name: str) -> None:
        """Give a piece back; tensors over it are gone."""
        if mapping := self._mappings.pop(name, None):
            mapping.unmap()

    def forget(self) -> None:
        """Give everything back."""
        for name in list(self._mappings):
            self.drop(name)

    def tensors(self, arena: str, places: list[dict[str, Any]]) -> list[Any]:
        return [self._mappings[arena].tensor(place) for place in places]


def serve(channel: Channel, handlers: dict[str, Handler], memory: Memory, file: str) -> None:
    """Answer until the judge is gone. `file` is where the untrusted code lies, to point at its lines."""
    while True:
        try:
            message = channel.receive()
        except Closed:
            return
        try:
            memory.accept(message)
            answer = handlers[message["do"]](message) if message["do"] != "map" else {}
        except BaseException as error:
            # SystemExit and KeyboardInterrupt included: whatever untrusted code raises is an answer.
            answer = {"error": describe(error, file)}
        channel.send(answer)


def describe(error: BaseException, file: str) -> dict[str, Any]:
    """An exception as data: its type, what it says, the line of the untrusted file that it came from."""
    root = error
    while root.__cause__ is not None:
        root = root.__cause__  # the interpreter wraps what a kernel raises
    frames = [*traceback.extract_tb(error.__traceback__), *traceback.extract_tb(root.__traceback__)]
    lines = [frame.lineno for frame in frames if frame.filename == file]
    return {
        "type": type(root).__name__,
        "message": _text(root)[:LONGEST_MESSAGE],
        "line": lines[-1] if lines else None,
        "denied": isinstance(root, PermissionError),
        "gpu_only": isinstance(root, GpuOnly),
        "trace": "".join(traceback.format_exception(error))[-LONGEST_TRACE:],
    }


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except BaseException as second:
        return f"(its text raises {type(second).__name__})"


def import_text(text: str, name: str) -> tuple[ModuleType, str]:
    """Untrusted text as an imported module of the scratch folder: Triton reads a kernel's lines from its
    file."""
    path = os.path.join(os.getcwd(), f"{name}.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module, path
