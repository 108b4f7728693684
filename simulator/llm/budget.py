"""What may be called: accounts, admission after rejections, the journal and budget of a call."""

import asyncio
import hashlib
import math
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    nullcontext,
    suppress,
)
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import unquote, urlsplit

from simulator import config
from simulator.core.concurrency import Halt
from simulator.core.errors import HaltReason, InputError, StoreError
from simulator.core.plan import Client, Limits, ModelSpec, Price, Reached, Spending
from simulator.core.ports import (
    CallId,
    CallRecord,
    Chat,
    Embedder,
    Journal,
    Lease,
    Lender,
    Role,
    Usage,
)
from simulator.core.run import Ledger
from simulator.core.traffic import Limit, Track, Traffic, status_of
from simulator.llm.caller import Caller, RetryPolicy
from simulator.llm.client import Endpoint, Gate, Length, ModelChat, Transport
from simulator.llm.embeddings import ModelEmbedder
from simulator.llm.parameters import ChatRequest, Dialect, EmbeddingRequest, Rung
from simulator.llm.prices import cost, price_of
from simulator.llm.replies import ModelAnswer
from simulator.retries import Clock
from simulator.words import Words

_OPENAI = "https://api.openai.com/v1"
_OPENAI_KEY = "OPENAI_API_KEY"
_AZURE_KEY = "AZURE_OPENAI_API_KEY"
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True, slots=True)
class Account:
    """Whose models are called: where, and with which key.

    `base_url` None is OpenAI itself. `key` is empty for endpoints that want none; `key_name` is the
    variable it comes from. `headers` go with each request, the environment's values filled in:
    those are `secrets`. `api_version`: Azure's. `sdk`: it is called through the SDK.
    """

    base_url: str | None
    key: str = field(repr=False)
    key_name: str = _OPENAI_KEY
    azure: bool = False
    api_version: str | None = None
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    sdk: bool = False

    @property
    def where(self) -> str:
        """The base URL that is really called."""
        where = (self.base_url or _OPENAI).rstrip("/")
        is_resource = self.azure and "/openai" not in urlsplit(where).path
        return f"{where}/openai" if is_resource else where


def check_granted(account: Account, url: str) -> None:
    """Look whether a request is to the account's own place; a key is for nobody else.

    Raises:
        InputError: it is not, or an option forbids its host.
    """
    path = unquote(urlsplit(account.where).path)
    place = Reached("host", config.origin(account.where), method="POST", path=path)
    if why := config.refusal("POST", url, [place]):
        raise InputError(why)


def account_of(spec: ModelSpec) -> Account:
    """The account of a model: its own base URL and key, else the SDK's variables.

    A base URL without a variable of its own is called with OPENAI_API_KEY where that is set, as
    the SDK does; without any key where it is not (Ollama, vLLM, llama.cpp).

    Raises:
        InputError: no key, an unusable one, a base URL that is none, a variable in a header that
            is not set, or a host elsewhere where nothing is trusted.
    """
    where = config.model_place(spec.base_url)
    if not config.may_reach(where):
        hint = config.way_in(where)
        raise InputError(f"{config.refuser()} refuses the host {where} of {spec.model}{hint}")
    headers, secrets = filled(spec)
    base_url = spec.base_url or config.openai_base_url()
    key_name = spec.api_key_env or _OPENAI_KEY
    key = config.model_key(key_name)
    azure = spec.api_version is not None and base_url is not None
    api_version = spec.api_version
    resource = None if key or base_url or spec.api_key_env else config.azure_resource(api_version)
    if resource is not None:
        base_url, api_version = resource
        azure, key_name = True, _AZURE_KEY
        key = config.model_key(key_name)
    # Who names a variable means it to hold a key.
    if key is None and (base_url is None or spec.api_key_env):
        raise InputError(
            f"no key for the model {spec.model}: set {key_name} in the environment "
            "(or run with --offline, which calls no model but one of the bot's own)"
        )
    if base_url is not None:
        _check_url(base_url)
    return Account(
        base_url,
        _checked(key or "", key_name),
        key_name,
        azure,
        api_version,
        headers,
        secrets,
        sdk=spec.client == "sdk",
    )


