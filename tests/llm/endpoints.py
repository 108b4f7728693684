"""What real endpoints say when they refuse: endpoints.jsonl, as replies of the loopback server.

`means` is what a line is about: the `form` of an answer, the `account`, a `parameter`, and so on.
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
    """The line as a server sends it; a body that is null is an empty one."""
    body = b"" if said["body"] is None else json.dumps(said["body"]).encode()
    return Raw(body, said["status"])


def of(*meanings: str) -> list[Any]:
    """The parameters of a test: the replies with these meanings, by their endpoints."""
    found = [line for line in SAID if line["means"] in meanings]
    return [pytest.param(raw(line), id=line["endpoint"]) for line in found]
