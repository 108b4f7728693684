"""The share of a reply's words that are in the documents of its turn."""

import pytest

from simulator.core.talk import Document, Reply
from simulator.metrics.grounded import Grounded, token_recall
from simulator.text.bm25 import Nearest
from tests.metrics.turns import Entries, context, evidence, is_not_applicable, outcome, value

METRIC = Grounded(None)
DOCUMENT = Document("全国一律500円です。", "faq-1", "送料はいくらですか")


async def test_the_share_of_the_words_that_the_documents_hold() -> None:
    replies = {"送料は全国一律500円です。": 1.0, "送料は冷蔵なら500円です。": 0.75, "無料。": 0.0}
    for reply, share in replies.items():
        assert share == value(await outcome(METRIC, evidence(Reply(reply, (DOCUMENT,)))))


def test_words_count_as_often_as_they_are_said_and_all_documents_together() -> None:
    documents = ["Postage costs $5.", "Returns are free."]
    assert 1.0 == token_recall("Free returns; postage costs $5.", documents, "en")
    assert 0.75 == token_recall("Postage, postage, postage, refunds.", documents, "en")


def test_only_the_rank_tells_a_changed_number_hardly_lowers_it() -> None:
    documents = ["The pool is open daily from 9 to 21 for all guests of the house."]
    wrong = token_recall("The pool is open daily from 9 to 23.", documents, "en")
    assert wrong is not None
    assert 0.7 < wrong < 1


async def test_where_no_document_came_the_nearest_entries_take_their_place() -> None:
    entries = Entries(DOCUMENT, Document("駅の隣です。", "faq-2", "店はどこですか"))
    metric = Grounded(Nearest(entries, "ja"))
    reply = Reply("送料は全国一律500円です。", ())
    assert 1.0 == value(await outcome(metric, evidence(reply)))
    assert () == metric.infos[0].needs
    assert ("context",) == METRIC.infos[0].needs


@pytest.mark.parametrize("said", ["", "。", "分かりかねます。", "どちらの商品でしょうか？"])
async def test_what_states_nothing_is_not_applicable(said: str) -> None:
    assert is_not_applicable(await outcome(METRIC, evidence(Reply(said, (DOCUMENT,)))))


@pytest.mark.parametrize("documents", [(), (Document("", "faq-1"),)])
async def test_nor_is_a_reply_without_documents(documents: tuple[Document, ...]) -> None:
    reply = Reply("送料は500円です。", documents)
    assert is_not_applicable(await outcome(METRIC, evidence(reply)))
    assert None is Grounded.open(context())._nearest
