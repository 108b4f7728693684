"""Opening: a new store, one of another mogi, one of another program, and no database at all."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Connection

from simulator.core.errors import InputError, StoreError
from simulator.core.ports import CallId, Role
from simulator.core.verdict import Verdict, Word
from simulator.store import schema
from simulator.store.store import Store
from simulator.view.stored_run import stored_run
from tests.store.samples import HEADER, episode, record

Opened = Callable[[str], Store]


def execute(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def of_version(number: int) -> tuple[str, ...]:
    """What makes an older store of a new one, beside what that version itself was without."""
    memory = ("ALTER TABLE episodes DROP COLUMN answers", "DROP TABLE renames")
    return (
        "ALTER TABLE runs DROP COLUMN place",
        *(memory if number < 5 else ()),
        f"UPDATE meta SET schema_version = {number}",
    )


def test_a_new_store_is_of_this_version(path: Path, store: Store) -> None:
    with closing(sqlite3.connect(path)) as connection:
        assert [(schema.VERSION,)] == connection.execute("SELECT * FROM meta").fetchall()


def test_opening_again_changes_nothing(url: str, path: Path) -> None:
    Store.create(url).close()
    before = path.read_bytes()
    Store.create(url).close()
    Store.read(url).close()
    assert before == path.read_bytes()


@pytest.mark.parametrize("opened", [Store.create, Store.read])
def test_a_newer_store_is_refused_and_left_as_it_is(url: str, path: Path, opened: Opened) -> None:
    Store.create(url).close()
    execute(path, "UPDATE meta SET schema_version = 99")
    before = path.read_bytes()
    told = rf"mogi\.db was written by a newer mogi \(schema 99, this one knows {schema.VERSION}\)"
    with pytest.raises(StoreError, match=told):
        opened(url)
    assert before == path.read_bytes()


@pytest.mark.parametrize("opened", [Store.create, Store.read])
def test_an_older_store_is_brought_up_to_date(
    url: str, path: Path, monkeypatch: pytest.MonkeyPatch, opened: Opened
) -> None:
    Store.create(url).close()
    version = schema.VERSION + 1
    for module in ("schema", "store"):
        monkeypatch.setattr(f"simulator.store.{module}.VERSION", version)
    opened(url).close()
    with closing(sqlite3.connect(path)) as connection:
        assert [(version,)] == connection.execute("SELECT * FROM meta").fetchall()


# What `mogi run demo-en --persona calm --scenario change-email` left when each version was current.
OLD = Path(__file__).parent / "old"


def shape(path: Path) -> dict[str, set[str]]:
    """The columns of each table, and the names of all that is not a table."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT type, name FROM sqlite_master").fetchall()
        tables = [name for kind, name in rows if kind == "table"]
        columns = {
            table: {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
            for table in tables
        }
    return {**columns, "": {name for kind, name in rows if kind != "table"}}


@pytest.mark.parametrize("version", range(1, schema.VERSION))
def test_a_store_of_every_older_version_is_read_and_has_the_form_of_a_new_one(
    url: str, path: Path, tmp_path: Path, version: int
) -> None:
    execute(path, "PRAGMA journal_mode=WAL")
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((OLD / f"v{version}.sql").read_text("utf-8"))
    with Store.read(url) as store:
        (row,) = store.runs()
        run = stored_run(store, store.header(row.id))
        assert ("demo-en", "finished", "run") == (row.client, row.status, row.kind)
        assert 1 == run.summary.conversations == len(list(run.episodes()))
        assert 1 == store.ledger(row.id).calls["target"]
        assert {row.id} == {place[0] for place in store.answers("demo-en")}
    Store.create(f"sqlite:///{tmp_path / 'new.db'}").close()
    assert shape(tmp_path / "new.db") == shape(path)


_OLD_CALLS = (
    "run TEXT NOT NULL, episode TEXT NOT NULL, turn INTEGER NOT NULL, role TEXT NOT NULL,"
    "part TEXT NOT NULL, digest TEXT NOT NULL, model TEXT NOT NULL, input_tokens INTEGER NOT NULL,"
    "output_tokens INTEGER NOT NULL, cached_tokens INTEGER NOT NULL, cost_usd FLOAT,"
    "latency_ms FLOAT NOT NULL, attempts INTEGER NOT NULL, reused BOOLEAN NOT NULL,"
    "response TEXT NOT NULL"
)
_OLD_CALL = "'a1b2c3d4', 'e', 1, 'user', '', 'd1', 'gpt', 10, 5, 2, 0.25, 12.5, 1, 0, '{}'"


async def test_calls_of_before_there_were_takes_are_of_the_first_take(url: str, path: Path) -> None:
    with Store.create(url) as store:
        store.begin(HEADER)
    execute(
        path,
        "DROP TABLE calls",  # and its trigger
        "DROP TABLE replaced_calls",
        f"CREATE TABLE calls ({_OLD_CALLS}, PRIMARY KEY (run, episode, turn, role, part))",
        f"CREATE TABLE replaced_calls (n INTEGER PRIMARY KEY, {_OLD_CALLS})",
        "CREATE TRIGGER keep_replaced AFTER UPDATE ON calls BEGIN SELECT 1; END",
        f"INSERT INTO calls VALUES ({_OLD_CALL})",
        f"INSERT INTO replaced_calls VALUES (7, {_OLD_CALL})",
        *of_version(2),
    )
    with Store.read(url) as store:
        assert 0.5 == store.ledger(HEADER.id).cost_usd
    with Store.create(url) as store:
        journal = store.journal(HEADER.id, resume=True)
        call = CallId("e", 1, Role.USER)
        assert journal.recall(call, "d1") == record("e", response="{}")
        await journal.record(record("e", digest="d2"))  # replaces it: the trigger is there again
        await journal.record(record("e", call=replace(call, take=1)))
        assert 1.0 == store.ledger(HEADER.id).cost_usd
        assert {"e": [0.75, 0.25]} == store.costs_of_takes(HEADER.id)
        assert {None} == {call.endpoint for call in store.calls(HEADER.id)}


async def test_calls_of_before_their_endpoints_were_kept(url: str, path: Path) -> None:
    with Store.create(url) as store:
        store.begin(HEADER)
        await store.journal(HEADER.id, resume=False).record(record("e", endpoint="http://x"))
    execute(path, "DROP TRIGGER keep_replaced", *of_version(3))
    for table in ("calls", "replaced_calls"):
        execute(path, *(f"ALTER TABLE {table} DROP COLUMN {c}" for c in ("endpoint", "waited_ms")))
    execute(path, "CREATE TRIGGER keep_replaced AFTER UPDATE ON calls BEGIN SELECT 1; END")
    with Store.create(url) as store:
        (call,) = store.calls(HEADER.id)
        assert (None, None, 10) == (call.endpoint, call.waited_ms, call.usage.input)
        journal = store.journal(HEADER.id, resume=True)
        await journal.record(record("e", digest="d2", endpoint="http://x", waited_ms=2.5))
        assert [("http://x", 2.5), (None, None)] == [
            (call.endpoint, call.waited_ms) for call in store.calls(HEADER.id)
        ]


async def test_verdicts_of_before_there_was_a_memory_hold_in_later_runs(
    url: str, path: Path
) -> None:
    """A store of before: its verdicts are found again by the episodes that it holds."""
    with Store.create(url) as store:
        store.begin(HEADER)
        for ordinal, name in enumerate(("login", "fee")):
            await store.save_episode(HEADER.id, ordinal, episode(name))
        given = Verdict("login/angry/1", 1, Word.NG, "田中", "a.xlsx", "2026-11-21T06:00:00+00:00")
        store.add_verdicts(HEADER.id, [given])
    execute(
        path,
        *of_version(4),
    )
    with Store.create(url) as store:
        store.begin(replace(HEADER, id="later", started="2026-11-22T06:00:00+00:00"))
        for ordinal, name in enumerate(("login", "fee")):
            await store.save_episode("later", ordinal, episode(name))
        found = {each.cell.scenario: said for each, said in store.reviewed("later")}
        assert {"login": (replace(given, run=HEADER.id),), "fee": ()} == found
        assert [given] == list(store.verdicts(HEADER.id))


def test_answers_of_before_texts_had_hashes_are_known_by_the_texts(url: str, path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((OLD / "v8.sql").read_text("utf-8"))
        before = connection.execute("SELECT answers FROM episodes").fetchone()
    Store.create(url).close()
    with closing(sqlite3.connect(path)) as connection:
        after = connection.execute("SELECT answers FROM episodes").fetchone()
    (keys,), (new_keys,) = json.loads(before[0]), json.loads(after[0])
    assert (keys, 4) == (new_keys[1:], len(new_keys))


def test_runs_of_before_they_had_a_place_keep_their_order_and_are_told(
    url: str, path: Path
) -> None:
    with Store.create(url) as store:
        for name in ("r2", "r1", "r3"):  # all began in the same second
            store.begin(replace(HEADER, id=name))
    execute(path, "UPDATE runs SET digest = '{\"score\": 0.5}' WHERE id = 'r1'")
    execute(path, "UPDATE runs SET digest = NULL WHERE id = 'r3'", *of_version(5))
    with Store.create(url) as store:
        store.begin(replace(HEADER, id="r0"))
        rows = store.runs()
        assert ["r0", "r3", "r1", "r2"] == [row.id for row in rows]
        assert {("run", HEADER.timezone)} == {(row.kind, row.timezone) for row in rows}
        assert [{}, {}, {"score": 0.5}, {}] == [row.digest for row in rows]


def test_a_step_that_fails_leaves_the_older_store(
    url: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half(connection: Connection) -> None:
        connection.exec_driver_sql("CREATE TABLE x(y)")
        connection.exec_driver_sql("CREATE TABLE x(y)")

    Store.create(url).close()
    with monkeypatch.context() as patch:
        patch.setattr(schema, "_keep_replaced", half)
        for module in ("schema", "store"):
            patch.setattr(f"simulator.store.{module}.VERSION", schema.VERSION + 1)
        with pytest.raises(StoreError, match="table x already exists"):
            Store.create(url)
    Store.read(url).close()


@pytest.mark.parametrize("opened", [Store.create, Store.read])
@pytest.mark.parametrize("tables", [["notes"], ["meta"], ["runs", "calls", "episodes"]])
def test_a_database_of_another_program_is_refused_and_left_as_it_is(
    url: str, path: Path, opened: Opened, tables: list[str]
) -> None:
    execute(path, *(f"CREATE TABLE {name} (x)" for name in tables))
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"mogi\.db belongs to another program"):
        opened(url)
    assert before == path.read_bytes()
    assert [path] == list(path.parent.iterdir())


@pytest.mark.parametrize("opened", [Store.create, Store.read])
def test_a_file_that_is_no_database_is_refused(url: str, path: Path, opened: Opened) -> None:
    path.write_bytes(b"runs:\n- demo\n" * 500)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"mogi\.db is not a database; use another file"):
        opened(url)
    assert before == path.read_bytes()


def test_an_empty_file_becomes_a_store(url: str, path: Path) -> None:
    path.touch()
    with pytest.raises(StoreError, match="is empty; `mogi run demo` adds a run"):
        Store.read(url)
    Store.create(url).close()
    Store.read(url).close()


@pytest.mark.parametrize("opened", [Store.create, Store.read])
def test_a_damaged_store_is_told(url: str, path: Path, opened: Opened) -> None:
    Store.create(url).close()
    data = bytearray(path.read_bytes())
    data[100:3000] = b"\xff" * 2900
    path.write_bytes(data)
    with pytest.raises(StoreError, match=r"mogi\.db is damaged"):
        opened(url)


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is a folder; use a file with --store"):
        Store.create(f"sqlite:///{tmp_path}")


def test_a_store_needs_its_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in ("missing", "file"):
        with pytest.raises(StoreError, match="can't be created: its folder doesn't exist"):
            Store.create(f"sqlite:///{tmp_path}/{folder}/mogi.db")


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="a folder that even root cannot write")
def test_a_folder_that_cannot_be_written_is_told_at_once() -> None:
    with pytest.raises(StoreError, match="can you write to it\\? use another file with --store"):
        Store.create("sqlite:////proc/mogi.db")


def test_reading_makes_no_store(url: str, path: Path) -> None:
    with pytest.raises(InputError, match=r"no store at .*mogi\.db; `mogi run demo` creates one"):
        Store.read(url)
    assert [] == list(path.parent.iterdir())
