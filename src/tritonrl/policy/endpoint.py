"""Any model behind an OpenAI-compatible endpoint."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from tritonrl.llm import Client, Endpoint, LlmError, Request
from tritonrl.policy.policy import Hear, Proposal, unheard
from tritonrl.policy.prompts import messages, revision
from tritonrl.tasks import Task
from tritonrl.verify import Verdict


class EndpointPolicy:
    """Asks for all samples at once; they come as they are ready."""

    def __init__(self, endpoint: Endpoint, cache: Path | None = None) -> None:
        self._endpoint, self._cache = endpoint, cache
        self.scope = (
            f"{endpoint.model} writes what it likes, for any module; nothing is known of it beforehand"
        )

    def note(self, task: Task) -> str | None:
        return None

    def propose(self, task: Task, samples: Sequence[int], hear: Hear = unheard) -> Iterator[Proposal]:
        """An endpoint that cannot be used at all is an error; once it has answered, a request that fails is
        one answer less. Texts are streamed where somebody hears them."""
        requests = [Request(messages=messages(task), sample=sample) for sample in samples]
        yield from self._answers(requests, hear)

    def revise(
        self, task: Task, earlier: str, verdict: Verdict, sample: int, hear: Hear = unheard
    ) -> Proposal:
        """It is shown its answer and what was found in it."""
        asked = (*messages(task), *revision(earlier, verdict))
        return next(self._answers([Request(messages=asked, sample=sample)], hear))

    def _answers(self, requests: Sequence[Request], hear: Hear) -> Iterator[Proposal]:
        with Client(self._endpoint, self._cache) as client:
            pieces = None if hear is unheard else lambda number, piece: hear(requests[number].sample, piece)
            for number, reply in client.ask_usable(requests, pieces):
                sample = requests[number].sample
                if isinstance(reply, LlmError):
                    yield Proposal(sample, error=str(reply))
                    continue
                yield Proposal(
                    sample, reply.text, seconds=round(reply.seconds, 4),
                    tokens_in=reply.tokens_in, tokens_out=reply.tokens_out,
                )  # fmt: skip
