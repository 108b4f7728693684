"""A reply that only asks back is told from one that answers, refuses or hands over."""

from pathlib import Path

import pytest
import yaml

from simulator.core.persona import Language
from simulator.text.acts import only_asks_back

_CASES = yaml.safe_load(Path(__file__).with_name("question_back.yaml").read_text("utf-8"))


def told(kind: str) -> list[tuple[Language, str]]:
    languages: tuple[Language, ...] = ("en", "ja")
    return [(language, reply) for language in languages for reply in _CASES[language][kind]]


@pytest.mark.parametrize(("language", "reply"), told("only_asks"))
def test_it_only_asks(language: Language, reply: str) -> None:
    assert only_asks_back(reply, language)


@pytest.mark.parametrize(("language", "reply"), told("says"))
def test_it_says_something(language: Language, reply: str) -> None:
    assert not only_asks_back(reply, language)


@pytest.mark.parametrize("reply", ["", " ", "?", "。"])
def test_nothing_is_no_question(reply: str) -> None:
    assert not only_asks_back(reply, "ja") or reply == "?"
