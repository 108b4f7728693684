"""A bot that answers from one text with a model: question by question, or all in one call."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Annotated, Any, ClassVar, Self

from pydantic import BeforeValidator, Field, model_validator

from simulator.core.clean import normal_form, visible
from simulator.core.errors import InputError, ModelError, ModelFault, TargetError, TargetFault
from simulator.core.persona import Language
from simulator.core.plan import ModelSpec
from simulator.core.ports import CallId, Chat, Message, Role
from simulator.core.talk import Document as Passage
from simulator.core.talk import Reply, Talk
from simulator.files.client.keys import ModelSettings
from simulator.files.passages import passages
from simulator.formats.fields import EnvName, Text, Url
from simulator.formats.sources import Source, inside
from simulator.llm.structured import CleanText, FormModel, ask, what_failed
from simulator.targets._context import TargetContext
from simulator.text.bm25 import Bm25
from simulator.text.tokens import content_tokens

MAX_LISTED = 40
"""Questions of one call: their answers fit into what a model writes at once, and in time."""

# Asks the questions of one list; the number of the list counts from 1.
Ask = Callable[[int, Sequence[str]], Awaitable[Mapping[str, str]]]


def _text(value: object) -> object:
    return "" if value is None else value


def _number(value: object) -> object:
    """0, which no question has, for a number that is none: the question's words tell as well."""
    try:
        return int(str(value).strip(" .、．"))
    except ValueError:
        return 0


class Item(FormModel):
    """One answer. The question is written once more, so that a slip of the number is noticed."""

    number: Annotated[int, BeforeValidator(_number)] = 0
    question: Annotated[CleanText, BeforeValidator(_text)] = ""
    answer: Annotated[CleanText, BeforeValidator(_text)] = ""


class Items(FormModel):
    """The answers to a list of questions."""

    answers: Annotated[list[Item], Field(min_length=1)]

    @model_validator(mode="before")
    @classmethod
    def _bare_list(cls, value: Any) -> Any:
        return {"answers": value} if isinstance(value, list) else value


def by_question(items: Sequence[Item], questions: Sequence[str]) -> dict[str, str]:
    """The answer to each question that was answered, and answered in one way only.

    An item answers the question that it repeats; where it repeats none of them (people's words
    are shortened, or put differently), the one of its number.
    """
    answers: dict[str, set[str]] = {}
    for item in items:
        question = _meant(item, questions)
        if question is not None and visible(item.answer):
            answers.setdefault(question, set()).add(item.answer.strip())
    return {question: texts.pop() for question, texts in answers.items() if len(texts) == 1}


def _meant(item: Item, questions: Sequence[str]) -> str | None:
    inside = 1 <= item.number <= len(questions)
    numbered = questions[item.number - 1] if inside else None
    words = normal_form(item.question)
    repeated = [q for q in questions if normal_form(q) == words]
    if numbered in repeated or not repeated:
        return numbered
    return repeated[0] if len(repeated) == 1 else None


class Together:
    """The answers to questions that are known beforehand.

    They are asked in lists of at most `MAX_LISTED`, each in one call, which is made when the first
    of its questions comes up; whoever comes meanwhile waits for it.
    """

    def __init__(self, questions: Sequence[str], ask: Ask) -> None:
        """Nothing is asked yet."""
        self._lists = [
            questions[at : at + MAX_LISTED] for at in range(0, len(questions), MAX_LISTED)
        ]
        self._places = {q: n for n, listed in enumerate(self._lists) for q in listed}
        self._ask = ask
        self._calls: dict[int, asyncio.Task[Mapping[str, str]]] = {}

    async def answer(self, question: str) -> tuple[str | None, str]:
        """The answer, and where there is none, why (nothing, if the question is in no list).

        Raises:
            ModelError: UNAVAILABLE; whoever asks later tries again.
            RunStopped: the run was halted.
            StoreError: the answers could not be saved.
        """
        place = self._places.get(question)
        if place is None:
            return None, ""
        try:
            answer = (await asyncio.shield(self._call(place))).get(question)
        except ModelError as error:
            if error.fault is ModelFault.UNAVAILABLE:
                raise
            return None, f"asked alone: the list of all questions got no answers ({error})"
        if answer is None:
            return None, "asked separately: the model skipped it in its list of answers"
        return answer, ""

    async def close(self) -> None:
        """Give up what is still being asked."""
        calls = list(self._calls.values())
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)

    def _call(self, place: int) -> "asyncio.Task[Mapping[str, str]]":
        """One task for all who wait: none of them takes the others' answers along if it goes."""
        if place not in self._calls:
            task = asyncio.ensure_future(self._ask(place + 1, self._lists[place]))
            task.add_done_callback(lambda done: self._ended(place, done))
            self._calls[place] = task
        return self._calls[place]

    def _ended(self, place: int, call: "asyncio.Task[Mapping[str, str]]") -> None:
        error = None if call.cancelled() else call.exception()
        about_these = isinstance(error, ModelError) and error.fault is not ModelFault.UNAVAILABLE
        if call.cancelled() or (error is not None and not about_these):
            self._calls.pop(place, None)


