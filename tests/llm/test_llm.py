"""The client over a real socket: good answers, every failure, and no key anywhere."""

import contextlib
import json
import logging
import signal
import subprocess
import sys
import threading
import time
import traceback
from email.utils import formatdate
from pathlib import Path

import pytest

from tests.llm.server import (
    DONE,
    USAGE,
    Server,
    completion,
    cut,
    echo,
    echo_in_pieces,
    endless,
    event,
    events,
    good,
    hang,
    raw,
    reset,
    sent,
    slow,
    status,
    trickle,
)
from tritonrl.errors import UnknownNameError, UserError
from tritonrl.llm import (
    Client,
    Endpoint,
    LlmError,
    Malformed,
    Overloaded,
    Refused,
    Rejected,
    Request,
    UnknownModel,
    Unreachable,
    patience,
)
from tritonrl.llm.secrecy import Scrubber, one_line

KEY = 'sk-Zx9/Qv7+distinctive"key'
ASKED = [{"role": "user", "content": "hello?"}]


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """A key, no waiting, and at the end no thread that was not there before."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setattr(patience, "BASE_DELAY_SECONDS", 0.001)
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) <= before


def client_of(server: Server, cache: Path | None = None, **fields) -> Client:
    return Client(Endpoint(model="m", base_url=server.url, **{"retries": 2, "seconds": 5} | fields), cache)


def asked(*script, **fields):
    """The answer under such a script, or the failure; and what was used."""
    with Server(*script) as server, client_of(server, **fields) as client:
        try:
            return client.ask(ASKED), client.usage
        except LlmError as error:
            return error, client.usage


def requests(count: int):
    return [Request(messages=({"role": "user", "content": str(n)},)) for n in range(count)]


# What is sent and what comes back.


def test_an_answer_and_its_price():
    reply, usage = asked(good("hi"), price_in=2.0, price_out=10.0)
    assert (reply.text, reply.finished, reply.cached) == ("hi", True, False)
    assert (reply.tokens_in, reply.tokens_out) == (7, 3)
    assert 0 < reply.seconds < 5
    assert (usage.requests, usage.retries, usage.cached) == (1, 0, 0)
    assert usage.cost == pytest.approx((7 * 2 + 3 * 10) / 1e6)


def test_only_what_was_set_is_sent():
    with Server(good()) as server, client_of(server, temperature=0.0, max_tokens=9) as client:
        client.ask(ASKED, sample=3)
        assert server.paths == ["/v1/chat/completions"]
        assert server.seen == [{"model": "m", "messages": ASKED, "temperature": 0.0, "max_tokens": 9}]


def test_half_surrogates_are_sent_as_question_marks():
    with Server(good()) as server, client_of(server) as client:
        client.ask([{"role": "user", "content": "a\ud800b"}])
        assert server.seen[0]["messages"][0]["content"] == "a?b"


@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_a_cut_answer_is_not_finished(reason: str):
    assert not asked(good("half", reason))[0].finished


def test_cut_off_while_reasoning():
    reply, _ = asked(sent(completion(None, "length")))
    assert (reply.text, reply.finished) == ("", False)


def test_a_server_that_does_not_count_has_no_price():
    reply, usage = asked(sent(completion("hi", usage=None)), price_in=1.0, price_out=1.0)
    assert reply.tokens_in is None
    assert usage.cost is None
    assert usage.uncounted == 1


def test_usage_without_prices_has_no_cost():
    _, usage = asked(good())
    assert (usage.tokens_in, usage.tokens_out, usage.cost) == (7, 3, None)


# Failures.

BAD = {
    "not json": raw(b"{oops"),
    "truncated": raw(json.dumps(completion("hello")).encode()[:-9]),
    "html": raw(b"<html>Bad gateway</html>", kind="text/html"),
    "empty": raw(b""),
    "null content": sent(completion(None)),
    "number": sent(completion(5)),
    "list": sent([1, 2]),
    "no choices": sent({"choices": []}),
    "choices of a wrong type": sent({"choices": {"0": 1}}),
    "counts of a wrong type": sent(completion("hi", usage={"prompt_tokens": "7"})),
    "negative count": sent(completion("hi", usage={"prompt_tokens": -1})),
    "huge count": raw(
        b'{"choices":[{"message":{"content":"a"}}],"usage":{"prompt_tokens":1' + b"0" * 5000 + b"}}"
    ),
    "deep": raw(b"[" * 100_000),
    "not utf-8": raw(b'{"choices":[{"message":{"content":"\xff"}}]}'),
    "bad gzip": raw(b"not gzip", Content_Encoding="gzip"),
    "error with 200": sent({"error": {"message": "sorry\x1b[31m"}}),
    "huge text": good("x" * (2**20 + 1)),
    "endless": endless(200),
}


@pytest.mark.parametrize("name", BAD)
def test_malformed(name: str):
    error, usage = asked(BAD[name])
    assert type(error) is Malformed
    assert_is_one_clean_line(error)
    assert (usage.requests, usage.retries) == (1, 0)


def test_the_largest_answer_is_taken():
    assert len(asked(good("x" * 2**20))[0].text) == 2**20


@pytest.mark.parametrize(
    ("code", "kind"),
    [(400, Rejected), (401, Refused), (403, Refused), (404, UnknownModel), (422, Rejected), (302, Rejected)],
)
def test_what_will_not_pass_is_not_retried(code: int, kind: type):
    error, usage = asked(status(code, "because\nof\x07this", Location="http://127.0.0.1:9/"))
    assert type(error) is kind
    assert_is_one_clean_line(error)
    assert "because of this" in str(error)
    assert usage.retries == 0


def test_refused_names_the_variable():
    assert "OPENAI_API_KEY" in str(asked(status(401))[0])


@pytest.mark.parametrize("code", [408, 409, 429, 500, 502, 503])
def test_what_may_pass_is_retried(code: int):
    reply, usage = asked(status(code), raw(b"<html>", code), good("at last"))
    assert reply.text == "at last"
    assert (usage.requests, usage.retries) == (1, 2)


def test_still_overloaded():
    error, usage = asked(raw(b"<html>" + b"x" * 9999, 503, "text/html"))
    assert type(error) is Overloaded
    assert_is_one_clean_line(error)
    assert usage.retries == 2


@pytest.mark.parametrize("broken", [reset, hang, trickle], ids=lambda act: act.__name__)
def test_a_broken_or_late_answer_is_retried(broken):
    reply, usage = asked(broken, good("at last"), seconds=0.3)
    assert (reply.text, usage.retries) == ("at last", 1)


def test_late_every_time():
    error, usage = asked(trickle, seconds=0.1, retries=1)
    assert type(error) is Unreachable
    assert "0.1 s" in str(error)
    assert usage.retries == 1


def test_nobody_listens():
    with Server(good()) as server:
        url = server.url
    with Client(Endpoint(model="m", base_url=url, retries=1)) as client, pytest.raises(Unreachable) as caught:
        client.ask(ASKED)
    assert_is_one_clean_line(caught.value)


def test_an_error_page_without_end():
    error, _ = asked(endless(400))
    assert type(error) is Rejected


def test_retry_after_is_honoured(monkeypatch):
    monkeypatch.setattr(patience, "BASE_DELAY_SECONDS", 60)
    started = time.monotonic()
    with Server(status(429, Retry_After="0.3"), good()) as server, client_of(server) as client:
        client.ask(ASKED)
        assert server.times[1] - server.times[0] >= 0.3
    assert time.monotonic() - started < 5


@pytest.mark.parametrize(
    ("value", "low", "high"),
    [
        ("2", 2, 2),
        ("1e9", 60, 60),
        ("inf", 60, 60),
        ("-3", 0, 0),
    ],
)
def test_retry_after_is_read_and_capped(value: str, low: float, high: float):
    assert low <= patience.read_retry_after(value) <= high


def test_retry_after_may_be_a_date():
    assert 1 <= patience.read_retry_after(formatdate(time.time() + 30, usegmt=True)) <= 30
    assert patience.read_retry_after(formatdate(time.time() - 30, usegmt=True)) == 0


@pytest.mark.parametrize("value", [None, "", "nan", "soon", "Mon, 99 Foo 2020"])
def test_no_retry_after(value):
    assert patience.read_retry_after(value) is None


def test_back_off_grows_and_ends(monkeypatch):
    monkeypatch.setattr(patience, "BASE_DELAY_SECONDS", 1.0)
    for number in range(1, 60):
        longest = min(2.0 ** (number - 1), patience.LONGEST_DELAY_SECONDS)
        assert longest / 2 <= patience.back_off(number) <= longest


# Many at once.


def test_many_in_order_of_completion():
    def by_number(handler):
        number = int(handler.body["messages"][0]["content"])
        act = {0: slow(0.5, good("0")), 2: status(400), 3: raw(b"?")}.get(number, good(str(number)))
        act(handler)

    with Server(by_number) as server, client_of(server, concurrency=3) as client:
        answers = list(client.ask_many(requests(6)))
        assert server.most_under_way <= 3
    outcomes = dict(answers)
    assert sorted(outcomes) == list(range(6))
    assert answers[0][0] != 0
    assert type(outcomes[2]) is Rejected
    assert type(outcomes[3]) is Malformed
    assert [outcomes[n].text for n in (0, 1, 4, 5)] == ["0", "1", "4", "5"]


def test_many_reads_no_further_than_it_must():
    taken = 0

    def endless_requests():
        nonlocal taken
        while True:
            taken += 1
            yield from requests(1)

    with Server(good()) as server, client_of(server, concurrency=4) as client:
        answers = client.ask_many(endless_requests())
        for number in range(10):
            next(answers)
            assert taken <= number + 4
        answers.close()
        assert client.ask(ASKED).text == "hello"


def test_concurrency_holds_over_threads():
    with Server(slow(0.1, good())) as server, client_of(server, concurrency=2) as client:
        threads = [threading.Thread(target=client.ask, args=(ASKED,)) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert server.most_under_way == 2


def test_an_error_of_the_source_is_not_swallowed():
    def failing():
        yield from requests(1)
        raise UserError("source")

    with Server(hang) as server, client_of(server) as client, pytest.raises(UserError, match="source"):
        list(client.ask_many(failing()))


def test_the_rate_is_even():
    with Server(good()) as server, client_of(server, requests_per_minute=600) as client:
        assert len(list(client.ask_many(requests(6)))) == 6
        assert server.times[-1] - server.times[0] > 0.4


def test_turns_are_evenly_apart(monkeypatch):
    slept = []

    async def sleep(seconds):
        slept.append(seconds)

    async def turns():
        pace = patience.Pace(120)
        for _ in range(4):
            await pace.turn()

    monkeypatch.setattr(patience.time, "monotonic", lambda: 100.0)
    monkeypatch.setattr(patience.asyncio, "sleep", sleep)
    with contextlib.suppress(StopIteration):
        turns().send(None)
    assert slept == [0.0, 0.5, 1.0, 1.5]


WAYS = {
    "ask": lambda client: client.ask(ASKED),
    "back-off": lambda client: client.ask(ASKED),
    "ask_many": lambda client: list(client.ask_many(requests(20))),
    "stream": lambda client: list(client.stream(ASKED)),
}


@pytest.fixture
def interruptible():
    """Whoever started the tests in the background has had interrupts ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupted_once_asked(server: Server) -> threading.Thread:
    def interrupt():
        while not server.seen:
            time.sleep(0.01)
        time.sleep(0.1)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    return thread


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals need it")
@pytest.mark.parametrize("way", WAYS)
def test_an_interrupt_leaves_nothing_running(way: str, interruptible, monkeypatch):
    monkeypatch.setattr(patience, "BASE_DELAY_SECONDS", 60)
    started = time.monotonic()
    with Server(status(500) if way == "back-off" else hang) as server:
        thread = interrupted_once_asked(server)
        with pytest.raises(KeyboardInterrupt), client_of(server, seconds=60) as client:
            WAYS[way](client)
        thread.join()
        assert not [t for t in threading.enumerate() if t.name == "tritonrl-llm"]
    assert time.monotonic() - started < 5


