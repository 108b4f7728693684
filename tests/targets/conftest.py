"""What tests of several targets share."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from simulator.targets.command import Command
from tests.targets.command.programs import Opened, opened


@pytest.fixture
async def program(tmp_path: Path) -> AsyncIterator[Opened]:
    """Makes a target of a Python program's text; its processes end with the test."""
    targets: list[Command] = []

    def open_(text: str, **settings: Any) -> Command:
        targets.append(opened(tmp_path, text, **settings))
        return targets[-1]

    yield open_
    for target in targets:
        await target.close()
