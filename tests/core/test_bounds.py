"""JSON is looked at before anything is made of it, in one pass; a memo keeps within its bound."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core import bounds
from simulator.core.bounds import MAX_NESTED, Memo, TooMuch, check_json, json_data

_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=20,
)


def _depth(value: object) -> int:
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + max(map(_depth, value), default=0) if isinstance(value, list) else 0


@given(_values)
def test_signs_in_texts_are_no_values_and_no_levels(value: object) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounds, "MAX_NESTED", _depth(value))
        assert value == json_data(json.dumps(value))
        if _depth(value):
            patch.setattr(bounds, "MAX_NESTED", _depth(value) - 1)
            with pytest.raises(TooMuch, match="nested too deep"):
                check_json(json.dumps(value))


@pytest.mark.parametrize("text", ['"[[[,,,{{{"', '["[", "\\\\", "\\"[", "]"]', '"\\"[[[', '"[[[\\'])
def test_what_stands_in_quotes_counts_for_nothing(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "MAX_NESTED", 1)
    monkeypatch.setattr(bounds, "MAX_NODES", 6)
    check_json(text)


def test_too_many_values_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MAX_NODES", 10)
    with pytest.raises(TooMuch, match="more than 10 values"):
        json_data(json.dumps([0] * 11))
    assert [0] * 9 == json_data(json.dumps([0] * 9))


def test_the_deepest_that_is_read_is_read() -> None:
    text = "[" * MAX_NESTED + "]" * MAX_NESTED
    assert text == json.dumps(json_data(text))


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity", "-Infinity"])
def test_what_is_no_number_is_null(number: str) -> None:
    assert [None, 1.5] == json_data(f"[{number}, 1.5]".encode())


def test_what_was_found_is_found_once_as_long_as_there_is_room() -> None:
    memo, asked = Memo[str](4_000), list[str]()

    def find(key: str) -> str:
        def found() -> str:
            asked.append(key)
            return key.upper()

        return memo.of(key, 500, found)

    assert ["A", "A", "B"] == [find("a"), find("a"), find("b")]
    assert ["a", "b"] == asked
    for key in "cadaeafag":  # what is asked for again stays, whatever comes
        find(key)
    assert 1 == asked.count("a")
    find("b")
    assert 2 == asked.count("b")


def test_what_is_too_large_is_found_all_the_same() -> None:
    memo = Memo[str](4_000)
    assert ["x", "x"] == [memo.of("k", 1_000_000, lambda: "x") for _ in range(2)]