def filled(spec: ModelSpec) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """The headers with the values of the environment in place of `${NAME}`; and those values.

    Raises:
        InputError: variables that are not set, all at once.
    """
    names = {name for text in spec.headers.values() for name in _VARIABLE.findall(text)}
    values = {name: config.secret(name) for name in sorted(names)}
    unset = [name for name, value in values.items() if value is None]
    if unset:
        raise InputError(
            *(
                f"the headers of the model {spec.model}: the environment variable {name} is not "
                f"set; set it before you start mogi, such as with: export {name}=..."
                for name in unset
            )
        )
    known = {name: _checked(value, name, " ") for name, value in values.items() if value}
    headers = tuple(
        (name, _VARIABLE.sub(lambda variable: known[variable[1]], text))
        for name, text in spec.headers.items()
    )
    return headers, tuple(known.values())


def _checked(key: str, name: str, allowed: str = "") -> str:
    if not (key.isascii() and key.isprintable() and (allowed or " " not in key)):
        raise InputError(f"the value of {name} holds characters that no key has; copy it anew")
    return key


def _check_url(base_url: str) -> None:
    try:
        url = urlsplit(base_url)
        sound = url.scheme in {"http", "https"} and bool(url.hostname) and url.port != 0
    except ValueError:
        sound = False
    if not sound:
        raise InputError(
            "a model's base_url is no URL; right would be such as https://api.example.com/v1"
        )
    if url.username or url.password or url.query or url.fragment:
        raise InputError(
            "a model's base_url may hold no user, password or query: keys belong into the "
            "environment (api_key_env)"
        )


_ALIKE = 3  # rejections in the same words, before the account has answered anything
_SCENARIOS = 3  # of as many scenarios, afterwards, if nothing was answered in between
_IN_A_ROW = 10  # however few scenarios they are from
# What differs from one request to the next in the same complaint: counts, ids, times.
_VARYING = re.compile(r"[0-9a-f-]{8,}|\d+", re.IGNORECASE)


def alike(message: str) -> str:
    """What a complaint says whichever request it is about."""
    return _VARYING.sub("#", message)


class Door:
    """Until an account has answered, one call at a time goes to it: a wrong key costs one.

    Attributes:
        answered: Whether it ever answered a question.
    """

    def __init__(self) -> None:
        self.answered = False
        self._open = False
        self._first = asyncio.Lock()
        self._said: Counter[str] = Counter()

    def turn(self, halt: Halt, track: Track) -> AbstractAsyncContextManager[None]:
        """Wait until others may call, or nobody else does; raises RunStopped."""
        return nullcontext() if self._open else self._turn(halt, track)

    @asynccontextmanager
    async def _turn(self, halt: Halt, track: Track) -> AsyncIterator[None]:
        async with AsyncExitStack() as until_answered:
            with track.wait(Limit.FIRST_ANSWER):
                await halt.unless_stopped(until_answered.enter_async_context(self._first))
            if self._open:
                await until_answered.aclose()
            yield

    def opened(self) -> None:
        """A question was answered."""
        self.answered = self._open = True

    def shut(self) -> None:
        """A call ended without an answer: until there is one again, one call goes at a time."""
        self._open = False

    def rejected(self, message: str) -> int:
        """Count a rejection; how many there were in these words."""
        words = alike(message)
        self._said[words] += 1
        return self._said[words]


class Rejections:
    """The rejections of one role's calls to one model that nothing was answered after.

    Until something is, the conversations that they are from are in doubt (`Halt.doubts`).
    """

    def __init__(self, door: Door, halt: Halt) -> None:
        self._door = door
        self._episodes: dict[int, str] = {}
        self._doubted: set[str] = set()
        self._count = 0
        halt.doubts.append(self._doubted)

    @property
    def epoch(self) -> int:
        """To be noted when a call starts, and given to `answered`."""
        return self._count

    def answered(self, epoch: int) -> None:
        """A call that started in `epoch` was answered: the rejections before it were their own."""
        if self._episodes:
            self._episodes = {n: e for n, e in self._episodes.items() if n >= epoch}
            self._doubted.intersection_update(self._episodes.values())

    def too_many(self, episode: str, message: str) -> str:
        """Note a rejection; what to say of it if it ends the run, else nothing."""
        self._episodes[self._count] = episode
        self._doubted.add(episode)
        self._count += 1
        if not self._door.answered:
            times = self._door.rejected(message)
            if times >= _ALIKE:
                return f"rejected {times} requests alike"
        row = len(self._episodes)
        scenarios = {name.rsplit("/", 2)[0] for name in self._episodes.values()}
        if len(scenarios) < _SCENARIOS and row < _IN_A_ROW:
            return ""
        return f"rejected {row} requests in a row"


