"""How well a model's checks tell good questions from bad ones: precision and recall of both."""

import asyncio
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from simulator.core.concurrency import Halt
from simulator.core.errors import ModelError, RunStopped, StoreError
from simulator.core.outcome import Interval
from simulator.core.persona import Language
from simulator.core.plan import Client, ModelSpec, Price
from simulator.core.ports import CallId, Chat, Message, Role
from simulator.core.run import Ledger
from simulator.core.talk import Document
from simulator.core.traffic import Traffic
from simulator.files.catalog import shipped
from simulator.files.client.folder import LoadedClient, load_client
from simulator.formats.fields import Name, Text, Written
from simulator.formats.sources import Source
from simulator.formats.yaml.reading import read_yaml
from simulator.generate.attempts import Checker
from simulator.generate.conversation import Prompts, TaskWriter
from simulator.generate.estimate import SessionEstimate, estimate_checks
from simulator.generate.forms import Candidate, QuestionFault, Rejected, check_form
from simulator.generate.rounds import Watcher
from simulator.generate.units import Method, Nearness, Unit, hashed
from simulator.llm.accounts import Accounts
from simulator.llm.structured import form_of
from simulator.llm.transport import account_of
from simulator.statistics.intervals import wilson
from simulator.store.store import Store

SELF_TEST_FILE = "self-test.yaml"
_DEMO: dict[Language, str] = {"ja": "demo", "en": "demo-en"}


class SeededQuestion(Written):
    """A question, and the faults that it was written with."""

    text: Text
    faults: Annotated[
        tuple[Literal["viewpoint", "inconsistency"], ...],
        Field(strict=False, description="a list of viewpoint and inconsistency"),
    ]


class SeededEntry(Written):
    """The questions about one entry of the demo's FAQ."""

    entry: Name
    questions: Annotated[tuple[SeededQuestion, ...], Field(strict=False, min_length=1)]


@dataclass(frozen=True, slots=True)
class Seeded:
    """The set of one language: the demo, and its questions by entry."""

    loaded: LoadedClient
    entries: tuple[tuple[Document, tuple[SeededQuestion, ...]], ...]

    @property
    def documents(self) -> Sequence[Document]:
        """The demo's whole FAQ."""
        knowledge = self.loaded.knowledge
        return knowledge.documents() if knowledge else ()


def seeded(language: Language) -> Seeded:
    """The set that ships with mogi.

    Raises:
        InputError: its files are wrong.
    """
    folder = shipped() / "scenarios" / _DEMO[language]
    loaded = load_client(str(folder), cwd=Path.cwd(), scenarios=False)
    source = Source.of(folder / SELF_TEST_FILE)
    found = TypeAdapter(list[SeededEntry]).validate_python(read_yaml(source).data)
    known = {d.id: d for d in loaded.knowledge.documents()} if loaded.knowledge else {}
    return Seeded(loaded, tuple((known[item.entry], item.questions) for item in found))


TESTED_FAULTS = (QuestionFault.VIEWPOINT, QuestionFault.INCONSISTENCY)
ANY = "any fault"


@dataclass(frozen=True, slots=True)
class TestedQuestion:
    """What the checks said of one seeded question; `said` None: no check was usable."""

    language: Language
    entry: str
    question: str
    faults: tuple[str, ...]
    said: tuple[str, ...] | None
    reason: str = ""

    @property
    def is_right(self) -> bool:
        """Whether a good question was passed, or a bad one stopped for its very fault."""
        if not self.faults or self.said is None:
            return self.said == ()
        return bool(set(self.said).intersection(self.faults))


@dataclass(frozen=True, slots=True)
class Figures:
    """One fault: of those that were stopped for it, so many had it; and the other way round."""

    precision: Interval
    recall: Interval
    stopped: int
    faulty: int


@dataclass(slots=True)
class Tested:
    """What came of a self-test; `unasked` questions were not checked, because it was stopped."""

    verdicts: list[TestedQuestion] = field(default_factory=list)
    ledger: Ledger = field(default_factory=Ledger)
    unasked: int = 0

    def figures(self, fault: str, language: Language | None = None) -> Figures:
        """The figures of one fault (or of `ANY`), over one language or both.

        Unusable checks count in neither. Of `inconsistency` those are left out that were written
        in the desk's voice: whether the FAQ answers what a desk asks cannot be said.
        """
        usable = [v for v in self.verdicts if v.said is not None and language in (None, v.language)]
        if fault == QuestionFault.INCONSISTENCY:
            usable = [v for v in usable if QuestionFault.VIEWPOINT not in v.faults]
        pairs = [(_has(v.said or (), fault), _has(v.faults, fault)) for v in usable]
        both = sum(said and had for said, had in pairs)
        stopped, faulty = sum(said for said, _ in pairs), sum(had for _, had in pairs)
        return Figures(wilson(both, stopped), wilson(both, faulty), stopped, faulty)


