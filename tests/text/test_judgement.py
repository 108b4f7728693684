"""What a judge's comment says: praise, faults, or what it was given."""

from functools import cache
from pathlib import Path
from typing import get_args

import pytest
import yaml

from simulator.core.clean import normal_form
from simulator.core.persona import Language
from simulator.text.acts import is_plainly, says_back, tone

LANGUAGES: tuple[Language, ...] = get_args(Language)
Comments = dict[str, dict[str, list[str]]]


@cache
def comments() -> Comments:
    found: Comments = yaml.safe_load(
        Path(__file__).with_name("judgement_comments.yaml").read_text("utf-8")
    )
    return found


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["praise", "fault"])
def test_plain_praise_and_plain_faults_are_told(language: Language, kind: str) -> None:
    assert [] == [c for c in comments()[language][kind] if tone(c, language) != kind]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_comment_that_goes_with_its_rating_is_not_taken_for_its_contrary(
    language: Language,
) -> None:
    fair, poor = (comments()[language][kind] for kind in ("fair", "poor"))
    alarms = [c for c in fair if tone(c, language) == "fault"]
    alarms += [c for c in poor if tone(c, language) == "praise"]
    assert [] == alarms


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_comment_is_plainly_what_its_tone_is(language: Language) -> None:
    for comment in (c for some in comments()[language].values() for c in some):
        for side in ("praise", "fault"):
            assert (tone(comment, language) == side) is is_plainly(side, comment, language)


def test_what_weighs_two_sides_is_mixed() -> None:
    assert "mixed" == tone("Correct and complete; however, the tone is poor.", "en")
    assert "mixed" == tone("正しい。ただし長い。", "ja")


def test_a_comment_without_a_word_of_either_says_nothing() -> None:
    assert "none" == tone("The user asks for a price.", "en")


RUBRIC = "Is everything there that the user needs (steps, conditions, exceptions, contact)?"
REPLY = "Go to Settings and enter the code within 30 minutes. It is free."


@pytest.mark.parametrize(
    ("comment", "back"),
    [
        (RUBRIC, True),
        (REPLY, True),
        ("Go to settings and enter the code within 30 minutes", True),
        ("The code and the 30 minutes stand in faq-003, so nothing is left open.", False),
        (f"{REPLY} This names the limit that was asked for, and the article says the same.", False),
        ("It is free.", False),  # too short to be anybody's
    ],
)
def test_a_comment_that_only_says_back_what_it_was_given(comment: str, back: bool) -> None:
    assert back is says_back(comment, f"{normal_form(RUBRIC)}\n{normal_form(REPLY)}", "en")