_AGAIN_S = 0.5  # between two looks whether others gave something back
_SPARE = 1.25  # answers may be longer than the longest that was seen


class Written:
    """How long a model's answers are on behalf of one role, and so how many may be in flight.

    A server may not heed `max_tokens`: then the longest answer says what the others may cost. At
    first, and after each that cost more than was set aside, one call goes alone; then no more than
    twice as many as have cost less since.
    """

    def __init__(self) -> None:
        self.in_flight = 0
        self._longest = 0
        self._is_heeded = True
        self._well = 0

    @property
    def has_room(self) -> bool:
        """Whether one more may go."""
        return self.in_flight < max(1, 2 * self._well)

    def most(self, requested: int) -> int:
        """The tokens of an answer that was asked to have at most so many."""
        return requested if self._is_heeded else max(requested, math.ceil(_SPARE * self._longest))

    def learn(self, requested: int, written: int, *, kept: bool) -> None:
        """An answer came; `kept`: it cost no more than was set aside for it."""
        self._longest = max(self._longest, written)
        self._is_heeded = self._is_heeded and written <= requested
        self._well = self._well + 1 if kept else 0


@dataclass(frozen=True, slots=True)
class Most:
    """What one call may cost: USD for what it reads; tokens that it is asked to write at most."""

    reads_usd: float
    tokens: int = 0
    token_usd: float = 0.0
    written: Written = field(default_factory=Written)

    @property
    def usd(self) -> float:
        """By all that is known by now."""
        return self.reads_usd + self.written.most(self.tokens) * self.token_usd


