"""Embeddings over a real HTTP server: one request a call, each text once, faults by type."""

import asyncio
import json
import math
from base64 import b64encode
from struct import pack
from typing import Any

import pytest

from simulator.core.errors import HaltReason, InputError, ModelError, ModelFault, RunStopped
from simulator.core.plan import Limits, ModelCaps, ModelSpec, Price
from simulator.core.ports import CallId, Embedder, Role, Usage, Vector
from simulator.llm.caller import RetryPolicy
from tests.llm.world import Watch, World, spec
from tests.loopback.replies import Cut, Raw, Reply, Status, Vectors, letters
from tests.loopback.server import ChatServer


def call(turn: int = 1, episode: str = "faq/calm/1") -> CallId:
    return CallId(episode, turn, Role.EMBEDDING)


def plain(vectors: Any) -> list[list[float]]:
    return [list(vector) for vector in vectors]


async def embedded(
    server: ChatServer, *texts: str, world: World | None = None, turn: int = 1
) -> list[list[float]]:
    async with (world or World()).accounts() as accounts:
        return plain(await accounts.embedder(spec(server.base_url)).embed(call(turn), texts))


async def test_all_texts_go_in_one_request_and_come_back_in_their_order(
    chat_server: ChatServer,
) -> None:
    assert [letters("返品"), letters("交換")] == await embedded(chat_server, "返品", "交換")
    (request,) = chat_server.requests
    assert "/v1/embeddings" == request.path
    assert {"model": "m", "input": ["返品", "交換"], "encoding_format": "float"} == request.body


async def test_vectors_are_taken_by_their_index_and_from_base64(chat_server: ChatServer) -> None:
    def item(index: int, vector: Any) -> dict[str, Any]:
        return {"index": index, "embedding": vector}

    data = [item(1, b64encode(pack("<2f", 3.0, 4.0)).decode()), item(0, [1, 2.5])]
    chat_server.script(Raw(json.dumps({"data": data}).encode()))
    assert [[1.0, 2.5], [3.0, 4.0]] == await embedded(chat_server, "a", "b")


async def test_it_is_committed_and_counted_as_an_embedding(chat_server: ChatServer) -> None:
    chat_server.script(Vectors([[1.0, 2.0]], {"prompt_tokens": 1000, "total_tokens": 1000}))
    world = World(prices={"m": Price(0.5, 99.0)})
    async with world.accounts() as accounts:
        await accounts.embedder(spec(chat_server.base_url)).embed(call(), ["返品"])
        ledger = accounts.ledger
    record = world.watch.records[call()]
    assert (Usage(1000), "m", 1) == (record.usage, record.model, record.attempts)
    assert ({"embedding": 1}, 1000, 0) == (ledger.calls, ledger.input_tokens, ledger.output_tokens)
    assert pytest.approx(0.0005) == ledger.cost_usd


async def test_a_text_is_embedded_once_a_run(chat_server: ChatServer) -> None:
    world = World()
    async with world.accounts() as accounts:
        embedder = accounts.embedder(spec(chat_server.base_url))
        first = await embedder.embed(call(1), ["正解", "回答1"])
        second = await embedder.embed(call(2), ["正解", "回答2"])
        again = await embedder.embed(call(3), ["正解", "回答1"])
        calls = accounts.ledger.calls
    assert plain([first[0], first[0]]) == plain([second[0], again[0]])
    assert [["正解", "回答1"], ["回答2"]] == [r.body["input"] for r in chat_server.requests]
    assert {"embedding": 2} == calls
    assert [(1, False), (1, False), (0, True)] == [
        (made.attempts, made.recalled) for made in world.watch.seen
    ]


async def test_a_text_that_is_being_embedded_is_waited_for(chat_server: ChatServer) -> None:
    chat_server.latency_s = 0.02
    async with World().accounts() as accounts:
        embedder = accounts.embedder(spec(chat_server.base_url))
        texts = [["正解", f"回答{n % 3}"] for n in range(12)]
        found = await asyncio.gather(*(embedder.embed(call(n), t) for n, t in enumerate(texts)))
    assert [[letters(a), letters(b)] for a, b in texts] == [plain(vectors) for vectors in found]
    asked = [text for request in chat_server.requests for text in request.body["input"]]
    assert sorted(["正解", "回答0", "回答1", "回答2"]) == sorted(asked)


