"""A bot that is a LlamaIndex engine, by the real llama-index-core: asked, told, read."""

import asyncio
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import Document as Source
from llama_index.core import MockEmbedding, PromptTemplate, VectorStoreIndex
from llama_index.core.base.response.schema import Response
from llama_index.core.chat_engine import CondenseQuestionChatEngine, SimpleChatEngine
from llama_index.core.llms import MockLLM
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.query_engine import CustomQueryEngine
from llama_index.core.schema import NodeWithScore, TextNode

from simulator.core.errors import InputError, TargetError, TargetFault
from simulator.core.ports import Target
from simulator.core.talk import Document, Reply, Talk, TargetFailure
from simulator.targets._context import TargetContext
from simulator.targets.llama_index import LlamaIndex
from tests.targets.contract import Bot, ForeignCode
from tests.targets.fakes import guarded, talk_of


def target_of(make: Callable[[], Any], *, is_factory: bool = True, **settings: Any) -> LlamaIndex:
    return LlamaIndex(
        make, LlamaIndex.Settings(engine="my_bot:engine", **settings), is_factory=is_factory
    )


def by_query(query: Callable[[str], Any]) -> LlamaIndex:
    class Engine(CustomQueryEngine):
        def custom_query(self, query_str: str) -> Any:
            return query(query_str)

    return target_of(Engine)


class _Behaved(ForeignCode):
    @pytest.mark.parametrize(("act", "shown"), [("number", "int (42)"), ("mapping", "result")])
    async def test_nonsense_is_shown_beside_what_would_be_right(
        self, target: Target, act: str, shown: str
    ) -> None:
        said = await guarded(target).answer(act, Talk("e"))
        assert isinstance(said, TargetFailure)
        assert TargetFault.INVALID == said.fault
        assert shown in said.message
        assert "`response` and `source_nodes`" in said.message


def _returned(act: str) -> Any:
    if act == "none":
        return Response(None)
    return Bot.misbehave(act)


class TestQueryInAThread(_Behaved):
    @pytest.fixture
    def target(self, bot: Bot) -> Target:
        class Engine:
            def query(self, question: str) -> Any:
                bot.enter(question)
                try:
                    if question in {"hang", "block"}:
                        bot.block()
                    if question == "slow":
                        time.sleep(0.02)
                    return _returned(question)
                finally:
                    bot.leave()

        return target_of(Engine)


class TestChat(_Behaved):
    @pytest.fixture
    def target(self, bot: Bot) -> Target:
        class Engine:
            async def achat(self, message: str, chat_history: Any = None) -> Any:
                bot.enter(message)
                try:
                    if message == "hang":
                        await asyncio.sleep(30)
                    if message == "block":
                        bot.block()
                    if message == "slow":
                        await asyncio.sleep(0.02)
                    return _returned(message)
                finally:
                    bot.leave()

        return target_of(Engine)


def _index() -> VectorStoreIndex:
    fees = Source(text="Fees are 5.", id_="faq-1", metadata={"title": "Fees"})
    return VectorStoreIndex.from_documents([fees], embed_model=MockEmbedding(embed_dim=4))


FEES = Document("Fees are 5.", "faq-1", "Fees")


@pytest.mark.parametrize("streaming", [False, True])
async def test_a_query_engine_tells_the_documents_that_it_found(streaming: bool) -> None:
    engine = _index().as_query_engine(llm=MockLLM(), streaming=streaming)
    reply = await target_of(lambda: engine, is_factory=False).answer("what fees?", Talk("e"))
    assert (FEES,) == reply.documents
    assert "Query: what fees?" in reply.text


async def test_a_query_engine_that_found_nothing_has_missed() -> None:
    empty = VectorStoreIndex([], embed_model=MockEmbedding(embed_dim=4))
    reply = await target_of(lambda: empty.as_query_engine(llm=MockLLM())).answer("q", Talk("e"))
    assert ("Empty Response", (), True) == (reply.text, reply.documents, reply.reports_documents)
    assert ("'Empty Response' is LlamaIndex's answer if it finds no document",) == reply.notes


async def test_an_engine_made_by_hand_that_gives_text_reports_no_documents() -> None:
    assert Reply("q!") == await by_query(lambda q: f"{q}!").answer("q", Talk("e"))


async def test_a_query_engine_hears_nothing_of_the_talk_and_that_is_noted() -> None:
    (note,) = (await by_query(lambda q: q).answer("q", talk_of(("a", "b")))).notes
    assert "doesn't get the history" in note


def _chat_engine(mode: Any) -> Callable[[], Any]:
    index = _index()

    def make() -> Any:
        memory = ChatMemoryBuffer.from_defaults()
        return index.as_chat_engine(chat_mode=mode, llm=MockLLM(), memory=memory)

    return make


@pytest.mark.parametrize("mode", ["context", "condense_question", "condense_plus_context"])
async def test_a_chat_engine_with_an_index_tells_its_documents(mode: str) -> None:
    reply = await target_of(_chat_engine(mode)).answer("what fees?", Talk("e"))
    assert (FEES,) == reply.documents


async def test_a_chat_engine_hears_the_talk_with_every_question() -> None:
    target = target_of(_chat_engine("simple"))
    assert Reply("user: one\nassistant: ") == await target.answer("one", Talk("a"))
    reply = await target.answer("two", talk_of(("hello", "hi"), episode="b"))
    assert "user: hello\nassistant: hi\nuser: two\nassistant: " == reply.text