def test_a_closed_client():
    with Server(good()) as server:
        with client_of(server) as client:
            client.ask(ASKED)
        client.close()
        with pytest.raises(RuntimeError, match="closed"):
            client.ask(ASKED)
        with pytest.raises(RuntimeError, match="closed"):
            list(client.ask_many(requests(1)))


def test_closed_while_another_thread_waits():
    failures = []

    def wait(client):
        try:
            client.ask(ASKED)
        except RuntimeError as error:
            failures.append(error)

    with Server(hang) as server, client_of(server, seconds=60) as client:
        thread = threading.Thread(target=wait, args=(client,))
        thread.start()
        while not server.seen:
            time.sleep(0.01)
        client.close()
        thread.join(5)
    assert len(failures) == 1


# Streams.


def streamed(*script, **fields):
    with Server(*script) as server, client_of(server, **fields) as client:
        pieces, error = [], None
        try:
            for piece in client.stream(ASKED):
                pieces.append(piece)  # noqa: PERF402
        except LlmError as caught:
            error = caught
        return pieces, error, client.usage


HI = (event("he"), event("llo"), event(reason="stop"), USAGE, DONE)


def test_a_stream():
    pieces, error, usage = streamed(events(*HI))
    assert (pieces, error) == (["he", "llo"], None)
    assert (usage.requests, usage.tokens_in, usage.tokens_out) == (1, 7, 3)


