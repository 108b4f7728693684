"""Words by key and language: both say the same things, nothing is asked for that is not there."""

import ast
import re
import string
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from simulator import words
from simulator.core.persona import Language
from simulator.words import Words, filled, table
from tests.sources import trees

HERE = Path(words.__file__).parent
SECTIONS = sorted(file.stem for file in (HERE / "en").iterdir())
ALWAYS = {"things"}  # filled in everywhere; English can often do without it
SOURCES = [path for path in trees() if path.parent != HERE]


def placeholders(wording: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(wording) if name} - ALWAYS


def literals() -> Iterator[ast.JoinedStr | ast.Constant]:
    """Every text of the package that is no docstring; an f-string counts as a whole."""
    for tree in map(trees().__getitem__, SOURCES):
        inside = {id(v) for n in ast.walk(tree) if isinstance(n, ast.JoinedStr) for v in n.values}
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                yield node
            elif isinstance(node, ast.Constant) and id(node) not in inside:
                yield from [node] if isinstance(node.value, str) else []


def pattern(text: ast.JoinedStr | ast.Constant) -> str:
    """A text as a regular expression: what is filled in may be anything."""
    if isinstance(text, ast.Constant):
        return re.escape(str(text.value))
    parts = (re.escape(str(p.value)) if isinstance(p, ast.Constant) else ".+" for p in text.values)
    return "".join(parts)


@cache
def asked() -> dict[str, str]:
    """What is looked up: the patterns of keys that calls of `words` name, with their places."""
    found = {}
    for source in SOURCES:
        for node in ast.walk(trees()[source]):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            key = node.args[0]
            if not isinstance(key, ast.Constant | ast.JoinedStr) or " " in pattern(key):
                continue
            called = ast.unparse(node.func)
            if re.fullmatch(r"(?:self\.)?_?(?:words|plain)|Words\([^()]*\)", called):
                found[pattern(key)] = f"{source}:{node.lineno}"
    return found


KEYS = {key for section in SECTIONS for key in table("en", section)}


def test_there_are_sections_and_they_are_asked_for() -> None:
    assert len(SECTIONS) > 10
    assert len(asked()) > 200


def test_both_languages_have_the_same_keys_with_the_same_placeholders() -> None:
    for section in SECTIONS:
        english, japanese = table("en", section), table("ja", section)
        assert [*english] == [*japanese], section
        assert {k: placeholders(v) for k, v in english.items()} == {
            k: placeholders(v) for k, v in japanese.items()
        }
        assert [] == [key for key in english if not english[key] or not japanese[key]], section


def test_every_key_that_is_asked_for_is_there() -> None:
    missing = [
        f"{place}: {key}"
        for key, place in asked().items()
        if not any(re.fullmatch(key, known) for known in KEYS)
    ]
    assert [] == missing


def test_no_wording_stands_there_unused() -> None:
    texts = "\0".join({pattern(text) for text in literals()})
    whole = set(texts.split("\0"))
    prefixes = [p for p in whole if ".+" in p and len(p) > 4]
    kinds = {text.removesuffix("\\.") for text in whole}
    unused = [
        key
        for key in KEYS
        if re.escape(key) not in whole
        and not any(re.fullmatch(p, key) for p in prefixes)
        and not (key.count(".") == 1 and re.escape(key.split(".")[0]) in kinds)
    ]
    assert [] == unused


def test_a_word_that_hangs_on_a_number_follows_it() -> None:
    wording = "{n:,} {n:answer is|answers are} left"
    assert "1 answer is left" == filled(wording, {"n": 1})
    assert "1,200 answers are left" == filled(wording, {"n": 1200})
    assert "1 answer" == filled("{n} {n:answer|answers}", {"n": "1"})


def test_what_is_filled_in_is_never_looked_at() -> None:
    assert "{n} {x|y}" == filled("{n}", {"n": "{n} {x|y}"})


def test_the_first_section_that_has_a_key_is_asked() -> None:
    plain = Words("ja", "plain", "report")
    assert ["実行 r1", "スコア"] == [plain("run", id="r1"), plain("score")]


def test_values_that_are_always_there_need_not_be_given() -> None:
    assert "x" in Words("ja", "compare", things="x")("show")


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_missing_key_is_none_where_it_is_looked_for_and_an_error_where_it_is_said(
    language: Language,
) -> None:
    assert Words(language, "report").find("nothing") is None
    assert "exploded" == Words(language, "report").name("stop", "exploded")
    with pytest.raises(KeyError, match="nothing"):
        Words(language, "report")("nothing")


def test_counts_leave_out_what_never_happened() -> None:
    counts = Words("en", "report").counts("stop", {"done": 1_200, "gave_up": 0, "max_turns": 1})
    assert "no more questions 1,200 · turn limit 1" == counts


def test_lists_have_the_comma_of_their_language() -> None:
    assert ["、", ", "] == [Words("ja").comma, Words("en").comma]
