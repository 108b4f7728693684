"""What real endpoints say when they refuse: endpoints.jsonl, as replies of the loopback server.

`means` is what a line is about: the `form` of an answer, the `account`, a `parameter`, and so on;
`shown` is how people are told of it, where that is not its message.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.loopback.replies import Raw

SAID: list[dict[str, Any]] = [
    json.loads(line)
    for line in Path(__file__).with_name("endpoints.jsonl").read_text("utf-8").splitlines()
]


def raw(said: dict[str, Any]) -> Raw:
    """The line as a server sends it; a body that is null is empty, a text is sent as it is."""
    body = said["body"]
    sent = body or "" if isinstance(body, str | None) else json.dumps(body)
    page = sent.startswith("<")
    return Raw(sent.encode(), said["status"], "text/html" if page else "application/json")


def of(*meanings: str) -> list[Any]:
    """The parameters of a test: the replies with these meanings, by their endpoints."""
    found = [line for line in SAID if line["means"] in meanings]
    return [pytest.param(raw(line), id=line["endpoint"]) for line in found]
