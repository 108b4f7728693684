"""A store in an empty folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator.store.store import Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "mogi.db"


@pytest.fixture
def url(path: Path) -> str:
    return f"sqlite:///{path}"


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with Store.create(url) as opened:
        yield opened
