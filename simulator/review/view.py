"""The page of a run, served on this machine, with verdicts written straight into the store.

Only who knows the token gets anything but the empty shell. It stands in the address's fragment,
which no browser sends, and in no log; nor does the page send it: it signs with it what it asks.
Names of other hosts that lead here are refused, and so is what pages of others send.
"""

import asyncio
import hmac
import json
import logging
import re
import secrets
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import sha256
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Generic, Literal, NamedTuple, Protocol, TypeVar

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from simulator import config
from simulator.core.clean import clean
from simulator.core.concurrency import aside
from simulator.core.errors import InputError, StoreError
from simulator.core.run import Run, RunHeader
from simulator.core.talk import Reply
from simulator.core.verdict import Verdict, Word
from simulator.formats.own_files import make_private, own_text
from simulator.reports.html import lead_part, shell, since_part
from simulator.reports.html.data import Beside, answer_hash, write_json
from simulator.results.verdict import standings
from simulator.review.lineage import when
from simulator.store.store import Store, location_of
from simulator.view.compare_view import CompareView
from simulator.view.stored_run import stored_run, with_folded
from simulator.worksheets.book import LONGEST_CELL

HOST = "127.0.0.1"
_PORT = 6644
_TOKEN_BYTES = 24  # of a token
_MOST = 100  # runs whose addresses are kept
_LARGEST = 100_000  # bytes
_TOKEN = re.compile(r"[\w-]{32,64}", re.ASCII)
_ANY = ("utf-8", "surrogateescape")  # a header may hold any byte


def foreign(port: int, headers: Mapping[str, str]) -> str:
    """Why a request to this port is nobody's of this machine: another name, or another page."""
    ours = {f"{name}:{port}" for name in (HOST, "localhost")}
    origin = headers.get("Origin")
    if headers.get("Host") not in ours:
        return "another host"
    is_other = origin is not None and origin.removeprefix("http://") not in ours
    return "another origin" if is_other else ""


@dataclass(frozen=True, slots=True)
class Address:
    """The token of a run, the port at which it was served last, and the file that keeps both."""

    file: Path
    run: str
    token: str
    port: int = _PORT

    @classmethod
    def of(cls, store: str, run: str) -> "Address":
        """That of the last time, or a new one."""
        file = _file_of(store)
        kept = _kept(file).get(run)
        return (
            cls(file, run, *kept) if kept else cls(file, run, secrets.token_urlsafe(_TOKEN_BYTES))
        )

    def anew(self) -> "Address":
        """The same with another token."""
        return replace(self, token=secrets.token_urlsafe(_TOKEN_BYTES))

    def is_sent(self, headers: Mapping[str, str]) -> bool:
        """True if a request brings the token."""
        token = headers.get("Authorization", "").removeprefix("Bearer ").encode(*_ANY)
        return hmac.compare_digest(token, self.token.encode())

    def keep(self, port: int) -> None:
        """Keep it with this port, where that can be written."""
        others = {run: at for run, at in _kept(self.file).items() if run != self.run}
        newest = dict([*others.items(), (self.run, (self.token, port))][-_MOST:])
        part = self.file.with_name(f"{self.file.name}.part")
        with suppress(OSError):
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            make_private(part, anew=True)
            part.write_text(json.dumps(newest), "utf-8")
            part.replace(self.file)


def _file_of(store: str) -> Path:
    location = location_of(store)
    if location.file is not None:
        return location.file.with_name(f"{location.file.name}.view")
    name = sha256(str(location).encode()).hexdigest()[:16]
    return config.state_folder() / f"{name}.view"


def _kept(file: Path) -> dict[str, tuple[str, int]]:
    """By run its token and port, of a file that is ours alone."""
    try:
        entries = json.loads(own_text(file, _LARGEST))
        return {run: (token, port) for run, (token, port) in entries.items() if _is(token, port)}
    except (ValueError, TypeError, AttributeError, RecursionError):
        return {}


def _is(token: object, port: object) -> bool:
    is_token = isinstance(token, str) and _TOKEN.fullmatch(token) is not None
    return is_token and type(port) is int and 0 < port <= 65_535


_SCHEME, _ANSWER = "Mogi ", "Mogi-Signature"
_SERVER_BYTES = 16  # of what tells servers apart
_DIGEST = web.RequestKey("digest", str)
_SIGNATURE = web.RequestKey("signature", str)


