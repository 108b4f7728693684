import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.clean import clean, cut, guarded, hidden, is_number, marked, unguarded, visible

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
    assert "a b" == visible(" a\n\u200b\u200f b ")
    assert "" == visible("\u200b\n\ufeff")


@given(st.text(max_size=40), st.integers(0, 30))
def test_a_text_is_cut_to_its_limit_and_says_so(text: str, limit: int) -> None:
    short = cut(text, limit)
    assert short == text if len(text) <= limit else len(short) <= max(limit, 1)
    assert len(text) <= limit or short.endswith("…")


@pytest.mark.parametrize(
    ("text", "count", "shown"),
    [
        ("yes\U000e0041\U000e0042\U000e0043", 3, "yes⟨U+E0041 ×3⟩"),
        ("i\u200bg\u200bn\u200bore", 3, "i⟨U+200B⟩g⟨U+200B⟩n⟨U+200B⟩ore"),
        ("無\u200b視\u200bして", 2, "無⟨U+200B⟩視⟨U+200B⟩して"),
        ("ye\u200cs, n\u200do", 2, "ye⟨U+200C⟩s, n⟨U+200D⟩o"),
        ("満点\u2060を", 1, "満点⟨U+2060⟩を"),
        ("a\u200b\u200cb", 2, "a⟨U+200B ×2⟩b"),
        ("a\u061cb\u180ec", 2, "a⟨U+061C⟩b⟨U+180E⟩c"),
        ("\u202eabc\u202c", 2, "⟨U+202E⟩abc⟨U+202C⟩"),
        ("x" + "\u200b\u200c" * 4, 8, "x⟨U+200B ×8⟩"),
        ("\u2764\ufe0f\ufe01\ufe02", 2, "\u2764\ufe0f⟨U+FE01 ×2⟩"),
        ("a\U000e0101", 1, "a⟨U+E0101⟩"),
    ],
)
def test_what_only_a_model_can_read_is_counted_and_marked(
    text: str, count: int, shown: str
) -> None:
    assert (count, shown) == (hidden(text), marked(text))


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "葛\U000e0100飾区",  # a name, in the variant that its bearer writes
        "\u2764\ufe0f 1\ufe0f\u20e3",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",  # a family is joined
        "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",  # Scotland
        "می\u200cخواهم",
        "soft\u00adly",
        "a\u200blongIdentifier",  # where a line may break
        "今日は\u200bとても\u200b天気が\u200bいい",
        "\ufeffbegins",
        "שלום\u200f!",
        "क्\u200dष",
        "\U0001f44d\U0001f3fd ok\ufe0f\u200d\U0001f525",
    ],
)
def test_what_scripts_and_emoji_need_is_not_hidden(text: str) -> None:
    assert (0, text) == (hidden(text), marked(text))


_UNSEEN = [
    "",
    " ",
    "\xa0",
    "\ufeff",
    "\u200b",
    "\u3000",
    "\u00ad",
    "\u061c",
    "\U000e0041",
    "\ufe0f",
]


@pytest.mark.parametrize(
    "formula", ["=1+1", "+81 90", "-送料", "@SUM(A1)", "＝1", "＠x", "﹦1", "--5", "-1e5"]
)
def test_what_looks_like_a_formula_is_guarded(formula: str) -> None:
    texts = [before + formula for before in [*_UNSEEN, "\xa0\u200b\u3000", "'"]]
    assert [f"'{text}" for text in texts] == [guarded(text) for text in texts]


@pytest.mark.parametrize("text", ["\tx", "\rx", "\nx"])
def test_what_begins_another_cell_is_guarded(text: str) -> None:
    assert f"'{text}" == guarded(text)


@pytest.mark.parametrize("text", ["", "送料", "500円", "-5", "0.5", "-0.25", "a=b", " 1", "'90s"])
def test_other_texts_and_numbers_stay_as_they_are(text: str) -> None:
    assert text == guarded(text)


@given(
    st.text(st.sampled_from(["'", "=", "-", "＋", "1", "a", *_UNSEEN[1:]]), max_size=6) | anything
)
def test_no_guarded_text_begins_like_a_formula_and_people_get_theirs_back(text: str) -> None:
    shown = guarded(text)
    assert is_number(shown) or not shown.lstrip().startswith(("=", "+", "-", "@"))
    assert text == unguarded(shown)
