"""Between the loop and the bot: caps, deadline, journal; a bot's failure becomes a value."""

import asyncio
import hashlib
import json
import logging
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from time import perf_counter, time
from typing import Any

from simulator.core.bounds import CUT_MARK, MAX_DOCUMENTS, MAX_GIVEN, MAX_TEXT
from simulator.core.clean import clean, cut, visible
from simulator.core.concurrency import Halt, beside
from simulator.core.errors import (
    HaltReason,
    ModelError,
    RunStopped,
    StoreError,
    TargetError,
    TargetFault,
)
from simulator.core.plan import TargetCaps
from simulator.core.ports import CallId, CallRecord, Journal, Role, Target
from simulator.core.talk import Document, Reply, Talk, TargetFailure
from simulator.core.traffic import Limit, Track, Traffic, status_of
from simulator.rates import Rate, Share
from simulator.targets._context import Denied, Forgotten, HeldUp, Step
from simulator.targets._shapes import (
    as_reply,
    as_target_error,
    check_size,
    message,
    reply_of,
    reply_values,
    with_texts,
)

_log = logging.getLogger(__name__)

Response = Reply | TargetFailure
PARTING_S = 5.0  # that a target has to free what it holds
_IN_A_ROW = 10  # failures that end a run,
_SCENARIOS = 5  # from so many of them, or from all that there are