class Signatures:
    """Of one server, from its start to its end."""

    def __init__(self, token: str) -> None:
        self._key, self._server = token.encode(), secrets.token_urlsafe(_SERVER_BYTES)

    def proof(self, request: web.Request) -> str:
        """What tells this server from any other, and that it knows the token."""
        nonce = request.query.get("nonce", "")
        return f"{self._server} {self._signed('proof', nonce, request.host, self._server)}"

    def is_signed(self, request: web.Request) -> bool:
        """True if whoever sent the request knows the token; of its body so far the digest is."""
        sent = request.headers.get("Authorization", "").removeprefix(_SCHEME)
        digest, _, signature = sent.partition(" ")
        of = (request.method, request.raw_path, request.host, self._server, digest)
        expected = self._signed("request", *of)
        if not hmac.compare_digest(signature.encode(*_ANY), expected.encode()):
            return False
        request[_DIGEST], request[_SIGNATURE] = digest, signature
        return True

    def sign(self, request: web.Request, response: web.StreamResponse) -> None:
        """Sign the answer to a request that was signed."""
        signature = request.get(_SIGNATURE)
        if signature is not None and isinstance(response, web.Response):
            body = response.body if isinstance(response.body, bytes) else b""
            text = self._signed("answer", signature, str(response.status), sha256(body).hexdigest())
            response.headers[_ANSWER] = text

    def _signed(self, *parts: str) -> str:
        return hmac.new(self._key, "\n".join(parts).encode(*_ANY), "sha256").hexdigest()


async def signed_body(request: web.Request) -> bytes:
    """What was sent with a request that is signed.

    Raises:
        HTTPUnauthorized: it is not what was signed.
    """
    body = await request.read()
    if sha256(body).hexdigest() != request[_DIGEST]:
        raise web.HTTPUnauthorized(text="the body doesn't match its signature")
    return body


_LONGEST = 100_000  # characters of what a person writes
_LARGEST_REQUEST = 16_000_000  # bytes
_AT_ONCE = 1_000  # edits of one request; the page sends half as many
_SEEN = 1_000  # texts that a page showed in one field; the page sends fewer
_IN_MEMORY = 5_000  # conversations
_TICK = timedelta(microseconds=1)
_EARLIEST, _LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(3000, 1, 1, tzinfo=UTC)
_FOR_ALL = ("/", "/proof")
_PATIENCE_S = 10.0  # for one request to come in, and for those under way at the end
_HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
}
T = TypeVar("T")
_Text = Annotated[str, Field(max_length=_LONGEST)]
_Name = Annotated[str, Field(max_length=4_000)]
_Compare = Callable[[Run], CompareView | None]
_Place = tuple[str, int, str, str]  # episode, turn, claim, reviewer
_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


_LOG = logging.getLogger(__name__)
_LOG.addFilter(lambda record: not _is_theirs(record))


def _is_theirs(record: logging.LogRecord) -> bool:
    """Whether it tells of somebody who sent no HTTP, or left; a terminal needs no traceback."""
    error = record.exc_info[1] if record.exc_info else None
    return isinstance(error, HttpProcessingError | ConnectionError)


class Door(Protocol):
    """A view of its own beside the run, with something that people decide."""

    def state(self) -> Mapping[str, object]:
        """What the page shows by now."""

    def take(self, body: bytes) -> Mapping[str, object]:
        """Take and write what the page sent; what it shows then.

        Raises:
            InputError: it cannot be taken.
        """


class _Edit(BaseModel):
    """What a person changed of one field of a verdict.

    `seen`: what the person's page showed there before, and has sent since; what the store has and
    nobody saw is not replaced, nor what was taken back since. `claim`: what the verdict is about,
    by its id; empty: the whole answer.
    """

    model_config = ConfigDict(extra="forbid")

    run: _Name
    episode: _Name
    turn: Annotated[int, Field(ge=1)]
    hash: _Name
    claim: _Name = ""
    reviewer: Annotated[str, Field(max_length=200)]
    at: Annotated[AwareDatetime, Field(ge=_EARLIEST, lt=_LATEST)]
    field: Literal["word", "error_type", "corrected", "comment"]
    value: _Text
    seen: Annotated[list[_Text], Field(max_length=_SEEN)] = []

    @property
    def place(self) -> _Place:
        """Of which verdict it is."""
        return self.episode, self.turn, self.claim, _name(self.reviewer)


class _Sent(BaseModel):
    """What a page sends: edits in the order in which they were made, and who sits there."""

    model_config = ConfigDict(extra="forbid")

    reviewer: Annotated[str, Field(max_length=200)] = ""
    edits: Annotated[list[_Edit], Field(max_length=_AT_ONCE)]


