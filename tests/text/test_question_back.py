"""A reply that only asks back is told from one that answers, refuses or hands over."""

from pathlib import Path

import pytest
import yaml

from simulator.core.persona import Language
from simulator.text.acts import only_asks_back

_CASES = yaml.safe_load(Path(__file__).with_name("question_back.yaml").read_text("utf-8"))


@pytest.mark.parametrize("language", ["en", "ja"])
def test_it_tells_what_only_asks_from_what_says_something(language: Language) -> None:
    asks, says = _CASES[language]["only_asks"], _CASES[language]["says"]
    assert len(asks) > 10
    assert [] == [reply for reply in asks if not only_asks_back(reply, language)]
    assert [] == [reply for reply in says if only_asks_back(reply, language)]


@pytest.mark.parametrize("reply", ["", " ", "?", "。"])
def test_nothing_is_no_question(reply: str) -> None:
    assert not only_asks_back(reply, "ja") or reply == "?"
