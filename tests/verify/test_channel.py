"""The channel believes nothing: sizes, JSON, time and descriptors are bounded by the side that receives."""

import json
import os
import socket
import struct
import threading
import time
from collections.abc import Iterator

import pytest

from tritonrl.verify.channel import LARGEST_FRAME, MOST_DESCRIPTORS, Channel, Closed, Late, Malformed


@pytest.fixture
def ends() -> Iterator[tuple[Channel, Channel]]:
    """The judge's end, and the other one."""
    judge, other = Channel.pair()
    yield judge, other
    judge.close()
    other.close()


def frame(content: bytes) -> bytes:
    return struct.pack("!I", len(content)) + content


def num_open() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.parametrize(
    "message",
    [{}, {"do": "call", "list": [1, 2.5, None, True]}, {"text": "ü\n\0 \ud800"}, {"long": "x" * 100_000}],
    ids=["empty", "nested", "any text", "long"],
)
def test_what_is_sent_is_received_in_both_directions(ends: tuple[Channel, Channel], message: dict):
    judge, other = ends
    for sender, receiver in ((judge, other), (other, judge)):
        sending = threading.Thread(target=sender.send, args=(message,))
        sending.start()
        assert receiver.receive(5) == message
        sending.join()


def test_messages_keep_their_order_and_their_bounds(ends: tuple[Channel, Channel]):
    judge, other = ends
    for number in range(20):
        other.send({"number": number})
    assert [judge.receive(5)["number"] for _ in range(20)] == list(range(20))


def test_a_message_that_comes_byte_by_byte_is_whole(ends: tuple[Channel, Channel]):
    judge, other = ends

    def dribble() -> None:
        for byte in frame(b'{"slow": 1}'):
            other.socket.sendall(bytes([byte]))
            time.sleep(0.002)

    sending = threading.Thread(target=dribble)
    sending.start()
    assert judge.receive(5) == {"slow": 1}
    sending.join()


def test_a_message_that_is_too_long_is_refused_before_it_is_read(ends: tuple[Channel, Channel]):
    judge, other = ends
    other.socket.sendall(struct.pack("!I", LARGEST_FRAME + 1))
    with pytest.raises(Malformed, match=f"{LARGEST_FRAME + 1:,} bytes"):
        judge.receive(5)


def test_the_longest_message_is_accepted(ends: tuple[Channel, Channel]):
    judge, other = ends
    message = {"long": "x" * (LARGEST_FRAME - len('{"long": ""}'))}
    assert len(json.dumps(message)) == LARGEST_FRAME
    sending = threading.Thread(target=other.send, args=(message,))
    sending.start()
    assert judge.receive(20) == message
    sending.join()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[1, 2]",
        b'"text"',
        b"7",
        b"null",
        b"{'single': 1}",
        b"[" * 100_000,
        b"9" * 10_000,
    ],
    ids=["nothing", "half", "no text", "list", "string", "number", "null", "quotes", "nesting", "digits"],
)
def test_garbage_is_named_as_such(ends: tuple[Channel, Channel], content: bytes):
    judge, other = ends
    other.socket.sendall(frame(content))
    with pytest.raises(Malformed):
        judge.receive(5)


def test_silence_is_late(ends: tuple[Channel, Channel]):
    judge, _ = ends
    started = time.monotonic()
    with pytest.raises(Late):
        judge.receive(0.1)
    assert 0.09 < time.monotonic() - started < 2


@pytest.mark.parametrize("sent", [b"\0", struct.pack("!I", 10), frame(b'{"a": 1}')[:-1]])
def test_half_a_message_is_late(ends: tuple[Channel, Channel], sent: bytes):
    judge, other = ends
    other.socket.sendall(sent)
    with pytest.raises(Late):
        judge.receive(0.1)


def test_a_drip_does_not_stretch_the_deadline(ends: tuple[Channel, Channel]):
    judge, other = ends
    over = threading.Event()

    def drip() -> None:
        other.socket.sendall(struct.pack("!I", 1000))
        while not over.wait(0.03):
            other.socket.sendall(b" ")

    sending = threading.Thread(target=drip)
    sending.start()
    started = time.monotonic()
    with pytest.raises(Late):
        judge.receive(0.3)
    assert time.monotonic() - started < 2
    over.set()
    sending.join()


@pytest.mark.parametrize("sent", [b"", b"\0\0", frame(b'{"a": 1}')[:-1]])
def test_an_end_that_is_gone_is_closed(ends: tuple[Channel, Channel], sent: bytes):
    judge, other = ends
    other.socket.sendall(sent)
    other.close()
    with pytest.raises(Closed):
        judge.receive(5)
    with pytest.raises(Closed):
        judge.send({"late": True}, timeout=5)


def test_an_end_that_does_not_read_is_late(ends: tuple[Channel, Channel]):
    judge, _ = ends
    with pytest.raises(Late, match="does not read"):
        judge.send({"long": "x" * 10_000_000}, timeout=0.2)


def test_descriptors_reach_the_side_that_takes_them(ends: tuple[Channel, Channel]):
    judge, other = ends
    reading, writing = os.pipe()
    judge.send({"take": "this"}, [writing])
    os.close(writing)
    assert other.receive(5) == {"take": "this"}
    (taken,) = other.take_descriptors()
    os.write(taken, b"hello")
    os.close(taken)
    assert os.read(reading, 5) == b"hello"
    os.close(reading)
    assert other.take_descriptors() == []


def test_descriptors_sent_to_the_judge_are_dropped(ends: tuple[Channel, Channel]):
    judge, other = ends
    reading, writing = os.pipe()
    before = num_open()
    for _ in range(10):
        other.send({"have": "some"}, [writing] * MOST_DESCRIPTORS)
        assert judge.receive(5) == {"have": "some"}
    assert num_open() == before
    assert judge.take_descriptors() == []
    os.close(writing)
    assert os.read(reading, 1) == b"", "no copy of the writing end is left anywhere"
    os.close(reading)


def test_no_more_descriptors_are_taken_than_allowed(ends: tuple[Channel, Channel]):
    judge, other = ends
    reading, writing = os.pipe()
    judge.send({}, [writing] * (MOST_DESCRIPTORS + 5))
    other.receive(5)
    taken = other.take_descriptors()
    assert len(taken) == MOST_DESCRIPTORS
    for descriptor in (*taken, reading, writing):
        os.close(descriptor)


def test_a_number_of_a_descriptor_is_a_number(ends: tuple[Channel, Channel]):
    judge, other = ends
    other.socket.sendall(frame(json.dumps({"descriptor": 0}).encode()))
    assert judge.receive(5) == {"descriptor": 0}
    assert isinstance(judge.socket, socket.socket)
    assert judge.take_descriptors() == []
