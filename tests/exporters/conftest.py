"""The command line, a client, and a stand-in for the tools that runs are sent to."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import web

from tests.e2e.conftest import acme, model, mogi
from tests.loopback.bot import BotServer, Heard, Sent, serving

__all__ = ["acme", "model", "mogi"]


@dataclass
class Tool:
    """What arrives; `answers` are statuses that requests are answered with first, in order."""

    answers: list[int] = field(default_factory=list)
    body: Any = field(default_factory=dict)
    server: BotServer | None = None

    def __call__(self, heard: Heard) -> Sent:
        if self.answers:
            return web.json_response({"message": "come back later"}, status=self.answers.pop(0))
        return web.json_response(self.body)

    @property
    def url(self) -> str:
        assert self.server is not None
        return self.server.url

    @property
    def heard(self) -> list[Heard]:
        assert self.server is not None
        return self.server.heard

    def bodies(self, path: str) -> list[Any]:
        return [heard.json for heard in self.heard if heard.path == path]


@pytest.fixture
def tool() -> Iterator[Tool]:
    stand_in = Tool()
    with serving(stand_in) as server:
        stand_in.server = server
        yield stand_in