class Budget:
    """The ledger and its limits: reserve before a call, settle after it.

    Args:
        limits: `budget_usd` and `calls` are kept here.
        halt: Thrown with BUDGET when the next call does not fit.
        paid: What the run had paid before it was resumed.
        lender: Lends pieces of `limits` where other processes play the run, too.
    """

    def __init__(
        self, limits: Limits, halt: Halt, paid: Ledger, lender: Lender | None = None
    ) -> None:
        self._limits = limits
        self._halt = halt
        self._calls = Counter(paid.calls)
        self._tokens = [paid.input_tokens, paid.output_tokens, paid.cached_tokens]
        self._spent = paid.cost_usd or 0.0
        self._priced = paid.cost_usd is not None
        self._made = paid.model_calls
        self._begun = paid.model_calls
        self._open: list[Most] = []
        self._reserved = 0.0
        self._changed: asyncio.Future[None] | None = None
        self._lender = lender
        self._borrowing = asyncio.Lock()
        self._lease = Lease(Spending() if lender else limits.cap, limits.cap)

    @property
    def ledger(self) -> Ledger:
        """What was paid up to now."""
        read, written, cached = self._tokens
        spent = self._spent if self._priced else None
        return Ledger(dict(self._calls), read, written, cached, spent, self._made)

    async def reserve(self, most: Most) -> None:
        """Set money aside for one call; `settle` or `release` ends that.

        Where it does not fit only because others are in flight, it waits until they have
        cost less than was set aside for them.

        Raises:
            RunStopped: it does not fit even when nothing is in flight, or the number of calls
                is used up.
        """
        while True:
            self._halt.check()
            if not most.written.has_room and self._limits.budget_usd is not None:
                await self._change()
            elif self._is_covered(most):
                break
            else:
                await self._borrow(most)
        self._begun += 1
        self._open.append(most)
        self._reserved += most.usd
        most.written.in_flight += 1

    def settle(self, most: Most, record: CallRecord, written: int = 0) -> None:
        """The call was paid: what it really cost takes the place of what was set aside.

        `written`: the tokens of the answer that were charged.
        """
        self._count(record)
        kept = (record.cost_usd or 0.0) <= most.usd
        most.written.learn(most.tokens, written, kept=kept)
        self.release(most)

    def saved(self, record: CallRecord) -> None:
        """A call that was settled is in the journal."""
        if self._lender is not None:
            self._lender.saved(record)

    def release(self, most: Most) -> None:
        """The call is over, and nothing is set aside for it any more."""
        most.written.in_flight -= 1
        self._open.remove(most)
        if self._limits.budget_usd is not None:  # what is in flight may turn out to cost more
            self._reserved = sum(each.usd for each in self._open)
        if self._changed is not None and not self._changed.done():
            self._changed.set_result(None)

    def close(self) -> None:
        """Give back what was borrowed; if that fails, it comes back when this process ends."""
        if self._lender is not None:
            with suppress(StoreError):
                self._lender.settle(Spending(self._spent, self._made))

    def _needed(self, most: Most) -> Spending:
        return Spending(self._spent + self._reserved + most.usd, self._begun + 1)

    def _is_covered(self, most: Most) -> bool:
        usd, calls = self._needed(most)
        return usd <= self._lease.allowed.usd and calls <= self._lease.allowed.calls

    async def _borrow(self, most: Most) -> None:
        """Have the call covered by a lease, or wait until something has changed.

        Raises:
            RunStopped: nothing can be borrowed, now or later.
        """
        async with self._borrowing:
            needed = self._needed(most)
            if self._lender is not None and not self._is_covered(most):
                kept = Spending(self._spent + self._reserved, self._begun)
                self._lease = self._lease._replace(allowed=kept)  # nothing is reserved meanwhile
                paid = Spending(self._spent, self._begun)
                try:
                    self._lease = await self._lender.lease(paid, kept, needed)
                except StoreError as error:
                    raise self._halt.throw(HaltReason.STORE, str(error)) from error
            if self._halt.reason is not None or self._is_covered(most):
                return
            if self._needed(most) != needed:  # meanwhile a call in flight cost less than reserved
                return
            if not self._lease.may_return:
                self._check_calls()
            if self._open:
                await self._change()
            elif self._lease.may_return:
                await asyncio.sleep(_AGAIN_S)
            else:
                raise self._halt.throw(HaltReason.BUDGET, self._too_dear(most.usd))

    def _check_calls(self) -> None:
        if self._begun + 1 > self._lease.most.calls:
            made = self._begun + self._lease.elsewhere.calls
            message = f"{made:.0f} model calls were made, the limit{self._kept}"
            raise self._halt.throw(HaltReason.BUDGET, f"{message}; raise limits.calls and resume")

    def _too_dear(self, usd: float) -> str:
        spent = self._spent + self._lease.elsewhere.usd
        return (
            f"the budget of {self._limits.budget_usd:g} USD has no room for another call"
            f"{self._kept}: {spent:.4f} USD are paid and the next call may cost "
            f"{usd:.4f}; raise it and resume"
        )

    @property
    def _kept(self) -> str:
        """That the rest is for shards that may use other stores, if there is a rest."""
        known = map(sum, zip(self._lease.most, self._lease.elsewhere, strict=True))
        rest = any(k < 0.999 * c for k, c in zip(known, self._limits.cap, strict=True))
        return " (the rest is for shards that have not begun in this store)" if rest else ""

    def _count(self, record: CallRecord) -> None:
        usage = record.usage
        self._made += 1
        if record.call.role is not Role.TARGET:  # there, calls are questions put to the bot
            self._calls[record.call.role.value] += 1
        for place, count in enumerate((usage.input, usage.output, usage.cached)):
            self._tokens[place] += count
        if record.cost_usd is None:
            self._priced = False
        else:
            self._spent += record.cost_usd

    async def _change(self) -> None:
        if self._changed is None or self._changed.done():
            self._changed = asyncio.get_running_loop().create_future()
        await asyncio.shield(self._changed)