@dataclass(frozen=True, slots=True)
class SelfTest:
    """A self-test's orders; prices and limits are those of `client`."""

    model: ModelSpec
    client: Client
    store_url: str
    checks: int = 1

    def estimate(self, price: Price | None) -> SessionEstimate:
        """What it would do: one check of each entry's questions, or more; calls nothing."""
        found = [_Test(s, None, self.checks, "") for s in _sets()]
        asked = [(t.language, t.reads(at), t.size(at)) for t in found for at in t.places]
        return estimate_checks(asked, self.checks, price)

    async def run(self, watcher: Watcher, halt: Halt, traffic: Traffic) -> Tested:
        """Have a model check the seeded questions, just as it checks questions of its own.

        The seeded questions of an entry stand in the conversation as if the model had written
        them. Each self-test pays for itself: none takes over the answers of another one. `traffic`
        is told of each call.

        Raises:
            InputError: no key, a base URL that is none.
            StoreError: the store cannot be used.
        """
        account_of(self.model)  # before a store is made: a missing key leaves no file behind
        name = f"generate-self-test-{secrets.token_hex(4)}"
        with Store.create(self.store_url) as store, store.lock(name):
            async with Accounts(
                client=self.client,
                journal=store.journal(name, resume=False),
                halt=halt,
                observer=watcher,
                traffic=traffic,
            ) as accounts:
                chat = accounts.chat(self.model, Role.GENERATE)
                tests = [_Test(s, chat, self.checks, name) for s in _sets()]
                tested = await _all(tests, watcher, halt)
                return replace(tested, ledger=accounts.ledger)


async def _all(tests: Sequence["_Test"], watcher: Watcher, halt: Halt) -> Tested:
    waiting = [(test, at) for test in tests for at in test.places]
    through = 0

    async def check(test: "_Test", at: int) -> list[TestedQuestion]:
        nonlocal through
        found = await test.check(at)
        through += 1
        watcher.went(1, through, len(waiting))
        return found

    results = await asyncio.gather(*(check(*item) for item in waiting), return_exceptions=True)
    tested = Tested()
    for (test, at), result in zip(waiting, results, strict=True):
        if isinstance(result, list):
            tested.verdicts.extend(result)
        elif isinstance(result, RunStopped | StoreError | ModelError):
            tested.unasked += test.size(at)
            halt.trouble = str(result)
        else:
            raise result
    return tested


def _sets() -> list[Seeded]:
    return [seeded("ja"), seeded("en")]


class _Test:
    """The self-test of one language; without a chat it only says what it would ask."""

    def __init__(self, found: Seeded, chat: Chat | None, checks: int, session: str) -> None:
        client = found.loaded.client
        self.language = client.language
        self.places = range(len(found.entries))
        self._entries = found.entries
        prompts = Prompts.of(lambda name: found.loaded.catalog.prompt(client.language, name))
        self._writer = TaskWriter(prompts, Nearness(found.documents, client.language), session)
        self._checker = Checker(chat, prompts.form, checks) if chat else None

    def size(self, at: int) -> int:
        """How many questions there are about one entry."""
        return len(self._entries[at][1])

    def reads(self, at: int) -> int:
        """The characters of one check of them."""
        form = form_of(check_form(Method.QUESTIONS), self._writer.prompts.form)
        return sum(len(m.content) for m in self._messages(at)) + len(form.instructions)

    async def check(self, at: int) -> list[TestedQuestion]:
        """What the checks say of the questions about one entry."""
        if self._checker is None:
            return []
        entry, asked = str(self._entries[at][0].id), self._asked(at)
        call = CallId(f"{self.language}/{entry}", 1, Role.GENERATE)
        found = await self._checker.check(
            call, Method.QUESTIONS, self._messages(at), [Candidate(q.text) for q in asked]
        )
        return [
            self._verdict(entry, question, result)
            for question, result in zip(asked, found, strict=True)
        ]

    def _asked(self, at: int) -> list[SeededQuestion]:
        """In an order that tells nothing: in the file the good ones come first."""
        return sorted(self._entries[at][1], key=lambda question: hashed(question.text))

    def _messages(self, at: int) -> tuple[Message, ...]:
        entry, asked = self._entries[at][0], self._asked(at)
        unit = Unit(Method.QUESTIONS, (entry,), (at, 0, ""), len(asked))
        said = {"questions": [{"question": q.text, "elements": []} for q in asked]}
        told = self._writer.check(unit, [Candidate(question.text) for question in asked])
        opening = self._writer.opening(unit, len(asked), ())
        return opening.then(json.dumps(said, ensure_ascii=False), told)

    def _verdict(
        self, entry: str, question: SeededQuestion, result: Candidate | Rejected
    ) -> TestedQuestion:
        faults = tuple(question.faults)
        if isinstance(result, Candidate):
            return TestedQuestion(self.language, entry, question.text, faults, ())
        known = result.fault is not QuestionFault.UNCHECKED
        said = tuple(fault.value for fault in result.checked.faults) if known else None
        return TestedQuestion(self.language, entry, question.text, faults, said, result.detail)


def _has(faults: Sequence[str], fault: str) -> bool:
    return bool(faults) if fault == ANY else fault in faults
