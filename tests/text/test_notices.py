"""Whether a desk wants to be told something now, or says when it is to be notified."""

from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from simulator.core.persona import Language
from simulator.text.acts import asks_back

CASES: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "notices.yaml").read_text("utf-8"))
MISSED = {"en": (0, 1), "ja": (1, 0)}  # of the questions, of the notices


@pytest.mark.parametrize("language", get_args(Language))
def test_how_to_notify_somebody_is_no_question(language: Language) -> None:
    questions, notices = CASES[language]["question"], CASES[language]["notice"]
    assert 15 == len(questions) == len(notices)
    unasked = [text for text in questions if not asks_back(text, language)]
    asked = [text for text in notices if asks_back(text, language)]
    assert MISSED[language] == (len(unasked), len(asked)), (unasked, asked)


@pytest.mark.parametrize(
    "text",
    [
        "お分かりでしたら、ご注文番号を教えてください。",
        "お手元にお持ちの場合は、お知らせください。",
        "いつまでに必要か教えてください。",
        "お急ぎの場合は、受付番号を教えてください。",
    ],
)
def test_what_depends_on_what_is_at_hand_is_a_question(text: str) -> None:
    assert asks_back(text, "ja")
