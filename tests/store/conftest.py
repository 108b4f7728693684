"""A store, or a writer, in an empty folder; a store also in an empty schema of PostgreSQL's."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator.store.engine import FileLocation
from simulator.store.store import Store
from simulator.store.writer import Writer
from tests.store.words import metadata


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "mogi.db"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """What does not look at a file has to hold for both stores."""
    if "url" in metafunc.fixturenames and "path" not in metafunc.fixturenames:
        metafunc.parametrize("url", ["sqlite", "postgresql"], indirect=True)


@pytest.fixture
def url(request: pytest.FixtureRequest) -> str:
    if getattr(request, "param", "sqlite") == "postgresql":
        schema: str = request.getfixturevalue("postgresql")
        return schema
    return f"sqlite:///{request.getfixturevalue('path')}"


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with Store.create(url) as opened:
        yield opened


@pytest.fixture
def opened(path: Path) -> Iterator[Writer]:
    made = Writer(FileLocation(path))
    made.transaction(metadata.create_all)
    yield made
    made.close()
