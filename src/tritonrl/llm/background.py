"""A thread with an event loop and one resource in it, for callers that are not asynchronous.

Tasks, unlike threads, can be stopped while they wait for a server: `close` cancels them all, and nothing is
left running.
"""

import asyncio
import concurrent.futures
import contextlib
import threading
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from typing import Any, Generic, TypeVar

_Resource = TypeVar("_Resource")
_Result = TypeVar("_Result")


class Background(Generic[_Resource]):
    def __init__(self, opened: Callable[[], AbstractAsyncContextManager[_Resource]]) -> None:
        self._opened = opened
        self._ready: concurrent.futures.Future[_Resource] = concurrent.futures.Future()
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        # A daemon: a client that nobody closes does not keep the interpreter from ending.
        self._thread = threading.Thread(target=self._run, name="tritonrl-llm", daemon=True)
        self._thread.start()

    def resource(self) -> _Resource:
        """Waits until it is there; raises what opening it raised."""
        return self._ready.result()

    def start(self, coroutine: Coroutine[Any, Any, _Result]) -> concurrent.futures.Future[_Result]:
        try:
            return asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        except RuntimeError:
            coroutine.close()  # the loop is closed, and nobody else would
            raise

    def close(self) -> None:
        """Cancel every task, close the resource, join the thread."""
        with contextlib.suppress(RuntimeError):  # closed before
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _run(self) -> None:
        # The runner also waits for the threads that look up host names.
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._main())

    async def _main(self) -> None:
        try:
            async with self._opened() as resource:
                self._ready.set_result(resource)
                await self._stop.wait()
                tasks = asyncio.all_tasks() - {asyncio.current_task()}
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
        except BaseException as error:
            if self._ready.done():
                raise
            self._ready.set_exception(error)
