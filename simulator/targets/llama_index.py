"""A bot that is a LlamaIndex engine: a query engine or a chat engine."""

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, Field

from simulator.core.errors import InputError, TargetError, TargetFault
from simulator.core.talk import Document, Reply, Talk
from simulator.targets._context import TargetContext
from simulator.targets._importing import BotKind, PythonBot, check_installed, maker
from simulator.targets._shapes import came_with, document_name, history_of, noted, shown_value
from simulator.targets._threads import Loop, SharedLoop, in_thread

# LlamaIndex's own words where its retriever found nothing: no model was asked.
_NOTHING_FOUND = "Empty Response"
_RIGHT = "expected what LlamaIndex's engines return: an object with `response` and `source_nodes`"
_CHAT, _QUERY = ("achat", "chat"), ("aquery", "query")
_KIND = BotKind(
    "engine",
    fits=lambda bot: any(hasattr(bot, name) for name in (*_CHAT, *_QUERY)),
    right="a LlamaIndex query engine or chat engine",
)


class LlamaIndex(PythonBot):
    """A LlamaIndex query engine or chat engine.

    `engine` is a query engine, or a function without arguments (or a class) that creates a query
    engine or a chat engine. A query engine gets only the question. A chat engine keeps one
    conversation, but mogi runs many at once, so use a function that creates one for each
    conversation. It gets the conversation so far with every question or, with `session: true`,
    keeps it itself.

    `aquery` and `achat` run on a separate event loop. If an engine has only `query` or `chat`, each
    call runs in its own thread. Neither can block mogi.

    Documents are the `source_nodes`. A document's ID is `id` in its metadata; the ID of the node or
    its document, unless that is a UUID that LlamaIndex generated; or `file_name`. `document_id`
    sets another metadata key. The title is `title` or `file_name`.

    llama-index-core itself contacts no servers: it includes the data of its tokenizer and splitter.
    """

    OF_PYTHON = "engine"

    class Settings(BaseModel, extra="forbid"):
        """The keys of `target:` in a client file, for `kind: llama_index`."""

        engine: str = Field(description='"package.module:name"; the client\'s folder is searched')
        session: bool = Field(default=False, description="the chat engine keeps the conversation")
        document_id: str | None = Field(
            None, description="the metadata key with a document's ID; default: id, or the node's"
        )

    def __init__(self, make: Callable[[], Any], settings: Settings, *, is_factory: bool) -> None:
        """Make a target of what makes an engine; `is_factory`: a new one with each call.

        Raises:
            InputError: it cannot hold several talks at once, or settings do not go together.
        """
        engine = make()
        self._make = make
        self._chats = any(hasattr(engine, name) for name in _CHAT)
        self._settings = settings
        _check(settings, chats=self._chats, is_factory=is_factory)
        self._engine = engine
        self._in_thread = _is_sync(engine)
        self._unused = [engine]
        # An engine for each talk, also where it is told what was said: some take no history, as in
        # a first turn, for "look into your memory", and would find another talk there.
        self._engines: dict[str, Any] = {}
        self._loop = SharedLoop()

    @classmethod
    def open(cls, settings: Settings, context: TargetContext) -> Self:
        """Import or make the engine; the client's folder and the working directory come first.

        Raises:
            InputError: LlamaIndex is not installed, or the engine cannot be used.
        """
        check_installed("llama_index.core", "llama-index-core", "llama_index")
        make = maker(settings.engine, (context.folder, Path.cwd()), _KIND)
        return cls(make, settings, is_factory=make.is_factory)

    async def answer(self, question: str, talk: Talk) -> Reply:
        """Ask the engine and read its response.

        Raises:
            TargetError: it raised, exited, or returned something that is not a response.
            HeldUp: another call blocks the event loop that they share.
        """
        ask = self._chat if self._chats else self._query
        return await self._loop.answer(partial(ask, question, talk))

    async def leave(self, episode: str) -> None:
        """Let the engine go that held this talk."""
        self._engines.pop(episode, None)

    async def close(self) -> None:
        """Let all engines go."""
        self._engines.clear()
        self._unused.clear()

    async def _query(self, question: str, talk: Talk, loop: Loop) -> Reply:
        value = await self._call(self._engine, _QUERY, (question,), loop)
        # One that is made by hand may never retrieve anything.
        searches = not hasattr(self._engine, "custom_query")
        reply = read_response(value, self._settings.document_id, searches=searches)
        if not len(talk):
            return reply
        return noted(reply, "a query engine doesn't get the history; a chat engine does")

    async def _chat(self, question: str, talk: Talk, loop: Loop) -> Reply:
        engine = self._engines.pop(talk.episode, None)
        if engine is None:
            engine = self._unused.pop() if self._unused else await in_thread(self._make)
        before = () if self._settings.session else (_messages(talk),)
        value = await self._call(engine, _CHAT, (question, *before), loop)
        self._engines[talk.episode] = (
            engine  # only one that has answered: another may still be at it
        )
        return read_response(value, self._settings.document_id)

    async def _call(
        self, engine: Any, names: tuple[str, str], args: tuple[Any, ...], loop: Loop
    ) -> Any:
        by_async, by_sync = (getattr(engine, name, None) for name in names)
        if by_async is not None and not self._in_thread:
            try:
                return await loop().run(partial(_whole, by_async, args))
            except TargetError as error:
                # It may have no async way after all; but who keeps a talk may have heard it.
                has_none = isinstance(error.__cause__, NotImplementedError)
                if not has_none or self._settings.session or by_sync is None:
                    raise
            self._in_thread = True
        return await in_thread(lambda: _unstreamed(getattr(engine, names[1])(*args)))


