"""YAML that is written for people is read back as it was."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.formats.sources import Source
from simulator.formats.yaml.reading import parse_yaml
from simulator.formats.yaml.scalars import EMPTY
from simulator.formats.yaml.writing import yaml_text

SOURCE = Source(Path("written.yaml"), "written.yaml")
# Surrogates cannot be encoded; what comes in is cleaned of them at the edge.
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
TRICKY = st.sampled_from(
    [
        *("", " ", "no", "true", "~", "null", "007", "1.10", "0x1F", "1e3", "-", "- a", "a: b"),
        *(
            "a:",
            "a #b",
            "#a",
            "'",
            '"',
            "「はい」",
            "a\nb",
            "a\n\nb",
            " a\nb",
            "a \nb",
            "a\n",
            "\n",
        ),
        *("a\tb", "\ta", "---", "...", "--- a", "|", ">", "@a", "`a", "%a", "!a", "&a", "*a"),
        *("? a", "[a]", "{a: b}", "a, b", "\x85", "\u2028", "\ufeff", "\x7f", "\x00", "😀", "\\n"),
        *(":", "a:b", "?", "-1", "<<", "=", "1:30", "2024-01-02", "a\r\nb", "そう: 彼", "はい #1"),
    ]
)
SCALAR = TEXT | TRICKY | st.booleans() | st.integers(-(10**9), 10**9)
VALUE = st.recursive(
    SCALAR,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT | TRICKY, inner, max_size=4),
    max_leaves=12,
)


def read(text: str) -> Any:
    return parse_yaml(text, SOURCE).data


@given(st.lists(st.dictionaries(TEXT | TRICKY, VALUE, max_size=4), min_size=1, max_size=4))
def test_what_is_written_is_read_back(value: Any) -> None:
    assert value == read(yaml_text(value))


@given(TEXT | TRICKY)
def test_any_text_is_read_back_as_text(text: str) -> None:
    found = read(yaml_text([{"query": text, "known": [text, text]}]))
    assert [{"query": text, "known": [text, text]}] == found
    assert EMPTY not in found[0]["known"]


def test_japanese_stands_as_it_is() -> None:
    value = [
        {"id": "talk-1", "query": "送料はいくらですか？😀", "known": ["大人2名", "「海側」希望"]}
    ]
    assert (
        "- id: talk-1\n"
        "  query: 送料はいくらですか？😀\n"
        "  known:\n"
        "    - 大人2名\n"
        "    - 「海側」希望\n"
    ) == yaml_text(value)


def test_several_lines_stand_in_a_block() -> None:
    assert "- query: |-\n    こんにちは。\n    送料は?\n" == yaml_text(
        [{"query": "こんにちは。\n送料は?"}]
    )


@pytest.mark.parametrize("text", ["007", "no: 1", "true", "# 1", "- 済", "はい: いいえ"])
def test_what_yaml_would_take_for_something_else_stands_in_quotes(text: str) -> None:
    assert f'- query: "{text}"\n' == yaml_text([{"query": text}])
