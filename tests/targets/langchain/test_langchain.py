"""A bot that is a LangChain runnable, by the real langchain-core: called, heard, read."""

import asyncio
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document as Found
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import Runnable, RunnableLambda, RunnablePassthrough

from simulator.core.errors import InputError, TargetError, TargetFault
from simulator.core.ports import Target
from simulator.core.talk import Document, Reply, Talk, TargetFailure
from simulator.targets._context import TargetContext
from simulator.targets.langchain import Langchain
from tests.targets.contract import PLAIN, Bot, ForeignCode
from tests.targets.fakes import guarded, talk_of


def target_of(runnable: Any, **settings: Any) -> Langchain:
    return Langchain(runnable, Langchain.Settings(runnable="my_bot:chain", **settings))


def model(*answers: str) -> GenericFakeChatModel:
    return GenericFakeChatModel(messages=iter([AIMessage(answer) for answer in answers]))


def echo(given: Any) -> str:
    """What a runnable was given, in its own words."""
    return repr(given)


class _Behaved(ForeignCode):
    @pytest.mark.parametrize(("act", "shown"), [("number", "int (42)"), ("mapping", "found")])
    async def test_nonsense_is_shown_beside_what_would_be_right(
        self, target: Target, act: str, shown: str
    ) -> None:
        said = await guarded(target).answer(act, Talk("e"))
        assert isinstance(said, TargetFailure)
        assert TargetFault.INVALID == said.fault
        assert shown in said.message
        assert "expected text, (text, documents), a message," in said.message


def _misbehaved(act: str) -> Any:
    return {"found": "text"} if act == "mapping" else Bot.misbehave(act)


class TestAsync(_Behaved):
    @pytest.fixture
    def target(self, bot: Bot) -> Target:
        async def answer(question: str) -> Any:
            bot.enter(question)
            try:
                if question == "hang":
                    await asyncio.sleep(30)
                if question == "block":
                    bot.block()
                if question == "slow":
                    await asyncio.sleep(0.02)
                return _misbehaved(question)
            finally:
                bot.leave()

        return target_of(RunnableLambda(answer))


class TestSync(_Behaved):
    @pytest.fixture
    def target(self, bot: Bot) -> Target:
        def answer(question: str) -> Any:
            bot.enter(question)
            try:
                if question in {"hang", "block"}:
                    bot.block()
                if question == "slow":
                    time.sleep(0.02)
                return _misbehaved(question)
            finally:
                bot.leave()

        return target_of(RunnableLambda(answer))


def _retrieve(given: dict[str, Any]) -> list[Found]:
    return [Found(page_content=f"On {given['input']}.", metadata={"id": "faq-1", "title": "T"})]


def _retrieval_chain() -> Runnable[Any, Any]:
    prompt = ChatPromptTemplate.from_messages(
        [
            ("system", "Answer from: {context}"),
            MessagesPlaceholder("chat_history"),
            ("human", "{input}"),
        ]
    )
    answer = prompt | RunnableLambda(_said)
    chain: Runnable[Any, Any] = RunnablePassthrough.assign(context=RunnableLambda(_retrieve))
    return chain.assign(answer=answer)


async def test_a_retrieval_chain_tells_its_documents_and_hears_the_talk() -> None:
    reply = await target_of(_retrieval_chain()).answer("and fees?", talk_of(("hello", "hi")))
    found = (Document("On and fees?.", "faq-1", "T"),)
    assert found == reply.documents
    assert reply.text.endswith(" / hello / hi / and fees?")


async def test_a_chat_model_gets_the_talk_as_messages_and_its_message_is_the_answer() -> None:
    heard: list[Any] = []

    def remember(given: Any) -> Any:
        heard.extend(given)
        return given

    chain: Runnable[Any, Any] = RunnableLambda(remember) | model("fine")
    with_input = chain.with_types(input_type=list[AIMessage])
    reply = await target_of(with_input).answer("q", talk_of(("a", "b")))
    assert Reply("fine") == reply
    assert [("human", "a"), ("ai", "b"), ("human", "q")] == [(m.type, m.content) for m in heard]
    assert Reply("second") == await target_of(model("second")).answer("q", talk_of(("a", "b")))


async def test_a_prompt_that_wants_the_talk_as_text_gets_it_as_text() -> None:
    prompt = ChatPromptTemplate.from_template("{chat_history}|{question}")
    chain = prompt | RunnableLambda(_said)
    reply = await target_of(chain).answer("q", talk_of(("a", "b")))
    assert "Human: a\nAI: b|q" == reply.text


def _takes(*names: str) -> Runnable[Any, Any]:
    template = " ".join(f"{{{name}}}" for name in names)
    return ChatPromptTemplate.from_template(template) | RunnableLambda(_said)


@pytest.mark.parametrize("name", ["input", "question", "query", "user_text"])
async def test_the_key_of_the_question_is_what_the_runnable_says(name: str) -> None:
    assert Reply("q") == await target_of(_takes(name)).answer("q", Talk("e"))


