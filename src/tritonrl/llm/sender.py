"""Sends requests through the `openai` SDK, again where a failure may pass, and says what went wrong.

A failed request is an `LlmError` that is returned, not raised, and that refers to no other exception: those
of the libraries below hold the request, the server's words, and with them perhaps the key.
"""

import asyncio
import contextlib
import importlib
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from tritonrl.llm.completion import LARGEST_BODY_BYTES, Answer, EventReader, read_complaint, read_completion
from tritonrl.llm.errors import (
    LlmError,
    Malformed,
    Overloaded,
    Refused,
    Rejected,
    UnknownModel,
    Unreachable,
)
from tritonrl.llm.patience import Pace, back_off, may_pass, read_retry_after
from tritonrl.llm.records import Endpoint, Reply, Request
from tritonrl.llm.secrecy import Scrubber
from tritonrl.llm.tally import Tally

LARGEST_COMPLAINT_BYTES = 2**14

_OF_STATUS = {401: Refused, 403: Refused, 404: UnknownModel}


class _BadStatus(Exception):
    """Any status but 2xx, with the beginning of what came with it."""

    def __init__(self, status: int, retry_after: str | None, body: bytes) -> None:
        super().__init__(status)
        self.status, self.retry_after, self.body = status, retry_after, body


@dataclass(frozen=True)
class _Failure:
    error: LlmError
    may_pass: bool = False
    retry_after_seconds: float | None = None


@contextlib.asynccontextmanager
async def open_sender(endpoint: Endpoint, key: str, tally: Tally) -> AsyncIterator["Sender"]:
    """A sender, for as long as its connections are open."""
    import openai

    async def stop_at_bad_status(response: Any) -> None:
        # The SDK would read an error page of any size.
        if not response.is_success:
            body = bytearray()
            with contextlib.suppress(*raised.broken):
                async with contextlib.aclosing(response.aiter_bytes()) as chunks:
                    async for chunk in chunks:
                        body += chunk
                        if len(body) > LARGEST_COMPLAINT_BYTES:
                            break
            beginning = bytes(body[:LARGEST_COMPLAINT_BYTES])
            raise _BadStatus(response.status_code, response.headers.get("retry-after"), beginning)

    raised = _raised_below()
    # A redirect would carry the prompt to an address that nobody named.
    http = openai.DefaultAsyncHttpxClient(
        follow_redirects=False, event_hooks={"response": [stop_at_bad_status]}
    )
    async with openai.AsyncOpenAI(
        api_key=key, base_url=endpoint.url, timeout=endpoint.seconds, max_retries=0, http_client=http
    ) as sdk:
        yield Sender(endpoint, sdk, Scrubber(key), tally, raised)


@dataclass(frozen=True)
class _Raised:
    """What the SDK and the libraries under it raise."""

    broken: tuple[type[Exception], ...]
    """No connection, or one that broke."""
    late: tuple[type[Exception], ...]
    garbled: tuple[type[Exception], ...]
    """A body that is not compressed as it claims."""


def _raised_below() -> _Raised:
    import anyio
    import openai

    http = importlib.import_module("httpx" if openai.__version__.startswith("2.") else "httpx2")
    return _Raised(
        broken=(openai.APIError, http.RequestError, anyio.EndOfStream, OSError),
        late=(openai.APITimeoutError, http.TimeoutException, TimeoutError),
        garbled=(http.DecodingError,),
    )


