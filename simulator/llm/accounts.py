"""The accounts of a run: opens one chat per model and role, owns the clients, closes them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import urlsplit

from simulator import config
from simulator.core.concurrency import Halt
from simulator.core.errors import InputError
from simulator.core.plan import Client, ModelSpec, Price
from simulator.core.ports import CallRecord, Chat, Embedder, Journal, Lender, Role
from simulator.core.run import Ledger
from simulator.core.traffic import Traffic
from simulator.llm.account import Account, Door, Rejections, account_of
from simulator.llm.budget import Budget, Paid, Written
from simulator.llm.caller import Caller, RetryPolicy
from simulator.llm.chat import Length, ModelChat
from simulator.llm.client import Endpoint, Gate, Transport
from simulator.llm.embeddings import ModelEmbedder
from simulator.llm.parameters import Dialect, Rung
from simulator.llm.prices import price_of
from simulator.rates import Share
from simulator.retries import Clock
from simulator.words import Words

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
        share: How much of the limits per minute is for this process.
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
    share: Share = field(default_factory=Share)

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
        endpoint = self._endpoints.setdefault(
            place, Endpoint(*place, account.key_name, caps, self.share)
        )
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
                f"mogi can't enforce budget_usd: the price of {spec.model} is unknown; "
                f"add prices: {{{spec.model}: {{input: …, output: …}}}} (USD per million tokens)"
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