async def test_who_waited_for_a_call_that_failed_asks_itself(chat_server: ChatServer) -> None:
    chat_server.latency_s = 0.02
    chat_server.script(*[Status(400, "too long")] * 2)  # for all texts at once, and for one
    async with World().accounts() as accounts:
        embedder = accounts.embedder(spec(chat_server.base_url))
        found = await asyncio.gather(
            embedder.embed(call(1), ["正解", "長い" * 9]),
            embedder.embed(call(2), ["正解", "短い"]),
            return_exceptions=True,
        )
    assert isinstance(found[0], ModelError)
    assert ModelFault.REJECTED is found[0].fault
    assert [letters("正解"), letters("短い")] == plain(found[1])


async def test_a_resumed_run_pays_nothing_again_whatever_was_in_memory(
    chat_server: ChatServer,
) -> None:
    watch = Watch()
    before: list[list[Vector]] = []
    for _ in range(2):
        async with World(watch=watch).accounts() as accounts:
            embedder = accounts.embedder(spec(chat_server.base_url))
            turns = [["正解", "回答1"], ["正解", "回答2"], ["正解", "回答1"]]
            # The second time without the turn that paid for the right answer.
            wanted = list(enumerate(turns))[1:] if before else list(enumerate(turns))
            before.append([v for n, t in wanted for v in await embedder.embed(call(n), t)])
    assert 2 == chat_server.count
    assert plain(before[0][2:]) == plain(before[1])


async def test_other_texts_are_another_call(chat_server: ChatServer) -> None:
    watch = Watch()
    for text in ("a", "b"):
        await embedded(chat_server, text, world=World(watch=watch))
    assert 2 == chat_server.count


@pytest.mark.parametrize(
    ("vectors", "why"),
    [
        ([[1.0, 2.0]], "the endpoint returned 1 vectors for 2 texts"),
        ([[1.0], [2.0], [3.0]], "the endpoint returned 3 vectors for 2 texts"),
        ([[1.0, 2.0], [1.0]], "different lengths: 1, 2"),
        ([[], []], "an empty vector"),
        ([[1.0, math.nan], [1.0, 2.0]], "NaN or Infinity"),
        ([[1.0, math.inf], [1.0, 2.0]], "NaN or Infinity"),
        ([[1.0, 1e300], [1.0, 2.0]], "NaN or Infinity"),
        ([[0.0, 0.0], [1.0, 2.0]], "a vector of zeros"),
    ],
)
async def test_vectors_that_cannot_be_compared_are_paid_once_and_unparsable(
    vectors: list[list[float]], why: str, chat_server: ChatServer
) -> None:
    watch = Watch()
    chat_server.script(Vectors(vectors))
    for _ in range(2):
        with pytest.raises(ModelError, match=why) as caught:
            await embedded(chat_server, "正解", "回答", world=World(watch=watch))
        assert ModelFault.UNPARSABLE is caught.value.fault
    assert 1 == chat_server.count


async def test_a_vector_of_another_length_than_before_cannot_be_compared(
    chat_server: ChatServer,
) -> None:
    chat_server.script(Vectors([[1.0, 2.0]]), Vectors([[1.0, 2.0, 3.0]]))
    async with World().accounts() as accounts:
        embedder = accounts.embedder(spec(chat_server.base_url))
        await embedder.embed(call(1), ["a"])
        with pytest.raises(ModelError, match="different lengths: 2, 3"):
            await embedder.embed(call(2), ["b"])
        assert 2 == len((await embedder.embed(call(3), ["a"]))[0])


