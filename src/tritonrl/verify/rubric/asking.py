"""Asks the model, and makes findings of its opinion."""

from collections.abc import Iterator

from tritonrl.llm import Client, ClientClosed, Endpoint, LlmError, Request
from tritonrl.tasks import Task
from tritonrl.verify.rubric.opinion import RULES, NotJudged, Opinion, opinion_of
from tritonrl.verify.rubric.prompt import LONGEST_SHOWN, messages
from tritonrl.verify.verdict import NOT_JUDGED, Finding

LAYER = "judge"


def open_model(name: str) -> Client:
    """The client of `openai:NAME`, for any number of candidates. It keeps no answers: one that cannot be read
    should be asked for again."""
    return Client(Endpoint.named(name))


def question(task: Task, code: str, policy: str, sample: int = 0) -> Request:
    """What is asked about a candidate; `NotJudged` where it is too long to be shown."""
    asked = messages(task, code, policy)
    if sum(len(each.content) for each in asked) > LONGEST_SHOWN:
        raise NotJudged(f"reference and candidate have more than {LONGEST_SHOWN:,} characters")
    return Request(messages=asked, sample=sample)


def ask(client: Client, task: Task, code: str, policy: str) -> Opinion:
    """The model's opinion of a candidate, or `NotJudged`."""
    request = question(task, code, policy)
    try:
        return opinion_of(client.ask(request.messages))
    except LlmError as error:
        return opinion_of(error)
    except ClientClosed as error:
        raise NotJudged(str(error)) from None


def findings(opinion: Opinion) -> Iterator[Finding]:
    for number, reason in opinion.broken.items():
        message = f"the judge says that rule {number} of the rubric is broken ({RULES[number]}): {reason}"
        yield Finding(layer=LAYER, rule=f"rubric-{number}", message=message)


def not_judged(why: NotJudged) -> Finding:
    message = f"the judge gave no opinion, so that validity is not decided: {why}"
    return Finding(layer=LAYER, rule=NOT_JUDGED, message=message, severity="note")
