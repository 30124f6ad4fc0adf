"""`Inbox`: answers of an endpoint and the work that they give rise to, in the order in which they are ready.

Asking has a thread of its own, which keeps an answer before it tells of it: whatever happens here, what was
paid for is on the disk.
"""

import contextlib
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from typing import Any

from tritonrl.llm import Client, Endpoint, LlmError, Refused, Rejected, Reply, UnknownModel, Unreachable
from tritonrl.teach.model.records import Question, Replied


class Inbox:
    def __init__(self) -> None:
        self._events: queue.SimpleQueue[Replied | Future[Any] | BaseException | None] = queue.SimpleQueue()
        self._is_asking = False
        self.num_begun = 0
        """Of work that is not done."""

    def begin(self, future: Future[Any]) -> None:
        """Wait for this too."""
        self.num_begun += 1
        future.add_done_callback(self._events.put)

    @contextlib.contextmanager
    def asking(
        self, endpoint: Endpoint, questions: Sequence[Question], keep: Callable[[Replied], None]
    ) -> Iterator[None]:
        """Ask while this lasts. An endpoint that cannot be used is an error to who reads the inbox; a request
        that fails is a reply less."""
        if not questions:
            yield
            return
        self._is_asking = True
        stopped = threading.Event()
        with Client(endpoint) as client:
            asker = threading.Thread(target=self._ask, args=(client, questions, keep, stopped), name="asker")
            asker.start()
            try:
                yield
            finally:
                stopped.set()
                client.close()
                asker.join()

    def _ask(
        self,
        client: Client,
        questions: Sequence[Question],
        keep: Callable[[Replied], None],
        stopped: threading.Event,
    ) -> None:
        patience = _Patience(client.endpoint.concurrency)
        # Made when it is their turn: each holds a whole prompt.
        requests = (each.request for each in questions if not stopped.is_set())
        try:
            for number, reply in client.ask_many(requests):
                patience.hear(reply)
                replied = questions[number].replied(reply)
                keep(replied)
                self._events.put(replied)
            self._events.put(None)
        except BaseException as error:  # raised again where the inbox is read
            self._events.put(error)

    def __iter__(self) -> Iterator[Any]:
        """Replies, and the results of what was begun, until nothing is left to wait for."""
        while self._is_asking or self.num_begun:
            event = self._events.get()
            if isinstance(event, BaseException):
                raise event
            if isinstance(event, Future):
                self.num_begun -= 1
                yield event.result()
            elif event is None:
                self._is_asking = False
            else:
                yield event


class _Patience:
    """Says when there is no point in asking on."""

    def __init__(self, concurrency: int) -> None:
        self._most = 2 * concurrency + 8
        """Failures in a row. An endpoint that starts anew loses all that it was asked at the time."""
        self._num_failures = 0
        self._has_answered = False

    def hear(self, reply: Reply | LlmError) -> None:
        """Raises the failure that ends the run."""
        if isinstance(reply, Reply):
            self._num_failures, self._has_answered = 0, True
            return
        self._num_failures += 1
        never = isinstance(reply, Unreachable) and not self._has_answered
        # Tasks that are too long are rejected one after the other, and others may follow.
        about_task = isinstance(reply, Rejected) and self._has_answered
        too_many = self._num_failures >= self._most and not about_task
        if isinstance(reply, Refused | UnknownModel) or never or too_many:
            raise reply
