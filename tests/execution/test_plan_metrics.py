from pathlib import Path

import pytest

from simulator.core.errors import InputError
from simulator.execution.plan import applying, with_metrics
from tests.execution.clients import client


def test_named_metrics_take_the_place_of_the_clients_own(tmp_path: Path) -> None:
    found = with_metrics(client(tmp_path), ["elements_lexical", "refusal"])
    assert ("elements_lexical", "refusal") == found.client.metrics
    assert ("elements_lexical", ()) == (found.client.score_by, found.rubrics)


def test_the_clients_score_stays_if_it_is_among_them(tmp_path: Path) -> None:
    found = with_metrics(client(tmp_path), ["refusal", "correctness"])
    assert "overall" == found.client.score_by
    assert ["answer_quality"] == [rubric.id for rubric in found.rubrics]


def test_a_rubric_is_scored_by_its_overall_rating_or_its_first_aspect(tmp_path: Path) -> None:
    loaded = client(tmp_path, "metrics: [lexical]\nscore_by: lexical\n")
    assert "overall" == with_metrics(loaded, ["answer_quality"]).client.score_by
    assert "gpt_fluency" == with_metrics(loaded, ["gpt_fluency"]).client.score_by


def test_every_wrong_name_is_complained_of(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        with_metrics(client(tmp_path), ["refusall", "overall", "nope"])
    refusall, nope = map(str, caught.value.complaints)
    assert refusall.startswith('--metric refusall: no metric "refusall"; did you mean refusal?')
    assert nope.startswith('--metric nope: no metric "nope"')


@pytest.mark.parametrize(
    ("gives", "there", "missing"),
    [
        ({"answer", "ground_truth"}, {"sudachi_f1", "refusal"}, {"lexical", "elements_lexical"}),
        ({"answer", "elements"}, {"lexical", "elements_lexical"}, {"sudachi_f1", "retrieval_hit"}),
        ({"answer", "documents"}, {"refusal"}, {"retrieval_hit"}),
        ({"answer", "escalate"}, {"lexical", "refusal"}, {"elements_lexical"}),
        ({"answer", "documents", "retrieved"}, {"retrieval_hit"}, {"elements_lexical"}),
        ({"documents", "retrieved"}, {"retrieval_hit"}, {"lexical", "refusal"}),
        ({"answer", "question"}, {"refusal"}, {"lexical", "sudachi_f1", "elements_lexical"}),
        ({"answer", "ground_truth"}, set(), {"sudachi_f1_legacy", "elements", "rubrics"}),
    ],
)
def test_what_applies_depends_on_what_there_is(
    gives: set[str], there: set[str], missing: set[str]
) -> None:
    found = set(applying(gives))
    assert there <= found
    assert not missing & found


def test_the_usual_score_comes_first() -> None:
    gives = {"answer", "elements", "ground_truth", "documents", "retrieved"}
    assert ("lexical", "sudachi_f1") == applying(gives)[:2]
