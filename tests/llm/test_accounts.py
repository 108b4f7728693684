import logging
import traceback
from dataclasses import asdict, replace

import pytest

from simulator.core.errors import InputError, MogiError
from simulator.core.plan import Limits, ModelCaps, ModelSpec, Price
from simulator.core.ports import Role
from simulator.llm.caller import RetryPolicy
from simulator.llm.chat import ModelChat
from tests.llm.world import MESSAGES, World, call_id, spec
from tests.loopback.replies import Raw, Reset, Says, Status
from tests.loopback.server import ChatServer

CANARY = "sk-canary-91ce"


async def test_the_key_of_the_environment_opens_the_account(
    chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    monkeypatch.setenv("OPENAI_BASE_URL", chat_server.base_url)
    async with World().accounts() as accounts:
        chat = accounts.chat(ModelSpec("m"), Role.USER)
        await chat.complete(call_id(), MESSAGES)
    assert f"Bearer {CANARY}" == chat_server.requests[0].headers["Authorization"]


async def test_azure_is_found_by_its_variables(
    chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", chat_server.url)
    monkeypatch.setenv("OPENAI_API_VERSION", "2024-10-21")
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", CANARY)
    async with World().accounts() as accounts:
        chat = accounts.chat(ModelSpec("my-gpt"), Role.USER)
        assert "ok" == (await chat.complete(call_id(), MESSAGES)).text
    path = "/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21"
    assert path == chat_server.requests[0].path


async def test_a_local_server_needs_no_key(chat_server: ChatServer) -> None:
    async with World().accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.USER)
        assert "ok" == (await chat.complete(call_id(), MESSAGES)).text


async def test_a_missing_key_is_wrong_input_before_anything_is_sent() -> None:
    async with World().accounts() as accounts:
        with pytest.raises(InputError, match="OPENAI_API_KEY"):
            accounts.chat(ModelSpec("m"), Role.USER)


async def test_a_money_budget_needs_a_price(chat_server: ChatServer) -> None:
    world = World(limits=Limits(budget_usd=1.0), prices={"known": Price(1, 1)})
    async with world.accounts() as accounts:
        accounts.chat(spec(chat_server.base_url, "known"), Role.USER)
        with pytest.raises(InputError, match=r"price of unknown is unknown; add prices: {unk"):
            accounts.chat(spec(chat_server.base_url, "unknown"), Role.USER)
    assert 0 == chat_server.count


async def test_without_a_budget_an_unknown_price_is_an_unknown_cost(
    chat_server: ChatServer,
) -> None:
    world = World()
    async with world.accounts() as accounts:
        await accounts.chat(spec(chat_server.base_url), Role.USER).complete(call_id(), MESSAGES)
        assert accounts.ledger.cost_usd is None
    assert world.watch.records[call_id()].cost_usd is None


async def test_openais_own_models_have_listed_prices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    async with World(limits=Limits(budget_usd=1.0)).accounts() as accounts:
        accounts.chat(ModelSpec("gpt-4o-mini"), Role.USER)


async def test_rates_and_dialect_are_shared_by_the_roles_of_a_model(
    chat_server: ChatServer,
) -> None:
    async with World().accounts() as accounts:
        user = accounts.chat(spec(chat_server.base_url, "m"), Role.USER)
        judge = accounts.chat(spec(chat_server.base_url, "m"), Role.JUDGE)
        other = accounts.chat(spec(chat_server.base_url, "n"), Role.JUDGE)
        assert isinstance(user, ModelChat)
        assert isinstance(judge, ModelChat)
        assert isinstance(other, ModelChat)
        assert user.paid.caller.endpoint is judge.paid.caller.endpoint
        assert other.paid.caller.endpoint is not judge.paid.caller.endpoint
        assert other.paid.caller.transport is judge.paid.caller.transport


async def test_closing_twice_is_harmless(chat_server: ChatServer) -> None:
    accounts = World().accounts()
    chat = accounts.chat(spec(chat_server.base_url), Role.USER)
    await chat.complete(call_id(), MESSAGES)
    await accounts.aclose()
    await accounts.aclose()


async def test_the_key_is_seen_by_the_endpoint_only(
    chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    world = World(policy=RetryPolicy(attempts=1))
    chat_server.script(
        Says(f"the key is {CANARY}"),
        Status(400, f"{CANARY} cannot do that"),
        Raw(b"{" + CANARY.encode()),
        Reset(),
        Status(401, f"Incorrect API key provided: {CANARY}"),
    )
    seen = []
    async with world.accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.USER)
        for turn in range(5):
            try:
                seen.append(repr(await chat.complete(call_id(turn), MESSAGES)))
            except MogiError as error:
                body = getattr(error, "body", "")
                seen += [*traceback.format_exception(error), repr(error), body]
        seen += [repr(accounts), repr(chat), repr(accounts.ledger), world.halt.message]
    seen += [repr(asdict(record)) for record in world.watch.records.values()]
    seen += [caplog.text]
    assert f"Bearer {CANARY}" == chat_server.requests[0].headers["Authorization"]
    assert 5 == chat_server.count
    assert "[key]" in "".join(seen)
    assert CANARY not in "".join(seen)


@pytest.mark.parametrize(
    ("base_url", "is_limited"),
    [
        ("http://127.0.0.1:9/v1", False),
        ("http://localhost:9/v1", False),
        ("https://api.example.com/v1", True),
    ],
)
async def test_limits_that_nobody_wrote_do_not_hold_on_loopback(
    base_url: str, is_limited: bool
) -> None:
    usual = frozenset({"requests_per_minute", "tokens_per_minute"})
    caps = ModelCaps(requests_per_minute=500, tokens_per_minute=200_000, usual=usual)
    for written, limited in ((caps, is_limited), (replace(caps, usual=frozenset()), True)):
        async with World(limits=Limits(model=written)).accounts() as accounts:
            chat = accounts.chat(spec(base_url), Role.USER)
            assert isinstance(chat, ModelChat)
            assert limited is chat.paid.caller.endpoint.is_limited
