"""The page of a run, served on this machine, with verdicts written straight into the store.

Only who knows the token gets anything but the empty shell. It stands in the address's fragment,
which no browser sends, and in no log; nor does the page send it: it signs with it what it asks.
Names of other hosts that lead here are refused, and so is what pages of others send.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Set
from dataclasses import asdict, dataclass, field, replace
from io import BytesIO
from typing import Annotated, Generic, Literal, NamedTuple, TypeVar

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from simulator.core.clean import clean
from simulator.core.concurrency import aside
from simulator.core.errors import InputError, StoreError
from simulator.core.run import Run, RunHeader
from simulator.core.talk import Reply
from simulator.core.verdict import Verdict, Word
from simulator.reports.html import lead_part, shell, since_part
from simulator.reports.html.data import Beside, answer_hash, write_json
from simulator.results.standing import standings
from simulator.review.expectation_page import PageState, SentJudgement, judge, page_state
from simulator.review.expectations import Expectations
from simulator.review.view_address import HOST, Address, foreign
from simulator.review.view_signature import Signatures, signed_body
from simulator.store.store import Store
from simulator.view.compare_view import CompareView
from simulator.view.stored_run import stored_run, with_folded

_LONGEST = 100_000  # characters of what a person writes
_LARGEST_REQUEST = 16_000_000  # bytes
_AT_ONCE = 1_000  # verdicts of one request; the page sends half as many
_IN_MEMORY = 5_000  # conversations
_FOR_ALL = ("/", "/proof")
_AT = 32  # characters of a time
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


class _SentVerdict(BaseModel):
    """A verdict as the page sends it, and as it writes it into a line of its file.

    `replaces`: when the verdict was given that the page shows of this person; empty: it shows none;
    None: nobody looks whether the store has a newer one. `claim`: what it is about, by its id;
    empty: the whole answer.
    """

    model_config = ConfigDict(extra="forbid")

    run: _Name
    episode: _Name
    turn: Annotated[int, Field(ge=1)]
    hash: _Name
    verdict: Literal["OK", "NG", "unsure", ""] = ""
    error_type: _Text = ""
    corrected: _Text = ""
    comment: _Text = ""
    reviewer: Annotated[str, Field(min_length=1, max_length=200)]
    at: _Name
    replaces: _Name | None = None
    claim: _Name = ""


_SEVERAL = TypeAdapter(Annotated[list[_SentVerdict], Field(max_length=_AT_ONCE)])


class _Lead(NamedTuple):
    """The run, and what a lead reads of it."""

    run: Run
    html: str


class _SincePart(NamedTuple):
    """What became of it since the run before, as HTML and by cell; both empty without one."""

    html: str
    changes: Mapping[str, str]


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
        expectations: Callable[[], Expectations] | None = None,
    ) -> None:
        """What it serves.

        Args:
            header: of the run.
            store: the URL of the store that has the run, and into which verdicts go.
            since: says what became of the run since the one before; None: there is none.
            expectations: reads those of the run's client; None: they are not at hand.
        """
        self._header, self._store, self._since = header, store, since
        self._expectations = expectations
        self._address = Address.of(store, header.id)
        self._port = 0
        self._signatures = Signatures(self._address.token)
        self._one_at_a_time = asyncio.Lock()  # a run is held by one writer
        self._lead_part, self._since_part = _Part[_Lead](), _Part[_SincePart]()
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
        app.add_routes([web.post("/verdicts", self._verdicts)])
        app.add_routes([web.get("/verdicts", self._given), web.get("/proof", self._proof)])
        if self._expectations is not None:
            app.add_routes([web.get("/expectations", self._claims)])
            app.add_routes([web.post("/expectations", self._judge)])
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
        return web.json_response({"html": since.html, "changes": dict(since.changes)})

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

    def _compare(self, run: Run) -> _SincePart:
        since = self._since(run)
        if since is None:
            return _SincePart("", {})
        return _SincePart(since_part(since), since.comparison.changes)

    async def _given(self, request: web.Request) -> web.Response:
        person = _name(request.query.get("reviewer", ""))
        given = await asyncio.to_thread(self._given_by, {person})
        return web.json_response({"given": given})

    def _given_by(self, people: Set[str]) -> list[dict[str, object]]:
        """What these people say by now of each turn."""
        with Store.read(self._store) as store:
            return [asdict(verdict) for verdict in _latest(store, self._header.id, people).values()]

    async def _claims(self, _: web.Request) -> web.Response:
        return await self._answered(asyncio.to_thread(self._state, None))

    async def _judge(self, request: web.Request) -> web.Response:
        async with self._one_at_a_time:
            return await self._answered(self._judged(request))

    async def _judged(self, request: web.Request) -> PageState:
        async with asyncio.timeout(_PATIENCE_S):
            body = await signed_body(request)
        return await asyncio.to_thread(self._state, SentJudgement.model_validate_json(body))

    def _state(self, sent: SentJudgement | None) -> PageState:
        """The expectations as they are by now, or once what was sent is taken."""
        if self._expectations is None:
            raise InputError("the client is not at hand")
        known = self._expectations()
        return page_state(known) if sent is None else judge(known, sent)

    async def _answered(self, state: Awaitable[PageState]) -> web.Response:
        try:
            return web.json_response(asdict(await state))
        except (ValidationError, InputError) as error:
            raise web.HTTPBadRequest(text=str(error)) from error
        except TimeoutError as error:
            raise web.HTTPRequestTimeout(text="too slow") from error

    async def _verdicts(self, request: web.Request) -> web.Response:
        try:
            async with asyncio.timeout(_PATIENCE_S):
                body = await signed_body(request)
            verdicts = await asyncio.to_thread(_SEVERAL.validate_json, body)
            async with self._one_at_a_time:
                newer = await asyncio.to_thread(self._add, verdicts)
            given = await asyncio.to_thread(self._given_by, {_name(v.reviewer) for v in verdicts})
        except (ValidationError, InputError) as error:
            raise web.HTTPBadRequest(text=str(error)) from error
        except TimeoutError as error:
            raise web.HTTPRequestTimeout(text="too slow") from error
        answer = {"added": len(verdicts) - len(newer), "newer": newer, "given": given}
        return web.json_response(answer, status=409 if newer else 200)

    def _add(self, verdicts: list[_SentVerdict]) -> list[dict[str, object]]:
        """Add verdicts to the store, but for those that would replace what their page never showed.

        What these would replace is the result.

        Raises:
            InputError: one is of another run, on another answer, or on a claim that it has not.
            StoreError: another process holds the run, or nothing can be written.
        """
        header = self._header
        with Store.create(self._store) as store, store.lock(header.id):
            hashes, claims = _answers(store, header, {sent.episode for sent in verdicts})
            for sent in verdicts:
                where = f"{sent.episode}, turn {sent.turn},"
                if sent.run != header.id or hashes.get((sent.episode, sent.turn)) != sent.hash:
                    raise InputError(f"{where} is no answer of this run")
                if sent.claim and sent.claim not in claims[sent.episode]:
                    raise InputError(f"{where} is not checked against the claim {sent.claim!r}")
            stored = _latest(store, header.id, {_name(sent.reviewer) for sent in verdicts})
            newer: list[dict[str, object]] = []
            added: list[Verdict] = []
            for sent in verdicts:
                verdict = _verdict(sent)
                known = stored.get(_place(verdict))
                if known is not None and _is_unseen(known, verdict, sent.replaces):
                    newer.append(asdict(replace(known, reviewer=sent.reviewer)))
                else:
                    added.append(verdict)
            store.add_verdicts(header.id, with_folded(store, header, added))
        return newer


def _packed(run: Run) -> bytes:
    data = BytesIO()
    write_json(run, data, Beside({}))
    return data.getvalue()


def _place(verdict: Verdict) -> _Place:
    return verdict.episode, verdict.turn, verdict.claim, verdict.reviewer


def _latest(store: Store, run: str, people: Set[str]) -> dict[_Place, Verdict]:
    """What these people say by now of each turn; one that they took back says nothing."""
    said = (*store.verdicts(run), *store.verdicts(run, claims=True))
    return {_place(v): v for v in said if v.reviewer in people and not v.folded_from}


def _is_unseen(known: Verdict, verdict: Verdict, replaces: str | None) -> bool:
    """True if the store's verdict says something else, and the page did not show it."""
    if replaces is None or known.takes_back or known.at in (replaces[:_AT], verdict.at):
        return False
    return replace(known, source="", at="") != replace(verdict, source="", at="")


def _answers(
    store: Store, header: RunHeader, episodes: set[str]
) -> tuple[Mapping[tuple[str, int], str], Mapping[str, Set[str]]]:
    """The hash of each answer, and the ids of the claims of each conversation."""
    hashes, claims = dict[tuple[str, int], str](), dict[str, Set[str]]()
    for episode, _ in store.reviewed(header.id, sorted(episodes)):
        claims[episode.cell.key] = {s.claim.id for s in standings(episode, fail_on=header.fail_on)}
        for turn in episode.turns:
            if isinstance(turn.exchange.reply, Reply):
                place = episode.cell.key, turn.exchange.turn
                hashes[place] = answer_hash(turn.exchange.assistant)
    return hashes, claims


def _name(text: str) -> str:
    """The name of a person as the store has it."""
    return " ".join(clean(text).split())


def _verdict(sent: _SentVerdict) -> Verdict:
    return Verdict(
        sent.episode,
        sent.turn,
        Word(sent.verdict) if sent.verdict else None,
        reviewer=_name(sent.reviewer),
        source="view",
        at=sent.at[:_AT],
        error_type=clean(sent.error_type),
        corrected=clean(sent.corrected),
        comment=clean(sent.comment),
        claim=sent.claim,
    )
