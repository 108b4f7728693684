"""Runnables that keep the talk themselves, by the real LangChain and LangGraph."""

import warnings
from collections.abc import Iterator
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.chat_history import InMemoryChatMessageHistory
from langchain_core.documents import Document as Found
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_core.runnables.history import RunnableWithMessageHistory
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt

from simulator.core.errors import InputError, TargetError, TargetFault
from simulator.core.talk import Document, Reply, Talk
from simulator.targets.langchain import Langchain
from tests.targets.fakes import talk_of


def target_of(runnable: Any, **settings: Any) -> Langchain:
    return Langchain(runnable, Langchain.Settings(runnable="my_bot:chain", **settings))


def _graph(checkpointer: Any = None) -> Any:
    def say(state: MessagesState) -> Any:
        heard = [m.content for m in state["messages"] if isinstance(m, HumanMessage)]
        return {"messages": [AIMessage(" then ".join(map(str, heard)))]}

    graph = StateGraph(MessagesState)
    graph.add_node("say", say)
    graph.add_edge(START, "say")
    graph.add_edge("say", END)
    return graph.compile(checkpointer=checkpointer)


def _heard(prompt: Any) -> AIMessage:
    return AIMessage(" then ".join(m.content for m in prompt.to_messages() if m.type == "human"))


def _chain(kept: dict[str, InMemoryChatMessageHistory]) -> Runnable[Any, Any]:
    prompt = ChatPromptTemplate.from_messages(
        [MessagesPlaceholder("chat_history"), ("human", "{input}")]
    )
    chain = prompt | RunnableLambda(_heard)
    with warnings.catch_warnings():  # it is deprecated, and in use
        warnings.simplefilter("ignore", DeprecationWarning)
        return RunnableWithMessageHistory(
            chain,
            lambda session: kept.setdefault(session, InMemoryChatMessageHistory()),
            input_messages_key="input",
            history_messages_key="chat_history",
        )


def test_whether_it_keeps_the_talk_is_said_in_the_file() -> None:
    kept = [Langchain.Settings(runnable="a:b", session=session) for session in (False, True)]
    assert [False, True] == [Langchain.keeps_talk(settings) for settings in kept]


@pytest.mark.filterwarnings("ignore:The class `InMemoryChatMessageHistory` was deprecated")
async def test_a_chain_with_message_history_keeps_each_talk_apart() -> None:
    kept: dict[str, InMemoryChatMessageHistory] = {}
    target = target_of(_chain(kept), session=True)
    assert Reply("one") == await target.answer("one", Talk("a"))
    assert Reply("other") == await target.answer("other", Talk("b"))
    second = await target.answer("two", talk_of(("one", "not this"), episode="a"))
    assert Reply("one then two") == second
    assert {"a", "b"} == {name.rpartition("/")[2] for name in kept}


async def test_a_graph_with_a_checkpointer_keeps_each_talk_apart() -> None:
    target = target_of(_graph(InMemorySaver()), session=True)
    assert Reply("one") == await target.answer("one", Talk("a"))
    assert Reply("other") == await target.answer("other", Talk("b"))
    assert Reply("one then two") == await target.answer("two", talk_of(("one", "x"), episode="a"))


async def test_a_talk_that_is_held_again_is_another_talk() -> None:
    target = target_of(_graph(InMemorySaver()), session=True)
    assert Reply("one") == await target.answer("one", Talk("a"))
    assert Reply("two") == await target.answer("two", Talk("a", take=1))


async def test_the_same_episode_of_another_run_is_another_talk() -> None:
    saver = InMemorySaver()
    await target_of(_graph(saver), session=True).answer("one", Talk("a"))
    later = await target_of(_graph(saver), session=True).answer("two", Talk("a"))
    assert Reply("two") == later


async def test_a_graph_without_one_is_given_the_talk_as_messages() -> None:
    target = target_of(_graph())
    assert Reply("one then two") == await target.answer("two", talk_of(("one", "x")))


def test_one_that_keeps_the_talk_has_to_be_said_to() -> None:
    for runnable in (_graph(InMemorySaver()), _chain({})):
        with pytest.raises(
            InputError, match=r"keeps the conversation itself .*use `session: true`"
        ):
            target_of(runnable)


def test_a_history_beside_a_session_is_wrong_input() -> None:
    with pytest.raises(InputError, match=r"target.history: with `session: true`"):
        target_of(_graph(InMemorySaver()), session=True, history="chat_history")


class _Calls(GenericFakeChatModel):
    """A model that may be given tools, as an agent does."""

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self


@tool(response_format="content_and_artifact")
def search(query: str) -> tuple[str, list[Found]]:
    """Look it up."""
    return f"about {query}", [Found(page_content=query, metadata={"source": "fees.md"})]


def _agent_says() -> Iterator[AIMessage]:
    for turn in ("fees", "hours"):
        call = {"name": "search", "args": {"query": turn}, "id": turn, "type": "tool_call"}
        yield AIMessage("", tool_calls=[call])
        yield AIMessage([{"type": "reasoning", "text": "hm"}, {"type": "text", "text": turn}])


async def test_an_agents_documents_are_what_its_tools_found_in_this_turn() -> None:
    agent = create_agent(
        _Calls(messages=_agent_says()), tools=[search], checkpointer=InMemorySaver()
    )
    target = target_of(agent, session=True)
    assert Reply("fees", (Document("fees", "fees.md"),)) == await target.answer("q", Talk("a"))
    second = await target.answer("r", talk_of(("q", "fees"), episode="a"))
    assert Reply("hours", (Document("hours", "fees.md"),)) == second


async def test_an_answer_of_an_earlier_turn_is_not_taken_again() -> None:
    graph = StateGraph(MessagesState)
    graph.add_node("silent", lambda state: {"messages": []})
    graph.add_edge(START, "silent")
    graph.add_edge("silent", END)
    target = target_of(graph.compile())
    with pytest.raises(TargetError, match="without one of the bot's after the last question"):
        await target.answer("q", talk_of(("before", "an older answer")))


async def test_a_graph_that_waits_for_a_person_is_said_to() -> None:
    def ask(state: MessagesState) -> Any:
        return {"messages": [AIMessage(interrupt("may I?"))]}

    graph = StateGraph(MessagesState)
    graph.add_node("ask", ask)
    graph.add_edge(START, "ask")
    target = target_of(graph.compile(checkpointer=InMemorySaver()), session=True)
    with pytest.raises(TargetError, match=r"an interrupt, which mogi can't resume: .*may I?") as e:
        await target.answer("q", Talk("a"))
    assert TargetFault.INVALID == e.value.fault
