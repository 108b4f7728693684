"""Keys and hashes of the rows that people review."""

import pytest

from simulator.core.clean import clean
from simulator.worksheets.columns import COLUMNS, HASHED, ColumnId, parted_key, row_hash, turn_key
from tests.worksheets.review_grids import heads

ROW: dict[ColumnId, object] = {
    "key": "1a2b3c4d|login/angry/1|2",
    "sampled": "flagged",
    "persona": "angry",
    "scenario": "login",
    "turn": 2,
    "user": "ログインできません",
    "before": "利用者: こんにちは",
    "expected": "設定から再発行できます。",
    "documents": "◎ faq-003 ログイン",
    "result": "不合格",
    "assistant": "申し訳ございません。\n窓口へお問い合わせください。",
    "metric": "overall",
    "score": 0.4,
    "reason": "=1+1 は式ではない",
    "threshold": 0.7,
    "flag": "要確認",
    "verdict": "NG",
}


def test_a_key_comes_apart_as_it_was_made() -> None:
    assert ("1a2b3c4d", "a|b/calm/1", 12) == parted_key(turn_key("1a2b3c4d", "a|b/calm/1", 12))


@pytest.mark.parametrize("key", ["", "1a2b", "1a2b|x", "1a2b|x/y/1|", "1a2b|x/y/1|two", "|x|1"])
def test_what_is_no_key_is_none(key: str) -> None:
    assert parted_key(key) is None


@pytest.mark.parametrize("name", HASHED)
def test_an_edited_machine_cell_changes_the_hash(name: ColumnId) -> None:
    edited = {**ROW, name: f"{ROW[name]}1"}
    assert row_hash(ROW) != row_hash(edited)


@pytest.mark.parametrize("name", ["threshold", "flag", "verdict", "comment"])
def test_what_people_write_and_what_is_live_do_not(name: ColumnId) -> None:
    assert row_hash(ROW) == row_hash({**ROW, name: "0.1"})


def test_what_spreadsheets_change_by_themselves_does_not() -> None:
    text = str(ROW["assistant"]).replace("\n", "\r\n") + " "
    as_text: dict[ColumnId, object] = {**ROW, "assistant": text, "turn": "2.0", "score": "0.40"}
    assert row_hash(ROW) == row_hash(as_text)
    assert clean(text).strip() == ROW["assistant"]


def test_every_column_has_a_head_of_its_own_in_each_language() -> None:
    assert len(COLUMNS) == len(set(heads("ja"))) == len(set(heads("en")))