WHOLE = 12_000
"""Characters up to which a text is shown whole, and of all that is shown of a longer one."""
_GAP = "\n[…]\n"
# Not a cell's name, which has two slashes: the calls that all conversations share.
_EPISODE = "document"


class Document:
    """A model that answers from a text, to test the text or its prompt.

    With `together: true`, mogi asks the first questions of all scenarios in one call (at most 40
    per call; `MAX_LISTED`), as a list of {number, question, answer}. This happens once per run,
    when the first of them comes up; a resumed run reuses the stored answers. mogi asks other
    questions one at a time, with the conversation so far: follow-up questions, first messages in a
    persona's own words (`open: styled`), and questions that the model left out of its list. With
    `together: false`, it asks all questions this way.

    Each answer has the text as its document, so that a judge can see it. If the text has more than
    12,000 characters, the document has only the passages that share words with the question and
    answer.

    The model is the client's own choice for its bot: mogi calls the one in `model` even with
    `--offline`.
    """

    LOCAL: ClassVar[bool] = True
    PROMPTS: ClassVar[tuple[str, ...]] = ("document_answer", "form")

    class Settings(ModelSettings, extra="forbid"):
        """The keys of `target:` in a client file, for `kind: document`."""

        text: Text = Field(description="the text file, in the client's folder")
        model: Text | None = Field(
            None, description="the model that answers; default: the one that plays the users"
        )
        temperature: float = Field(0.0, ge=0, le=2, description="the model's temperature")
        base_url: Url | None = Field(None, description="the server's URL; default: the SDK's")
        api_key_env: EnvName | None = Field(
            None, description="the environment variable with its key"
        )
        together: bool = Field(
            default=False, description="ask the first questions of all scenarios in one call"
        )

        @model_validator(mode="after")
        def _names_what_it_places(self) -> Self:
            # Silently dropped, an address would send what is asked to another one.
            keys = ("api_key_env", "base_url", "headers", "extra_body", "api_version")
            useless = [key for key in keys if getattr(self, key)]
            if self.model is None and useless:
                raise ValueError(f"has {useless[0]}, but no model to call; add target.model")
            return self

    def __init__(self, text: str, chat: Chat, settings: Settings, context: TargetContext) -> None:
        """Make the bot; nothing is asked yet."""
        self._chat = chat
        self._prompt = context.prompts("document_answer")
        self._form_prompt = context.prompts("form")
        self._excerpts = Excerpts(settings.text, text, context.language)
        questions = context.questions if settings.together else ()
        # No text holds the hash of itself, and a resume finds the same.
        self._fence = hashlib.sha256("\n".join([text, *questions]).encode()).hexdigest()[:16]
        self._system = Message(
            "system", self._prompt.render("system", text=text, fence=self._fence)
        )
        self._together = Together(questions, self._ask_list)

    @classmethod
    def open(cls, settings: Settings, context: TargetContext) -> Self:
        """Read the text: UTF-8, or cp932 as older programs in Japan save it.

        Raises:
            InputError: it cannot be read, there is nothing in it, or no model is named.
        """
        source = Source.of(context.folder / settings.text, within=inside(context.folder))
        text = source.table_text().strip()
        if not visible(text):
            raise source.error(0, "empty file; write the text that the bot answers from")
        if context.chat is None:
            raise _no_model()
        return cls(text, context.chat, settings, context)

    @classmethod
    def model(cls, settings: Settings, speaks: ModelSpec | None) -> ModelSpec | None:
        """Its own model, or else the one that plays the users.

        Raises:
            InputError: there is neither.
        """
        how = {key: value for key in settings.ASKS_HOW if (value := getattr(settings, key))}
        how["temperature"] = settings.temperature
        if settings.model is not None:
            return ModelSpec(
                settings.model, base_url=settings.base_url, api_key_env=settings.api_key_env, **how
            )
        if speaks is None:
            raise _no_model()
        return replace(speaks, **{"max_tokens": None, **how})

    @classmethod
    def reads(cls, settings: Settings) -> tuple[str, ...]:
        """The file that it answers from."""
        return (settings.text,)

    @classmethod
    def together(cls, settings: Settings) -> int:
        """How many first questions one call answers; 0: each has calls of its own."""
        return MAX_LISTED if settings.together else 0

    async def answer(self, question: str, talk: Talk) -> Reply:
        """Answer from the text.

        Raises:
            TargetError: the model refused, or gave no answer or half of one.
            ModelError: it could not be asked.
            RunStopped: the run was halted.
        """
        listed, why = (None, "") if len(talk) else await self._together.answer(question)
        text = listed if listed is not None else await self._alone(question, talk)
        documents = self._excerpts.about(question, text)
        return Reply(text, documents, reports_documents=True, notes=(why,) if why else ())

    async def close(self) -> None:
        """Give up what is still being asked."""
        await self._together.close()

    async def _alone(self, question: str, talk: Talk) -> str:
        messages = [self._system]
        for user, assistant in talk.history:
            messages += [Message("user", user), Message("assistant", assistant)]
        messages.append(Message("user", question))
        # The part keeps this call apart from the answer itself, which the guard records.
        call = CallId(talk.episode, talk.next_turn, Role.TARGET, "answer", talk.take)
        completion = await self._chat.complete(call, messages)
        if completion.fault is not None:
            empty = completion.fault is ModelFault.EMPTY
            fault = TargetFault.EMPTY if empty else TargetFault.RAISED
            why = what_failed(completion.fault, completion.finish)
            raise TargetError(fault, f"the model that answers from the text: {why}")
        return completion.text

    async def _ask_list(self, number: int, questions: Sequence[str]) -> Mapping[str, str]:
        listed = "\n".join(f"{n}. {' '.join(q.split())}" for n, q in enumerate(questions, 1))
        request = self._prompt.render("together", questions=listed, fence=self._fence)
        call = CallId(_EPISODE, 0, Role.TARGET, f"together/{number}")
        messages = (self._system, Message("user", request))
        items = await ask(self._chat, call, messages, Items, self._form_prompt)
        return by_question(items.answers, questions)