def test_a_stream_returns_the_whole():
    def follow(client):
        reply = yield from client.stream(ASKED)
        yield reply

    with Server(events(event("he"), event("y", "length"), DONE)) as server, client_of(server) as client:
        *_, reply = follow(client)
        assert (reply.text, reply.finished) == ("hey", False)
        assert server.seen[0]["stream"] is True


def test_pieces_come_as_they_are_written():
    with Server(events(event("a"), then=hang)) as server, client_of(server, seconds=60) as client:
        pieces = client.stream(ASKED)
        assert next(pieces) == "a"
        pieces.close()


def test_a_stream_in_odd_packets():
    data = b": comment\r\nretry: 5\r\ngarbage\r\n\r\n" + b"".join(HI).replace(b"\n", b"\r\n")
    assert streamed(events(*(data[n : n + 1] for n in range(len(data)))))[0] == ["he", "llo"]


def test_a_stream_without_done_or_last_newline():
    assert streamed(events(event("hey"), event(reason="stop")[:-2]))[:2] == (["hey"], None)


@pytest.mark.parametrize(
    ("parts", "then", "kind"),
    [
        ([event("he")], None, Malformed),
        ([event("he")], cut, Unreachable),
        ([event("he"), b"data: {garbage\n\n"], None, Malformed),
        ([event("he"), b'data: {"error": {"message": "broke"}}\n\n'], None, Malformed),
        ([event("he"), b'data: {"choices": [{"delta": {"content": 5}}]}\n\n'], None, Malformed),
        ([event("he"), b"data: [1]\n\n", DONE], None, Malformed),
        ([event("he")] + [event("x" * 2**16)] * 17, None, Malformed),
    ],
)
def test_a_stream_that_breaks_off(parts, then, kind):
    pieces, error, usage = streamed(events(*parts, then=then))
    assert pieces[0] == "he"
    assert type(error) is kind
    assert_is_one_clean_line(error)
    assert usage.retries == 0


