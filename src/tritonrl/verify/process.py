"""A sandboxed process, as the judge holds it.

One that dies, hangs, floods its channel or breaks the protocol raises `Death` with the reason; the judge goes
on.
"""

import contextlib
import socket
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tritonrl.verify.channel import Channel, ChannelError, Closed, Late, Malformed
from tritonrl.verify.sandbox import Report
from tritonrl.verify.turns import Turns

if TYPE_CHECKING:
    from tritonrl.verify.timing.clock import Clock

from tritonrl.verify.roles import Role, VerifierError

END_SECONDS = 20
"""For a killed process to be gone."""
MOST_USES = 50
"""Candidates that one process of a GPU repeats for."""


@dataclass(eq=False)
class Death(Exception):
    """How a sandboxed process ended before it gave its answer."""

    reason: str
    """`timeout`, `memory`, `threads`, `crashed`, `exited` or `protocol`."""
    detail: str
    output: str = ""
    """The last of what it printed."""

    def __str__(self) -> str:
        return f"its process {self.detail}"


@dataclass(eq=False)
class Process:
    """One sandboxed process, as the judge holds it."""

    role: Role
    channel: Channel
    warden: Channel
    sandbox: Report
    pid: int
    turns: Turns | None = None
    """At the GPU that it uses."""
    num_uses: int = 1
    kept_as: tuple[Role, str] | None = None
    """The role as it was asked for, and the device."""
    permit: threading.Semaphore | None = None
    """Held while it is in use, where only so many may be."""
    ended: dict[str, Any] | None = None

    @property
    def may_go_on(self) -> bool:
        """Whether it can be kept for another candidate. Where forks are cheap, none is."""
        return self.turns is not None and self.num_uses < MOST_USES

    def ask(
        self, message: dict[str, Any], descriptors: Sequence[int] = (), *, seconds: float
    ) -> dict[str, Any]:
        """Its answer; `Death` if there is none. The process is then gone."""
        if self.turns is not None:
            self.turns.give_way()
        try:
            self.channel.send(message, descriptors, timeout=seconds)
            return self.channel.receive(seconds)
        except ChannelError as error:
            raise self._bury(error, seconds) from error

    def ask_by(
        self, clock: "Clock", message: dict[str, Any], lead: dict[str, Any], *, seconds: float
    ) -> tuple[dict[str, Any], float]:
        """Its answer, and how long it took by that clock; what leads into it is asked before."""
        try:
            return clock.ask(self.channel, message, lead, seconds)
        except ChannelError as error:
            raise self._bury(error, seconds) from error

    def _bury(self, error: ChannelError, seconds: float) -> Death:
        if isinstance(error, Closed):
            # It may be dead or dying of itself: let the warden say how, and only then help.
            with contextlib.suppress(ChannelError):
                self.ended = self.warden.receive(0.5)
        ended = self.end()
        output, code = str(ended.get("output", "")), int(ended.get("exit", 0))
        if ended.get("killed_for") == "memory":
            used, most = ended["memory_bytes"] / 2**30, self.role.memory_bytes / 2**30
            return Death(
                "memory", f"used {used:.1f} GiB of memory; at most {most:.0f} GiB are allowed", output
            )
        if ended.get("killed_for") == "threads":
            return Death("threads", "started too many threads", output)
        if isinstance(error, Late):
            return Death("timeout", f"gave no answer within {seconds:.0f} s", output)
        if isinstance(error, Malformed):
            return Death("protocol", f"broke the protocol: {error}", output)
        if ended.get("killed_for") == "judge":
            return Death("protocol", "closed its channel to the judge", output)
        if code < 0:
            return Death("crashed", f"was ended by {_signal_name(-code)}", output)
        return Death("exited", f"left with exit code {code} before it answered", output)

    def kill(self) -> None:
        """From any thread: whoever waits for its answer then hears that it is dead."""
        with contextlib.suppress(OSError):
            self.warden.socket.shutdown(socket.SHUT_WR)

    def end(self) -> dict[str, Any]:
        """Kill it if it lives, and say how it ended. May be called again."""
        self.channel.close()
        if self.ended is None:
            self.kill()
            try:
                self.ended = self.warden.receive(END_SECONDS)
            except ChannelError as error:
                self.ended = {}
                raise VerifierError(f"the warden of a {self.role.name} is gone: {error}") from error
        self.warden.close()
        return self.ended

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


def _signal_name(number: int) -> str:
    import signal

    with contextlib.suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"
