import string

import pytest

from simulator.cli.review_words import _WORDS
from simulator.review.apply import Why


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("key", _WORDS)
def test_both_languages_use_the_same_values(key: str) -> None:
    english, japanese = _WORDS[key]
    assert english
    assert japanese
    assert placeholders(english) == placeholders(japanese)


def test_every_reason_has_its_words() -> None:
    assert [] == [why for why in Why if f"why.{why}" not in _WORDS]