@dataclass(slots=True)
class TargetGuard:
    """A target as the loop knows it (core.ports.Answerer).

    Its caps hold over all episodes at once. `timeout_s` counts from the moment the bot is asked,
    not while the question waits for its turn; None: the target keeps a deadline of its own.

    An answer, or a failure, is in the journal before anybody sees it, and a resumed run takes it
    from there. Not so with a `stateful` bot: it keeps the talk itself, so a half-finished talk
    cannot be taken up from the journal and every question of it is asked again.

    `place`: where the bot is, for people; `traffic` has the event of each question. `scenarios`:
    how many the run plays; ten failures in a row from five of them, or from all, end it (see
    `_Breaker`). `share`: how much of the calls per minute is for this process.
    """

    target: Target
    _: KW_ONLY
    timeout_s: float | None
    caps: TargetCaps
    halt: Halt
    journal: Journal
    stateful: bool
    traffic: Traffic = field(default_factory=Traffic)
    place: str = ""
    scenarios: int = _SCENARIOS
    share: Share = field(default_factory=Share)
    unsent: str = field(init=False, default="")  # as `Reply` has it, of a talk that went on
    _permits: asyncio.Semaphore = field(init=False)
    _rate: Rate | None = field(init=False)
    _breaker: "_Breaker" = field(init=False)

    def __post_init__(self) -> None:
        self._permits = asyncio.Semaphore(self.caps.concurrency)
        per_minute = self.caps.per_minute
        self._rate = Rate(per_minute, self.share) if per_minute else None
        self._breaker = _Breaker(min(self.scenarios, _SCENARIOS), self.halt)

    async def answer(self, question: str, talk: Talk) -> Response:
        """What the bot answered, sanitised and committed, or how it failed.

        Raises:
            RunStopped: the run was halted; the bot was not asked.
            ModelError: (UNAVAILABLE only) the model behind a demo bot is out of reach.
            StoreError: the answer could not be saved; the run is halted.
        """
        self.halt.check()
        call = CallId(talk.episode, talk.next_turn, Role.TARGET, "exchange", talk.take)
        digest = _digest(question, talk)
        recalled = None if self.stateful else self.journal.recall(call, digest)
        self._notice(talk)
        if recalled is not None:
            self.traffic.recalled(recalled)
            return _shortened(await beside(len(recalled.response), _decoded, recalled))
        track = self.traffic.begin(call, self.place)
        try:
            with track.wait(Limit.CONCURRENCY) as queue:
                async with self._permits:
                    queue.close()
                    response = await self._ask(question, talk, track)
        except BaseException as error:
            track.end(status_of(error))
            raise
        track.latency_ms = response.latency_ms
        track.end(response.fault.value if isinstance(response, TargetFailure) else "ok")
        size = 0 if isinstance(response, TargetFailure) else check_size(response)
        record = CallRecord(
            call,
            digest,
            await beside(size, _encoded, question, response),
            latency_ms=response.latency_ms,
            endpoint=self.place,
            waited_ms=track.waited_ms,
        )
        await self._commit(record)
        for failed in self._breaker.note(record, response):
            # As answers of another question: the resume asks again. It was asked once, not twice.
            await self._commit(replace(failed, digest="", reused=True))
        return _shortened(response)

    def _notice(self, talk: Talk) -> None:
        """An id that came matters where there is a turn for which it should have been sent back."""
        last = talk.exchanges[-1].reply if talk.exchanges else None
        if isinstance(last, Reply) and last.unsent:
            self.unsent = self.unsent or last.unsent

    def steps(self, episode: str) -> tuple[Step, ...]:
        """The requests that a talk took so far, where the target tells them."""
        steps_of = getattr(self.target, "steps", None)
        return steps_of(episode) if steps_of else ()

    async def leave(self, episode: str) -> None:
        """Let the target free what it holds for a talk, if it holds anything."""
        await self._parting("leave", episode)

    async def close(self) -> None:
        """Let the target free what it holds."""
        await self._parting("close")

    async def _parting(self, name: str, *args: str) -> None:
        part = getattr(self.target, name, None)
        if part is None:
            return
        try:
            async with asyncio.timeout(PARTING_S):
                await part(*args)
        except BaseException as error:  # the talk is held already: nothing of it may be lost
            if _cancelled():
                raise asyncio.CancelledError from error
            _log.debug("the target's %s failed", name, exc_info=error)

    async def _ask(self, question: str, talk: Talk, track: Track) -> Response:
        began = perf_counter()
        ask: Callable[[], Awaitable[Reply]] = partial(self.target.answer, question, talk)
        turn: AbstractAsyncContextManager[object] = nullcontext()
        while True:
            async with turn:
                try:
                    return await self._ask_once(ask, track)
                except HeldUp as held_up:
                    if self.stateful and held_up.heard:  # not twice
                        late = self._late(str(held_up))
                        return TargetFailure(TargetFault.TIMEOUT, late, _ms_since(began))
                    ask, next_turn = held_up.again, held_up.turn
            turn = next_turn

    async def _ask_once(self, ask: Callable[[], Awaitable[Reply]], track: Track) -> Response:
        if self._rate is not None:
            with track.wait(Limit.PER_MINUTE):
                await self.halt.unless_stopped(self._rate.admit())
        self.halt.check()  # it may have been thrown while this question waited
        track.attempts += 1
        began = perf_counter()
        response = await self._response(ask)
        return replace(response, latency_ms=_ms_since(began), at=round(time(), 3))

    async def _response(self, ask: Callable[[], Awaitable[Reply]]) -> Response:
        scope = asyncio.timeout(self.timeout_s)
        response: Response
        try:
            async with scope:
                reply = as_reply(await ask())
                response = await beside(check_size(reply), _sanitised, reply)
        except BaseException as error:  # a bot may raise anything at all
            if _cancelled():  # whatever the bot made of it
                raise asyncio.CancelledError from error
            if isinstance(error, Denied):
                raise self.halt.throw(HaltReason.ACCOUNT, f"the bot: {error}") from None
            if _not_the_bots(error):
                raise
            _log.debug("the target failed", exc_info=error)
            failure = as_target_error(error)
            response = TargetFailure(failure.fault, message(str(failure)))
        if scope.expired():
            return TargetFailure(TargetFault.TIMEOUT, self._late())
        return response

    async def _commit(self, record: CallRecord) -> None:
        try:
            await self.journal.record(record)
        except StoreError as error:
            self.halt.throw(HaltReason.STORE, str(error))
            raise

    def _late(self, why: str = "") -> str:
        return f"no answer within {self.timeout_s:g} s" + (f": {why}" if why else "")


