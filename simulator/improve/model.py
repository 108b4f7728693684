"""A model at the service of a search: it words candidates, asks as others would, reads answers.

Rules check all that it writes. Where an endpoint fails or the budget is spent, that is said once,
and the search goes on without it. What was paid for under the run's name is not paid for again.
"""

import asyncio
import hashlib
import random
import re
import secrets
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from pydantic import Field, create_model

from simulator.core.claim import Claim, ClaimKind, State
from simulator.core.clean import cut, folded, normal_form
from simulator.core.concurrency import Halt, interruptible, work_off
from simulator.core.errors import HaltReason, InputError, ModelError, ModelFault, MogiError
from simulator.core.persona import Language, Persona
from simulator.core.plan import seed_of
from simulator.core.ports import CallId, Chat, Message, Role
from simulator.core.run import Ledger
from simulator.core.talk import Document
from simulator.core.traffic import Traffic
from simulator.files.client.folder import LoadedClient
from simulator.files.prompts import Prompt, fenced
from simulator.generate.attempts import is_written_in
from simulator.generate.facts import Draft, DraftFact, Fact, supported_facts
from simulator.generate.forms import without_marks
from simulator.generate.units import Questions, model_of
from simulator.improve.matter import Matter
from simulator.improve.proposals import Proposal, Texts
from simulator.llm.account import account_of
from simulator.llm.accounts import Accounts
from simulator.llm.structured import CleanText, FormModel, ask
from simulator.reading.model import ModelReader
from simulator.reading.words import read_words, says
from simulator.store.store import Store
from simulator.text.clauses import Amount, read
from simulator.text.quantities import each_of
from simulator.text.tokens import content_tokens, sentences
from simulator.words import Words

_LINE = 120  # characters of what says how users ask
_TIMES, _SPARE = 2, 100  # as long as what people wrote, and so many characters, at most
_SHOWN = 4_000  # characters of a text that the model is shown
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_QUOTES = re.compile('[“”"「」『』]')


