from typing import Any

import aiohttp
import pytest

from tests.loopback.replies import Says, Status
from tests.loopback.server import ChatServer


async def post(url: str, **body: Any) -> tuple[int, Any]:
    message = {"role": "user", "content": "hello"}
    async with (
        aiohttp.ClientSession() as session,
        session.post(url, json={"model": "m", "messages": [message], **body}) as response,
    ):
        return response.status, await response.json()


async def test_it_answers_from_the_body_and_counts(chat_server: ChatServer) -> None:
    chat_server.answer = lambda body: {"echo": body["messages"][-1]["content"]}
    url = f"{chat_server.base_url}/chat/completions"
    status, data = await post(url)
    assert (200, '{"echo": "hello"}') == (status, data["choices"][0]["message"]["content"])
    assert (1, "hello") == (chat_server.count, chat_server.requests[0].said)
    assert {"prompt_tokens", "completion_tokens", "total_tokens"} == data["usage"].keys()


async def test_the_script_comes_first(chat_server: ChatServer) -> None:
    chat_server.script("one", Status(503), Says("cut", finish="length"))
    url = f"{chat_server.base_url}/chat/completions"
    assert [200, 503, 200, 200] == [(await post(url))[0] for _ in range(4)]


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"temperature": 1}, "temperature"),
        ({"response_format": {"type": "json_schema"}}, "response_format"),
        ({"response_format": {"type": "json_object"}}, None),
    ],
)
async def test_it_refuses_what_it_is_told_to(
    body: dict[str, Any], named: str | None, chat_server: ChatServer
) -> None:
    chat_server.refuses = {"temperature"}
    chat_server.forms = {"json_object"}
    status, data = await post(f"{chat_server.base_url}/chat/completions", **body)
    assert (400 if named else 200) == status
    assert named == data.get("error", {}).get("param")


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/v1/chat/completions", 200),
        ("/openai/deployments/my-gpt/chat/completions?api-version=1", 200),
        ("/chat/completions", 404),
        ("/v1/completions", 404),
    ],
)
async def test_it_knows_the_paths_of_openai_and_azure(
    path: str, status: int, chat_server: ChatServer
) -> None:
    assert status == (await post(f"{chat_server.url}{path}"))[0]