def test_a_line_without_end():
    assert type(streamed(endless(200))[1]) is Malformed


def test_a_stream_is_retried_before_its_first_piece():
    pieces, error, usage = streamed(status(500), events(then=cut), events(*HI))
    assert (pieces, error, usage.retries) == (["he", "llo"], None, 2)


def test_a_stream_that_is_refused():
    assert type(streamed(status(401))[1]) is Refused


# The cache.


def test_the_same_question_is_asked_once(tmp_path):
    with Server(good("half", "length")) as server:
        with client_of(server, tmp_path) as client:
            first = client.ask(ASKED)
            again = client.ask(ASKED)
            assert again == first.model_copy(update={"cached": True})
            assert (client.usage.requests, client.usage.cached, client.usage.tokens_in) == (1, 1, 7)
            client.ask(ASKED, sample=1)
            client.ask([{"role": "user", "content": "other"}])
        with client_of(server, tmp_path, temperature=0.5) as client:
            client.ask(ASKED)
        with client_of(server, tmp_path, retries=0, concurrency=1) as client:
            assert client.ask(ASKED).cached
            assert [reply.cached for _, reply in client.ask_many(requests(1) * 3)] == [False, True, True]
        assert len(server.seen) == 5
    assert not list(tmp_path.rglob("*.tmp"))


