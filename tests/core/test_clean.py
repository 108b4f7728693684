from hypothesis import given
from hypothesis import strategies as st

from simulator.core.clean import clean, cut, visible

anything = st.text(st.characters(exclude_categories=()))


@given(anything)
def test_what_is_clean_can_be_sent_and_stays_as_it_is(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode("utf-8")
    assert "\0" not in cleaned
    assert "\r" not in cleaned
    assert cleaned == clean(cleaned)


def test_only_what_breaks_things_is_taken_out() -> None:
    assert "a\nb\nc\td" == clean("a\r\nb\rc\td")
    assert "\ufffd語\u202e\u200b" == clean("\ud83d語\0\u202e\u200b\x1b")


@given(anything)
def test_what_is_visible_is_one_line(text: str) -> None:
    assert visible(text) == " ".join(visible(text).split())


def test_invisible_marks_are_not_shown() -> None:
    assert "a b" == visible(" a\n\u200b\u202e b ")
    assert "" == visible("\u200b\n\ufeff")


@given(st.text(max_size=40), st.integers(0, 30))
def test_a_text_is_cut_to_its_limit_and_says_so(text: str, limit: int) -> None:
    short = cut(text, limit)
    assert short == text if len(text) <= limit else len(short) <= max(limit, 1)
    assert len(text) <= limit or short.endswith("…")