@dataclass(frozen=True, slots=True)
class Writer:
    """Words proposals with one model, in one language."""

    chat: Chat
    prompt: Prompt
    form: Prompt
    language: Language

    async def word(self, proposal: Proposal) -> Texts | None:
        """Other texts for a proposal; None: nothing came that people's texts bear out.

        What does not hold is told to the model once.

        Raises:
            ModelError: UNAVAILABLE; it can be asked later.
            RunStopped, StoreError: from the chat.
        """
        if not proposal.texts:
            return None  # it only takes something out
        messages = self.messages(proposal)
        call = CallId(_digest(messages), 1, Role.GENERATE, "word")
        fields: dict[str, Any] = dict.fromkeys(proposal.texts, (CleanText, ...))
        form = create_model("EntryText", __base__=FormModel, **fields)
        for part in ("word", "again"):
            try:
                answer = await ask(self.chat, replace(call, part=part), messages, form, self.form)
            except ModelError as error:
                if error.fault is ModelFault.UNAVAILABLE:
                    raise
                return None
            values = answer.model_dump()
            texts = {name: self._tidy(name, values[name], proposal) for name in proposal.texts}
            problems = list(self._problems(proposal, texts))
            if not problems:
                return texts if proposal.diff(texts) and texts != proposal.texts else None
            messages = self._again(messages, texts, problems)
        return None

    def messages(self, proposal: Proposal) -> list[Message]:
        """System message and task; of what a scenario expects there is nothing in either."""
        shown = {
            "people": "\n\n".join(proposal.people),
            "said": "\n".join(proposal.said),
            "draft": "\n".join(proposal.texts.values()),
            "old": proposal.old,
            "entries": "\n\n".join(f"{entry.title}\n{entry.text}" for entry in proposal.near),
        }
        part = f"task.{proposal.why}"
        needed = self.prompt.needs(part)
        blocks = {name: text for name, text in _fenced_all(shown).items() if name in needed}
        task = self.prompt.render(part, **blocks)
        return [Message("system", self.prompt.render("system")), Message("user", task)]

    def _again(
        self, messages: Sequence[Message], texts: Texts, problems: Sequence[str]
    ) -> list[Message]:
        """The task with what does not hold of the last output; both may hold users' words."""
        mark = _digest(messages)
        output = "\n".join(f"{name}: {text}" for name, text in texts.items())
        correction = self.prompt.render(
            "again",
            draft=fenced("output", cut(output, _SHOWN), mark),
            problems=fenced("problems", cut("\n".join(problems), _SHOWN), mark),
        )
        task = messages[-1]
        return [*messages[:-1], replace(task, content=f"{task.content}\n\n{correction}")]

    @staticmethod
    def _tidy(name: str, text: str, proposal: Proposal) -> str:
        """The content of a new entry keeps its lines; all else stands on one."""
        keeps = name == "answer" and proposal.why == "added"
        return (
            "\n".join(filter(None, (" ".join(line.split()) for line in text.splitlines())))
            if keeps
            else " ".join(text.split())
        )

    def _problems(self, proposal: Proposal, texts: Texts) -> Iterator[str]:
        """What is wrong with a model's texts, in words for it."""
        for name, text in texts.items():
            if not text or not is_written_in(text, self.language):
                yield self._told("language", name)
                return
        if "asked" in texts:
            yield from self._of_asked(proposal, texts["asked"])
        if "answer" in texts:
            yield from self._of_answer(proposal, texts["answer"])

    def _of_asked(self, proposal: Proposal, asked: str) -> Iterator[str]:
        """Users' words, or words of what people wrote, and no number but theirs."""
        if len(asked) > _LINE or _QUOTES.search(asked):
            yield self._told("line", asked)
        said, people = self._tokens(*proposal.said), self._tokens(*proposal.people)
        own = self._tokens(asked)
        strange = sorted(own - said - people) + sorted(_numbers(asked) - _numbers(*proposal.people))
        if strange:
            yield self._told("strange", ", ".join(strange))
        if proposal.why == "words" and own <= people:
            yield self._told("nothing_new", asked)

    def _of_answer(self, proposal: Proposal, answer: str) -> Iterator[str]:
        """All that people wrote, each sentence borne out by it, and nothing that it denies."""
        whole, draft = "\n".join(proposal.people), proposal.texts["answer"]
        if len(answer) > _TIMES * len(whole) + _SPARE:
            yield self._told("long", str(len(whole)))
        if strange := sorted(_numbers(answer) - _numbers(whole)):
            yield self._told("strange", ", ".join(strange))
        known = f"{whole}\n{proposal.old}"
        for sentence in sentences(answer, self.language):
            against = says(whole, sentence, self.language) is State.VIOLATED
            if against or says(known, sentence, self.language) is not State.MET:
                yield self._told("not_there", sentence)
        if says(answer, draft, self.language) is not State.MET:
            yield self._told("lacks", draft)

    def _told(self, problem: str, text: str) -> str:
        return self.prompt.render(f"problem.{problem}", text=" ".join(text.split()))

    def _tokens(self, *texts: str) -> set[str]:
        return {word for text in texts for word in content_tokens(text, self.language)}


def _fenced_all(texts: Mapping[str, str]) -> dict[str, str]:
    """Texts as material for a model: none of them can know the fence around it."""
    fence = hashlib.sha256("\n".join(texts.values()).encode("utf-8", "replace")).hexdigest()
    return {name: fenced(name, cut(text, _SHOWN), fence[:16]) for name, text in texts.items()}


def _numbers(*texts: str) -> set[str]:
    return {n.replace(",", "") for text in texts for n in _NUMBER.findall(folded(text))}


def _digest(messages: Sequence[Message]) -> str:
    """What the call with these messages is known by."""
    whole = "\n".join(message.content for message in messages)
    return hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()[:16]


_AT_ONCE = 8  # calls
QUESTIONS = 4  # by a model, on one matter
_LONGEST = 200  # characters of a question
_READINGS = 24  # of one proof
_OFTEN = 7  # calls for a fault: two for words, one for questions, some readings
_TOKENS = 600  # of one call
_BROKEN = frozenset({HaltReason.STORE, HaltReason.INTERNAL})


class MatterText(FormModel):
    """What a right answer says, the supporting words first, and what other customers would ask."""

    facts: list[DraftFact] = Field([], json_schema_extra={"maxItems": 6})
    questions: list[CleanText] = Field([], json_schema_extra={"maxItems": QUESTIONS})


@dataclass(frozen=True, slots=True)
class Drafted:
    """What rules take of a model's text on one matter."""

    facts: tuple[Fact, ...] = ()
    questions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Statement:
    """What an answer to a question may say."""

    question: str
    answer: str
    claim: Claim


