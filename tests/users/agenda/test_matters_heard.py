"""How far the user of rules hears answers paraphrase, on matters that no rule was made on."""

import asyncio
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from simulator.core.persona import Disclosure, Language
from simulator.core.talk import StopReason
from simulator.users.agenda import Agenda
from simulator.users.agenda.needs import needs_of
from tests.users.people import (
    CONTEXT,
    OFF_TOPIC,
    PERSONAS,
    REFUSAL,
    bare,
    brief,
    held,
    shipped,
    talk,
)

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
    assert found["left"] <= {"ja": 9, "en": 18}[language]  # who insists to the end: 24


@pytest.mark.parametrize("language", LANGUAGES)
def test_most_come_to_ask_all_their_questions(language: Language) -> None:
    assert counts(language, whole=False)["asked"] >= 18


@pytest.mark.parametrize("language", LANGUAGES)
async def test_nobody_leaves_without_having_asked_the_second_question(language: Language) -> None:
    given = brief(bare(language, patience=1, phrases={"ask": ("?{need}",)}))
    _, second = needs_of(given)
    said, stop = await held(given, REFUSAL[language])
    assert StopReason.GAVE_UP is stop.reason
    assert second.text.strip("。.") in said[-1]


@pytest.mark.parametrize("language", LANGUAGES)
async def test_who_only_hints_at_a_question_has_not_asked_it(language: Language) -> None:
    given = brief(bare(language, patience=1, phrases={"ask": ("??",), "rephrase": ("?!",)}))
    _, second = needs_of(given)
    user, so_far = Agenda.open(given, CONTEXT), talk((given.query, OFF_TOPIC[language]))
    said = await user.speak(so_far)
    asked = talk((given.query, OFF_TOPIC[language]), (said.text, OFF_TOPIC[language]))
    assert (second.text,) == user.unasked(asked)


@pytest.mark.parametrize(
    ("language", "goal", "wanted"),
    [
        ("ja", "買った靴を返品したい。費用を知りたい。", "返品"),
        ("en", "I want to return my shoes. I want to know how long it takes.", "my shoes"),
        ("ja", "買った靴を返品したい。次の入荷日を知りたい。", ""),
        ("en", "I want to return my shoes. I want to know the opening hours.", ""),
    ],
)
async def test_a_question_that_says_nothing_of_its_matter_names_it(
    language: Language, goal: str, wanted: str
) -> None:
    query = {"ja": "靴を返品できますか", "en": "Can I return my shoes?"}[language]
    given = replace(brief(bare(language, phrases={"ask": ("?{need}",)})), query=query, goal=goal)
    user = Agenda.open(given, CONTEXT)
    said = await user.speak(talk((query, OFF_TOPIC[language])))
    assert wanted in said.text.partition("?")[0]
    assert bool(wanted) == any(mark in said.text for mark in ("の件", "の話", "About"))


EXTENDED = "Vouchers can be extended once, by 6 months, for £25."
GOAL = "I want to extend my voucher. And how much would that be?"


@pytest.mark.parametrize("disclosure", list(Disclosure))
async def test_a_question_that_leans_on_another_is_asked_as_it_stands_and_in_any_case(
    disclosure: Disclosure,
) -> None:
    """But who tells all unasked names the matter; an amount that came settles nothing."""
    person = bare("en", disclosure=disclosure, phrases={"ask": ("{need}",)})
    given = replace(brief(person), query="Can I extend my voucher?", goal=GOAL)
    said = await Agenda.open(given, CONTEXT).speak(talk((given.query, EXTENDED)))
    assert "and how much would that be" in said.text.casefold()
    assert ("voucher" in said.text) is (disclosure is Disclosure.OPEN)
