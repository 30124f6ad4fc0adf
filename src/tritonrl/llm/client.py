"""`Client`: asks one endpoint, from any thread, and remembers what it answered."""

import concurrent.futures
import contextlib
import queue
import threading
from collections.abc import Callable, Coroutine, Generator, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tritonrl.llm.background import Background
from tritonrl.llm.cache import ReplyCache
from tritonrl.llm.errors import HOPELESS, ClientClosed, LlmError
from tritonrl.llm.records import Endpoint, Message, Reply, Request, Usage
from tritonrl.llm.secrecy import LogScrubber, Scrubber, read_key
from tritonrl.llm.sender import Sender, open_sender
from tritonrl.llm.tally import Tally

Messages = Sequence[Message | Mapping[str, str]]
_Outcome = concurrent.futures.Future[Reply | LlmError]


class Client(contextlib.AbstractContextManager["Client"]):
    """Use it in a `with`: leaving stops what is under way, closes the connections and ends the thread.

    The SDK is loaded by the first request that the cache does not answer.
    """

    def __init__(self, endpoint: Endpoint, cache: Path | None = None) -> None:
        self.endpoint = endpoint
        self._key = read_key(endpoint)
        self._cache = None if cache is None else ReplyCache(cache, endpoint)
        self._tally = Tally(endpoint)
        self._logs = LogScrubber(Scrubber(self._key))
        self._lock = threading.Lock()
        self._closed = False
        self._background: Background[Sender] | None = None

    def ask(self, messages: Messages, sample: int = 0) -> Reply:
        """The answer, perhaps remembered; raises the `LlmError` of a request that failed."""
        outcome = _outcome(self._task(_request(messages, sample)))
        if isinstance(outcome, LlmError):
            raise outcome
        return outcome

    def ask_many(
        self, requests: Iterable[Request], hear: Callable[[int, str], None] | None = None
    ) -> Iterator[tuple[int, Reply | LlmError]]:
        """The number of each request and its answer, or why there is none, in order of completion. With
        `hear`, answers are streamed, and it is told each piece with its number, in a thread of the client's.

        At most `concurrency` requests are under way or wait to be taken; the next is read only then.
        """
        done: queue.SimpleQueue[int] = queue.SimpleQueue()
        tasks: dict[int, _Outcome] = {}
        left = enumerate(requests)
        try:
            while True:
                while len(tasks) < self.endpoint.concurrency and (item := next(left, None)):
                    number, request = item
                    tasks[number] = self._task(request, partial(hear, number) if hear else None)
                    tasks[number].add_done_callback(lambda _, number=number: done.put(number))
                if not tasks:
                    return
                number = done.get()
                yield number, _outcome(tasks.pop(number))
        finally:
            for task in tasks.values():
                task.cancel()

    def ask_usable(
        self, requests: Iterable[Request], hear: Callable[[int, str], None] | None = None
    ) -> Iterator[tuple[int, Reply | LlmError]]:
        """As `ask_many`, but an endpoint that cannot be used at all is raised: a failure that every request
        would meet, before any was answered."""
        answered = False
        for number, outcome in self.ask_many(requests, hear):
            if isinstance(outcome, HOPELESS) and not answered:
                raise outcome
            answered |= isinstance(outcome, Reply)
            yield number, outcome

    def stream(self, messages: Messages) -> Generator[str, None, Reply]:
        """The text in pieces as it is written, past the cache; the generator returns the whole reply."""
        pieces: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        request = _request(messages)
        task = self._start(lambda sender: sender.stream(request, pieces.put))
        task.add_done_callback(lambda _: pieces.put(None))
        try:
            while (piece := pieces.get()) is not None:
                yield piece
            outcome = _outcome(task)
        finally:
            task.cancel()
        if isinstance(outcome, LlmError):
            raise outcome
        return outcome

    @property
    def usage(self) -> Usage:
        return self._tally.usage

    def close(self) -> None:
        with self._lock:
            self._closed = True
        if self._background is not None:
            self._background.close()
            self._logs.remove()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _task(self, request: Request, put: Callable[[str], None] | None = None) -> _Outcome:
        reply = self._cache.get(request) if self._cache else None
        if reply is None:
            return self._start(lambda sender: self._answer(sender, request, put))
        self._tally.add(cached=1)
        if put:
            put(reply.text)
        task: _Outcome = concurrent.futures.Future()
        task.set_result(reply)
        return task

    async def _answer(
        self, sender: Sender, request: Request, put: Callable[[str], None] | None
    ) -> Reply | LlmError:
        outcome = await (sender.stream(request, put) if put else sender.answer(request))
        # Here, not where it is taken: an answer that nobody waits for any more is paid for.
        if self._cache and isinstance(outcome, Reply):
            self._cache.put(request, outcome)
        return outcome

    def _start(self, work: Callable[[Sender], Coroutine[Any, Any, Reply | LlmError]]) -> _Outcome:
        with self._lock:
            if self._closed:
                raise ClientClosed("this client is closed")
            if self._background is None:
                self._logs.install()
                self._background = Background(lambda: open_sender(self.endpoint, self._key, self._tally))
        return self._background.start(work(self._background.resource()))


def _request(messages: Messages, sample: int = 0) -> Request:
    return Request.model_validate({"messages": list(messages), "sample": sample})


def _outcome(task: _Outcome) -> Reply | LlmError:
    """Waits; an interrupt while waiting stops the task."""
    try:
        return task.result()
    except concurrent.futures.CancelledError:
        raise ClientClosed("the client was closed before its answer came") from None
    finally:
        task.cancel()