class Model:
    """Writes and reads for one search, as far as its client has a model for that.

    Args:
        loaded: the client.
        named: the model that was named; None: the client's own, as far as it has some.
        kept: the store's URL, and the name under which it keeps what is paid.
        say: tells people what it costs, and why it is not asked any more.
        traffic: has the event of each call.
        is_offline: whether it is asked nothing.
    """

    def __init__(
        self,
        loaded: LoadedClient,
        named: str | None,
        kept: tuple[str, str],
        say: Callable[[str], None],
        traffic: Traffic | None = None,
        *,
        is_offline: bool = False,
    ) -> None:
        client = loaded.client
        self._loaded, self._kept, self._say = loaded, kept, say
        self._traffic = traffic or Traffic()
        self.is_needed = False  # whether nothing is to go on without it
        self._language = client.language
        self._is_named = named is not None
        self._writes = model_of(client, named)
        self.name = self._writes.model if self._writes else ""
        self._reads = client.reader or (client.judge.chat if client.judge else self._writes)
        self._words = Words(client.language, "search", "improve")
        self._writer: Writer | None = None
        self._reader: ModelReader | None = None
        self._drafts: dict[tuple[str, str], Drafted] = {}
        self._is_gone = is_offline or not (self._writes or self._reads)
        self.ledger = Ledger()  # what was paid under the name so far

    def announce(self, faults: int, candidates: int) -> None:
        """Say what may be called for so many faults, before anything is.

        Raises:
            InputError: the model that was named cannot be asked.
        """
        if faults:
            self._work([])
        if faults and not self._is_gone:
            names = [spec.model for spec in (self._writes, self._reads) if spec]
            calls, most = faults * _OFTEN, faults * (2 + candidates * (4 + _READINGS))
            named = self._words.comma.join(dict.fromkeys(names))
            tokens = calls * _TOKENS
            self._say(self._words("model.may", model=named, calls=calls, most=most, tokens=tokens))

    def tell(self) -> None:
        """Say what was paid."""
        paid = self.ledger
        if paid.model_calls:
            cost = self._words("cost", usd=f"${paid.cost_usd:.4f}") if paid.cost_usd else ""
            tokens = paid.input_tokens + paid.output_tokens
            self._say(self._words("model.paid", calls=paid.model_calls, tokens=tokens, cost=cost))

    def _work(self, jobs: Sequence[Callable[[], Awaitable[None]]]) -> None:
        """Do jobs with the model, as long as it can be asked."""
        if self._is_gone:
            return
        halt = Halt()
        try:
            asyncio.run(self._all(jobs, halt))
        except InputError as error:
            if self._is_named:
                raise
            halt.trouble = str(error)
        if halt.reason is HaltReason.INTERRUPTED:
            raise KeyboardInterrupt
        if why := halt.message or halt.trouble:
            if self.is_needed or halt.reason in _BROKEN:
                hint = "nothing was written: the same command continues without paying twice"
                raise MogiError(f"{why}; {hint}")
            self._is_gone = True
            self._say(self._words("model.gone", why=why))

    async def _all(self, jobs: Sequence[Callable[[], Awaitable[None]]], halt: Halt) -> None:
        loaded = self._loaded
        specs = [spec for spec in (self._writes, self._reads) if spec]
        for spec in specs:
            account_of(spec)  # a missing key must not leave a store behind
        url, self._traffic.events.run = self._kept
        prompt = partial(loaded.catalog.prompt, self._language)
        with Store.create(url) as store, store.lock(self._kept[1]):
            accounts = Accounts(
                client=loaded.client,
                journal=store.journal(self._kept[1], resume=True),
                halt=halt,
                paid=store.ledger(self._kept[1]),
                traffic=self._traffic,
            )
            async with interruptible(halt, self._say), accounts:
                if self._writes:
                    chat = accounts.chat(self._writes, Role.GENERATE)
                    self._writer = Writer(chat, prompt("improve"), prompt("form"), self._language)
                if self._reads:
                    chat = accounts.chat(self._reads, Role.READER)
                    self._reader = ModelReader(chat, prompt, secrets.token_hex())
                try:
                    await work_off(jobs, lambda job: job(), halt, _AT_ONCE)
                except asyncio.CancelledError as error:
                    if not halt.was_left(error):  # what is in flight is left behind
                        raise
                self.ledger = accounts.ledger

    # ---- Writing ----

    def words(self, proposals: Sequence[Proposal]) -> list[Texts | None]:
        """Candidates in the model's words, in their order; None where rules word one."""
        texts: dict[int, Texts | None] = {}

        async def word(number: int) -> None:
            texts[number] = await self._writer.word(proposals[number]) if self._writer else None

        numbers = range(len(proposals))
        self._work([partial(word, number) for number in numbers])
        return [*map(texts.get, numbers)]

    def questions(self, matter: Matter, people: Sequence[Persona]) -> tuple[str, ...]:
        """What other customers would ask on a matter; the same call brings the answer's facts."""
        key = matter.asked, matter.right
        if key not in self._drafts:
            some = random.Random(seed_of(0, *key)).sample(people, min(QUESTIONS, len(people)))
            self._drafts[key] = Drafted()
            self._work([partial(self._draft, matter, some)])
        return self._drafts[key].questions

    async def _draft(self, matter: Matter, people: Sequence[Persona]) -> None:
        writer = self._writer
        if writer is None:
            return
        prompt = self._loaded.catalog.prompt(self._language, "matter")
        lines = "\n".join(f"{person.name}: {person.description}" for person in people)
        shown = {"asked": matter.asked, "people": matter.affirmed, "personas": lines}
        task = prompt.render("task", number=str(QUESTIONS), **_fenced_all(shown))
        messages = [Message("system", prompt.render("system")), Message("user", task)]
        call = CallId(_digest(messages), 1, Role.GENERATE, "matter")
        try:
            text = await ask(writer.chat, call, messages, MatterText, writer.form)
        except ModelError as error:
            if error.fault is ModelFault.UNAVAILABLE:
                raise
            return
        draft = Draft(question=matter.asked, facts=text.facts)
        answer = Document(matter.affirmed, "answer", matter.asked)
        facts = supported_facts(draft, [answer], self._language, prompt.texts["task"])
        questions = tuple(self._fitting(matter, text.questions[:QUESTIONS]))
        self._drafts[matter.asked, matter.right] = Drafted(facts.required, questions)

    def _fitting(self, matter: Matter, texts: Sequence[str]) -> Iterator[str]:
        """New questions on the matter, in the client's language, without figures of their own."""
        language, known = self._language, Questions(self._language)
        known.add(matter.asked)
        about = set(content_tokens(f"{matter.asked}\n{matter.affirmed}", language))
        for text in (without_marks(" ".join(raw.split())) for raw in texts):
            is_new = self._amounts(text) <= self._amounts(matter.asked) and not known.like(text)
            is_about = not about.isdisjoint(content_tokens(text, language))
            if is_new and is_about and len(text) <= _LONGEST and is_written_in(text, language):
                known.add(text)
                yield text

    def _amounts(self, text: str) -> frozenset[Amount]:
        return frozenset(a for s in read(text, self._language) for a in each_of(s.amounts))

    # ---- Reading ----

    def statements(self, matter: Matter, question: str, answer: str) -> list[Statement]:
        """What an answer on a matter has to say: its claims, as facts if these have all figures."""
        facts = self._drafts.get((matter.asked, matter.right), Drafted()).facts
        wordings: list[tuple[str, ...]] = []
        for claim in matter.claims:
            form = normal_form(claim.text)
            own = [f for f in facts if normal_form(f.quote.text) in form]
            texts = [s for fact in own for s in read(fact.wordings[0], self._language)]
            is_whole = matter.figures(claim) <= frozenset[str]().union(*map(matter.figures, texts))
            wordings += [f.wordings for f in own] if own and is_whole else [(claim.text,)]
        claims = [Claim("", ClaimKind.SAYS, each) for each in wordings]
        return [Statement(question, answer, claim) for claim in claims]

    def readings(self, wanted: Mapping[str, Sequence[Statement]]) -> dict[str, bool | None]:
        """By key, if all statements are made; False if one is not; None: nobody can tell."""
        if self._is_gone or self._reads is None:
            return {}
        states = {
            each: read_words([each.claim], each.question, each.answer, self._language)[0].state
            for some in wanted.values()
            for each in some
        }

        async def ask_reader(each: Statement) -> None:
            texts = (each.question, each.answer, *each.claim.wordings)
            call = CallId(_digest([Message("user", "\0".join(texts))]), 1, Role.READER, "claim")
            if self._reader is not None:
                states[each] = await self._reader.state(
                    each.claim, each.question, each.answer, call
                )

        unknown = [each for each, state in states.items() if state is State.UNKNOWN]
        self._work([partial(ask_reader, each) for each in unknown[:_READINGS]])
        return {key: _verdict([states[s] for s in some]) for key, some in wanted.items()}


def _verdict(states: Sequence[State]) -> bool | None:
    if any(state in (State.VIOLATED, State.UNMET) for state in states):
        return False
    return True if states and all(state is State.MET for state in states) else None
