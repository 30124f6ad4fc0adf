"""A chat server on 127.0.0.1 that does as it is told: a script says how each request is answered.

`Server(good("hi"), status(500))` answers the first request well and all later ones badly: the last act stays.
"""

import contextlib
import json
import socket
import struct
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "Server"

    def do_POST(self) -> None:
        self.body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.counted = True
        act = self.server.begin(self)
        with contextlib.suppress(ConnectionError):
            act(self)
        self.server.end(self)

    def end_headers(self) -> None:
        self.server.end(self)  # before the client can know, and send the next
        super().end_headers()

    def send(self, code: int, body: bytes, kind: str = "application/json", **headers: str) -> None:
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


Act = Callable[[Handler], None]


class Server(ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True
    request_queue_size = 128

    def __init__(self, *script: Act) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = list(script)
        self.released = threading.Event()
        self.seen: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.times: list[float] = []
        self.under_way = self.most_under_way = 0
        self.open_sockets: set[socket.socket] = set()
        self.lock = threading.Lock()
        self.thread = threading.Thread(target=self.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def begin(self, handler: Handler) -> Act:
        with self.lock:
            self.seen.append(handler.body)
            self.paths.append(handler.path)
            self.times.append(time.monotonic())
            self.under_way += 1
            self.most_under_way = max(self.most_under_way, self.under_way)
            return self.script.pop(0) if len(self.script) > 1 else self.script[0]

    def end(self, handler: Handler) -> None:
        with self.lock:
            self.under_way -= handler.counted
            handler.counted = False

    def get_request(self):
        made, address = super().get_request()
        with self.lock:
            self.open_sockets.add(made)
        return made, address

    def shutdown_request(self, request: Any) -> None:
        with self.lock:
            self.open_sockets.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # a client that went away

    def __enter__(self) -> "Server":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.released.set()
        self.shutdown()
        self.thread.join()
        with self.lock:
            for left in self.open_sockets:
                with contextlib.suppress(OSError):
                    left.shutdown(socket.SHUT_RDWR)
        self.server_close()


def completion(text: Any, reason: str | None = "stop", **fields: Any) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    return {"id": "x", "object": "chat.completion", "choices": [choice], "usage": usage} | fields


def sent(document: Any, code: int = 200, **headers: str) -> Act:
    return lambda handler: handler.send(code, json.dumps(document).encode(), **headers)


def raw(body: bytes, code: int = 200, kind: str = "application/json", **headers: str) -> Act:
    return lambda handler: handler.send(code, body, kind, **headers)


def good(text: str = "hello", reason: str = "stop") -> Act:
    return sent(completion(text, reason))


def status(code: int, message: str = "no", **headers: str) -> Act:
    return sent({"error": {"message": message}}, code, **headers)


def slow(seconds: float, then: Act) -> Act:
    def act(handler: Handler) -> None:
        handler.server.released.wait(seconds)
        then(handler)

    return act


def hang(handler: Handler) -> None:
    """No answer for as long as the server lives."""
    handler.server.released.wait()
    handler.close_connection = True


def trickle(handler: Handler) -> None:
    """A space every 20 ms: never silent, never done."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000000")
    handler.end_headers()
    while not handler.server.released.wait(0.02):
        handler.wfile.write(b" ")
        handler.wfile.flush()


def reset(handler: Handler) -> None:
    """Half a body, then a reset."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')
    handler.wfile.flush()
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.close_connection = True


def echo(code: int) -> Act:
    """The key comes back wherever a server can put it."""

    def act(handler: Handler) -> None:
        told = handler.headers["Authorization"]
        handler.send_response(code, told)
        body = (
            completion(f"you sent {told}")
            if code == 200
            else {"error": {"message": f"bad {told}", "more": told}}
        )
        data = json.dumps(body).encode()
        handler.send_header("Content-Length", str(len(data)))
        handler.send_header("x-request-id", told)
        handler.send_header("Set-Cookie", f"key={told}")
        handler.end_headers()
        handler.wfile.write(data)

    return act


def endless(code: int) -> Act:
    """Bytes for as long as the client takes them."""

    def act(handler: Handler) -> None:
        handler.send_response(code)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        handler.close_connection = True
        block = b"x" * 65536
        while not handler.server.released.is_set():
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(block), block))

    return act


def event(content: str | None = None, reason: str | None = None, **fields: Any) -> bytes:
    choice = {"index": 0, "delta": {"content": content} if content else {}, "finish_reason": reason}
    return b"data: " + json.dumps({"choices": [choice]} | fields).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"
USAGE = event(choices=[], usage={"prompt_tokens": 7, "completion_tokens": 3})


def events(*parts: bytes, pause: float = 0.0, then: Act | None = None) -> Act:
    """A stream of these bytes, each in a write of its own."""

    def act(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for part in parts:
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            handler.wfile.flush()
            handler.server.released.wait(pause)
        if then is not None:
            return then(handler)
        handler.wfile.write(b"0\r\n\r\n")

    return act


def cut(handler: Handler) -> None:
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.close_connection = True


def echo_in_pieces(size: int) -> Act:
    """The key comes back in an answer, so many characters at a time."""

    def act(handler: Handler) -> None:
        text = f"you sent {handler.headers['Authorization']} indeed"
        pieces = [event(text[at : at + size]) for at in range(0, len(text), size)]
        events(*pieces, event(reason="stop"), DONE)(handler)

    return act
