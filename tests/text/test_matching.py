"""An answer against the right one: contradictions about what is so, and about how much."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.persona import Language
from simulator.text.matching import Match, match
from simulator.text.quantities import Amounts, differ
from simulator.text.token_f1 import Overlap, overlap
from tests.text import contradictions as pairs

Pair = tuple[str, str]


def both_ways(pair: Pair, language: Language) -> list[Match]:
    """The comparison from either side; texts without any truth are left out."""
    one, other = pair
    found = [match(one, other, language), match(other, one, language)]
    return [one for one in found if one is not None]


@pytest.mark.parametrize("pair", pairs.DENIED_JA)
def test_japanese_texts_that_say_yes_and_no_conflict(pair: Pair) -> None:
    assert [True, True] == [m.negation for m in both_ways(pair, "ja")]


@pytest.mark.parametrize("pair", pairs.AGREEING_JA)
def test_other_japanese_texts_do_not(pair: Pair) -> None:
    assert not any(m.negation for m in both_ways(pair, "ja"))


@pytest.mark.parametrize("pair", pairs.DENIED_EN)
def test_english_texts_that_say_yes_and_no_conflict(pair: Pair) -> None:
    assert [True, True] == [m.negation for m in both_ways(pair, "en")]


@pytest.mark.parametrize("pair", pairs.AGREEING_EN)
def test_other_english_texts_do_not(pair: Pair) -> None:
    assert not any(m.negation for m in both_ways(pair, "en"))


@pytest.mark.parametrize("pair", pairs.OTHER_AMOUNTS_JA)
def test_japanese_texts_with_other_amounts_conflict(pair: Pair) -> None:
    assert [True, True] == [m.number for m in both_ways(pair, "ja")]


@pytest.mark.parametrize("pair", pairs.SAME_AMOUNTS_JA)
def test_japanese_texts_with_the_same_or_no_comparable_amounts_do_not(pair: Pair) -> None:
    assert not any(m.number for m in both_ways(pair, "ja"))


@pytest.mark.parametrize("pair", pairs.OTHER_AMOUNTS_EN)
def test_english_texts_with_other_amounts_conflict(pair: Pair) -> None:
    assert [True, True] == [m.number for m in both_ways(pair, "en")]


@pytest.mark.parametrize("pair", pairs.SAME_AMOUNTS_EN)
def test_english_texts_with_the_same_or_no_comparable_amounts_do_not(pair: Pair) -> None:
    assert not any(m.number for m in both_ways(pair, "en"))


ANY = st.text(alphabet=st.characters(codec=None))
SENTENCES = st.lists(
    st.sampled_from([a for pair in pairs.DENIED_JA + pairs.OTHER_AMOUNTS_JA for a in pair]),
    max_size=4,
).map("。\n".join)


@given(SENTENCES | ANY)
def test_no_text_contradicts_itself(text: str) -> None:
    languages: tuple[Language, ...] = ("ja", "en")
    for language in languages:
        found = match(text, text, language)
        assert found is None or not (found.negation or found.number)


@given(SENTENCES | ANY, SENTENCES | ANY)
def test_contradictions_are_mutual_and_the_overlap_is_that_of_token_f1(a: str, b: str) -> None:
    there, back = match(a, b, "ja"), match(b, a, "ja")
    assert overlap(a, b, "ja") == (there.overlap if there else None)
    if there is not None and back is not None:
        assert (there.negation, there.number) == (back.negation, back.number)


def test_without_a_truth_there_is_no_comparison() -> None:
    assert match("返品できます", " ", "ja") is None
    lacks = ("返品", "出来る", "ない")
    nothing = Match(Overlap(0.0, 0.0, 0.0), negation=False, number=False, lacks=lacks)
    assert nothing == match("", "返品できません", "ja")


def test_words_that_differ_are_told_once_each_in_their_order() -> None:
    found = match("b a c c c", "c d d a e", "en")
    assert found is not None
    assert (("d", "e"), ("b", "c")) == (found.lacks, found.adds)
    same = match("返品できます", "返品できます", "ja")
    assert same is not None
    assert ((), ()) == (same.lacks, same.adds)


def test_a_contradiction_is_found_in_long_texts() -> None:
    filler = "お問い合わせありがとうございます。" * 4_000
    found = match(f"{filler}返品できます。", f"返品できません。{filler}", "ja")
    assert found is not None
    assert found.negation
    assert not found.number


def test_a_time_of_twelve_hours_differs_from_neither_of_its_readings() -> None:
    said: Amounts = {"clock": frozenset((6.5, 18.5, 8.0))}
    known: Amounts = {"clock": frozenset((18.5, 8.0, 15.0))}
    assert not differ(said, known)
    assert differ({"clock": frozenset((6.5,))}, {"clock": frozenset((7.0,))})
