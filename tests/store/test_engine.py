"""URLs of stores, and errors as sentences."""

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from simulator.core.errors import InputError, StoreError
from simulator.store.engine import (
    FileLocation,
    explained,
    open_engine,
    path_of,
    without_password,
)
from simulator.store.store import location_of


@pytest.mark.parametrize(
    ("named", "path"),
    [
        ("sqlite:///mogi.db", "mogi.db"),
        ("sqlite:///../a b/モギ#1?.db", "../a b/モギ#1?.db"),
        ("sqlite:////tmp/mogi.db", "/tmp/mogi.db"),
    ],
)
def test_a_url_names_a_file(named: str, path: str) -> None:
    assert Path(path) == path_of(named)
    assert f"sqlite:///{Path(path).absolute()}" == FileLocation(Path(path)).url


@pytest.mark.parametrize("named", ["", "mogi.db", "sqlite://", "sqlite:///", "mysql:///x", "a\0b"])
def test_what_is_no_store_is_refused_with_the_right_form(named: str) -> None:
    with pytest.raises(InputError, match=r"isn't a store URL; use sqlite:///path/to/mogi\.db"):
        path_of(named)


@pytest.mark.parametrize(
    "named", ["postgresql://h/d", "postgres://h/d", "postgresql+psycopg://h/d"]
)
def test_a_url_names_a_server(named: str) -> None:
    assert "postgresql://h/d" == str(location_of(named)) == location_of(named).url


def test_nobody_is_told_a_password() -> None:
    place = location_of("postgresql://me:s3cret@h:1/d?sslmode=require")
    assert "postgresql://me:***@h:1/d" == str(place)
    assert "postgresql://me:s3cret@h:1/d?sslmode=require" == place.url


def test_a_url_that_cannot_be_read_is_told_without_it() -> None:
    with pytest.raises(InputError, match="write postgresql://user@host") as caught:
        location_of("postgresql://me:s3cret@h:port/d")
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("name", ["a b#c?d%20.db", "日本.db", "x&mode=ro.db"])
def test_a_file_may_have_any_name(tmp_path: Path, name: str) -> None:
    engine = open_engine(tmp_path / name, write=True)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE t (x)")
    assert (tmp_path / name).stat().st_size


def test_what_is_committed_is_on_disk(tmp_path: Path) -> None:
    with open_engine(tmp_path / "x.db", write=True).connect() as connection:
        assert 2 == connection.exec_driver_sql("PRAGMA synchronous").scalar_one()  # FULL
        assert "wal" == connection.exec_driver_sql("PRAGMA journal_mode").scalar_one()


def test_a_reader_sees_one_state_and_cannot_write(tmp_path: Path) -> None:
    writing = open_engine(tmp_path / "x.db", write=True)
    reading = open_engine(tmp_path / "x.db", write=False)
    with writing.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE t (x)")
    with reading.connect() as reader:
        assert [] == reader.exec_driver_sql("SELECT x FROM t").all()
        with writing.begin() as connection:
            connection.exec_driver_sql("INSERT INTO t VALUES (1)")
        assert [] == reader.exec_driver_sql("SELECT x FROM t").all()
        with pytest.raises(OperationalError, match="readonly"):
            reader.exec_driver_sql("INSERT INTO t VALUES (1)")
    with reading.connect() as reader:
        assert [(1,)] == reader.exec_driver_sql("SELECT x FROM t").all()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (sqlite3.OperationalError("database or disk is full"), "the disk is full"),
        (sqlite3.OperationalError("disk I/O error"), "is the disk full?"),
        (sqlite3.OperationalError("database is locked"), "is locked by another program"),
        (sqlite3.OperationalError("attempt to write a readonly database"), "is read-only"),
        (sqlite3.OperationalError("unable to open database file"), "can't be opened"),
        (sqlite3.DatabaseError("file is not a database"), "is not a database"),
        (sqlite3.DatabaseError("database disk image is malformed"), "is damaged"),
        (OperationalError("SELECT", {}, sqlite3.OperationalError("disk I/O error")), "disk I/O"),
        (UnicodeEncodeError("utf-8", "\udcff", 0, 1, "surrogates"), "half of a character"),
        (KeyError("stop"), "failed: 'stop'"),
        (MemoryError(), "failed: MemoryError"),
    ],
)
def test_an_error_becomes_a_sentence_about_the_file(error: Exception, said: str) -> None:
    with pytest.raises(StoreError) as caught, explained(FileLocation(Path("x/mogi.db"))):
        raise error
    assert str(caught.value).startswith("the store x/mogi.db ")
    assert said in str(caught.value)
    assert error is caught.value.__cause__


def test_an_error_of_ours_says_already_what_is_wrong() -> None:
    ours = InputError("no run")
    with pytest.raises(InputError) as caught, explained(FileLocation(Path("mogi.db"))):
        raise ours
    assert ours is caught.value


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (sqlite3.IntegrityError("NOT NULL"), True),
        (OverflowError("int too large"), True),
        (UnicodeEncodeError("utf-8", "\udcff", 0, 1, "surrogates"), True),
        (sqlite3.OperationalError("disk I/O error"), False),
        (sqlite3.DatabaseError("malformed"), False),
        (MemoryError(), False),
        (OSError(5, "gone"), False),
    ],
)
def test_a_record_is_told_from_the_file(error: Exception, expected: bool) -> None:
    with pytest.raises(StoreError) as caught, explained(FileLocation(Path("mogi.db"))):
        raise error
    assert expected is FileLocation(Path("x")).is_of_one_record(caught.value.__cause__)


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("postgressql://u:hunter2@h/d", "postgressql://u:***@h/d"),
        ("postgresql://h/d?password=hunter2&x=1", "postgresql://h/d?password=***"),
        ("postgresql://u@h/d", "postgresql://u@h/d"),
        ("postgresql://h/d?host=/tmp/x", "postgresql://h/d?host=/tmp/x"),
        ("sqlite:///a.db", "sqlite:///a.db"),
    ],
)
def test_what_is_told_of_a_store_has_no_password(written: str, told: str) -> None:
    assert told == without_password(written)


def test_a_mistyped_url_is_told_without_its_password() -> None:
    with pytest.raises(InputError, match="isn't a store") as caught:
        location_of("mysql://u:hunter2@h/d")
    assert "hunter2" not in str(caught.value)
