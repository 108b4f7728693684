"""The server: routes, sign-in, quota, and faults on demand."""

import json
import socket
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

from .oauth import NotSignedInError, SignIns, body_of
from .refusals import RefusedError
from .routes import answered
from .state import Book, Sheet

_LARGEST = 10 * 1024**2


@dataclass(frozen=True)
class Fault:
    """What goes wrong with one request.

    `cut`: the connection breaks, before anything was done or when all of it was. Else the answer
    is an error: `status` with `message`, and `retry_after` as a header; `html`: no JSON but a page.
    """

    cut: Literal["before", "after"] | None = None
    status: int = 503
    message: str = "The service is currently unavailable."
    retry_after: str | None = None
    applied: bool = False  # the error comes although the request was carried out
    html: bool = False


@dataclass(frozen=True)
class Asked:
    """One request as it arrived."""

    method: str
    path: str
    query: Mapping[str, list[str]]
    body: Any
    size: int
    raw: bytes = field(repr=False, default=b"")


class GoogleServer:
    """Google Sheets and its sign-in on 127.0.0.1.

    Attributes:
        books: Spreadsheets by key.
        requests: Those of the API, in their order (not those for tokens).
        faults: For each of the next requests of the API, what goes wrong; None: nothing.
        per_minute: Reads, and as many writes, that one minute bears; None: any number.
    """

    def __init__(self) -> None:
        self.books: dict[str, Book] = {}
        self.sign_ins = SignIns()
        self.requests: list[Asked] = []
        self.faults: deque[Fault | None] = deque()
        self.per_minute: int | None = None
        self.url = ""
        self.lock = threading.Lock()
        self._minute: dict[tuple[str, int], int] = {}

    @property
    def token_url(self) -> str:
        """Where tokens are had."""
        return f"{self.url}/token"

    def add(self, key: str, title: str = "Verification") -> Book:
        """A new spreadsheet with one empty worksheet, open to all accounts."""
        self.books[key] = Book(key, title, [Sheet(0, "Sheet1")])
        return self.books[key]

    @property
    def reads(self) -> int:
        """How many requests only read."""
        return sum(asked.method == "GET" for asked in self.requests)

    @property
    def writes(self) -> int:
        """How many requests may have changed something."""
        return len(self.requests) - self.reads

    def check_quota(self, method: str) -> None:
        """Refuse what a minute does not bear any more."""
        kind = "Read" if method == "GET" else "Write"
        at = (kind, int(time.time() // 60))
        self._minute[at] = self._minute.get(at, 0) + 1
        if self.per_minute is not None and self._minute[at] > self.per_minute:
            raise RefusedError(
                429,
                f"Quota exceeded for quota metric '{kind} requests' and limit '{kind} requests per "
                "minute per user' of service 'sheets.googleapis.com' for consumer "
                "'project_number:1'.",
            )


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # an answer goes out in one piece: else each one waits for 40 ms
    disable_nagle_algorithm = True
    google: GoogleServer

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self._handle()

    def do_POST(self) -> None:
        self._handle()

    def do_PUT(self) -> None:
        self._handle()

    def _handle(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = urlsplit(self.path)
        if parts.path == "/token":
            self._token(raw)
            return
        query = parse_qs(parts.query, keep_blank_values=True)
        with self.google.lock:
            fault = self.google.faults.popleft() if self.google.faults else None
            status, body = self._answer(parts.path, query, raw, fault)
        if fault is not None and fault.cut:
            self._cut()
        elif fault is not None:
            self._fail(fault)
        else:
            self._send(status, json.dumps(body, ensure_ascii=False).encode("utf-8"))

    def _answer(
        self, path: str, query: Mapping[str, list[str]], raw: bytes, fault: Fault | None
    ) -> tuple[int, Any]:
        """The answer without the fault; what the fault keeps from happening is not done."""
        google = self.google
        try:
            body = json.loads(raw.decode("utf-8")) if raw else None
        except ValueError:
            return 400, RefusedError(400, "Invalid JSON payload received.").body()
        google.requests.append(Asked(self.command, path, query, body, len(raw), raw))
        if fault is not None and not (fault.cut == "after" or fault.applied):
            return 503, None
        try:
            google.check_quota(self.command)
            if len(raw) > _LARGEST:
                raise RefusedError(
                    400, f"Request payload size exceeds the limit: {_LARGEST} bytes."
                )
            email = google.sign_ins.who(self.headers.get("Authorization", ""))
            if email is None:
                raise RefusedError(
                    401, "Request had invalid authentication credentials. Expected OAuth 2 access"
                )
            return 200, answered(google.books, email, self.command, path, query, body)
        except RefusedError as error:
            return error.code, error.body()

    def _token(self, raw: bytes) -> None:
        form = {name: found[0] for name, found in parse_qs(raw.decode("utf-8")).items()}
        try:
            with self.google.lock:
                self._send(200, json.dumps(self.google.sign_ins.token(form)).encode())
        except NotSignedInError as error:
            self._send(400, body_of(error))

    def _fail(self, fault: Fault) -> None:
        if fault.html:
            self._send(fault.status, b"<html>proxy</html>", kind="text/html")
            return
        headers = {"Retry-After": fault.retry_after} if fault.retry_after is not None else {}
        body = json.dumps(RefusedError(fault.status, fault.message).body()).encode()
        self._send(fault.status, body, headers)

    def _cut(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _send(
        self,
        status: int,
        body: bytes,
        headers: Mapping[str, str] | None = None,
        kind: str = "application/json; charset=UTF-8",
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""


@contextmanager
def served() -> Iterator[GoogleServer]:
    """A server that answers while the block lasts."""
    google = GoogleServer()
    handler = type("Handler", (_Handler,), {"google": google})
    server = _Server(("127.0.0.1", 0), handler)
    google.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield google
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
