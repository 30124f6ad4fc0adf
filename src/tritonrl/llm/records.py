"""What goes to an endpoint and what comes back."""

import os
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from tritonrl.errors import UnknownNameError, UserError

DEFAULT_BASE_URL = "https://api.openai.com/v1"
PROVIDERS = ("openai",)

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Record(BaseModel):
    # An input that is refused may be a key in the wrong place: it is not shown.
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Endpoint(Record):
    """A model behind an address, and how it is to be asked. It holds no key, only where the key is."""

    model: str = Field(min_length=1, max_length=200)
    base_url: str | None = None
    """None means api.openai.com."""
    key_variable: str = "OPENAI_API_KEY"
    """The environment variable with the key."""
    price_in: NotNegative | None = None
    """Per million tokens read."""
    price_out: NotNegative | None = None
    """Per million tokens written."""
    requests_per_minute: Positive | None = None
    concurrency: int = Field(default=8, ge=1, le=1000)
    retries: int = Field(default=4, ge=0, le=20)
    seconds: Positive = 120.0
    """From sending a request to the last byte of its answer."""
    temperature: NotNegative | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    max_tokens: int | None = Field(default=None, ge=1)

    @classmethod
    def named(cls, name: str, **overrides: Any) -> "Endpoint":
        """`openai:MODEL`, at `OPENAI_BASE_URL` where that is set."""
        provider, _, model = name.partition(":")
        if provider not in PROVIDERS:
            raise UnknownNameError("provider", provider, list(PROVIDERS))
        fields = {"model": model, "base_url": os.environ.get("OPENAI_BASE_URL") or None} | overrides
        try:
            return cls.model_validate(fields)
        except ValidationError as error:
            wrong = [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors(include_input=False)]
        # Outside of `except`: pydantic's error carries what was refused.
        raise UserError(f"{name}: {'; '.join(wrong)}")

    @property
    def url(self) -> str:
        return self.base_url or DEFAULT_BASE_URL

    @property
    def is_openai(self) -> bool:
        return urlsplit(self.url).hostname == urlsplit(DEFAULT_BASE_URL).hostname

    @field_validator("base_url")
    @classmethod
    def _plain_address(cls, url: str | None) -> str | None:
        if url is None:
            return None
        if not _is_plain(url):
            # A UserError passes through pydantic as it is, without the address: it may hold a password.
            raise UserError(
                "base_url must be http(s)://host[:port][/path], without user, password, query or fragment"
            )
        return url.rstrip("/")

    @field_validator("key_variable")
    @classmethod
    def _name_of_variable(cls, name: str) -> str:
        if not (name.isidentifier() and name.isascii()):
            raise UserError("key_variable must be the name of an environment variable, not the key itself")
        return name


def _is_plain(url: str) -> bool:
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises where it is none
    except ValueError:
        return False
    return (
        parts.scheme in ("http", "https")
        and bool(parts.hostname)
        and url.isprintable()
        and not set(url) & set(" @?#\\")
    )


class Message(Record):
    role: Literal["system", "user", "assistant"]
    content: str

    @field_validator("content")
    @classmethod
    def _utf8(cls, text: str) -> str:
        """Half surrogates, which a judged candidate may hold, cannot be sent: they become `?`."""
        return text.encode(errors="replace").decode()


class Request(Record):
    messages: tuple[Message, ...] = Field(min_length=1)
    sample: int = 0
    """Tells apart answers to the same question; it is not sent."""


class Reply(Record):
    text: str
    finished: bool
    """False where the answer was cut off."""
    tokens_in: int | None
    """None where the server does not count."""
    tokens_out: int | None
    seconds: float
    cached: bool = False


class Usage(Record):
    """What was sent and answered since the client was made; answers from the cache cost nothing."""

    requests: int = 0
    """Questions that went out, each once."""
    retries: int = 0
    """Times that one of them went out again."""
    cached: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    uncounted: int = 0
    """Answers whose server told no count."""
    cost: float | None = None
    """Of all answers, in the currency of the prices; None where a price or a count is unknown."""
