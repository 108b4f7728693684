"""Whatever a query or a goal looks like, what everybody says of it is sound where it is joined."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest

from simulator.core.persona import Language, Slips
from tests.users.agenda.odd_matters import GOALS, QUERIES
from tests.users.people import EVERYBODY, REFUSAL, brief, held, shipped, with_turns

_QUOTED = re.compile('「[^」]*」|"[^"]*"')
# What んです, のですが, ねん and と存じます cannot follow, and marks that were doubled.
_JA = re.compile(
    r"(?:は|を|って|とか|について|の件|こと|ください|ます|です|ません|[てで](?<!聞いて))"
    r"(?:んです|んだ|んやけど|のです|ねん|わけ。|次第|と存じ|と考え|と思いまし)"
    r"|。。|、。|？。|！。|。、|？？|「」|「。|[a-zA-Z]が知りたい|の件の件|のことのこと|ついての件"
    r"|(?:い|た)が知りたい|知りたい知りたい"
)
_EN = re.compile(r"(?<!\.)\.\.(?!\.)|\?\.|\.\?|,\.|:\.|\?\?|!\.|\"\"|\babout about\b|\bto to\b")
_MID_CAPITAL = re.compile(r"(?<=[a-z,:;] )[A-Z][a-z]+\b")
_NAMES = {"France", "English", "I", "iPhone"}


def _phrases(name: str) -> list[str]:
    return [text for texts in shipped(name, "en").phrases.values() for text in texts]


@cache
def _own_capitals(name: str) -> frozenset[str]:
    """Words that the persona itself writes with a capital."""
    return frozenset(word for text in _phrases(name) for word in re.findall(r"[A-Z]\w*", text))


def _matters(language: Language) -> Iterator[tuple[str, str]]:
    queries = QUERIES[language]
    yield from ((query, "") for query in queries)
    yield from ((queries[at % len(queries)], goal) for at, goal in enumerate(GOALS[language]))


async def _said(name: str, language: Language) -> list[str]:
    persona = shipped(name, language)
    tidy = replace(persona.style, slips=Slips.NONE)  # slips are another matter
    persona = replace(persona, style=tidy, patience=6)
    said: list[str] = []
    for query, goal in _matters(language):
        given = with_turns(brief(persona, query=query, goal=goal), 5)
        said += (await held(given, REFUSAL[language]))[0][1:]
    return said


@pytest.mark.parametrize("name", EVERYBODY)
async def test_japanese_phrases_go_on_from_any_matter(name: str) -> None:
    said = [_QUOTED.sub("「それ」", text) for text in await _said(name, "ja")]
    assert [] == [text for text in said if _JA.search(text)]


@pytest.mark.parametrize("name", EVERYBODY)
async def test_english_phrases_hold_any_matter(name: str) -> None:
    said = [_QUOTED.sub("it", text) for text in await _said(name, "en")]
    own = {mark for text in _phrases(name) for mark in _EN.findall(text)}
    assert [] == [text for text in said if set(_EN.findall(text)) - own]
    known = _NAMES | _own_capitals(name)
    assert [] == [text for text in said if set(_MID_CAPITAL.findall(text)) - known]
