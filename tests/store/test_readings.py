"""Readings are stored with the turn; a store from before there were any keeps all that it holds."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from simulator.core.claim import Reader, Reading, State
from simulator.core.result import Result, Why
from simulator.core.verdict import Word
from simulator.store import codec
from simulator.store.store import Store
from simulator.view.stored_run import stored_run
from tests.store.samples import episode

# What `mogi run demo-en --persona calm --scenario change-email --scenario cannot-get-in` left, with
# a person's verdict on each first answer.
OLD = Path(__file__).parent / "old" / "v7_without_readings.sql"


@pytest.fixture
def old(url: str, path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.executescript(OLD.read_text("utf-8"))
    return url


@pytest.mark.parametrize(
    "readings",
    [
        None,
        (),
        (
            Reading("says-1", State.MET, Reader.MODEL, "30 minutes", "30 minutes"),
            Reading("says-1", State.UNKNOWN, Reader.WORDS),
            Reading("answers-2", State.VIOLATED, Reader.WORDS, against="x"),
        ),
    ],
)
def test_readings_come_back_as_they_were(readings: tuple[Reading, ...] | None) -> None:
    made = episode("login")
    turn = replace(made.turns[0], readings=readings, follows_up=True)
    back = codec.episode_from_json(codec.episode_to_json(replace(made, turns=(turn,))))
    assert (readings, True) == (back.turns[0].readings, back.turns[0].follows_up)


def test_a_run_without_readings_keeps_transcripts_scores_and_counts(old: str) -> None:
    with Store.read(old) as store:
        (row,) = store.runs()
        assert (1, 1) == (row.digest["passed"], row.digest["failed"])
        first, second = store.episodes(row.id)
        assert all(turn.readings is None for each in (first, second) for turn in each.turns)
        assert {"lexical", "elements_lexical"} <= first.turns[0].outcomes.keys()
        assert first.turns[0].exchange.assistant


def test_verdicts_of_people_still_decide_it_and_the_rest_is_unread(old: str) -> None:
    with Store.read(old) as store:
        (row,) = store.runs()
        run = stored_run(store, store.header(row.id))
        findings = {e.cell.scenario: e.finding for e in run.episodes()}
        assert [Word.OK, Word.NG] == [v.word for v in store.verdicts(row.id)]
    assert {Result.PASSED, Result.FAILED} == {f.result for f in findings.values() if f}
    assert {Why.SAID_OK, Why.SAID_NG} == {f.why for f in findings.values() if f}


def test_equal_answers_of_a_later_run_are_known_by_the_same_keys(old: str, path: Path) -> None:
    with Store.read(old) as store:
        (row,) = store.runs()
        header, episodes = store.header(row.id), list(store.episodes(row.id))
    with closing(sqlite3.connect(path)) as connection:
        kept = dict(connection.execute("SELECT episode, answers FROM episodes").fetchall())
    assert {e.cell.key: json.loads(kept[e.cell.key]) for e in episodes} == {
        e.cell.key: json.loads(codec.answer_keys(header, e)) for e in episodes
    }
