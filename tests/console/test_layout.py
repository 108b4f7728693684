"""Cutting and wrapping by the width that text takes on a screen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from simulator.console.layout import fit, fit_id, fit_unlike, pad, wrap
from simulator.core.clean import visible

TEXTS = st.text(st.sampled_from("abc ,.-日本語かな、。「」（）ー1２\n\t\u200b\x1b漢"), max_size=80)


@given(TEXTS, st.integers(2, 40))
def test_no_line_is_wider_than_it_may_be(text: str, width: int) -> None:
    assert all(cell_len(line) <= width for line in wrap(text, width))
    assert cell_len(fit(text, width)) <= width
    assert width == cell_len(pad(text, width))


@given(TEXTS, st.integers(2, 40))
def test_wrapping_loses_nothing_but_white_space(text: str, width: int) -> None:
    assert visible(text).replace(" ", "") == "".join(wrap(text, width)).replace(" ", "")


@given(TEXTS, st.integers(4, 40), st.integers(1, 4))
def test_no_more_lines_than_asked_for(text: str, width: int, most: int) -> None:
    assert 1 <= len(wrap(text, width, most)) <= most


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("the quick brown fox", 9, ["the quick", "brown fox"]),
        ("設定を開き、保存を押します。", 12, ["設定を開き、", "保存を押しま", "す。"]),
        ("新しい「設定」を開く", 8, ["新しい", "「設定」", "を開く"]),
        ("mail: support@example.jp へ", 20, ["mail:", "support@example.jp", "へ"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("one\ntwo\n\nthree", 20, ["one", "two", "", "three"]),
        ("", 20, [""]),
    ],
)
def test_lines_break_where_the_script_allows_it(text: str, width: int, lines: list[str]) -> None:
    assert lines == wrap(text, width)


def test_a_cut_is_marked_and_line_ends_do_not_waste_lines() -> None:
    assert ["one two", "three…"] == wrap("one\ntwo\nthree four five six", 7, 2)


def test_what_could_take_over_a_terminal_is_gone() -> None:
    text = "\x1b[31mred\x1b[0m \u202eright to left"
    assert ["[31mred[0m ⟨U+202E⟩right to left"] == wrap(text, 80)
    assert fit(text, 80) == "[31mred[0m ⟨U+202E⟩right to left"


def test_a_cut_falls_between_double_width_characters() -> None:
    assert ("日本…", "日本語", "日本… ") == (
        fit("日本語です", 6),
        fit("日本語", 6),
        pad("日本語です", 6),
    )


@given(TEXTS, st.integers(2, 40))
def test_an_id_keeps_both_its_ends(text: str, width: int) -> None:
    found = fit_id(text, width)
    assert cell_len(found) <= width
    if "…" not in found:
        assert found == visible(text)
    elif width >= 8:
        head, _, tail = found.partition("…")
        assert head
        assert visible(text).startswith(head)
        assert visible(text).endswith(tail)


def test_made_ids_are_still_told_apart() -> None:
    names = [f"チェックイン-チェックアウトは何時ですか-7ed42c-title-{n}" for n in (1, 2)]
    assert ["チェックイ…c-title-1", "チェックイ…c-title-2"] == [fit_id(n, 20) for n in names]


def test_a_cut_shows_where_two_texts_differ() -> None:
    before = "With a student card, the room is 20% off until five on weekdays."
    after = "With a student card, the room is 10% off until five on weekdays."
    assert "20%" in fit_unlike(before, after, 30)
    assert "10%" in fit_unlike(after, f"it contradicts “{before}”", 30)
    assert max(cell_len(fit_unlike(before, after, width)) - width for width in (12, 30, 60)) <= 0
    assert fit("Nothing of it is alike here", 12) == fit_unlike(
        "Nothing of it is alike here", "?", 12
    )


def test_a_cut_keeps_words_whole_and_ignores_what_texts_share_by_chance() -> None:
    why = "couldn't verify: No, the gym floor is from 16."
    answer = "I'm afraid not: the gym floor is only for people aged 16 and over."
    assert "…the gym floor is from 16." == fit_unlike(why, answer, 40)
    assert "couldn't verify: one month's notice, b…" == fit_unlike(
        "couldn't verify: one month's notice, by email", "Three months. Tell us by mail.", 39
    )
