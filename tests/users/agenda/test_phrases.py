"""The wordings of the agenda user's acts."""

import re

import pytest

from simulator.core.persona import Language, Persona
from simulator.text.tokens import content_tokens
from simulator.users.agenda.wording import phrases_of
from tests.users.people import EVERYBODY, bare, shipped

SLOTS = {"styled_query": "{query}", "ask": "{need}", "rephrase": "{keywords}", "tell": "{fact}"}
ACTS = (*SLOTS, "cannot_tell", "doubt", "aside", "dissatisfied", "give_up", "satisfied")


def everybody(language: Language) -> dict[str, Persona]:
    """Those that ship, and one without phrases of its own."""
    return {"": bare(language), **{name: shipped(name, language) for name in EVERYBODY}}


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_persona_without_phrases_has_neutral_ones(language: Language) -> None:
    wordings = [(act, text) for act in ACTS for text in phrases_of(bare(language), act)]
    assert [] == [text for act, text in wordings if text.count("{") != (act in SLOTS)]
    assert [] == [text for act, text in wordings if SLOTS.get(act, "") not in text]


# An act may put the same question again: nothing in it may announce another one.
ANOTHER = re.compile(
    "もう[一1]つ|もうひとつ|もう一点|あと一つ|another q|one more (?:thing|q)|thing left"
)


@pytest.mark.parametrize("language", ["ja", "en"])
def test_what_may_be_asked_twice_is_never_called_another_question(language: Language) -> None:
    acts = [(who, act) for who in everybody(language).values() for act in ("ask", "rephrase")]
    wordings = [text for who, act in acts for text in phrases_of(who, act)]
    assert [] == [text for text in wordings if ANOTHER.search(text)]


def test_a_persona_with_phrases_has_its_own() -> None:
    persona = bare(phrases={"ask": ("{need}！",), "tell": ()})
    assert ("{need}！",) == phrases_of(persona, "ask")
    assert phrases_of(bare(), "tell") == phrases_of(persona, "tell")


# What entries of knowledge bases are about: who only insists leads no search to such an entry.
OF_SOME_ENTRY = {
    "en": "missing skip part evening catch address leave print telephone phone touch cost pay "
    "expensive clock cat chair post open office order book cancel refund late lost",
    "ja": "抜ける 欠ける 飛ばす 部分 手順 夜 電話 住所 郵送 支払う 高い 遅れる 忘れる 予約 返金",
}
SPOKEN_TO_SEARCH = ("ask", "rephrase", "doubt", "dissatisfied")
ROLES = {"rule-breaker"}  # what it injects is its matter


@pytest.mark.parametrize("language", ["ja", "en"])
def test_who_insists_brings_no_matter_of_its_own(language: Language) -> None:
    people = [who for name, who in everybody(language).items() if name not in ROLES]
    banned = frozenset(content_tokens(OF_SOME_ENTRY[language], language))
    wordings = {text for who in people for act in SPOKEN_TO_SEARCH for text in phrases_of(who, act)}
    plain = {text: re.sub(r"\{\w+\}", " ", text) for text in wordings}
    assert [] == [t for t, words in plain.items() if banned & set(content_tokens(words, language))]
