"""The score of a turn without a judge."""

from dataclasses import replace

import pytest

from simulator.core.talk import Reply
from simulator.metrics.elements_lexical import ElementsLexical
from simulator.metrics.lexical import Lexical
from simulator.metrics.refusal import Refusal
from simulator.metrics.retrieval_hit import RetrievalHit
from tests.metrics.turns import comment, context, evidence, is_not_applicable, named, outcome, value

METRIC = Lexical.open(context())
ANSWER = replace(named("faq-9"), text="30日以内です。")


async def test_it_is_the_mean_of_its_three_parts() -> None:
    turn = evidence(ANSWER, elements=["30日以内", "無料"], documents=["faq-1"])
    found = await outcome(METRIC, turn)
    assert pytest.approx((0.5 + 0.0 + 1.0) / 3) == value(found)
    assert "ない要素: 無料 / 検索されなかった文書: faq-1" == comment(found)


@pytest.mark.parametrize(
    ("reply", "mean"),
    [
        (Reply("30日以内です。"), (1.0 + 1.0) / 2),  # no document was ever named
        (Reply("分かりかねます。"), (0.0 + 0.0) / 2),
        # it searched and found nothing
        (Reply("30日以内です。", reports_documents=True), (1.0 + 0.0 + 1.0) / 3),
    ],
)
async def test_what_does_not_apply_is_left_out(reply: Reply, mean: float) -> None:
    turn = evidence(reply, elements=["30日以内"], documents=["faq-1"])
    assert mean == value(await outcome(METRIC, turn))


async def test_where_nothing_applies_it_is_not_applicable() -> None:
    assert is_not_applicable(await outcome(METRIC, evidence(ANSWER)))


async def test_it_is_made_of_the_same_figures_as_its_parts() -> None:
    turn = evidence(ANSWER, elements=["30日以内", "無料"], documents=["faq-9"])
    parts = [
        value(await outcome(part.open(context()), turn))
        for part in (ElementsLexical, RetrievalHit, Refusal)
    ]
    assert pytest.approx(sum(parts) / 3) == value(await outcome(METRIC, turn))


async def test_handing_over_is_measured_where_nothing_else_is_expected() -> None:
    assert 0.0 == value(await outcome(METRIC, evidence("はい。", escalate=True)))
    assert 1.0 == value(await outcome(METRIC, evidence("担当者におつなぎします。", escalate=True)))
