"""What a generated question expects: a sentence of the entry, its phrases, or a hand-over."""

from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from simulator.core.persona import Language
from simulator.core.scenario import Expected
from simulator.core.talk import Document
from simulator.generate.expectations import (
    answering_sentence,
    expectation,
    is_for_a_person,
    phrases_in,
)
from simulator.generate.units import Method, Unit

CASES: dict[str, Any] = yaml.safe_load(
    (Path(__file__).parent / "for_a_person.yaml").read_text("utf-8")
)


@pytest.mark.parametrize("language", get_args(Language))
def test_what_is_for_a_person_is_told_from_what_is_answered(language: Language) -> None:
    cases = CASES[language]
    assert 18 == len(cases["person"]) == len(cases["other"])
    assert [] == [q for q, text in cases["other"] if is_for_a_person(text, language)]
    missed = [q for q, text in cases["person"] if not is_for_a_person(text, language)]
    assert 2 == len(missed), missed


def expected_of(*entries: Document, method: Method = Method.TITLE) -> Expected:
    unit = Unit(method, entries, (0, 0, ""), 1)
    return expectation(unit, ("03-5550-0101",), {"a": "a", "b": "b"}, "en")


def test_such_an_entry_asks_for_a_hand_over_and_for_no_words() -> None:
    person = Document(
        "Allergies are never handled by chat. Please call 03-5550-0101.", "a", "Allergies"
    )
    fact = Document("Open 9 to 17.", "b", "Hours")
    assert Expected(documents=("a",), escalate=True) == expected_of(person)
    assert Expected(answerable=False) == expected_of(person, method=Method.UNANSWERABLE)
    both = expected_of(person, fact, method=Method.TWO_ENTRIES)
    assert (False, True) == (both.escalate, both.answerable)


@pytest.mark.parametrize(
    ("language", "title", "text", "answer"),
    [
        (
            "ja",
            "返金はいつですか",
            "返金は3営業日以内です。窓口は平日10:00からです。",
            "返金は3営業日以内です。",
        ),
        (
            "en",
            "How much is shipping?",
            "Shipping is 3 pounds. Gift wrapping costs 1 pound.",
            "Shipping is 3 pounds.",
        ),
        # None stands out: two are equally near, or none is near at all.
        ("en", "Shipping", "Shipping is 3 pounds. Shipping takes a day.", ""),
        ("ja", "退会したい", "「設定」→「プラン」を押します。確認のメールが届きます。", ""),
        ("en", "", "Shipping is 3 pounds.", ""),
    ],
)
def test_a_title_expects_the_sentence_that_answers_it_or_the_whole_content(
    language: Language, title: str, text: str, answer: str
) -> None:
    assert (answer or text) == answering_sentence(Document(text, "a", title), language)


def test_only_a_title_narrows_the_entry_to_a_sentence() -> None:
    fact = Document("Shipping is 3 pounds. Gift wrapping costs 1 pound.", "a", "Shipping")
    assert ("Shipping is 3 pounds.",) == expected_of(fact).answers
    assert (fact.text,) == expected_of(fact, method=Method.QUESTIONS).answers


def test_a_models_phrases_count_only_where_the_entry_holds_them() -> None:
    lock = Document("パスワードを5回間違えるとロックされます。30分で解除されます。", "a", "ロック")
    picked = ["30分", "1時間", "", "  5回 ", "5回", "ロックされません", lock.text]
    assert ("30分", "5回") == phrases_in(picked, [lock], "ja")


def test_there_are_never_more_than_four() -> None:
    days = [f"{n}日" for n in range(2, 20)]
    assert 4 == len(phrases_in(days, [Document("、".join(days), "a")], "ja"))
