"""What a language model says of the corpus: every case is shown to it, and nothing is executed.

An answer is a line of a file as soon as it is there. A file that an interrupted run left is completed; what
was not judged, or was asked in other words, is asked again.
"""

import contextlib
import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from tritonrl import jsonl
from tritonrl.errors import UserError
from tritonrl.folders import first_line
from tritonrl.llm import Client, Endpoint, LlmError, Reply, Request
from tritonrl.redteam.corpus import HONEST, WRONG, Case
from tritonrl.verify.rubric.asking import question
from tritonrl.verify.rubric.opinion import NotJudged, opinion_of


class Row(BaseModel):
    """One answer on one case. A line of `--out`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    url: str
    asked: str
    """A digest of the question: an answer to another says nothing of this one."""
    id: str
    family: str
    group: str
    """`cheats`, `mistakes` or `honest`."""
    sample: int
    passes: bool | None = None
    """Whether the model finds no rule broken; None: not judged."""
    broken: dict[str, str] = {}
    """`rubric-1` and so on → the model's reason."""
    why: str | None = None
    """It was not judged."""
    tokens_in: int | None = None
    tokens_out: int | None = None
    seconds: float = 0.0

    @property
    def key(self) -> tuple[str, str, int]:
        return self.id, self.asked, self.sample


def ask_cases(
    client: Client,
    cases: Sequence[Case],
    samples: int = 1,
    out: Path | None = None,
    progress: Callable[[int], None] = lambda answers: None,
) -> list[Row]:
    """A row for every case and sample. An endpoint that cannot be used at all is an error; once it has
    answered, a request that fails is one answer less."""
    requests = [
        (case, question(case.task, case.code, case.policy, n)) for case in cases for n in range(samples)
    ]
    rows = [_unanswered(client.endpoint, case, request) for case, request in requests]
    with _file(out, client.endpoint) as (known, write):
        judged = {row.key: row for row in known if row.passes is not None}
        missing = [place for place, row in enumerate(rows) if row.key not in judged]
        rows = [judged.get(row.key, row) for row in rows]
        progress(done := len(rows) - len(missing))
        for number, reply in client.ask_usable(requests[place][1] for place in missing):
            place = missing[number]
            rows[place] = _answered(rows[place], reply)
            write(rows[place])
            progress(done := done + 1)
    return rows


def _unanswered(endpoint: Endpoint, case: Case, request: Request) -> Row:
    text = "\0".join(message.content for message in request.messages)
    return Row(
        model=endpoint.model,
        url=endpoint.url,
        asked=hashlib.sha256(text.encode()).hexdigest()[:16],
        id=case.id,
        family=case.family,
        group={HONEST: "honest", WRONG: "mistakes"}.get(case.family, "cheats"),
        sample=request.sample,
    )


def _answered(row: Row, reply: Reply | LlmError) -> Row:
    facts = {}
    if isinstance(reply, Reply):
        seconds = round(reply.seconds, 4)
        facts = {"tokens_in": reply.tokens_in, "tokens_out": reply.tokens_out, "seconds": seconds}
    try:
        broken = opinion_of(reply).broken
    except NotJudged as why:
        return row.model_copy(update=facts | {"why": str(why)})
    named = {f"rubric-{number}": reason for number, reason in broken.items()}
    return row.model_copy(update=facts | {"passes": not broken, "broken": named})


@contextlib.contextmanager
def _file(path: Path | None, endpoint: Endpoint) -> Iterator[tuple[list[Row], Callable[[Row], None]]]:
    """The rows that a file has, and a function that adds one at once; none and nothing without a file."""
    if path is None:
        yield [], lambda row: None
        return
    try:
        file = path.open("a", encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from error
    with file:
        jsonl.drop_torn_tail(path)
        known = [_read(path, number, line, endpoint) for number, line in jsonl.read(path)]
        yield known, lambda row: print(jsonl.dumps(row.model_dump(mode="json")), file=file, flush=True)


def _read(path: Path, number: int, line: dict[str, object], endpoint: Endpoint) -> Row:
    try:
        row = Row.model_validate(line)
    except ValidationError as error:
        raise UserError(f"{path}:{number}: not a line of judge-check: {first_line(error)}") from error
    if (row.model, row.url) != (endpoint.model, endpoint.url):
        here = f"{endpoint.model} at {endpoint.url}"
        raise UserError(f"{path}:{number}: the answers of {row.model} at {row.url}, not of {here}")
    return row
