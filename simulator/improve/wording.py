"""Proposals in a model's words: no sentence but what people wrote or approved bears it out."""

import asyncio
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from simulator.core.claim import State
from simulator.core.clean import cut, folded
from simulator.core.concurrency import Halt, work_off
from simulator.core.errors import ModelError, ModelFault
from simulator.core.persona import Language
from simulator.core.plan import ModelSpec
from simulator.core.ports import CallId, Chat, Message, Role
from simulator.core.run import Ledger
from simulator.core.traffic import Traffic
from simulator.files.client.folder import LoadedClient
from simulator.files.prompts import Prompt, fenced
from simulator.generate.attempts import is_written_in
from simulator.improve.proposals import Proposal, Texts
from simulator.llm.account import account_of
from simulator.llm.accounts import Accounts
from simulator.llm.structured import CleanText, FormModel, ask
from simulator.reading.words import says
from simulator.store.store import Store
from simulator.text.tokens import content_tokens, sentences

_AT_ONCE = 8  # proposals
_LINE = 120  # characters of what says how users ask
_TIMES, _SPARE = 2, 100  # as long as what people wrote, and so many characters, at most
_SHOWN = 4_000  # characters of a text that the model is shown
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_QUOTES = re.compile('[“”"「」『』]')


class QuestionText(FormModel):
    """How users ask."""

    asked: CleanText


class AnswerText(FormModel):
    """What they are to be told."""

    answer: CleanText


class EntryText(QuestionText):
    """Both, as an entry has them."""

    answer: CleanText


_FORMS: dict[tuple[str, ...], type[QuestionText | AnswerText]] = {
    ("asked",): QuestionText,
    ("answer",): AnswerText,
    ("asked", "answer"): EntryText,
}


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
        form = _FORMS[tuple(proposal.texts)]
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
        fence = hashlib.sha256("\n".join(shown.values()).encode("utf-8", "replace")).hexdigest()
        blocks = {
            name: fenced(name, cut(text, _SHOWN), fence[:16])
            for name, text in shown.items()
            if name in self.prompt.needs(part)
        }
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


def _numbers(*texts: str) -> set[str]:
    return {n.replace(",", "") for text in texts for n in _NUMBER.findall(folded(text))}


def _digest(messages: Sequence[Message]) -> str:
    whole = "\n".join(message.content for message in messages)
    return hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Wording:
    """What a model made of proposals, in their order, and what all of it has cost so far."""

    texts: tuple[Texts | None, ...]
    ledger: Ledger


async def word_all(
    proposals: Sequence[Proposal],
    spec: ModelSpec,
    loaded: LoadedClient,
    kept: tuple[str, str],
    halt: Halt,
    traffic: Traffic,
) -> Wording:
    """Word every proposal; `kept`: the store's URL, and the name under which it keeps what is paid.

    What was paid for under that name is not paid for again. Where `halt` has a reason or knows of
    a trouble afterwards, some were not come to.

    Raises:
        InputError: a prompt is wrong, no key, a budget and no price; nothing was paid.
        StoreError: the store cannot be used, or another process works on the same.
    """
    client, catalog, (url, session) = loaded.client, loaded.catalog, kept
    prompt, form = (catalog.prompt(client.language, name) for name in ("improve", "form"))
    account_of(spec)  # a missing key must not leave a store behind
    texts: dict[int, Texts | None] = {}
    traffic.events.run = session
    with Store.create(url) as store, store.lock(session):
        async with Accounts(
            client=client,
            journal=store.journal(session, resume=True),
            halt=halt,
            paid=store.ledger(session),
            traffic=traffic,
        ) as accounts:
            writer = Writer(accounts.chat(spec, Role.GENERATE), prompt, form, client.language)

            async def word(number: int) -> None:
                texts[number] = await writer.word(proposals[number])

            try:
                await work_off(range(len(proposals)), word, halt, _AT_ONCE)
            except asyncio.CancelledError as error:
                if not halt.was_left(error):  # what is in flight is left behind
                    raise
            ledger = accounts.ledger
    return Wording(tuple(map(texts.get, range(len(proposals)))), ledger)
