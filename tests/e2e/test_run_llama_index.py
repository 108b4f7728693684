"""`mogi run` with a bot that is a LlamaIndex engine, by the real package."""

from pathlib import Path

import pytest

from tests.e2e.conftest import Mogi
from tests.e2e.process import OFFLINE, process
from tests.e2e.small_client import small_client

TARGET = '{kind: llama_index, engine: "my_bot:engine"}'
RETRIEVER = '''\
from llama_index.core.llms import CustomLLM, CompletionResponse, LLMMetadata
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, TextNode

from search import search


class Search(BaseRetriever):
    def _retrieve(self, query_bundle):
        row = search(query_bundle.query_str)
        node = TextNode(id_=row["id"], text=row["content"], metadata={"title": row["title"]})
        return [NodeWithScore(node=node, score=1.0)]


class Reads(CustomLLM):
    """A model that says what it was given."""

    @property
    def metadata(self):
        return LLMMetadata()

    def complete(self, prompt, formatted=False, **kwargs):
        return CompletionResponse(text=prompt)

    def stream_complete(self, prompt, formatted=False, **kwargs):
        yield CompletionResponse(text=prompt, delta=prompt)
'''
QUERY = f"""\
{RETRIEVER}
from llama_index.core.query_engine import RetrieverQueryEngine

engine = RetrieverQueryEngine.from_args(Search(), llm=Reads())
"""
CHAT = f"""\
{RETRIEVER}
from llama_index.core.chat_engine import ContextChatEngine
from llama_index.core.memory import ChatMemoryBuffer


def engine():
    memory = ChatMemoryBuffer.from_defaults()
    return ContextChatEngine.from_defaults(Search(), llm=Reads(), memory=memory)
"""
SESSION = TARGET.replace("}", ", session: true}")


@pytest.mark.parametrize(("bot", "target"), [(QUERY, TARGET), (CHAT, TARGET), (CHAT, SESSION)])
def test_an_engine_answers_and_its_documents_reach_the_metrics(
    mogi: Mogi, tmp_path: Path, bot: str, target: str
) -> None:
    small_client(tmp_path, target, my_bot=bot)
    done = mogi("run", "shop", "--json")
    assert 0 == done.status, done.err
    found = done.json
    assert (3, 0) == (found["conversations"], found["failures"]["target"])
    assert 1.0 == found["metrics"]["retrieval_hit"]["mean"]
    assert 1.0 == found["metrics"]["elements_lexical"]["mean"]


def test_a_chat_engine_that_all_talks_would_share_is_wrong_input(
    mogi: Mogi, tmp_path: Path
) -> None:
    small_client(tmp_path, TARGET, my_bot=f"{CHAT}\n\nengine = engine()\n")
    done = mogi("run", "shop")
    assert 2 == done.status
    assert "client.yaml: target.engine: 'my_bot:engine' is a chat engine" in done.err


@pytest.mark.slow
def test_nothing_is_asked_of_the_network(tmp_path: Path) -> None:
    small_client(tmp_path, TARGET, my_bot=CHAT)
    done = process(tmp_path, "run", "shop", start=OFFLINE)
    assert 0 == done.returncode, done.stderr
    assert "NETWORK" not in done.stderr