def _check(settings: LlamaIndex.Settings, *, chats: bool, is_factory: bool) -> None:
    if settings.session and not chats:
        raise InputError(
            "target.session: a query engine keeps no conversation; use `session: false`, or a "
            "chat engine"
        )
    if chats and not is_factory:
        raise InputError(
            f"target.engine: {settings.engine!r} is a chat engine, which keeps one conversation, "
            "but mogi runs many at once; use a function that creates one, such as `def engine(): "
            "return index.as_chat_engine()`"
        )


async def _whole(ask: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """The response; one that is streamed is waited for."""
    value = ask(*args)
    if inspect.isawaitable(value):
        value = await value
    whole = _unstreamed(value)
    return await whole if inspect.isawaitable(whole) else whole


def _unstreamed(value: Any) -> Any:
    streams = hasattr(value, "response_gen") and hasattr(value, "get_response")
    return value.get_response() if streams else value


def _is_sync(engine: Any) -> bool:
    """Whether an engine made by hand has only its sync form: its `aquery` would block the loop."""
    from llama_index.core.query_engine import CustomQueryEngine

    return (
        isinstance(engine, CustomQueryEngine)
        and type(engine).acustom_query is CustomQueryEngine.acustom_query
    )


def _messages(talk: Talk) -> list[Any]:
    from llama_index.core.llms import ChatMessage

    return [ChatMessage(**message) for message in history_of(talk, "messages")]


def read_response(value: object, document_id: str | None, *, searches: bool = False) -> Reply:
    """The reply that a response amounts to, not yet sanitised; its latency is 0.

    `document_id` is the metadata key that names a document; None: see `document_name`.
    `searches`: the engine always retrieves, so that no documents means that it found none.

    Raises:
        TargetError: EMPTY for no response, INVALID for something that is none.
    """
    if isinstance(value, str):
        return Reply(value)
    if not hasattr(value, "response"):
        what = "None" if value is None else f"{shown_value(value)} as its response"
        raise came_with(f"{what}; {_RIGHT}")
    nodes = getattr(value, "source_nodes", None) or ()
    # A chat engine without a retriever has neither nodes nor sources.
    reports = searches or bool(getattr(value, "sources", None))
    text = _text(value.response)
    notes = (f"{text!r} is LlamaIndex's answer if it finds no document",)
    return Reply(
        text,
        tuple(_document(node, document_id) for node in nodes),
        reports_documents=reports,
        notes=notes if text == _NOTHING_FOUND else (),
    )


def _text(response: object) -> str:
    if response is None:
        raise TargetError(TargetFault.EMPTY, "it answered with None")
    if isinstance(response, str):
        return response
    if hasattr(response, "model_dump_json"):  # a structured response
        return str(response.model_dump_json())
    raise came_with(f"{shown_value(response)} as its answer; {_RIGHT}")


def _document(scored: Any, document_id: str | None) -> Document:
    """A node, with or without its score; a passage may be known by its document's id."""
    node = getattr(scored, "node", scored)
    metadata = getattr(node, "metadata", None)
    metadata = metadata if isinstance(metadata, Mapping) else {}
    names = (getattr(node, "node_id", None), getattr(node, "ref_doc_id", None))
    name = document_name(metadata, document_id, *names, metadata.get("file_name"))
    title = next((metadata[k] for k in ("title", "file_name") if metadata.get(k) is not None), "")
    try:
        text = str(node.get_content())
    except Exception as error:
        raise came_with(f"{shown_value(scored)} among its source_nodes; {_RIGHT}") from error
    return Document(text, name, str(title))
