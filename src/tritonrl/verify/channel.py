"""Words between processes: JSON objects in frames of known size over a socket, with descriptors beside them.

The receiving side bounds everything: how long it waits, how long a frame may be. Descriptors are taken only
by the side that asks for them; sent to the judge they are dropped by the kernel. Nothing is ever unpickled.
"""

import array
import json
import select
import socket
import struct
import time
from collections.abc import Sequence
from typing import Any

LARGEST_FRAME = 8 * 2**20
MOST_DESCRIPTORS = 8
AWAKE_SECONDS = 0.2
"""Longer than most timed batches take, and than there is between two of them."""
_HEADER = struct.Struct("!I")


class ChannelError(Exception):
    """The other side did not keep to the protocol, or is gone."""


class Closed(ChannelError):
    """The other side is gone."""


class Late(ChannelError):
    """No whole answer within the time given."""


class Malformed(ChannelError):
    """An answer that is no JSON object of bounded size."""


class Channel:
    """One end of a socket pair."""

    def __init__(self, end: socket.socket, takes_descriptors: bool = False) -> None:
        self.socket = end
        self.awake = False
        """Whether a message is waited for without sleeping, for a while: who sleeps wakes up late."""
        self._takes_descriptors = takes_descriptors
        self._received: list[int] = []

    @classmethod
    def pair(cls) -> tuple["Channel", "Channel"]:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        return cls(ours), cls(theirs, takes_descriptors=True)

    def send(
        self, message: dict[str, Any], descriptors: Sequence[int] = (), timeout: float | None = None
    ) -> None:
        body = json.dumps(message).encode()
        frame = _HEADER.pack(len(body)) + body
        self.socket.settimeout(timeout)
        try:
            # Descriptors travel with the first bytes, and all that fits does at once: who has read a header
            # does not fall asleep over the rest.
            sent = self.socket.sendmsg([frame], _ancillary(descriptors))
            self.socket.sendall(frame[sent:])
        except TimeoutError as error:
            raise Late("the other side does not read") from error
        except OSError as error:
            raise Closed("the other side is gone") from error

    def receive(self, timeout: float | None = None) -> dict[str, Any]:
        deadline = None if timeout is None else time.monotonic() + timeout
        if self.awake:
            self._watch()
        (size,) = _HEADER.unpack(self._read(_HEADER.size, deadline))
        if size > LARGEST_FRAME:
            raise Malformed(f"a message of {size:,} bytes; at most {LARGEST_FRAME:,} are allowed")
        try:
            message = json.loads(self._read(size, deadline))
        except (ValueError, RecursionError) as error:
            raise Malformed("a message that is not JSON") from error
        if not isinstance(message, dict):
            raise Malformed(f"a message that is a {type(message).__name__}, not an object")
        return message

    def _watch(self) -> None:
        deadline = time.monotonic() + AWAKE_SECONDS
        poll = select.poll()
        poll.register(self.socket, select.POLLIN)
        while not poll.poll(0) and time.monotonic() < deadline:
            pass

    def take_descriptors(self) -> list[int]:
        """Descriptors that came with the messages received so far."""
        taken, self._received = self._received, []
        return taken

    def _read(self, size: int, deadline: float | None) -> bytes:
        chunks = bytearray()
        while len(chunks) < size:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                raise Late("no answer in time")
            try:
                self.socket.settimeout(left)
                chunk = self._read_some(size - len(chunks))
            except TimeoutError as error:
                raise Late("no answer in time") from error
            except OSError as error:
                raise Closed("the other side is gone") from error
            if not chunk:
                raise Closed("the other side is gone")
            chunks += chunk
        return bytes(chunks)

    def _read_some(self, size: int) -> bytes:
        if not self._takes_descriptors:
            return self.socket.recv(size)
        chunk, descriptors, _, _ = socket.recv_fds(self.socket, size, MOST_DESCRIPTORS)
        self._received += descriptors
        return chunk

    def fileno(self) -> int:
        return self.socket.fileno()

    def close(self) -> None:
        self.socket.close()


def _ancillary(descriptors: Sequence[int]) -> list[tuple[int, int, Any]]:
    return [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
