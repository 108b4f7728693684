"""The score of a turn without a judge: content counts, and nothing hides what is wrong."""

from dataclasses import replace

import pytest

from simulator.core.talk import Document, Reply
from simulator.metrics._grounding import Grounding
from simulator.metrics.grounded import Grounded
from simulator.metrics.lexical import Lexical
from tests.metrics.turns import (
    Entries,
    comment,
    context,
    evidence,
    is_not_applicable,
    named,
    outcome,
    value,
)

METRIC = Lexical.open(context())
SHIPPING = Document("送料は500円です。5,000円以上のご注文は無料です。", "faq-1", "送料")


async def test_elements_are_its_content() -> None:
    turn = evidence(
        "30日以内です。", elements=["30日以内", "無料"], answer="30日以内なら無料です。"
    )
    found = await outcome(METRIC, turn)
    assert 0.5 == value(found)
    assert "ない要素: 無料" in comment(found)


async def test_an_answer_is_where_no_elements_are() -> None:
    assert 1.0 == value(await outcome(METRIC, evidence("無料です。", answer="無料です。")))
    assert 0.0 == value(await outcome(METRIC, evidence("駅の隣です。", answer="無料です。")))


async def test_a_document_that_was_found_and_not_refusing_earn_nothing() -> None:
    reply = replace(named("faq-1"), text="駅の隣です。", documents=())
    turn = evidence(reply, elements=["30日以内"], documents=["faq-1"], answerable=True)
    assert 0.0 == value(await outcome(METRIC, turn))


async def test_what_contradicts_is_worth_nothing() -> None:
    elements = ["送料は500円", "5,000円以上は無料"]
    turn = evidence("送料は900円です。5,000円以上は無料です。", elements=elements)
    found = await outcome(METRIC, turn)
    assert 0.0 == value(found)
    assert "食い違う要素: 送料は500円" in comment(found)


async def test_a_wrong_refusal_is_worth_nothing_and_a_due_one_all() -> None:
    refusal = "申し訳ございませんが、分かりかねます。"
    assert 0.0 == value(await outcome(METRIC, evidence(refusal, answerable=True)))
    assert 1.0 == value(await outcome(METRIC, evidence(refusal, answerable=False)))
    assert 0.0 == value(await outcome(METRIC, evidence("500円です。", answerable=False)))


@pytest.mark.parametrize(
    ("reply", "low", "high"),
    [
        ("送料は500円です。", 1.0, 1.0),
        ("送料は500円です。ドローンが火星へ配達します。", 0.0, 0.59),
    ],
)
async def test_what_no_document_bears_out_is_never_hidden(
    reply: str, low: float, high: float
) -> None:
    turn = evidence(Reply(reply, (SHIPPING,)), elements=["500円"])
    assert low <= value(await outcome(METRIC, turn)) <= high


@pytest.mark.parametrize("documents", [(SHIPPING,), ()])
async def test_it_is_worth_what_grounded_is_where_that_finds_something(
    documents: tuple[Document, ...],
) -> None:
    """By the same documents: those that came, or the nearest entries of the knowledge base."""
    given = replace(context(), grounding=Grounding(Entries(SHIPPING), "ja"))
    reply = Reply(f"{'送料は500円です。' * 9}ドローンが火星へ配達します。", documents)
    turn = evidence(reply, elements=["500円"])
    support = value(await outcome(Grounded.open(given), turn))
    assert 0.59 < support < 0.6
    assert support == value(await outcome(Lexical.open(given), turn))


async def test_a_check_that_the_client_leaves_out_counts_for_nothing() -> None:
    strange = Reply("送料は500円です。火星へも配達します。", (SHIPPING,))
    for left_out, turn in (
        ("grounded", evidence(strange, elements=["500円"])),
        ("elements_lexical", evidence("500円です。", elements=["900円"], answer="500円です。")),
    ):
        metric = Lexical.open(replace(context(), left_out=frozenset([left_out])))
        assert value(await outcome(METRIC, turn)) < 0.6
        assert 1.0 == value(await outcome(metric, turn))
    metric = Lexical.open(replace(context(), left_out=frozenset(["refusal"])))
    refuses = evidence("申し訳ございませんが、分かりかねます。", answerable=True)
    assert 0.0 == value(await outcome(METRIC, refuses))
    assert is_not_applicable(await outcome(metric, refuses))


async def test_a_wrong_refusal_counts_where_no_words_are_expected_and_nothing_else_does() -> None:
    refusal, other = "申し訳ございませんが、分かりかねます。", "駅の隣です。"
    for documents, answerable in ((["faq-1"], None), ([], True)):
        turns = [evidence(r, documents=documents, answerable=answerable) for r in (refusal, other)]
        assert 0.0 == value(await outcome(METRIC, turns[0]))
        assert is_not_applicable(await outcome(METRIC, turns[1]))


async def test_handing_over_is_measured_where_nothing_else_is_expected() -> None:
    assert 0.0 == value(await outcome(METRIC, evidence("はい。", escalate=True)))
    assert 1.0 == value(await outcome(METRIC, evidence("担当者におつなぎします。", escalate=True)))


async def test_it_does_not_apply_without_content_and_to_a_question_back() -> None:
    assert is_not_applicable(await outcome(METRIC, evidence("はい。")))
    assert is_not_applicable(await outcome(METRIC, evidence("はい。", documents=["faq-1"])))
    asks = evidence("どの商品についてのご質問でしょうか。", elements=["無料"])
    assert is_not_applicable(await outcome(METRIC, asks))