async def test_questions_at_once_have_an_engine_each() -> None:
    target = guarded(target_of(_chat_engine("simple")))
    talks = [talk_of((f"before {i}", "hm"), episode=f"e{i}") for i in range(8)]
    said = await asyncio.gather(*(target.answer("now", talk) for talk in talks))
    assert [f"user: before {i}\nassistant: hm\nuser: now\nassistant: " for i in range(8)] == [
        reply.text for reply in said if isinstance(reply, Reply)
    ]


async def test_no_talk_hears_of_another_one() -> None:
    condense = PromptTemplate("before: [{chat_history}] now: {question}")

    class Echo(CustomQueryEngine):
        def custom_query(self, query_str: str) -> str:
            return query_str

    # It takes no history for "look into your memory".
    def make() -> Any:
        return CondenseQuestionChatEngine.from_defaults(
            Echo(),
            condense_question_prompt=condense,
            llm=MockLLM(),
            memory=ChatMemoryBuffer.from_defaults(),
        )

    target = target_of(make)
    await target.answer("my number is 4711", Talk("a"))
    await target.leave("a")
    assert "4711" not in (await target.answer("hello", Talk("b"))).text


async def test_a_session_is_an_engine_for_each_talk_until_it_is_over() -> None:
    target = target_of(_chat_engine("simple"), session=True)
    assert LlamaIndex.keeps_talk(LlamaIndex.Settings(engine="a:b", session=True))
    await target.answer("one", Talk("a"))
    await target.answer("other", Talk("b"))
    reply = await target.answer("two", talk_of(("one", "not told"), episode="a"))
    assert "user: one\nassistant: user: one\nassistant: \nuser: two\nassistant: " == reply.text
    await target.leave("a")
    assert "user: new\nassistant: " == (await target.answer("new", Talk("a"))).text
    await target.close()


class _Half(SimpleChatEngine):
    """A chat engine without an async way, as older ones are."""

    async def achat(self, message: str, chat_history: Any = None) -> Any:
        raise NotImplementedError("no async here")


async def test_an_engine_without_an_async_way_is_asked_in_a_thread() -> None:
    def make() -> Any:
        return _Half.from_defaults(llm=MockLLM(), memory=ChatMemoryBuffer.from_defaults())

    assert Reply("user: q\nassistant: ") == await target_of(make).answer("q", Talk("e"))
    with pytest.raises(TargetError, match="NotImplementedError: no async here"):
        await target_of(make, session=True).answer("q", Talk("e"))


def test_what_does_not_go_together_is_wrong_input() -> None:
    with pytest.raises(InputError, match="a query engine keeps no conversation"):
        target_of(lambda: _index().as_query_engine(llm=MockLLM()), session=True)
    with pytest.raises(InputError, match=r"'my_bot:engine' is a chat engine, .*`def engine\(\)"):
        target_of(_chat_engine("simple"), is_factory=False)


def _response(node: TextNode) -> Response:
    return Response("a", source_nodes=[NodeWithScore(node=node, score=0.5)])


@pytest.mark.parametrize(
    ("node", "key", "document"),
    [
        (TextNode(text="t", id_="faq-2"), None, Document("t", "faq-2")),
        (TextNode(text="t", metadata={"id": "faq-3"}), None, Document("t", "faq-3")),
        (
            TextNode(text="t", metadata={"file_name": "f.md"}),
            None,
            Document("t", "f.md", "f.md"),
        ),
        (
            TextNode(text="t", id_="n", metadata={"faq": "faq-4", "title": "T"}),
            "faq",
            Document("t", "faq-4", "T"),
        ),
    ],
)
async def test_a_node_is_named_by_what_its_author_knows(
    node: TextNode, key: str | None, document: Document
) -> None:
    class Engine(CustomQueryEngine):
        def custom_query(self, query_str: str) -> Any:
            return _response(node)

    assert Reply("a", (document,)) == await target_of(Engine, document_id=key).answer(
        "q", Talk("e")
    )


async def test_a_response_of_nothing_is_empty() -> None:
    with pytest.raises(TargetError, match="it answered with None") as caught:
        await by_query(lambda q: Response(None)).answer("q", Talk("e"))
    assert TargetFault.EMPTY == caught.value.fault


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    before = list(sys.path)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.path[:] = before


async def test_an_engine_is_found_by_name(folder: Path) -> None:
    (folder / "li_bot.py").write_text(
        "class engine:\n    def query(self, question): return question + '?'\n", "utf-8"
    )
    settings = LlamaIndex.Settings(engine="li_bot:engine")
    target = LlamaIndex.open(settings, TargetContext(folder, "en", None, None, _no_prompt))
    assert "q?" == (await target.answer("q", Talk("e"))).text


def test_a_package_that_is_not_installed_is_named_with_what_brings_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "llama_index.core", None)
    settings = LlamaIndex.Settings(engine="li_bot:engine")
    with pytest.raises(InputError, match=r"run: pip install 'mogi\[llama_index\]'"):
        LlamaIndex.open(settings, TargetContext(folder, "en", None, None, _no_prompt))


def _no_prompt(name: str) -> Any:
    raise AssertionError(name)
