"""Refusals that point elsewhere are refusals, and closing words state nothing."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from simulator.core.persona import Language
from simulator.text.acts import is_refusal, states_anything

# Of 10 each: refusals, and courtesies that are read as statements.
REACHED = [("ja", "built_on", 10, 0), ("ja", "unseen", 10, 1)]
REACHED += [("en", "built_on", 9, 0), ("en", "unseen", 8, 0)]


@cache
def _cases() -> Any:
    return yaml.safe_load(Path(__file__).with_name("nothing_stated.yaml").read_text("utf-8"))


@pytest.mark.parametrize(("language", "half", "refusals", "stated"), REACHED)
def test_pointers_elsewhere_and_courtesies_state_nothing(
    language: Language, half: str, refusals: int, stated: int
) -> None:
    found = _cases()[language]
    assert sum(is_refusal(s, language) for s in found["pointing"][half]) >= refusals
    assert sum(states_anything(s, language) for s in found["courtesies"][half]) <= stated


@pytest.mark.parametrize("language", ["ja", "en"])
def test_what_only_begins_like_a_courtesy_states_something(language: Language) -> None:
    assert all(states_anything(s, language) for s in _cases()[language]["courtesies"]["statements"])


def test_sympathy_and_what_comes_next_state_nothing() -> None:
    cases: list[str] = [
        "順にご案内します。",
        "ご心配をおかけしております。",
        "残念でしたね。",
        "どちらをお調べしましょうか。",
        # Nobody had looked at these; all were right.
        "それは大変でしたね。",
        "ご面倒をおかけいたします。",
        "お一つずつお答えしましょうか。",
        "一つずつご説明いたします。",
    ]
    assert [] == [said for said in cases if states_anything(said, "ja")]


@pytest.mark.parametrize("said", ["順番にご案内するため30分かかります。", "受付は残念会場です。"])
def test_what_has_such_a_word_states_something(said: str) -> None:
    assert states_anything(said, "ja")


@pytest.mark.parametrize(
    ("said", "refuses"),
    [
        ("在籍は、ご家族であってもご本人以外の方にはお答えしておりません。", True),
        ("ご契約者以外の方にはご案内できません。", True),
        ("会員以外の方にはお答えしていません。", False),
        ("本人以外には契約内容をお伝えできません。", False),
    ],
)
def test_who_is_not_the_person_concerned_is_refused(said: str, *, refuses: bool) -> None:
    assert is_refusal(said, "ja") is refuses
