"""A bot that is a Python function: `answer(question, history)`, or the older `rag(…)`."""

import inspect
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, Field

from simulator.core.errors import InputError
from simulator.core.talk import Reply, Talk
from simulator.formats.sources import Source, inside
from simulator.targets._context import TargetContext
from simulator.targets._importing import PythonBot, check_takes, load_function
from simulator.targets._shapes import HistoryShape, as_rag_reply, as_reply, history_of
from simulator.targets._threads import BotLoop, Loop, SharedLoop, in_thread


class Function(PythonBot):
    """A Python function `answer(question, history)`, sync or async.

    mogi calls `function(question, history)`, which returns text; `(text, documents)`; `{answer,
    documents}`; or a `Reply`. A document is text, `{id, text}` or `{id, content}` (and `title`),
    `{id}` alone if that's an ID in the knowledge base, or an object with `page_content` and
    `metadata` (with the ID in `id` or `source`). An empty list of documents means that the search
    found nothing. If your bot doesn't report its documents, return only text, or None for the
    documents.

    With a `prompt`, mogi calls the older form `rag(query, history, prompt)`, which returns `(_,
    history, documents)`. The answer is the assistant's text in the last entry of the history. If
    the history has no entry for this turn, it's the first item, if that is text.

    `history` is a new list for each call, oldest first: (user, assistant) tuples or, with `history:
    messages`, {role, content} dicts.

    Each call runs in its own daemon thread. If it returns an awaitable, such as a coroutine, mogi
    awaits it on a separate event loop that all calls share. Neither can block mogi.
    """

    OF_PYTHON = "function"

    class Settings(BaseModel, extra="forbid"):
        """The keys of `target:` in a client file, for `kind: function`."""

        function: str = Field(description='"package.module:name"; the client\'s folder is searched')
        prompt: str | None = Field(None, description="a text file in the client's folder")
        history: HistoryShape = Field("pairs", description="the format of the conversation so far")

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        prompt: str | None = None,
        history: HistoryShape = "pairs",
    ) -> None:
        """Make a target of a callable; `prompt` is the text that the older form is given.

        Raises:
            InputError: it does not take the arguments that it will be called with.
        """
        names = ("question", "history") if prompt is None else ("query", "history", "prompt")
        check_takes(function, names)
        self._function = function
        self._prompt = prompt
        self._shape: HistoryShape = history
        self._loop = SharedLoop()

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Self:
        """The target that a callable `function(question, history)` is.

        Raises:
            InputError: it does not take these two arguments.
        """
        return cls(function)

    @classmethod
    def open(cls, settings: Settings, context: TargetContext) -> Self:
        """Import the function; the client's folder and the working directory are searched first.

        Raises:
            InputError: the function cannot be used, or the prompt's file cannot be read.
        """
        function = load_function(settings.function, (context.folder, Path.cwd()))
        prompt = None if settings.prompt is None else _read(context.folder, settings.prompt)
        return cls(function, prompt=prompt, history=settings.history)

    @classmethod
    def reads(cls, settings: Settings) -> tuple[str, ...]:
        """The files in the client's folder that its answers depend on, beside its code."""
        return () if settings.prompt is None else (settings.prompt,)

    async def answer(self, question: str, talk: Talk) -> Reply:
        """Call the function and read what it returns.

        Raises:
            TargetError: it raised, exited, or returned something that is not an answer.
            HeldUp: an async function's other call blocks the event loop that both are on.
        """
        return await self._loop.answer(partial(self._answer, question, talk))

    async def _answer(self, question: str, talk: Talk, loop: Loop) -> Reply:
        call = partial(self._call, question, talk)
        # Calling a coroutine function runs none of its code.
        is_async = inspect.iscoroutinefunction(self._function)
        value = call() if is_async else await in_thread(call)
        if inspect.isawaitable(value):
            value = await _awaited(value, loop())
        if self._prompt is None:
            return as_reply(value)
        return as_rag_reply(value, history_of(talk, self._shape), self._shape)

    def _call(self, question: str, talk: Talk) -> Any:
        history = history_of(talk, self._shape)
        if self._prompt is None:
            return self._function(question, history)
        return self._function(question, history, self._prompt)


async def _awaited(value: Any, loop: BotLoop) -> Any:
    try:
        return await loop.run(lambda: value)
    finally:
        # A call that was given up before its turn came leaves a coroutine that nobody awaits.
        if inspect.iscoroutine(value) and inspect.getcoroutinestate(value) == inspect.CORO_CREATED:
            value.close()


def _read(folder: Path, name: str) -> str:
    try:
        return Source.of(folder / name, within=inside(folder)).text()
    except InputError as error:
        raise InputError(f"target.prompt: can't read {error}") from error
