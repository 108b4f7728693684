"""What is turned round in words (歓迎 for ご遠慮ください), by sentences of `polarity.yaml`."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from simulator.core.persona import Language
from simulator.text.content import reverses
from simulator.text.expectations import contradicts_answer
from simulator.text.grounding import statements

# Grounded and the answer's check. Of the unseen half, at first look; without a list it had been
# 2 and 1 of 10 in Japanese, 1 and 1 of 8 in English.
REACHED = [("ja", "built_on", 18, 20), ("ja", "unseen", 9, 8)]
REACHED += [("en", "built_on", 15, 15), ("en", "unseen", 6, 6)]


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


@pytest.mark.parametrize("half", ["built_on", "unseen"])
@pytest.mark.parametrize("language", ["ja", "en"])
def test_what_says_the_same_contradicts_nothing(language: Language, half: str) -> None:
    for right, said in _pairs()[language][half]["same"]:
        assert not contradicted(said, right, language)
        assert not contradicts_answer(said, [right], language)


@pytest.mark.parametrize(
    ("one", "other", "language", "expected"),
    [
        ("写真撮影は禁止です。", "写真撮影はOKです。", "ja", True),
        ("写真撮影は禁止です。", "写真撮影はお断りします。", "ja", False),
        (
            "飲食はできます。",
            "申し訳ございませんが、飲食は一切お断りします。",
            "ja",
            True,
        ),
        ("セール品は返品できません。", "未使用の商品は返品できます。", "ja", None),
        ("撮影は会員だけ可能です。", "撮影は不可です。", "ja", None),
        ("A deposit is required.", "A deposit is optional.", "en", True),
        ("Dogs are allowed.", "Unfortunately, dogs are prohibited.", "en", True),
        ("Children eat for free.", "Children do not eat for free.", "en", None),
        ("Ropes are banned.", "There is a shop.", "en", None),
        ("Staff can decide it.", "It isn't something staff can decide.", "en", None),
    ],
)
def test_only_the_same_thing_is_turned_round(
    one: str, other: str, language: Language, *, expected: bool | None
) -> None:
    assert reverses(one, other, language) is expected
    assert reverses(other, one, language) is expected
