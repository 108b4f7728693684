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


@cache
def of(language: Language, name: str) -> Fingerprint:
    return asyncio.run(fingerprint(shipped(name, language)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_both_languages_have_the_same_people(language: Language) -> None:
    names = Catalog(None, ROOT).persona_ids(language)
    assert names == Catalog(None, ROOT).persona_ids("en" if language == "ja" else "ja")
    assert len(names) >= 14


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_are_alike(language: Language) -> None:
    for one, other in combinations(Catalog(None, ROOT).persona_ids(language), 2):
        assert of(language, one).distance(of(language, other)) > 0.75, (one, other)
        assert of(language, one).shared_words(of(language, other)) < 0.35, (one, other)


@pytest.mark.parametrize("language", LANGUAGES)
def test_its_messages_have_about_its_usual_length(language: Language) -> None:
    # What the author wrote cannot be cut: a need, a fact or what it is about may be long by itself.
    for name in Catalog(None, ROOT).persona_ids(language):
        usual = shipped(name, language).style.length
        assert 0.7 * usual < of(language, name).length < 1.9 * usual, name


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_order_of_their_lengths_is_that_of_their_files(language: Language) -> None:
    names = Catalog(None, ROOT).persona_ids(language)
    usual = {name: shipped(name, language).style.length for name in names}
    for one, other in combinations(names, 2):
        short, long = sorted((one, other), key=usual.__getitem__)
        if usual[long] > 1.8 * usual[short]:
            assert of(language, short).length < of(language, long).length
    shortest = min(names, key=lambda name: of(language, name).length)
    assert "hurried" == shortest
    assert of(language, "chatty").length > 2.5 * of(language, "hurried").length
    assert of(language, "business").length > 2.5 * of(language, "hurried").length


def test_a_japanese_person_keeps_its_register() -> None:
    for name in Catalog(None, ROOT).persona_ids("ja"):
        seen, politeness = of("ja", name), shipped(name).style.politeness
        if politeness is Politeness.PLAIN:
            assert seen.courteous < 0.1, name
        else:
            assert seen.courteous > 0.75, name
            assert (seen.formal > 0.5) == (politeness is Politeness.FORMAL), name


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_angry_have_no_courtesies_and_the_over_polite_nothing_else(language: Language) -> None:
    assert of(language, "angry").courteous < 0.1
    assert of(language, "business").courteous > 0.9
    assert of(language, "business").formal > 0.5


@pytest.mark.parametrize("language", LANGUAGES)
def test_facts_are_given_out_as_its_file_says(language: Language) -> None:
    for name in Catalog(None, ROOT).persona_ids(language):
        seen, style = of(language, name), shipped(name, language).style
        if style.disclosure is Disclosure.OPEN:
            assert seen.unasked > 0.9, name
        else:
            assert seen.unasked < 0.1, name
        if style.disclosure is Disclosure.GRUDGING:  # one of two
            assert 0.4 < seen.asked < 0.6, name
        elif style.slips is Slips.NONE:  # with slips they cannot be found again
            assert seen.asked > 0.9, name


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_leaves_when_its_patience_is_spent(language: Language) -> None:
    names = Catalog(None, ROOT).persona_ids(language)
    patience = {name: shipped(name, language).patience for name in names}
    assert patience == {name: of(language, name).leaves_after for name in names}


@pytest.mark.parametrize("language", LANGUAGES)
def test_asides_doubts_and_slips_are_as_many_as_its_file_says(language: Language) -> None:
    for name in Catalog(None, ROOT).persona_ids(language):
        persona, seen = shipped(name, language), of(language, name)
        assert abs(seen.asides - persona.style.asides) < 0.12, name
        assert (seen.slips > 0.9) == (persona.style.slips is not Slips.NONE), name
        # Some talks end with a person who takes over, and that is not doubted.
        assert 0.6 * persona.doubts <= seen.doubts <= persona.doubts, name