@dataclass(frozen=True, slots=True)
class Paid:
    """One model on behalf of one role. `price` None: it is not known."""

    spec: ModelSpec
    caller: Caller
    book: Budget
    journal: Journal
    halt: Halt
    price: Price | None = None
    traffic: Traffic = field(default_factory=Traffic)
    written: Written = field(default_factory=Written)

    def recalled(self, call: CallId, digest: str) -> CallRecord | None:
        """The record of this very call, if it was made before.

        Raises:
            RunStopped: the run was halted.
        """
        self.halt.check()
        known = self.journal.recall(call, digest)
        if known is not None:
            self.traffic.recalled(known)
        return known

    async def ask(
        self,
        question: ChatRequest | EmbeddingRequest,
        size: int,
        call: CallId,
        digest: str,
        response: Callable[[ModelAnswer], str],
    ) -> tuple[ModelAnswer, CallRecord]:
        """Make a call within the budget and commit its record.

        Args:
            question: What is asked; its texts are `size` bytes long.
            size: At least as many as there are tokens.
            call: On whose behalf.
            digest: The hash of its input.
            response: The answer as the journal keeps it.

        Raises:
            ModelError: REJECTED or UNAVAILABLE; UNPARSABLE as `Caller.ask` has it.
            RunStopped: account refused, budget spent, nothing answers, interrupted.
            StoreError: the answer could not be saved; the run is halted.
        """
        where = self.caller.transport.where
        track = self.traffic.begin(call, where, self.spec.model)
        try:
            most, answer = await self._admitted(question, size, track)
        except BaseException as error:
            track.end(status_of(error))
            raise
        # An endpoint that tells no usage is charged what it may have used at most.
        written = 0 if isinstance(question, EmbeddingRequest) else len(answer.text.encode())
        charged = answer.usage or Usage(size, written)
        record = CallRecord(
            call,
            digest,
            response(answer),
            model=self.spec.model,
            usage=answer.usage or Usage(),
            cost_usd=cost(self.price, charged) if self.price else None,
            latency_ms=track.latency_ms,
            attempts=track.attempts,
            endpoint=where,
            waited_ms=track.waited_ms,
        )
        self.book.settle(most, record, charged.output)
        track.end(answer.fault or "ok", answer.usage, record.cost_usd)
        await self._commit(record)
        self.book.saved(record)
        return answer, record

    async def take_over(self, record: CallRecord) -> None:
        """Save the record of a call that need not be made.

        Raises:
            StoreError: it could not be saved; the run is halted.
        """
        await self._commit(record)
        self.traffic.recalled(record)

    async def _admitted(
        self, question: ChatRequest | EmbeddingRequest, size: int, track: Track
    ) -> tuple[Most, ModelAnswer]:
        with track.wait(Limit.CONCURRENCY) as queue:
            async with self.caller.gate:
                queue.close()
                most = self._most(question, size)  # by what is known of the endpoint now
                with track.wait(Limit.BUDGET):
                    await self.book.reserve(most)
                try:
                    return most, await self.caller.ask(question, size, track)
                except BaseException:
                    self.book.release(most)
                    raise

    def _most(self, question: ChatRequest | EmbeddingRequest, size: int) -> Most:
        if self.price is None:
            return Most(0.0)
        reads = cost(self.price, Usage(self.caller.endpoint.most_tokens(size)))
        a_token = cost(self.price, Usage(output=1))
        return Most(reads, question.max_tokens or 0, a_token, self.written)

    async def _commit(self, record: CallRecord) -> None:
        try:
            await self.journal.record(record)
        except StoreError as error:
            self.halt.throw(HaltReason.STORE, str(error))
            raise


def input_hash(parts: Sequence[bytes]) -> str:
    """The hash of a call's input; their lengths are in it, so that no two inputs look alike."""
    lengths = ",".join(str(len(part)) for part in parts)
    return hashlib.sha256(b"".join([lengths.encode(), *parts])).hexdigest()


# Tokens of one answer, where a budget has to be kept: what a role's form or reply may need.
_WRITES: Mapping[Role, int] = {
    Role.USER: 1024,
    Role.JUDGE: 2048,
    Role.READER: 64,
    Role.TARGET: 2048,
}
_WRITES_OTHERWISE = 4096
_THINKS = 4  # times as much, where somebody asked for reasoning
_CLOSING = 32  # connections that may still be closing


