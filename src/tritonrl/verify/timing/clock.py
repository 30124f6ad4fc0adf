"""The clock: a process of one thread that asks a role one question and measures until the answer is there.

    with Clock() as clock:
        answer, seconds = clock.ask(channel, {"do": "batch", ...}, {"do": "batch", ...}, seconds=10)

The judge has many threads, any of which may hold Python's lock when an answer arrives; this process has
nothing else to do. Run by `python -m tritonrl.verify.timing.clock DESCRIPTOR`, it imports nothing large.
"""

import socket
import subprocess
import sys
import threading
import time
from typing import Any

from tritonrl.verify import channel as channels
from tritonrl.verify.channel import Channel, ChannelError, Closed

START_SECONDS = 60


class Clock:
    """The judge's hold on a clock."""

    def __init__(self, environment: dict[str, str]) -> None:
        ours, theirs = Channel.pair()
        self._channel = ours
        self._lock = threading.Lock()
        command = [sys.executable, "-P", "-m", "tritonrl.verify.timing.clock", str(theirs.fileno())]
        self._process = subprocess.Popen(command, env=environment, pass_fds=[theirs.fileno()], cwd="/")
        theirs.close()
        self._channel.receive(START_SECONDS)

    def ask(
        self, asked: Channel, message: dict[str, Any], lead: dict[str, Any], seconds: float
    ) -> tuple[dict[str, Any], float]:
        """What `asked` answers, and after how many seconds; a `ChannelError` as it raises. Right before that
        it is asked what leads into it."""
        with self._lock:
            request = {"message": message, "lead": lead, "seconds": seconds}
            self._channel.send(request, [asked.fileno()], timeout=START_SECONDS)
            told = self._channel.receive(seconds + START_SECONDS)
        if "failure" in told:
            raise getattr(channels, told["failure"])(told["detail"])
        return told["answer"], told["elapsed"]

    @property
    def pid(self) -> int:
        return self._process.pid

    def close(self) -> None:
        self._channel.close()
        self._process.wait()


def main() -> None:
    judge = Channel(socket.socket(fileno=int(sys.argv[1])), takes_descriptors=True)
    judge.send({})
    judge.awake = True
    while True:
        try:
            request = judge.receive()
        except Closed:
            return
        (descriptor,) = judge.take_descriptors()
        judge.send(_measure(Channel(socket.socket(fileno=descriptor)), request))


def _measure(asked: Channel, request: dict[str, Any]) -> dict[str, Any]:
    asked.awake = True
    try:
        asked.send(request["lead"], timeout=request["seconds"])
        asked.receive(request["seconds"])
        began = time.perf_counter()
        asked.send(request["message"], timeout=request["seconds"])
        answer = asked.receive(request["seconds"])
        return {"elapsed": time.perf_counter() - began, "answer": answer}
    except ChannelError as error:
        return {"failure": type(error).__name__, "detail": str(error)}
    finally:
        asked.close()


if __name__ == "__main__":
    main()
