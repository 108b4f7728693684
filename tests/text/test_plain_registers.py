"""Plain Japanese that refuses, and courtesies in the flavour of a business."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from simulator.core.persona import Language
from simulator.text.acts import is_refusal, states_anything

HOLDS: dict[str, Callable[[str, Language], bool]] = {
    "refusals": is_refusal,
    "others": lambda text, language: not is_refusal(text, language),
    "courtesies": lambda text, language: not states_anything(text, language),
    "statements": states_anything,
}
# How many are read rightly; nobody has looked at the sentences of `unseen`.
REACHED: list[tuple[str, Language, str, tuple[str, int], tuple[str, int]]] = [
    ("refusals", "ja", "built_on", ("refusals", 19), ("others", 20)),
    ("refusals", "ja", "unseen", ("refusals", 9), ("others", 20)),
    ("courtesies", "ja", "built_on", ("courtesies", 30), ("statements", 30)),
    ("courtesies", "ja", "unseen", ("courtesies", 22), ("statements", 28)),
    ("courtesies", "en", "built_on", ("courtesies", 30), ("statements", 30)),
    ("courtesies", "en", "unseen", ("courtesies", 23), ("statements", 28)),
]


@cache
def _cases() -> Any:
    return yaml.safe_load(Path(__file__).with_name("plain_registers.yaml").read_text("utf-8"))


@pytest.mark.parametrize(("name", "language", "half", "those", "others"), REACHED)
def test_what_was_reached_stays_reached(
    name: str, language: Language, half: str, those: tuple[str, int], others: tuple[str, int]
) -> None:
    said = _cases()[name][language][half]
    for kind, least in (those, others):
        assert sum(HOLDS[kind](one, language) for one in said[kind]) >= least


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("ja", "ここでは扱えない。"),
        ("ja", "もう一点。"),
        ("ja", "かしこまりましたワン！"),
        ("en", "One more thing."),
        ("en", "See you in the skies!"),
        ("en", "Hugs from the whole bakery!"),
    ],
)
def test_what_only_leads_on_or_takes_leave_states_nothing(language: Language, said: str) -> None:
    assert not states_anything(said, language)


def test_an_exclamation_that_offers_or_reports_states_something() -> None:
    cases: list[tuple[Language, str]] = [
        ("en", "We'll hold it for you!"),
        ("en", "Kids fly for free!"),
        ("en", "Dogs welcome!"),
        ("en", "Dogs love it here!"),
        ("en", "Great news, your room is upgraded!"),
        ("en", "Enjoy your stay and bring your passport!"),
        ("en", "Happy guests get towels!"),
        ("en", "Sorry, the pool is closed."),
        ("en", "Thank you for paying in cash, as we don't take cards."),
        ("ja", "お取り置きしておきますね！"),
        ("ja", "お子さまは無料です！"),
        ("ja", "犬も一緒に泊まれます！"),
        ("ja", "お早めにご予約を！"),
        ("ja", "おめでとうございます、抽選に当たりました！"),
        ("ja", "楽しい仲間が待っている道場です！"),
        ("ja", "大変混み合います。"),
    ]
    assert [] == [
        (language, said) for language, said in cases if not states_anything(said, language)
    ]