@dataclass(kw_only=True)
class Accounts:
    """Every model that a run calls: `async with Accounts(…) as accounts: …`, in one event loop.

    Args:
        client: Its `limits` and `prices` hold.
        journal: Where paid calls are remembered.
        halt: The run's switch; checked before each request.
        paid: What the run had paid before it was resumed.
        lender: Lends pieces of the limits, where several processes play the run.
        reuse: Judgements of another run, by part and the hash of their input.
        policy: Deadlines and attempts of a call.
        clock: What retries measure and wait by.
        traffic: Has the event of each call, and what calls wait for.
    """

    client: Client
    journal: Journal
    halt: Halt
    paid: Ledger = field(default_factory=Ledger)
    lender: Lender | None = None
    reuse: Mapping[tuple[str, str], CallRecord] = field(default_factory=dict, repr=False)
    policy: RetryPolicy = field(default_factory=RetryPolicy)
    clock: Clock = field(default_factory=Clock)
    traffic: Traffic = field(default_factory=Traffic)

    def __post_init__(self) -> None:
        self._book = Budget(self.client.limits, self.halt, self.paid, self.lender)
        self._transports: dict[Account, Transport] = {}
        self._endpoints: dict[tuple[str, str], Endpoint] = {}
        self._gates: dict[Role, Gate] = {}
        self._written: dict[tuple[Role, str, str], Written] = {}
        self._doors: dict[tuple[str, str], Door] = {}
        self._rejections: dict[tuple[Role, Endpoint], Rejections] = {}

    @property
    def ledger(self) -> Ledger:
        """What the run paid up to now."""
        return self._book.ledger

    def chat(self, spec: ModelSpec, role: Role) -> Chat:
        """A model on behalf of a role. Nothing is sent yet.

        Raises:
            InputError: no key, a base URL that is none, or a money budget and no price.
        """
        length = None
        if self.client.limits.budget_usd is not None and spec.max_tokens is None:
            thinks = spec.reasoning_effort not in {None, "none", "minimal"}
            length = Length(_WRITES.get(role, _WRITES_OTHERWISE) * (_THINKS if thinks else 1))
        return ModelChat(self._paid(spec, role), length, self.reuse)

    def embedder(self, spec: ModelSpec) -> Embedder:
        """An embedding model. Nothing is sent yet.

        Raises:
            InputError: no key, a base URL that is none, or a money budget and no price.
        """
        return ModelEmbedder(self._paid(spec, Role.EMBEDDING))

    def where(self, spec: ModelSpec) -> str:
        """The base URL at which a model is called."""
        return self._transport(account_of(spec)).where

    def dialect(self, spec: ModelSpec) -> Dialect:
        """How a model turned out to want to be asked, after it was."""
        endpoint = self._endpoints.get((self.where(spec), spec.model))
        return endpoint.dialect if endpoint else Dialect()

    def _paid(self, spec: ModelSpec, role: Role) -> Paid:
        account = account_of(spec)
        transport = self._transport(account)
        return Paid(
            spec=spec,
            caller=self._caller(spec, role, account, transport),
            book=self._book,
            journal=self.journal,
            halt=self.halt,
            price=self._price(spec, account, transport),
            traffic=self.traffic,
            written=self._written.setdefault((role, transport.where, spec.model), Written()),
        )

    def notes(self) -> tuple[str, ...]:
        """What was learnt of the endpoints that changes how they are asked, for people."""
        words = Words(self.client.language, "notes")
        return tuple(
            words("endpoint", endpoint=str(endpoint), learnt=words.comma.join(learnt))
            for endpoint in self._endpoints.values()
            if (learnt := [*_learnt(endpoint.dialect, words)])
        )

    async def aclose(self) -> None:
        """Close every connection."""
        while self._transports:
            await self._transports.popitem()[1].aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._book.close()
        await self.aclose()

    def _transport(self, account: Account) -> Transport:
        if account not in self._transports:
            # A gate for each role is before it: nobody ever waits inside the pool.
            pool = self.client.limits.model.concurrency * len(Role) + _CLOSING
            self._transports[account] = Transport.open(account, pool)
        return self._transports[account]

    def _caller(
        self, spec: ModelSpec, role: Role, account: Account, transport: Transport
    ) -> Caller:
        loopback = config.is_loopback(urlsplit(transport.where).hostname or "")
        caps = self.client.limits.model.at(loopback=loopback)
        place = (transport.where, spec.model)
        endpoint = self._endpoints.setdefault(place, Endpoint(*place, account.key_name, caps))
        gate = self._gates.setdefault(role, Gate(caps.concurrency))
        door = self._doors.setdefault((transport.where, account.key), Door())
        if (role, endpoint) not in self._rejections:
            self._rejections[role, endpoint] = Rejections(door, self.halt)
        rejections = self._rejections[role, endpoint]
        policy = self.policy.of(spec)
        return Caller(transport, endpoint, gate, policy, self.clock, self.halt, door, rejections)

    def _price(self, spec: ModelSpec, account: Account, transport: Transport) -> Price | None:
        where = transport.where if account.base_url else None
        price = price_of(spec.model, self.client.prices, where)
        if price is None and self.client.limits.budget_usd is not None:
            raise InputError(
                f"budget_usd cannot be kept: the price of {spec.model} is not known; "
                f"write prices: {{{spec.model}: {{input: …, output: …}}}} (USD per million tokens)"
            )
        return price


def _learnt(dialect: Dialect, words: Words) -> Iterator[str]:
    if dialect.rung is not Rung.SCHEMA:
        yield words(f"endpoint.{dialect.rung.name.lower()}")
    if dialect.folded:
        yield words("endpoint.folded")
    if dialect.streams:
        yield words("endpoint.streams")
    if dialect.singly:
        yield words("endpoint.singly")
    if dropped := dialect.dropped - {"encoding_format", "stream_options"}:
        yield words("endpoint.dropped", names=words.comma.join(sorted(dropped)))
