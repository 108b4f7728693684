"""MRR, recall and nDCG of a turn's documents."""

import math

import pytest

from simulator.core.outcome import Outcomes, Score
from simulator.core.ports import Evidence
from simulator.core.talk import Reply
from simulator.metrics.retrieval import Retrieval
from simulator.metrics.retrieval_hit import RetrievalHit
from tests.metrics.turns import context, evidence, is_not_applicable, named, value

METRIC = Retrieval.open(context())
HIT = RetrievalHit.open(context())
NAMES = ["retrieval_mrr", "retrieval_recall", "retrieval_ndcg"]


async def scored(turn: Evidence) -> Outcomes:
    found = await METRIC.score(turn)
    assert NAMES == [info.name for info in METRIC.infos] == list(found)
    return found


def parts(found: Outcomes, name: str) -> dict[str, float]:
    outcome = found[name]
    assert isinstance(outcome, Score)
    return dict(outcome.parts)


async def test_the_three_figures_of_a_turn() -> None:
    turn = evidence(named("faq-9", "faq-2", "faq-8", "faq-1"), documents=["faq-1", "faq-2"])
    found = await scored(turn)
    assert 1 / 2 == value(found["retrieval_mrr"])
    assert 1.0 == value(found["retrieval_recall"])
    gain = (1 / math.log2(3) + 1 / math.log2(5)) / (1 + 1 / math.log2(3))
    assert gain == pytest.approx(value(found["retrieval_ndcg"]))
    assert {"recall_at_1": 0.0, "recall_at_3": 0.5, "recall_at_5": 1.0} == parts(
        found, "retrieval_recall"
    )
    assert 0.0 == parts(found, "retrieval_ndcg")["ndcg_at_1"]
    assert gain == pytest.approx(parts(found, "retrieval_ndcg")["ndcg_at_5"])
    assert {} == parts(found, "retrieval_mrr")


async def test_the_parts_are_those_that_the_infos_name() -> None:
    turn = evidence(named("faq-1"), documents=["faq-1"])
    found = {**await scored(turn), **await HIT.score(turn)}
    for info in (*METRIC.infos, *HIT.infos):
        assert set(info.parts) == set(parts(found, info.name))


async def test_a_hit_tells_how_far_up_it_stands() -> None:
    turn = evidence(named("a", "b", "faq-1"), documents=["faq-1"])
    found = await HIT.score(turn)
    assert 1.0 == value(found["retrieval_hit"])
    assert {"hit_at_1": 0.0, "hit_at_3": 1.0, "hit_at_5": 1.0} == parts(found, "retrieval_hit")


async def test_a_document_that_comes_twice_counts_once() -> None:
    found = await scored(evidence(named("x", "x", "faq-1", "faq-1"), documents=["faq-1"]))
    assert (1 / 2, 1.0) == (value(found["retrieval_mrr"]), value(found["retrieval_recall"]))


async def test_a_search_that_found_nothing_scores_nothing() -> None:
    turn = evidence(Reply("はい。", reports_documents=True), documents=["faq-1"])
    assert [0.0] * 3 == [value(outcome) for outcome in (await scored(turn)).values()]


@pytest.mark.parametrize(
    "turn",
    [
        evidence(named("faq-1")),
        evidence("はい。", documents=["faq-1"]),
        evidence(named(None, None), documents=["faq-1"]),
    ],
)
async def test_where_there_is_nothing_to_compare_it_is_not_applicable(turn: Evidence) -> None:
    assert all(map(is_not_applicable, (await scored(turn)).values()))