class _Breaker:
    """Ends a run whose bot only fails: not one conversation after the other.

    As long as the bot has not answered again, the conversations that failed are in doubt
    (`Halt.doubts`); those that end the run stay unfinished, and a resume plays them again.
    """

    def __init__(self, scenarios: int, halt: Halt) -> None:
        self._scenarios = scenarios
        self._halt = halt
        self._open = False
        self._failed: list[CallRecord] = []
        self._doubted: set[str] = set()
        halt.doubts.append(self._doubted)

    def note(self, record: CallRecord, response: Response) -> list[CallRecord]:
        """Note how a question ended; the failures in a row, once they are the end of the run."""
        if isinstance(response, Reply):
            if not self._open:
                self._failed.clear()
                self._doubted.clear()
            return []
        self._doubted.add(record.call.episode)
        if self._open:  # it was in flight
            return [record]
        self._failed.append(record)
        scenarios = {failed.call.episode.rsplit("/", 2)[0] for failed in self._failed}
        if len(self._failed) < _IN_A_ROW or len(scenarios) < self._scenarios:
            return []
        self._halt.throw(
            HaltReason.UNREACHABLE,
            f"the bot failed {len(self._failed)} times in a row, in {len(scenarios)} scenarios; "
            f"last error: {response.fault}: {response.message}; a resume asks it again "
            "(if you changed the bot, use --force: then it counts as another bot)",
        )
        self._open = True
        return self._failed


def _ms_since(began: float) -> float:
    return (perf_counter() - began) * 1000


def _not_the_bots(error: BaseException) -> bool:
    """Whether an error ends more than this answer: the run, the store, or this very waiting."""
    if isinstance(error, ModelError):
        return error.fault.is_of_the_endpoint
    return isinstance(error, RunStopped | StoreError | HeldUp | Forgotten | GeneratorExit)


def _cancelled() -> bool:
    """Whether somebody cancelled the task we run in; a bot may raise CancelledError, too."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _sanitised(reply: Reply) -> Reply:
    reply = with_texts(reply, clean)
    if not visible(reply.text):
        raise TargetError(TargetFault.EMPTY, "it answered with no visible text")
    return replace(reply, notes=tuple(map(clean, reply.notes))) if reply.notes else reply


def _shortened(response: Response) -> Response:
    """What is longer than metrics, judge and reports need, cut with a mark; the journal has all."""
    if not isinstance(response, Reply):
        return response
    reply = replace(response, text=_kept(response.text), trace=_name(response.trace))
    names = max((len(d.title) + len(d.id or "") for d in reply.documents), default=0)
    if len(reply.documents) <= MAX_GIVEN >= names and check_size(reply) <= MAX_TEXT:
        return reply
    room, documents = MAX_DOCUMENTS, []
    for document in reply.documents[:MAX_GIVEN]:
        text = cut(_kept(document.text), max(room, len(CUT_MARK)), CUT_MARK)
        room -= len(text)
        id_ = None if document.id is None else _name(document.id)
        documents.append(Document(text, id_, _name(document.title)))
    if len(reply.documents) > MAX_GIVEN:
        documents.append(Document(CUT_MARK))
    return replace(reply, documents=tuple(documents))


def _kept(text: str) -> str:
    return cut(text, MAX_TEXT, CUT_MARK)


def _name(text: str) -> str:
    return cut(text, MAX_GIVEN, CUT_MARK)


def _digest(question: str, talk: Talk) -> str:
    return hashlib.sha256(json.dumps([question, talk.history]).encode()).hexdigest()


def _encoded(question: str, response: Response) -> str:
    value: dict[str, Any] = {"question": clean(question)}
    if isinstance(response, Reply):
        value["reply"] = reply_values(response)
    else:
        failure = {"fault": response.fault.value, "message": response.message}
        value["failure"] = {**failure, "at": response.at}
    return json.dumps(value, ensure_ascii=False)


def _decoded(record: CallRecord) -> Response:
    value = json.loads(record.response)
    if (failure := value.get("failure")) is not None:
        fault = TargetFault(failure["fault"])
        at = failure.get("at", 0.0)
        return TargetFailure(fault, failure["message"], record.latency_ms, at)
    return reply_of(value["reply"], record.latency_ms)