async def test_a_key_that_is_written_is_used() -> None:
    target = target_of(RunnableLambda(echo), input="ask", history="past")
    assert Reply("{'ask': 'q', 'past': []}") == await target.answer("q", Talk("e"))
    target = target_of(RunnableLambda(lambda x: x["messages"][-1].type), input="messages")
    assert Reply("human") == await target.answer("q", Talk("e"))


def test_several_keys_that_could_be_the_question_are_wrong_input() -> None:
    with pytest.raises(InputError, match=r"takes input, question; write .*`input: input`"):
        target_of(_takes("input", "question"))
    with pytest.raises(InputError, match=r"takes first, second; write the key .*`input: first`"):
        target_of(_takes("first", "second"))


async def test_a_lambda_that_wants_a_mapping_is_told_how_to_say_so() -> None:
    class Untyped:
        async def ainvoke(self, given: Any) -> Any:
            return given["question"]

    with pytest.raises(TargetError, match=r"TypeError: .*; mogi sent .*`input: question`"):
        await target_of(Untyped()).answer("q", Talk("e"))


async def test_the_key_that_a_lambda_reads_is_found() -> None:
    assert Reply("q") == await target_of(RunnableLambda(_read)).answer("q", Talk("e"))


def _read(given):  # type: ignore[no-untyped-def]
    return given["query"]


def test_a_mapping_whose_keys_nobody_knows_is_wrong_input() -> None:
    def read(given: dict[str, str]) -> str:
        return given["query"]

    with pytest.raises(InputError, match=r"takes a mapping; write .*`input: question`"):
        target_of(RunnableLambda(read))


def _said(prompt: Any) -> str:
    return " / ".join(str(message.content) for message in prompt.to_messages())


async def test_a_bot_that_is_not_told_the_talk_so_far_is_noted_from_the_second_turn() -> None:
    target = target_of(RunnableLambda(lambda x: PLAIN))
    assert () == (await target.answer("q", Talk("e"))).notes
    (note,) = (await target.answer("q", talk_of(("a", "b")))).notes
    assert "`history: chat_history`" in note


async def test_a_chain_of_text_answers_with_text() -> None:
    chain = ChatPromptTemplate.from_template("{question}") | model("text") | StrOutputParser()
    assert Reply("text") == await target_of(chain).answer("q", Talk("e"))


MODULES = {
    "object": "from langchain_core.runnables import RunnableLambda\n"
    "def say(q: str): return 'made'\nchain = RunnableLambda(say)\n",
    "factory": "from langchain_core.runnables import RunnableLambda\n"
    "def say(q: str): return 'made'\ndef chain(): return RunnableLambda(say)\n",
    "class": "class chain:\n    async def ainvoke(self, q): return 'made'\n",
    "number": "chain = 5\n",
    "arguments": "def chain(question): ...\n",
    "nothing": "def chain(): ...\n",
    "async": "async def chain(): ...\n",
    "broken": "def chain():\n    raise ValueError('no index')\n",
}


@pytest.mark.parametrize("module", ["object", "factory", "class"])
async def test_a_runnable_or_what_makes_one_is_found_by_name(
    module: str, opened: Callable[[str], Langchain]
) -> None:
    assert Reply("made") == await opened(module).answer("q", Talk("e"))


@pytest.mark.parametrize(
    ("module", "complaint"),
    [
        ("number", r"target.runnable: 'lc_number:chain' is of type int; expected a LangChain"),
        ("arguments", r"target.runnable: mogi calls it as \(\), but it is chain\(question\)"),
        ("nothing", r"'lc_nothing:chain' returned None; expected a LangChain runnable"),
        ("async", "returned a coroutine"),
        ("broken", r"lc_broken.py:2: making the bot failed: ValueError: no index"),
        ("missing", "no module 'lc_missing'"),
    ],
)
def test_what_is_no_runnable_is_wrong_input(
    module: str, complaint: str, opened: Callable[[str], Langchain]
) -> None:
    with pytest.raises(InputError, match=complaint):
        opened(module)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[[str], Langchain]]:
    before = list(sys.path)
    monkeypatch.chdir(tmp_path)
    for name, text in MODULES.items():
        (tmp_path / f"lc_{name}.py").write_text(text, "utf-8")

    def open_(module: str) -> Langchain:
        settings = Langchain.Settings(runnable=f"lc_{module}:chain")
        return Langchain.open(settings, TargetContext(tmp_path, "en", None, None, _no_prompt))

    yield open_
    sys.path[:] = before


def test_a_package_that_is_not_installed_is_named_with_what_brings_it(
    opened: Callable[[str], Langchain], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "langchain_core", None)
    with pytest.raises(InputError, match=r"t installed; run: pip install 'mogi\[langchain\]'"):
        opened("object")


def _no_prompt(name: str) -> Any:
    raise AssertionError(name)
