"""A store, or a writer, in an empty folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator.store.engine import open_engine
from simulator.store.store import Store
from simulator.store.writer import Writer
from tests.store.words import metadata


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


@pytest.fixture
def opened(path: Path) -> Iterator[Writer]:
    made = Writer(open_engine(path, write=True), path)
    made.transaction(metadata.create_all)
    yield made
    made.close()