def test_a_torn_or_foreign_file_is_no_answer(tmp_path):
    with Server(good()) as server, client_of(server, tmp_path) as client:
        client.ask(ASKED)
        client.ask(ASKED, sample=1)
        mine, other = tmp_path.rglob("*.json")
        whole = mine.read_bytes()
        for content in (b"", whole[:-5], b"[]", b'{"text": 1}', b"\xff", other.read_bytes()):
            mine.write_bytes(content)
            assert sum(client.ask(ASKED, sample).cached for sample in (0, 1)) == 1
        assert client.ask(ASKED).cached


def test_failures_are_not_kept(tmp_path):
    with Server(status(400), raw(b"?"), good()) as server, client_of(server, tmp_path) as client:
        for _ in range(2):
            with pytest.raises(LlmError):
                client.ask(ASKED)
        assert not list(tmp_path.rglob("*.json"))
        assert not client.ask(ASKED).cached


def test_the_cache_needs_neither_server_nor_sdk(tmp_path):
    with Server(good("kept")) as server, client_of(server, tmp_path) as client:
        client.ask(ASKED)
    script = (
        "import sys; from pathlib import Path; from tritonrl.llm import Client, Endpoint\n"
        f"with Client(Endpoint(model='m', base_url={server.url!r}), Path({str(tmp_path)!r})) as client:\n"
        f"    assert client.ask({ASKED!r}).text == 'kept'\n"
        "assert 'openai' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_a_folder_that_is_a_file(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot keep answers"):
        Client(Endpoint(model="m"), tmp_path / "file")


# Endpoints.


def test_a_named_endpoint(monkeypatch):
    assert Endpoint.named("openai:qwen:7b").model == "qwen:7b"
    assert Endpoint.named("openai:m").base_url is None
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:8000/v1/")
    assert Endpoint.named("openai:m", retries=1).base_url == "http://localhost:8000/v1"
    assert Endpoint.named("openai:m", base_url="http://other/v1").base_url == "http://other/v1"
    with pytest.raises(UnknownNameError, match="openai"):
        Endpoint.named("azure:m")
    for wrong in ({"concurrency": 0}, {"seconds": float("nan")}, {"api_key": KEY}, {"key_variable": KEY}):
        with pytest.raises(UserError) as caught:
            Endpoint.named("openai:m", **wrong)
        assert_no_key(caught.value)
    with pytest.raises(UserError):
        Endpoint.named("openai:")


