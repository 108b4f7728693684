"""How far the user of rules hears answers in other words, on matters that no rule was made on."""

import asyncio
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from simulator.core.persona import Language
from simulator.core.talk import StopReason
from simulator.users.agenda import Agenda
from tests.users.people import CONTEXT, PERSONAS, brief, held, shipped, talk

LANGUAGES: tuple[Language, ...] = ("ja", "en")
MATTERS: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent / "matters.yaml").read_text("utf-8")
)


@cache
def counts(language: Language, *, whole: bool) -> Counter[str]:
    """Of 24 talks with a bot that says the whole right answer each time, or its first half."""
    return asyncio.run(_counts(language, whole=whole))


async def _counts(language: Language, *, whole: bool) -> Counter[str]:
    found: Counter[str] = Counter()
    for matter in MATTERS:
        for name in PERSONAS if matter["language"] == language else ():
            persona = replace(shipped(name, language), doubts=0)
            given = brief(persona, query=matter["query"], goal=matter["goal"])
            user = Agenda.open(replace(given, max_turns=6), CONTEXT)
            said = f"{matter['first']} {matter['rest']}" if whole else matter["first"]
            asked, stop = await held(given, said, user=user)
            found["talks"] += 1
            found["left"] += stop.reason is StopReason.GAVE_UP
            found["asked"] += not user.unasked(talk(*((text, said) for text in asked)))
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_not_all_leave_a_bot_that_answers_in_other_words(language: Language) -> None:
    found = counts(language, whole=True)
    assert 24 == found["talks"]
    assert found["left"] <= {"ja": 9, "en": 15}[language]  # who insists to the end: 24


@pytest.mark.parametrize("language", LANGUAGES)
def test_most_come_to_ask_all_their_questions(language: Language) -> None:
    assert counts(language, whole=False)["asked"] >= 18