def _no_model() -> InputError:
    return InputError(
        "target.kind is document, but no model is set: set target.model in client.yaml (the "
        "bot's own model, which mogi calls even with --offline), or use --model M"
    )


class Excerpts:
    """A text as the documents that come with an answer.

    A judge is not shown more than `WHOLE` characters of documents. Of a longer text it had better
    see the passages with the words of question and answer than its beginning and its end.
    """

    def __init__(self, name: str, text: str, language: Language) -> None:
        """`name` is the file's; the index over a long text is built with its first answer."""
        self._name = name
        self._text = text
        self._language = language

    def about(self, question: str, answer: str) -> tuple[Passage, ...]:
        """The text as one document with the file's name as its id; of a long one, its passages.

        They stand in the text's order, with ids such as `input.txt~3`. Where none has a word of
        question or answer, it is the two ends of the text.
        """
        if len(self._text) <= WHOLE:
            return (Passage(self._text, self._name),)
        words = content_tokens(f"{question}\n{answer}", self._language)
        hits = self._index.search(words, len(self._passages))
        kept: list[Passage] = []
        room = WHOLE
        for hit in hits:
            if len(hit.document.text) <= room:
                room -= len(hit.document.text)
                kept.append(hit.document)
        if not kept:
            half = (WHOLE - len(_GAP)) // 2
            return (Passage(f"{self._text[:half]}{_GAP}{self._text[-half:]}", self._name),)
        return tuple(sorted(kept, key=self._passages.index))

    @cached_property
    def _passages(self) -> list[Passage]:
        return passages(self._text, self._name)

    @cached_property
    def _index(self) -> Bm25:
        return Bm25(self._passages, self._language)