class _Newer(NamedTuple):
    """An edit, by its place among those that were sent, and what the store has there instead."""

    edit: int
    value: str
    at: str


class _Lead(NamedTuple):
    """The run, and what a lead reads of it."""

    run: Run
    html: str


@dataclass(slots=True)
class _Part(Generic[T]):
    """A part of what is served, and the state of the store that it was made from."""

    made: T | None = None
    state: object = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def at(self, state: object, make: Callable[[], T]) -> T:
        """The part in this state: made once, whoever asks meanwhile."""
        async with self.lock:
            if self.made is None or self.state != state:
                self.made, self.state = await aside(make), state
            return self.made


class View:
    """Serves one run."""

    def __init__(
        self,
        header: RunHeader,
        store: str,
        since: _Compare = lambda _: None,
        doors: Mapping[str, Door] = MappingProxyType({}),
    ) -> None:
        """What it serves.

        Args:
            header: of the run.
            store: the URL of the store that has the run, and into which verdicts go.
            since: says what became of the run since the one before; None: there is none.
            doors: what else there is to decide, by its path.
        """
        self._header, self._store, self._since = header, store, since
        self._doors = doors
        self._address = Address.of(store, header.id)
        self._port = 0
        self._signatures = Signatures(self._address.token)
        self._one_at_a_time = asyncio.Lock()  # a run is held by one writer
        self._lead_part, self._since_part = _Part[_Lead](), _Part[str]()
        self._data_part = _Part[bytes]()
        self._first: asyncio.Task[bytes] | None = None
        self._runner: web.AppRunner | None = None

    @property
    def token(self) -> str:
        """Whoever knows it may read the run, and judge."""
        return self._address.token

    async def start(self, port: int | None = None) -> str:
        """Serve on loopback from now on; the address.

        Args:
            port: where; 0 is any that is free. None: where the run was served before or usually is
                or, if that is taken, any that is free.

        Raises:
            InputError: the port is taken.
        """
        app = web.Application(middlewares=[self._guard], client_max_size=_LARGEST_REQUEST)
        app.on_response_prepare.append(self._harden)
        app.add_routes([web.get("/", self._shell), web.get("/lead", self._lead)])
        app.add_routes([web.get("/data", self._data), web.get("/since", self._compared)])
        app.add_routes([web.post("/verdicts", self._verdicts), web.get("/proof", self._proof)])
        for path, door in self._doors.items():
            app.add_routes([web.get(f"/{path}", partial(self._state, door))])
            app.add_routes([web.post(f"/{path}", partial(self._take, door))])
        self._runner = runner = web.AppRunner(
            app, access_log=None, logger=_LOG, handle_signals=False, shutdown_timeout=_PATIENCE_S
        )
        await runner.setup()
        if port is None:
            try:
                await web.TCPSite(runner, HOST, self._address.port).start()
            except OSError:  # whose it is now may have the token of a page that was open
                self._address = self._address.anew()
                self._signatures = Signatures(self._address.token)
        try:
            if not runner.addresses:
                await web.TCPSite(runner, HOST, port or 0).start()
        except OSError as error:
            await self.close()
            raise InputError(f"port {port} is in use; set another one, or omit it") from error
        self._port = runner.addresses[0][1]
        self._address.keep(self._port)
        self._first = asyncio.create_task(self._packed())  # while a browser starts
        self._first.add_done_callback(lambda task: task.cancelled() or task.exception())
        return f"http://{HOST}:{self._port}/#token={self.token}"

    async def close(self) -> None:
        """Serve no longer; a verdict that is being written is."""
        if self._first is not None:
            self._first.cancel()
        if self._runner is not None:
            await self._runner.cleanup()

    @web.middleware
    async def _guard(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        """What is asked under another name, by another page or without the token is refused."""
        if why := foreign(self._port, request.headers):
            raise web.HTTPForbidden(text=why)
        if request.path not in _FOR_ALL and not self._signatures.is_signed(request):
            raise web.HTTPUnauthorized(text="open the address that `mogi view` printed")
        try:
            return await handler(request)
        except StoreError as error:
            raise web.HTTPServiceUnavailable(text=str(error)) from error
        except (ValidationError, InputError) as error:
            raise web.HTTPBadRequest(text=str(error)) from error
        except TimeoutError as error:
            raise web.HTTPRequestTimeout(text="too slow") from error

    async def _harden(self, request: web.Request, response: web.StreamResponse) -> None:
        response.headers.update(_HEADERS)
        self._signatures.sign(request, response)

    async def _shell(self, _: web.Request) -> web.Response:
        return web.Response(text="".join(shell(self._header.language)), content_type="text/html")

    async def _proof(self, request: web.Request) -> web.Response:
        """That this server knows the token, which the page asks for before anything else."""
        return web.Response(text=self._signatures.proof(request))

    async def _lead(self, _: web.Request) -> web.Response:
        lead = (await self._made())[1]
        return web.Response(text=lead.html, content_type="text/html")

    async def _data(self, _: web.Request) -> web.Response:
        return web.Response(body=await self._packed(), content_type="application/gzip")

    async def _compared(self, _: web.Request) -> web.Response:
        """What takes as long as all else: the page is shown before."""
        state, lead = await self._made()
        since = await self._since_part.at(state, lambda: self._compare(lead.run))
        return web.Response(text=since, content_type="application/json")

    async def _made(self) -> tuple[object, _Lead]:
        """The run as it is by now, with what people said meanwhile, and the state that it is of."""
        state = await asyncio.to_thread(self._state_of_store)
        return state, await self._lead_part.at(state, self._read)

    async def _packed(self) -> bytes:
        """The data of the page, which is shown without them first."""
        state, lead = await self._made()
        return await self._data_part.at(state, lambda: _packed(lead.run))

    def _state_of_store(self) -> object:
        with Store.read(self._store) as store:
            return store.state(self._header.id)

    def _read(self) -> _Lead:
        with Store.read(self._store) as store:
            run = stored_run(store, store.header(self._header.id), _IN_MEMORY)
        return _Lead(run, lead_part(run))

    def _compare(self, run: Run) -> str:
        """What became of it since the run before, as HTML and by cell; both empty without one."""
        since = self._since(run)
        html, changes = (since_part(since), dict(since.comparison.changes)) if since else ("", {})
        return json.dumps({"html": html, "changes": changes})

    def _given_by(self, people: Set[str]) -> list[Verdict]:
        """What these people say by now of each turn, the latest last.

        What they took back says nothing.
        """
        run = self._header.id
        with Store.read(self._store) as store:
            every = (*store.verdicts(run), *store.verdicts(run, claims=True))
        newest = dict[object, Verdict]()
        for verdict in every:
            if not verdict.folded_from:
                newest.pop(_place(verdict), None)  # a page takes the last of equal answers
                newest[_place(verdict)] = verdict
        return [verdict for verdict in newest.values() if verdict.reviewer in people]

    async def _state(self, door: Door, _: web.Request) -> web.Response:
        return web.json_response(await asyncio.to_thread(door.state))

    async def _take(self, door: Door, request: web.Request) -> web.Response:
        body = await _body(request)
        async with self._one_at_a_time:
            return web.json_response(await asyncio.to_thread(door.take, body))

    async def _verdicts(self, request: web.Request) -> web.Response:
        """Take what a page sends; the answer is what the store has by now of whoever judged."""
        sent = await asyncio.to_thread(_Sent.model_validate_json, await _body(request))
        newer: list[_Newer] = []
        if sent.edits:
            async with self._one_at_a_time:
                newer = await asyncio.to_thread(self._merge, sent.edits)
        people = {_name(name) for name in (sent.reviewer, *(each.reviewer for each in sent.edits))}
        given = await asyncio.to_thread(self._given_by, people)
        answer = {"newer": [each._asdict() for each in newer], "given": list(map(asdict, given))}
        return web.json_response(answer)

    def _merge(self, edits: list[_Edit]) -> list[_Newer]:
        """Add what these edits make of verdicts, but for those that would replace what nobody saw.

        Raises:
            InputError: one is of another run, on another answer, or on a claim that it has not.
            StoreError: another process holds the run, or nothing can be written.
        """
        header = self._header
        with Store.create(self._store) as store, store.lock(header.id):
            answers = _Answers.of(store, header, {edit.episode for edit in edits})
            merged: dict[_Place, Verdict] = {}
            newer: list[_Newer] = []
            for number, edit in enumerate(edits):
                answers.check(edit, header.id)
                now = merged.get(edit.place) or answers.verdict(edit.place)
                text, value = str(getattr(now, edit.field) or ""), clean(edit.value)
                is_newer = text not in (value, *map(clean, edit.seen))
                if not text and value:
                    is_newer = answers.is_taken_back(edit)
                if is_newer:
                    newer.append(_Newer(number, text, answers.verdict(edit.place).at))
                elif text != value:
                    merged[edit.place] = _with(now, edit.field, value, edit.at)
            rows = [row for verdict in merged.values() for row in answers.rows(verdict)]
            store.add_verdicts(header.id, with_folded(store, header, rows))
        return newer


@dataclass(frozen=True, slots=True)
class _Answers:
    """Of some conversations the answers' hashes, the claims, and what people say of them.

    `history`: all that was ever said at a place, in the order in which it was.
    """

    hashes: Mapping[tuple[str, int], str]
    claims: Mapping[str, Set[str]]
    history: Mapping[_Place, Sequence[Verdict]]

    @classmethod
    def of(cls, store: Store, header: RunHeader, episodes: Set[str]) -> "_Answers":
        """Those of these episodes, as the store has them."""
        hashes, claims = dict[tuple[str, int], str](), dict[str, Set[str]]()
        history = defaultdict[_Place, list[Verdict]](list)
        for episode, holding in store.reviewed(header.id, sorted(episodes)):
            key = episode.cell.key
            claims[key] = {s.claim.id for s in standings(episode, fail_on=header.fail_on)}
            for verdict in holding:
                history[_place(verdict)].append(verdict)
            for turn in episode.turns:
                if isinstance(turn.exchange.reply, Reply):
                    hashes[key, turn.exchange.turn] = answer_hash(turn.exchange.assistant)
        for verdict in store.verdicts(header.id, claims=True):
            history[_place(verdict)].append(verdict)
        return cls(hashes, claims, history)

    def check(self, edit: _Edit, run: str) -> None:
        """Whether an edit is of an answer that is there, and of a claim that it is checked against.

        Raises:
            InputError: it is not.
        """
        where = f"{edit.episode}, turn {edit.turn},"
        if edit.run != run or self.hashes.get((edit.episode, edit.turn)) != edit.hash:
            raise InputError(f"{where} isn't an answer of this run")
        if edit.claim and edit.claim not in self.claims[edit.episode]:
            raise InputError(f"{where} is not checked against the claim {edit.claim!r}")
        if edit.field == "word" and edit.value and edit.value not in tuple(Word):
            raise InputError(f"{where} has no verdict {edit.value!r}")
        if not _name(edit.reviewer):
            raise InputError(f"{where} has no reviewer")
        if edit.field == "error_type" and (length := len(edit.value)) > LONGEST_CELL:
            raise InputError(f"{where} has an error type of {length} characters")

    def verdict(self, place: _Place) -> Verdict:
        """What a person says by now, or nothing."""
        return (self.history.get(place) or (_empty(place),))[-1]

    def is_taken_back(self, edit: _Edit) -> bool:
        """True if the field was emptied after the edit, or where its page never showed that."""
        if getattr(self.verdict(edit.place), edit.field):
            return False
        emptied = [
            when(after)
            for before, after in pairwise(self.history.get(edit.place, ()))
            if getattr(before, edit.field) and not getattr(after, edit.field)
        ]
        return bool(emptied) and ("" not in edit.seen or edit.at < emptied[-1])

    def rows(self, verdict: Verdict) -> Iterator[Verdict]:
        """What is added for a verdict: later than what it was made of, whenever that was sent.

        A word that is taken back alone is taken back with all else first.
        """
        place = _place(verdict)
        before = self.verdict(place)
        at = max(when(verdict), when(before) + _TICK)
        if before.word and not verdict.word and not verdict.takes_back:
            yield replace(_empty(place), at=at.isoformat())
            at += _TICK
        yield replace(verdict, at=at.isoformat())


def _empty(place: _Place) -> Verdict:
    episode, turn, claim, reviewer = place
    return Verdict(episode, turn, None, reviewer, "view", claim=claim)


def _with(verdict: Verdict, field: str, text: str, at: datetime) -> Verdict:
    """The verdict with one field of it changed on the page."""
    ours = replace(verdict, source="view", at=at.isoformat(), run="", folded_from="")
    match field:
        case "word":
            return replace(ours, word=Word(text) if text else None)
        case "error_type":
            return replace(ours, error_type=text)
        case "corrected":
            return replace(ours, corrected=text)
        case _:
            return replace(ours, comment=text)


def _packed(run: Run) -> bytes:
    data = BytesIO()
    write_json(run, data, Beside({}))
    return data.getvalue()


def _place(verdict: Verdict) -> _Place:
    return verdict.episode, verdict.turn, verdict.claim, verdict.reviewer


async def _body(request: web.Request) -> bytes:
    """What was sent, unless that takes too long."""
    async with asyncio.timeout(_PATIENCE_S):
        return await signed_body(request)


def _name(text: str) -> str:
    """The name of a person as the store has it."""
    return " ".join(clean(text).split())
