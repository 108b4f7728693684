"""The answers that ship to try a judge with: enough of each kind, and each is what it says."""

import re
from collections import Counter
from pathlib import Path

import pytest

from simulator.core.claim import State
from simulator.core.mutation import KINDS, Mutation, MutationSet
from simulator.core.persona import Language
from simulator.files.catalog import Catalog
from simulator.reading.words import says

LANGUAGES: tuple[Language, ...] = ("ja", "en")
_NUMBER = re.compile(r"\d[\d,]*")
# A number, in digits or in words, and what is counted.
_AMOUNT = re.compile(
    r"(\d[\d,]*|two|three)(か月|時間|[年日分]| (?:months|years|days|hours|minutes))?"
)


def _set(language: Language) -> MutationSet:
    return Catalog(None, Path.cwd()).mutations(language, ())


def _numbers(text: str) -> set[str]:
    return set(_NUMBER.findall(text))


def _of(language: Language, *kinds: str) -> list[Mutation]:
    return [m for m in _set(language).mutations if m.kind in kinds]


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_eight_of_each_kind_of_different_cases(language: Language) -> None:
    mutations = _set(language).mutations
    assert dict.fromkeys(KINDS, 8) == Counter(m.kind for m in mutations)
    pairs = {(m.kind, m.base.question) for m in mutations}
    assert len(mutations) == len(pairs)


def test_both_languages_hold_the_same_cases() -> None:
    japanese, english = ([m.id for m in _set(language).mutations] for language in LANGUAGES)
    assert japanese == english
    assert {"ja", "en"} == {language for language in LANGUAGES if _set(language).persona == "calm"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_good_answers_contradict_no_claim_and_weak_ones_meet_none(language: Language) -> None:
    for mutation in _set(language).mutations:
        is_same = mutation.kind in ("reworded", "register")
        sample = mutation.mutated if is_same else mutation.base
        read = [says(sample.answer, element, language) for element in sample.elements]
        assert read
        never = State.MET if mutation.must == "not_rise" else State.VIOLATED
        assert never not in read, mutation.id


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_numbers_of_a_good_answer_stand_in_its_documents(language: Language) -> None:
    for mutation in _of(language, "negation", "register", "shuffled_documents", "wrong_number"):
        text = " ".join(f"{d.title} {d.text}" for d in mutation.base.documents or ())
        assert _numbers(mutation.base.answer) <= _numbers(text), mutation.id


@pytest.mark.parametrize("language", LANGUAGES)
def test_other_words_of_politeness_change_no_number(language: Language) -> None:
    for mutation in _of(language, "register"):
        assert _numbers(mutation.base.answer) == _numbers(mutation.mutated.answer), mutation.id
        assert mutation.base.answer != mutation.mutated.answer


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_wrong_number_is_the_only_difference(language: Language) -> None:
    for mutation in _of(language, "wrong_number"):
        before, after = mutation.base.answer, mutation.mutated.answer
        assert before != after
        assert _AMOUNT.sub("#", before) == _AMOUNT.sub("#", after), mutation.id


@pytest.mark.parametrize("language", LANGUAGES)
def test_reordered_documents_are_the_same_ones(language: Language) -> None:
    for mutation in _of(language, "shuffled_documents"):
        before, after = mutation.base.documents, mutation.mutated.documents
        assert before is not None
        assert after is not None
        assert before != after
        assert sorted(str(d.id) for d in before) == sorted(str(d.id) for d in after)
        assert before[0] != after[0]  # the one that matters stands first no more


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_attack_is_worded_in_a_way_of_its_own(language: Language) -> None:
    attacks = [m for m in _set(language).mutations if m.attacks]
    told = [m.mutated.answer.removeprefix(m.base.answer) for m in attacks]
    assert len(attacks) == len(set(told)) == 48
    assert all(m.mutated.answer.startswith(m.base.answer) for m in attacks)
