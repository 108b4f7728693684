"""`mogi run` with a bot that is a LangChain chain, by the real package."""

from pathlib import Path

import pytest

from tests.e2e.conftest import Mogi
from tests.e2e.process import OFFLINE, process
from tests.e2e.small_client import small_client

TARGET = '{kind: langchain, runnable: "my_bot:chain"}'
BOT = """\
from langchain_core.documents import Document
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import RunnableLambda, RunnablePassthrough

from search import search


def retrieve(given):
    row = search(given["input"])
    return [Document(page_content=row["content"], metadata={"id": row["id"]})]


def model(prompt):
    return prompt.to_messages()[0].content


def chain():
    prompt = ChatPromptTemplate.from_messages(
        [("system", "{context}"), MessagesPlaceholder("chat_history"), ("human", "{input}")]
    )
    texts = RunnablePassthrough.assign(context=lambda given: given["context"][0].page_content)
    return RunnablePassthrough.assign(context=RunnableLambda(retrieve)).assign(
        answer=texts | prompt | RunnableLambda(model) | StrOutputParser()
    )
"""
GRAPH = """\
from typing import TypedDict

from langchain_core.documents import Document
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

from search import search


class State(TypedDict):
    question: str
    context: list[Document]
    answer: str


def retrieve(state):
    row = search(state["question"])
    return {"context": [Document(page_content=row["content"], metadata={"id": row["id"]})]}


def generate(state):
    return {"answer": state["context"][0].page_content}


builder = StateGraph(State)
builder.add_sequence([retrieve, generate])
builder.add_edge(START, "retrieve")
builder.add_edge("generate", END)
chain = builder.compile(checkpointer=InMemorySaver())
"""


@pytest.mark.parametrize(
    ("bot", "target"), [(BOT, TARGET), (GRAPH, TARGET.replace("}", ", session: true}"))]
)
def test_a_chain_answers_and_its_documents_reach_the_metrics(
    mogi: Mogi, tmp_path: Path, bot: str, target: str
) -> None:
    small_client(tmp_path, target, my_bot=bot)
    done = mogi("run", "shop", "--json")
    assert 0 == done.status, done.err
    found = done.json
    assert (3, 0) == (found["conversations"], found["failures"]["target"])
    assert 1.0 == found["metrics"]["retrieval_hit"]["mean"]
    assert 1.0 == found["metrics"]["elements_lexical"]["mean"]


def test_a_chain_that_breaks_is_a_finding(mogi: Mogi, tmp_path: Path) -> None:
    small_client(tmp_path, TARGET, my_bot=BOT.replace('given["input"]', 'given["gone"]'))
    done = mogi("run", "shop", "--json")
    assert 3 == done.status  # nothing at all could be scored
    assert (3, {"target_failed": 3}) == (done.json["failures"]["target"], done.json["unscored"])


def test_a_chain_that_is_not_there_is_wrong_input(mogi: Mogi, tmp_path: Path) -> None:
    small_client(tmp_path, TARGET.replace(":chain", ":chian"), my_bot=BOT)
    done = mogi("run", "shop")
    assert 2 == done.status
    assert "client.yaml" in done.err
    assert "target.runnable: 'my_bot' has no 'chian'; did you mean chain?" in done.err


@pytest.mark.slow
def test_nothing_is_asked_of_the_network(tmp_path: Path) -> None:
    small_client(tmp_path, TARGET, my_bot=BOT)
    done = process(tmp_path, "run", "shop", start=OFFLINE)
    assert 0 == done.returncode, done.stderr
    assert "NETWORK" not in done.stderr
