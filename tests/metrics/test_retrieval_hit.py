"""Whether an expected document was retrieved."""

import pytest

from simulator.core.persona import Language
from simulator.core.talk import Reply
from simulator.metrics.retrieval_hit import RetrievalHit
from tests.metrics.turns import (
    comment,
    context,
    evidence,
    is_not_applicable,
    named,
    outcome,
    value,
)

METRIC = RetrievalHit.open(context())


async def test_one_of_the_expected_documents_is_a_hit() -> None:
    turn = evidence(named("faq-9", "faq-2"), documents=["faq-1", "faq-2"])
    assert 1.0 == value(await outcome(METRIC, turn))


async def test_none_of_them_is_a_miss() -> None:
    assert 0.0 == value(await outcome(METRIC, evidence(named("faq-9"), documents=["faq-1"])))


async def test_only_this_turn_counts() -> None:
    turn = evidence(named("faq-1"), named("faq-9"), documents=["faq-1"])
    assert 0.0 == value(await outcome(METRIC, turn))


async def test_a_turn_without_documents_is_a_miss_for_a_target_that_gave_some_before() -> None:
    turn = evidence(named("faq-1"), "はい。", documents=["faq-1"])
    assert 0.0 == value(await outcome(METRIC, turn))


@pytest.mark.parametrize("reply", [Reply("はい。"), named(None, None)])
async def test_a_target_that_never_named_a_document_cannot_be_told(reply: Reply) -> None:
    assert is_not_applicable(await outcome(METRIC, evidence(reply, documents=["faq-1"])))


async def test_a_search_that_finds_nothing_is_a_miss() -> None:
    turn = evidence(Reply("はい。", reports_documents=True), documents=["faq-1"])
    found = await outcome(METRIC, turn)
    assert (0.0, "検索で見つからなかった正解の資料: faq-1") == (value(found), comment(found))


async def test_it_is_a_miss_from_the_first_turn_on_in_which_it_says_what_it_found() -> None:
    reports = Reply("はい。", reports_documents=True)
    turns = [
        evidence(*said, documents=["faq-1"]) for said in (["はい。"], ["はい。", reports, "はい。"])
    ]
    first, last = [await outcome(METRIC, turn) for turn in turns]
    assert is_not_applicable(first)
    assert 0.0 == value(last)


async def test_documents_without_a_name_cannot_be_told_after_a_search_that_found_nothing() -> None:
    nothing = Reply("はい。", reports_documents=True)
    turn = evidence(nothing, named(None), documents=["faq-1"])
    assert is_not_applicable(await outcome(METRIC, turn))


async def test_without_expected_documents_it_is_not_applicable() -> None:
    assert is_not_applicable(await outcome(METRIC, evidence(named("faq-1"))))


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("ja", "検索で見つからなかった正解の資料: faq-1、faq-3"),
        ("en", "expected, but not retrieved: faq-1, faq-3"),
    ],
)
async def test_the_comment_names_the_documents_that_did_not_come(
    language: Language, said: str
) -> None:
    turn = evidence(named("faq-2"), language=language, documents=["faq-1", "faq-2", "faq-3"])
    assert said == comment(await outcome(METRIC, turn))