@pytest.mark.parametrize(
    "url",
    ["http://u:{}@host/v1", "http://{}@host", "http://host/v1?key={}", "http://host/#{}", "ftp://{}", "{}",
     "http://host:{}/v1", "http://", "http://a b/{}"],
)  # fmt: skip
def test_an_address_holds_no_secret(url: str, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", url.format(KEY))
    with pytest.raises(UserError) as caught:
        Endpoint.named("openai:m")
    assert_no_key(caught.value)
    with pytest.raises(UserError) as caught:
        Endpoint(model="m", base_url=url.format(KEY))
    assert_no_key(caught.value)


def test_the_environment_does_not_move_an_endpoint(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://elsewhere/v1")
    assert Endpoint(model="m").url == "https://api.openai.com/v1"


def test_a_missing_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(UserError, match="OPENAI_API_KEY"):
        Client(Endpoint(model="m"))
    assert asked(echo(200))[0].text == "you sent Bearer none"


@pytest.mark.parametrize(
    "key", ["sk-with\nnewline-inside", "sk-\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9", "two words"]
)
def test_a_key_that_is_none(key: str, monkeypatch):
    monkeypatch.setenv("MY_KEY", key)
    with pytest.raises(UserError, match="MY_KEY") as caught:
        Client(Endpoint(model="m", key_variable="MY_KEY"))
    assert key not in repr(caught.value)


def test_a_key_with_a_newline_at_its_end(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "tiny\n")
    assert asked(echo(200))[0].text == "you sent Bearer tiny"


# The key is nowhere.


def forms(key: str):
    return (key, json.dumps(key)[1:-1], repr(key)[1:-1], key[:10], key[4:-4])


def assert_no_key(*things):
    seen = []
    while things:
        seen += [str(thing) + repr(thing) for thing in things]
        seen += ["".join(traceback.format_exception(t)) for t in things if isinstance(t, BaseException)]
        things = [
            inner
            for thing in things
            if isinstance(thing, BaseException)
            for inner in (thing.__cause__, thing.__context__)
            if inner is not None
        ]
    assert not [text for text in seen if any(form in text for form in forms(KEY))]


def assert_is_one_clean_line(error: LlmError):
    assert len(str(error)) <= 300
    assert str(error).isprintable()
    assert error.__cause__ is None
    assert error.__context__ is None
    assert_no_key(error)


@pytest.mark.parametrize("level", [logging.INFO, logging.DEBUG])
def test_the_key_is_nowhere(level: int, tmp_path, caplog):
    caplog.set_level(level)
    script = [
        good(), echo(200), echo(400), echo(401), echo(404), echo(500), echo(503), echo(429), reset, raw(b"?"),
        lambda handler: handler.send(400, handler.headers["Authorization"].encode(), "text/plain"),
        lambda handler: handler.send(
            400, b" " * (2**14 - 20) + handler.headers["Authorization"].encode(), "text/plain"
        ),
        echo_in_pieces(100), echo_in_pieces(3), echo_in_pieces(1), echo(401),
    ]  # fmt: skip
    found = []
    with Server(*script) as server, client_of(server, tmp_path, retries=0) as client:
        for _, outcome in client.ask_many(requests(12)):
            found.append(outcome)
        for _ in range(3):
            pieces = list(client.stream(ASKED))
            found += [pieces, "".join(pieces)]
            assert "".join(pieces) == "you sent Bearer <key> indeed"
        with pytest.raises(Refused) as caught:
            list(client.stream(ASKED))
        found += [caught.value, client, client.usage, client.endpoint, client.endpoint.model_dump()]
    assert "you sent Bearer <key>" in [getattr(outcome, "text", None) for outcome in found]
    assert len([outcome for outcome in found if isinstance(outcome, LlmError)]) == 11
    assert_no_key(*found)
    assert len(caplog.records) > 10
    assert_no_key(*(record.getMessage() for record in caplog.records), *(vars(r) for r in caplog.records))
    assert_no_key(caplog.text, *(path.read_text() for path in tmp_path.rglob("*.json")))


def test_the_search_for_the_key_finds_it():
    for text in (f"x{KEY}", json.dumps(KEY), repr(KEY)):
        with pytest.raises(AssertionError):
            assert_no_key(text)
    outer = RuntimeError("fine")
    outer.__context__ = ValueError(KEY)
    with pytest.raises(AssertionError):
        assert_no_key(outer)


def test_the_halves_of_a_key_do_not_meet():
    scrub = Scrubber(KEY)
    assert KEY not in scrub.message(KEY[:9] + "\u200b" + KEY[9:])
    assert scrub.message("a\r\n\x1b[0m\u202eb") == "a [0m b"
    assert len(one_line("word " * 999)) == 300


def test_short_keys_are_words():
    assert Scrubber("EMPTY")("tl.EMPTY") == "tl.EMPTY"
    assert Scrubber("EMPTY").split("tl.EMP") == ("tl.EMP", "")
