"""What every test may use, and what no test may: an account of the person who runs them."""

from collections.abc import AsyncIterator

import pytest

from tests.loopback.server import ChatServer

_ACCOUNT = ("OPENAI_", "AZURE_OPENAI_", "MOGI_")


@pytest.fixture(autouse=True)
def _no_account_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    for name in list(os.environ):
        if name.startswith(_ACCOUNT):
            monkeypatch.delenv(name)


@pytest.fixture
async def chat_server() -> AsyncIterator[ChatServer]:
    """A chat endpoint on 127.0.0.1 that says "ok" until it is told otherwise."""
    async with ChatServer() as server:
        yield server