class Sender:
    """Lives in one event loop."""

    def __init__(self, endpoint: Endpoint, sdk: Any, scrub: Scrubber, tally: Tally, raised: _Raised) -> None:
        self._endpoint, self._sdk, self._raised = endpoint, sdk, raised
        self._scrub, self._tally = scrub, tally
        self._places = asyncio.Semaphore(endpoint.concurrency)
        self._pace = Pace(endpoint.requests_per_minute)

    async def answer(self, request: Request) -> Reply | LlmError:
        async def whole() -> Answer:
            body = bytearray()
            async with contextlib.aclosing(self._body(request, stream=False)) as chunks:
                async for chunk in chunks:
                    body += chunk
                    if len(body) > LARGEST_BODY_BYTES:
                        raise Malformed(f"more than {LARGEST_BODY_BYTES:,} bytes")
            return read_completion(bytes(body))

        return await self._patiently(whole, lambda: True)

    async def stream(self, request: Request, put: Callable[[str], None]) -> Reply | LlmError:
        """Hands over the text in pieces; once there is one, a failure is not retried."""
        num_put = 0

        async def pieces() -> Answer:
            nonlocal num_put
            reader, held = EventReader(), ""
            async with (
                contextlib.aclosing(self._body(request, stream=True)) as body,
                contextlib.aclosing(reader.pieces(body)) as found,
            ):
                async for piece in found:
                    ready, held = self._scrub.split(held + piece)
                    if ready:
                        num_put += 1
                        put(ready)
            if held:
                put(held)
            return reader.answer

        return await self._patiently(pieces, lambda: num_put == 0)

    async def _patiently(
        self, work: Callable[[], Awaitable[Answer]], may_repeat: Callable[[], bool]
    ) -> Reply | LlmError:
        async with self._places:
            self._tally.add(requests=1)
            num_failures = 0
            while True:
                await self._pace.turn()
                outcome = await self._attempt(work)
                if isinstance(outcome, Reply):
                    self._tally.add_reply(outcome)
                    return outcome
                num_failures += 1
                if not (outcome.may_pass and may_repeat()) or num_failures > self._endpoint.retries:
                    return outcome.error
                wait = outcome.retry_after_seconds
                await asyncio.sleep(back_off(num_failures) if wait is None else wait)
                self._tally.add(retries=1)

    async def _attempt(self, work: Callable[[], Awaitable[Answer]]) -> Reply | _Failure:
        started = time.monotonic()
        try:
            async with asyncio.timeout(self._endpoint.seconds):
                answer = await work()
        except _BadStatus as error:
            return self._of_status(error)
        except Malformed as error:
            return _Failure(Malformed(self._message(str(error))))
        except self._raised.garbled:
            return _Failure(Malformed(self._message("no chat completion: it cannot be decompressed")))
        except self._raised.late:
            late = f"no answer within {self._endpoint.seconds:g} s"
            return _Failure(Unreachable(self._message(late)), may_pass=True)
        except self._raised.broken as error:
            if isinstance(error.__cause__, _BadStatus):  # as openai 2 wraps what a hook raises
                return self._of_status(error.__cause__)
            return _Failure(Unreachable(self._message(_reason(error))), may_pass=True)
        return Reply(
            text=self._scrub(answer.text),
            finished=answer.finished,
            tokens_in=answer.tokens_in,
            tokens_out=answer.tokens_out,
            seconds=time.monotonic() - started,
        )

    async def _body(self, request: Request, stream: bool) -> AsyncGenerator[bytes, None]:
        end = self._endpoint
        # OpenAI's newer models refuse the old name, servers of one's own may not know the new.
        limit = "max_completion_tokens" if end.is_openai else "max_tokens"
        optional = {"temperature": end.temperature, "top_p": end.top_p, limit: end.max_tokens}
        if stream:
            optional |= {"stream": True, "stream_options": {"include_usage": True}}
        sending = self._sdk.chat.completions.with_streaming_response.create(
            model=end.model,
            messages=[message.model_dump() for message in request.messages],
            **{name: value for name, value in optional.items() if value is not None},
        )
        async with sending as response, contextlib.aclosing(response.iter_bytes()) as chunks:
            async for chunk in chunks:
                yield chunk

    def _of_status(self, bad: _BadStatus) -> _Failure:
        passing = may_pass(bad.status)
        kind = Overloaded if passing else _OF_STATUS.get(bad.status, Rejected)
        hint = ""
        if kind is Refused:
            hint = f" (the key was looked for in {self._endpoint.key_variable})"
        elif kind is UnknownModel:
            hint = f" (is there a model {self._endpoint.model!r}, and is the address right?)"
        said = read_complaint(bad.body)
        if len(bad.body) >= LARGEST_COMPLAINT_BYTES:
            said, _ = self._scrub.split(said)  # it may have been cut inside the key
        error = kind(self._message(f"status {bad.status}{hint}: {said.strip() or 'no reason given'}"))
        return _Failure(error, passing, read_retry_after(bad.retry_after))

    def _message(self, text: str) -> str:
        return self._scrub.message(f"{self._endpoint.url}: {text}")


def _reason(error: BaseException) -> str:
    """What the innermost exception says: those around it say "Connection error."."""
    while inner := error.__cause__ or error.__context__:
        error = inner
    return f"the connection failed: {str(error) or type(error).__name__}"
