"""What is asked of a session: from which FAQ, by which methods and model, into which file."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from simulator.core.errors import InputError
from simulator.core.persona import Persona
from simulator.core.plan import Client, ModelSpec
from simulator.core.talk import Document
from simulator.files.catalog import shipped
from simulator.files.client.loading import LoadedClient
from simulator.formats.complaints import hint, shown
from simulator.generate.rounds import AT_ONCE
from simulator.generate.units import Method, Wish, hashed

FILE = "scenarios.generated.yaml"
TEMPERATURE = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A session's orders.

    `faq` is the FAQ's name as people see it. `checks`: how often each question is checked;
    `retries`: how often faulty ones are asked for again. `model` None: no model is at hand.
    """

    loaded: LoadedClient
    entries: tuple[Document, ...]
    faq: str
    output: Path
    store_url: str
    methods: tuple[Method, ...]
    model: ModelSpec | None = None
    per_entry: int = 1
    checks: int = 1
    retries: int = 2
    limit: int | None = None
    seed: int = 42
    personas: Mapping[str, Persona] = field(default_factory=dict)
    budget_usd: float | None = None
    at_once: int = AT_ONCE

    @property
    def wish(self) -> Wish:
        """Which units are wanted."""
        return Wish(self.methods, self.per_entry, self.limit, self.seed, self.personas)

    @property
    def session(self) -> str:
        """The name under which the store keeps the paid calls: one for each file and seed."""
        place = f"{self.output.resolve()}\n{self.seed}".encode("utf-8", "replace")
        return f"generate-{hashlib.sha256(place).hexdigest()[:8]}"

    @property
    def client(self) -> Client:
        """The client with this session's budget."""
        client = self.loaded.client
        if self.budget_usd is None:
            return client
        return replace(client, limits=replace(client.limits, budget_usd=self.budget_usd))

    def made_with(self, prompts: Mapping[str, str]) -> str:
        """The hash of all that decides what comes of a unit, its entries apart."""
        model, embedding = self.model, self.loaded.client.embedding
        spec = [model.model, model.temperature, model.base_url] if model else None
        vectors = [embedding.model, embedding.base_url] if embedding else None
        return hashed([spec, vectors, dict(prompts), self.checks, self.retries])


def model_of(client: Client, name: str | None) -> ModelSpec | None:
    """The model that writes: the one that is named, where the client's user model lives."""
    spec = client.user.chat
    if name is not None:
        spec = replace(spec, model=name) if spec else ModelSpec(name)
    if spec is not None and spec.temperature is None:
        spec = replace(spec, temperature=TEMPERATURE)
    return spec


def methods_of(names: Sequence[str], model: ModelSpec | None) -> tuple[Method, ...]:
    """The methods in their own order; by default `questions`, without a model `title`.

    Raises:
        InputError: one needs a model, and none is named.
    """
    if not names:
        return (Method.QUESTIONS if model else Method.TITLE,)
    chosen = tuple(method for method in Method if method.value in names)
    needy = [method.value for method in chosen if method is not Method.TITLE]
    if needy and model is None:
        raise InputError(
            f"--method {needy[0]} needs a model; name one with --model M, or write user.model in "
            "client.yaml (--method title needs none)"
        )
    return chosen


def personas_of(loaded: LoadedClient, names: Sequence[str]) -> Mapping[str, Persona]:
    """The client's personas, or those of them that are named.

    Raises:
        InputError: the client has no such persona; nobody would ask its questions in a run.
    """
    known = loaded.personas
    wrong = [
        f"--persona: the client has no persona {shown(n)}; {hint(n, known)} "
        "(`personas:` in client.yaml)"
        for n in names
        if n not in known
    ]
    if wrong:
        raise InputError(*wrong)
    return {name: known[name] for name in names} or known


def ships(client: Client) -> bool:
    """Whether it is a client that came with mogi, whose folder is not the person's own."""
    return Path(client.folder).is_relative_to(shipped().resolve() / "scenarios")


def default_output(client: Client, cwd: Path) -> Path:
    """In the client's folder; for a client that ships with mogi, in the working directory."""
    return (cwd if ships(client) else Path(client.folder)) / FILE
