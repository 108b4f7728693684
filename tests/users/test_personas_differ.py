"""Shipped personas, without a model: each keeps to its own file, and no two are alike."""

import asyncio
from functools import cache
from itertools import combinations

import pytest

from simulator.core.persona import Disclosure, Language, Politeness, Slips
from simulator.files.catalog import Catalog
from tests.users.fingerprints import Fingerprint, fingerprint
from tests.users.people import ROOT, shipped

LANGUAGES: tuple[Language, ...] = ("ja", "en")
SHIPPED = [
    (language, name) for language in LANGUAGES for name in Catalog(None, ROOT).persona_ids(language)
]
each = pytest.mark.parametrize(("language", "name"), SHIPPED)


@cache
def found(language: Language, name: str) -> Fingerprint:
    return asyncio.run(fingerprint(shipped(name, language)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_both_languages_have_the_same_people(language: Language) -> None:
    names = Catalog(None, ROOT).persona_ids(language)
    assert names == Catalog(None, ROOT).persona_ids("en" if language == "ja" else "ja")
    assert len(names) >= 14


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        (language, *pair)
        for language in LANGUAGES
        for pair in combinations(Catalog(None, ROOT).persona_ids(language), 2)
    ],
)
def test_no_two_are_alike(language: Language, one: str, other: str) -> None:
    assert found(language, one).distance(found(language, other)) > 0.75
    assert found(language, one).shared_words(found(language, other)) < 0.35


@each
def test_its_messages_have_about_its_usual_length(language: Language, name: str) -> None:
    usual = shipped(name, language).style.length
    # What the author wrote cannot be cut: a need, a fact or what it is about may be long by itself.
    assert 0.7 * usual < found(language, name).length < 1.9 * usual


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_order_of_their_lengths_is_that_of_their_files(language: Language) -> None:
    names = Catalog(None, ROOT).persona_ids(language)
    usual = {name: shipped(name, language).style.length for name in names}
    for one, other in combinations(names, 2):
        short, long = sorted((one, other), key=usual.__getitem__)
        if usual[long] > 1.8 * usual[short]:
            assert found(language, short).length < found(language, long).length
    shortest = min(names, key=lambda name: found(language, name).length)
    assert "hurried" == shortest
    assert found(language, "chatty").length > 2.5 * found(language, "hurried").length
    assert found(language, "business").length > 2.5 * found(language, "hurried").length


@pytest.mark.parametrize("name", Catalog(None, ROOT).persona_ids("ja"))
def test_a_japanese_person_keeps_its_register(name: str) -> None:
    seen, politeness = found("ja", name), shipped(name).style.politeness
    if politeness is Politeness.PLAIN:
        assert seen.courteous < 0.1
    else:
        assert seen.courteous > 0.75
        assert (seen.formal > 0.5) == (politeness is Politeness.FORMAL)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_angry_have_no_courtesies_and_the_over_polite_nothing_else(language: Language) -> None:
    assert found(language, "angry").courteous < 0.1
    assert found(language, "business").courteous > 0.9
    assert found(language, "business").formal > 0.5


@each
def test_facts_are_given_out_as_its_file_says(language: Language, name: str) -> None:
    seen, disclosure = found(language, name), shipped(name, language).style.disclosure
    if disclosure is Disclosure.OPEN:
        assert seen.unasked > 0.9
    else:
        assert seen.unasked < 0.1
    if disclosure is Disclosure.GRUDGING:  # one of two
        assert 0.4 < seen.asked < 0.6
    elif shipped(name, language).style.slips is Slips.NONE:  # with slips they cannot be found again
        assert seen.asked > 0.9


@each
def test_it_leaves_when_its_patience_is_spent(language: Language, name: str) -> None:
    assert shipped(name, language).patience == found(language, name).leaves_after


@each
def test_asides_doubts_and_slips_are_as_many_as_its_file_says(
    language: Language, name: str
) -> None:
    persona, seen = shipped(name, language), found(language, name)
    assert abs(seen.asides - persona.style.asides) < 0.12
    assert (seen.slips > 0.9) == (persona.style.slips is not Slips.NONE)
    # Some talks end with a person who takes over, and that is not doubted.
    assert 0.6 * persona.doubts <= seen.doubts <= persona.doubts
