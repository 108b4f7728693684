"""What is turned round in words (歓迎 for ご遠慮ください), by sentences of `polarity.yaml`."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from simulator.core.persona import Language
from simulator.text.expectations import contradicts_answer
from simulator.text.grounding import statements
from simulator.text.reversals import leaves_the_rest, reverses

# Grounded and the answer's check. Of the unseen half, at first look; without a list it had been
# 2 and 1 of 10 in Japanese, 1 and 1 of 8 in English.
REACHED = [("ja", "built_on", 18, 20), ("ja", "unseen", 9, 8)]
REACHED += [("en", "built_on", 15, 15), ("en", "unseen", 6, 6)]
# Of the second unseen half, at first look, either check found 13 of 15 in both languages (before:
# 10 and 9), and 1 (ja) and 4 (en) of 10 that say the same; then it was looked at. Of the last ones,
# which nobody looked at, 11 of 12 in both (before: 9 and 10), and 2 (ja) and 0 of 12.
REACHED += [("ja", "second_built_on", 15, 15), ("ja", "second_unseen", 14, 15)]
REACHED += [("en", "second_built_on", 13, 13), ("en", "second_unseen", 14, 15)]
REACHED += [("ja", "last", 11, 11), ("en", "last", 11, 10)]
REACHED += [("ja", "hours_built_on", 2, 2), ("ja", "hours_unseen", 1, 1)]
REACHED += [("en", "hours_built_on", 1, 1), ("en", "hours_unseen", 1, 1)]
MISTAKEN = {("ja", "second_unseen"): 1, ("en", "second_unseen"): 1, ("ja", "last"): 2}


@cache
def _pairs() -> Any:
    return yaml.safe_load(Path(__file__).with_name("polarity.yaml").read_text("utf-8"))


def contradicted(said: str, document: str, language: Language) -> bool:
    return any(s.contradicted for s in statements(said, [document], "", language))


@pytest.mark.parametrize(("language", "half", "grounded", "answer"), REACHED)
def test_what_is_turned_round_contradicts(
    language: Language, half: str, grounded: int, answer: int
) -> None:
    turned = _pairs()[language][half]["turned"]
    assert sum(contradicted(said, right, language) for right, said in turned) >= grounded
    assert sum(contradicts_answer(said, [right], language) for right, said in turned) >= answer


@pytest.mark.parametrize(("language", "half"), [(row[0], row[1]) for row in REACHED])
def test_what_says_the_same_contradicts_nothing(language: Language, half: str) -> None:
    same = _pairs()[language][half]["same"]
    wrong = [
        said
        for right, said in same
        if contradicted(said, right, language) or contradicts_answer(said, [right], language)
    ]
    assert len(wrong) <= MISTAKEN.get((language, half), 0), wrong


@pytest.mark.parametrize(
    ("one", "other", "language", "expected"),
    [
        ("写真撮影は禁止です。", "写真撮影はOKです。", "ja", True),
        ("写真撮影は禁止です。", "写真撮影はお断りします。", "ja", False),
        (
            "室内での飲食はできます。",
            "申し訳ございませんが、室内での飲食は一切お断りします。",
            "ja",
            True,
        ),
        ("セール品は返品できません。", "未使用の商品は返品できます。", "ja", None),
        ("撮影は会員だけ可能です。", "撮影は不可です。", "ja", None),
        ("A deposit is required.", "A deposit is optional.", "en", True),
        ("Dogs are allowed.", "Unfortunately, dogs are prohibited.", "en", True),
        ("Children eat for free.", "Children do not eat for free.", "en", None),
        ("Ropes are banned.", "There is a shop.", "en", None),
        (
            "Nobody may stay in the car during the ferry crossing.",
            "You may stay in the car.",
            "en",
            True,
        ),
        ("要予約", "予約は要りません。", "ja", True),
        ("Opened tins cannot be returned.", "Unopened tins can be returned.", "en", None),
        ("16歳未満は入れません。", "16歳以上は入れます。", "ja", None),
        ("We cannot take tins, paint, or glass.", "Glass is not accepted.", "en", False),
        ("Staff can decide it.", "It isn't something staff can decide.", "en", True),
    ],
)
def test_only_the_same_thing_is_turned_round(
    one: str, other: str, language: Language, *, expected: bool | None
) -> None:
    assert reverses(one, other, language) is expected
    assert reverses(other, one, language) is expected


@pytest.mark.parametrize(
    ("one", "other", "language", "leaves"),
    [
        ("7歳以上のお子様は入れません。", "入れるのは6歳までのお子様です。", "ja", True),
        ("7歳以上のお子様は入れません。", "入れるのは10歳までのお子様です。", "ja", False),
        ("7歳以上のお子様は入れます。", "入れるのは6歳までのお子様です。", "ja", False),
        ("Nobody over 18 may join.", "You may join up to the age of 18.", "en", True),
    ],
)
def test_who_denies_from_a_number_on_leaves_the_rest(
    one: str, other: str, language: Language, leaves: bool
) -> None:
    assert leaves == leaves_the_rest(one, other, language) == leaves_the_rest(other, one, language)
