"""Figures that are kept with a run hold only while nothing changed."""

from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from simulator.api import Options, load, simulate_sync
from simulator.core.run import Run
from simulator.core.verdict import Verdict, Word
from simulator.store.schema import runs
from simulator.store.store import Store
from simulator.view import stored_run as kept
from simulator.view.stored_run import kept_summary, stored_run

NG = Verdict("change-email/calm/1", 1, Word.NG, "Mori", "sheet", "2026-11-01T00:00:00+00:00")


@pytest.fixture
def run(tmp_path: Path) -> Run:
    options = Options(personas=("calm", "angry"), limit=8)
    return simulate_sync(load("demo-en"), options=options, store=url(tmp_path))


def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'mogi.db'}"


def test_they_are_those_that_are_computed(run: Run, tmp_path: Path) -> None:
    with Store.read(url(tmp_path)) as store:
        assert run.summary == kept_summary(store, store.header(run.header.id))
        assert run.summary == stored_run(store, store.header(run.header.id)).summary


def test_a_word_of_a_person_counts_at_once(run: Run, tmp_path: Path) -> None:
    key = next(run.episodes()).cell.key
    with Store.create(url(tmp_path)) as store:
        store.add_verdicts(run.header.id, [replace(NG, episode=key)])
        header = store.header(run.header.id)
        assert kept_summary(store, header) is None
        found = stored_run(store, header).summary
    assert found.results != run.summary.results
    assert found.verdicts is not None


@pytest.mark.parametrize("change", ["header", "status", "code", "conversations"])
def test_they_hold_for_nothing_else(
    run: Run, tmp_path: Path, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.create(url(tmp_path)) as store:
        header = store.header(run.header.id)
        if change == "header":
            header = replace(header, thresholds={"lexical": 0.99})
        elif change == "status":
            header = replace(header, status="broken_off")
        elif change == "code":
            monkeypatch.setattr(kept, "_code", lambda: "another")
        else:
            monkeypatch.setattr(Store, "keys", lambda *_: ["one"])
        assert kept_summary(store, header) is None


def test_an_older_store_has_none(run: Run, tmp_path: Path) -> None:
    with Store.create(url(tmp_path)) as store:
        store.transaction(lambda c: c.execute(runs.update().values(figures=None)))
        with store.reading() as connection:
            assert [None] == list(connection.execute(select(runs.c.figures)).scalars())
        header = store.header(run.header.id)
        assert kept_summary(store, header) is None
        assert run.summary == stored_run(store, header).summary


@pytest.mark.parametrize("forged", ["{}\n[]", "{", "[1]\n2", "x" * 2_001])
def test_what_somebody_else_wrote_is_no_figure(
    run: Run, tmp_path: Path, forged: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "MAX_BYTES", 2_000)
    with Store.create(url(tmp_path)) as store:
        header = store.header(run.header.id)
        mark = kept._mark(header, len(store.keys(header.id)))
        store.transaction(lambda c: c.execute(runs.update().values(figures=f"{mark}\n{forged}")))
        assert kept_summary(store, header) is None
        assert run.summary == stored_run(store, header).summary
