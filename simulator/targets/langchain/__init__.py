"""A bot that is a LangChain runnable: a chain, an agent or a LangGraph graph."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

from pydantic import BaseModel, Field

from simulator.core.errors import InputError, TargetError
from simulator.core.talk import Reply, Talk
from simulator.targets._context import TargetContext
from simulator.targets._importing import BotKind, PythonBot, check_installed, maker
from simulator.targets._shapes import noted
from simulator.targets._threads import Loop, SharedLoop

_KIND = BotKind(
    "runnable",
    fits=lambda bot: hasattr(bot, "ainvoke"),
    right="a LangChain runnable (an object with `ainvoke`)",
)


class Langchain(PythonBot):
    """A LangChain runnable: a chain, an agent or a LangGraph graph.

    `runnable` is the object, or a function without arguments (or a class) that creates it. mogi
    calls `ainvoke` on a separate event loop that all calls share, so it can't block mogi.

    The question goes under `input`. If you don't set this, mogi uses the key in the runnable's
    input schema (`input`, `question`, `query`, `messages`, or the only one). A runnable that takes
    no keys gets text or messages. mogi sends the conversation so far as LangChain messages: under
    `history` (detected: `chat_history`, `history`) or, if the runnable takes messages, before the
    question.

    With `session: true`, the runnable keeps the conversation itself (RunnableWithMessageHistory,
    LangGraph with a checkpointer). It gets only the question, and the conversation's ID as
    `session_id` and `thread_id` in `configurable`. The ID is new in every run.

    The answer is text, a message, a list of messages (the bot's last one after the question), or a
    mapping with one of them under `answer`, `output`, `result`, `response`, `text` or `messages`.
    Documents come from `context`, `source_documents` or `documents`, or from the artifacts of an
    agent's tools. If `context` is text, it's one document without an ID. A document's ID is `id` in
    its metadata; its own `id`, unless that is a UUID that a store generated; or `source` in its
    metadata. `document_id` sets another metadata key. If a graph has a checkpointer, its documents
    are those in its state after the turn. A graph that doesn't retrieve in every turn must clear
    them, or mogi takes the documents of an earlier turn for those of this one.

    LangChain itself contacts no servers, except that it sends traces to LangSmith if the
    environment says so (LANGSMITH_TRACING, or the older LANGCHAIN_TRACING_V2). mogi doesn't change
    that.
    """

    OF_PYTHON = "runnable"

    class Settings(BaseModel, extra="forbid"):
        """The keys of `target:` in a client file, for `kind: langchain`."""

        runnable: str = Field(description='"package.module:name"; the client\'s folder is searched')
        input: str | None = Field(None, description="the key for the question; default: detected")
        history: str | None = Field(
            None, description="the key for the conversation so far; default: detected"
        )
        answer: str | None = Field(None, description="the key with the answer; default: detected")
        documents: str | None = Field(
            None, description="the key with the documents; default: detected"
        )
        document_id: str | None = Field(
            None, description="the metadata key with a document's ID; default: id, or source"
        )
        session: bool = Field(default=False, description="the runnable keeps the conversation")

    def __init__(self, runnable: Any, settings: Settings) -> None:
        """Make a target of a runnable.

        Raises:
            InputError: it is not clear what it takes, or settings do not go together.
        """
        _check_session(runnable, settings)
        self._runnable = runnable
        from simulator.targets.langchain.runnable import Keys, read_output, shape_of

        self._shape = shape_of(runnable, settings.input, settings.history)
        keys = Keys(settings.answer, settings.documents, settings.document_id)
        self._read: Callable[[object], Reply] = partial(read_output, keys=keys)
        self._session = uuid4().hex if settings.session else None
        self._loop = SharedLoop()

    @classmethod
    def open(cls, settings: Settings, context: TargetContext) -> Self:
        """Import or make the runnable; the client's folder and the working directory come first.

        Raises:
            InputError: LangChain is not installed, or the runnable cannot be used.
        """
        check_installed("langchain_core", "langchain-core", "langchain")
        make = maker(settings.runnable, (context.folder, Path.cwd()), _KIND)
        return cls(make(), settings)

    async def answer(self, question: str, talk: Talk) -> Reply:
        """Ask the runnable and read what it returns.

        Raises:
            TargetError: it raised, exited, or returned something that holds no answer.
            HeldUp: another call blocks the event loop that they share.
        """
        return await self._loop.answer(partial(self._answer, question, talk))

    async def _answer(self, question: str, talk: Talk, loop: Loop) -> Reply:
        try:
            value = await loop().run(partial(self._call, question, talk))
        except TargetError as error:
            raise self._explained(error) from error.__cause__
        return self._noted(self._read(value), talk)

    def _call(self, question: str, talk: Talk) -> Any:
        value = self._shape.input_of(question, talk, keeps_talk=self._session is not None)
        if self._session is None:
            return self._runnable.ainvoke(value)
        # A checkpointer may keep talks beyond this run: the same episode of the next one is new.
        name = f"{self._session}/{talk.name}"
        names = {"session_id": name, "thread_id": name}
        return self._runnable.ainvoke(value, config={"configurable": names})

    def _explained(self, error: TargetError) -> TargetError:
        if not (self._shape.guessed and isinstance(error.__cause__, TypeError | KeyError)):
            return error
        return TargetError(
            error.fault,
            f"{error}; mogi sent the question as text, because the runnable doesn't declare its "
            "input; if it takes a mapping, set the key, such as `input: question`",
        )

    def _noted(self, reply: Reply, talk: Talk) -> Reply:
        if self._session is not None or self._shape.tells_talk or not len(talk):
            return reply
        note = (
            "it didn't get the conversation so far, because mogi found no key for it; set one, "
            "such as `history: chat_history`, or `session: true`"
        )
        return noted(reply, note)


def _check_session(runnable: Any, settings: Langchain.Settings) -> None:
    if settings.session and settings.history is not None:
        raise InputError(
            "target.history: with `session: true` the runnable keeps the conversation "
            "itself; use only one of the two"
        )
    keeps = getattr(runnable, "checkpointer", None) or hasattr(runnable, "get_session_history")
    if keeps and not settings.session:
        raise InputError(
            f"target.runnable: {settings.runnable!r} keeps the conversation "
            f"itself ({type(runnable).__name__}); use `session: true`"
        )