@pytest.mark.parametrize(
    "reply",
    [
        Raw(b'{"data": []}'),
        Raw(b"[]"),
        Raw(b'{"data": [{"index": 0}]}'),
        Raw(b'{"data": [{"embedding": ["x"]}]}'),
        Raw(b'{"data": [{"embedding": [true]}]}'),
        Raw(b'{"data": [{"embedding": "no base64"}]}'),
        Raw(b'{"data": [{"embedding": null}]}'),
        Raw(b'{"error": {"message": "overloaded", "code": 503}}'),
        Raw(b'{"choices": [{"message": {"content": "I am a chat model"}}]}'),
        Status(500),
        Status(429),
        Cut(),
    ],
)
async def test_what_is_no_embedding_is_asked_for_again(
    reply: Reply, chat_server: ChatServer
) -> None:
    chat_server.script(reply)
    assert [letters("a")] == await embedded(chat_server, "a")
    assert 2 == chat_server.count


async def test_without_an_answer_it_is_unavailable(chat_server: ChatServer) -> None:
    chat_server.script(*[Status(500)] * 2)
    with pytest.raises(ModelError) as caught:
        await embedded(chat_server, "a", world=World(policy=RetryPolicy(attempts=2)))
    assert ModelFault.UNAVAILABLE is caught.value.fault


async def test_a_wrong_account_ends_the_run(chat_server: ChatServer) -> None:
    chat_server.script(Status(401))
    world = World()
    with pytest.raises(RunStopped):
        await embedded(chat_server, "a", world=world)
    assert HaltReason.ACCOUNT is world.halt.reason


async def test_an_endpoint_that_knows_no_encoding_format_is_asked_without(
    chat_server: ChatServer,
) -> None:
    chat_server.refuses = {"encoding_format"}
    async with World().accounts() as accounts:
        embedder = accounts.embedder(spec(chat_server.base_url))
        for turn, text in enumerate("ab"):
            assert [letters(text)] == plain(await embedder.embed(call(turn), [text]))
    assert 3 == chat_server.count


async def test_the_budget_is_kept_for_embeddings_as_well(chat_server: ChatServer) -> None:
    usage = {"prompt_tokens": 600_000, "total_tokens": 600_000}
    chat_server.script(Vectors([[1.0]], usage), Vectors([[1.0]], usage))
    world = World(limits=Limits(budget_usd=1.0), prices={"m": Price(1.0, 0.0)})
    async with world.accounts() as accounts:
        embedder = accounts.embedder(spec(chat_server.base_url))
        await embedder.embed(call(1), ["a" * 500_000])
        with pytest.raises(RunStopped):
            await embedder.embed(call(2), ["b" * 500_000])
    assert 1 == chat_server.count


async def test_a_budget_needs_a_price(chat_server: ChatServer) -> None:
    async with World(limits=Limits(budget_usd=1.0)).accounts() as accounts:
        with pytest.raises(InputError, match="the price of m is unknown"):
            accounts.embedder(spec(chat_server.base_url))


async def test_no_more_calls_are_in_flight_than_the_cap_of_the_role(
    chat_server: ChatServer,
) -> None:
    chat_server.latency_s = 0.01
    async with World(limits=Limits(model=ModelCaps(concurrency=3))).accounts() as accounts:
        embedder: Embedder = accounts.embedder(spec(chat_server.base_url))
        await asyncio.gather(*(embedder.embed(call(n), [f"{n}"]) for n in range(20)))
    assert 3 == chat_server.peak


async def test_any_text_can_be_embedded(chat_server: ChatServer) -> None:
    assert [letters("返\ufffd"), letters("a")] == await embedded(chat_server, "返\ud800", "a\x00")
    assert [letters("x"), letters("x")] == await embedded(chat_server, "x", "x")
    assert [] == await embedded(chat_server)


async def test_azure_is_asked_under_the_deployment(
    chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "azure-key")
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", chat_server.url)
    monkeypatch.setenv("OPENAI_API_VERSION", "2026-01-01")
    async with World().accounts() as accounts:
        embedder = accounts.embedder(ModelSpec("my-ada"))
        assert [letters("a")] == plain(await embedder.embed(call(), ["a"]))
    assert chat_server.requests[0].path.startswith("/openai/deployments/my-ada/embeddings?")
