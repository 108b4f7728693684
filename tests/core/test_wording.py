"""Words by key and language, their values filled in."""

import pytest

from simulator.core.wording import Wording, worded

TABLE = {"left": ("{n} answers are left", "回答が {n} 件残っています"), "plain": ("{", "}")}


class Words(Wording):
    TABLE = {**TABLE, "key": ("{key} of {table}", "{table} の {key}")}


def test_english_nouns_follow_the_number_and_japanese_ones_do_not() -> None:
    assert "1 answer is left" == worded(TABLE, "en", "left", n=1)
    assert "3 answers are left" == Words("en")("left", n=3)
    assert "回答が 1 件残っています" == Words("ja")("left", n=1)


def test_what_is_filled_in_is_never_looked_at() -> None:
    assert "{n} answers are left" == Words("en")("left", n="{n}")


def test_a_value_may_have_any_name() -> None:
    assert "a of b" == worded(Words.TABLE, "en", "key", key="a", table="b")


def test_a_missing_key_is_none_where_it_is_looked_for_and_an_error_where_it_is_said() -> None:
    assert Words("en").find("nothing") is None
    assert "}" == Words("ja").find("plain")
    with pytest.raises(KeyError):
        Words("en")("nothing")


def test_lists_have_the_comma_of_their_language() -> None:
    assert ["、", ", "] == [Words("ja").comma, Words("en").comma]
