"""Which metrics would have applied where the bot failed."""

from typing import Any

import pytest

from simulator.core.outcome import MetricInfo
from simulator.core.talk import Document
from simulator.execution.scoring import would_apply
from simulator.metrics.elements_lexical import ElementsLexical
from simulator.metrics.lexical import Lexical
from simulator.metrics.refusal import Refusal
from simulator.metrics.retrieval_hit import RetrievalHit
from simulator.metrics.sudachi_f1 import SudachiF1
from tests.execution.scored import FAILURE, LEXICAL, OVERALL, evidence, expecting

METRICS = (Lexical, ElementsLexical, RetrievalHit, Refusal, SudachiF1)


@pytest.mark.parametrize(
    ("expected", "applying"),
    [
        ({}, []),
        ({"elements": ("500 yen",)}, ["lexical", "elements_lexical", "refusal"]),
        ({"elements": ("…",), "answerable": False}, ["lexical", "refusal"]),
        ({"documents": ("faq-1",)}, ["lexical", "retrieval_hit", "refusal"]),
        ({"answer": "500 yen."}, ["lexical", "refusal", "sudachi_f1"]),
        ({"escalate": True}, ["lexical", "refusal"]),
    ],
)
def test_what_the_scenario_gives_decides(expected: dict[str, Any], applying: list[str]) -> None:
    failed = evidence(("Hello?", FAILURE), scenario=expecting(**expected))
    infos = [info for metric in METRICS for info in metric.INFOS]
    assert applying == [info.name for info in infos if would_apply(info, failed)]


def test_a_bot_that_never_tells_its_documents_is_not_compared_by_them() -> None:
    scenario = expecting(documents=("faq-1",))
    (hit,) = RetrievalHit.INFOS
    grounded = MetricInfo("grounded", "Grounded", needs=("judge", "context"))
    for info in (hit, grounded):
        silent = evidence(("Hello?", "Yes."), ("And?", FAILURE), scenario=scenario)
        assert not would_apply(info, silent)
    told = evidence(("Hello?", "Yes."), documents=(Document("x", "faq-1"),), scenario=scenario)
    for info in (hit, grounded):
        assert would_apply(info, told)


@pytest.mark.parametrize("info", [OVERALL, LEXICAL])
def test_what_needs_nothing_of_the_scenario_applies(info: MetricInfo) -> None:
    assert would_apply(info, evidence(("Hello?", FAILURE)))
