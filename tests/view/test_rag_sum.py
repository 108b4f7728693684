"""The five RAG metrics added up: the published sum, and what stands beside a smaller one."""

from collections.abc import Mapping

import pytest

from simulator.console.output import as_json
from simulator.core.outcome import MetricInfo, Outcome, Score
from simulator.core.run import Episode, Run
from simulator.view.run_json import run_json
from simulator.view.summary import FIVE, rag_sum
from tests.execution.scored import NOT_APPLICABLE, episode, header, rated, run, turn
from tests.reports.conftest import printed
from tests.reports.printed import Printed

__all__ = ["printed"]

# Of 40 questions, as published.
MEANS = {
    "gpt_relevance": 3.75,
    "gpt_groundedness": 1.8,
    "gpt_similarity": 2.55,
    "gpt_fluency": 4.975,
    "ada_cosine_similarity": 4.975,
}
COUNT = 40


def outcomes(mean: float) -> list[Outcome]:
    """Forty ratings of that mean."""
    low, more = divmod(round(mean * COUNT), COUNT)
    return [rated(low + 1) if n < more else rated(low) for n in range(COUNT)]


def asked(found: Mapping[str, list[Outcome]]) -> Run:
    def question(number: int) -> Episode:
        given = {name: each[number] for name, each in found.items()}
        return episode(turn(outcomes=given), scenario=f"q{number}")

    infos = tuple(MetricInfo(name, name, low=0.2, rated=True) for name in found)
    head = header(metrics=infos, score_by=infos[0].name, thresholds={})
    return run(head, *map(question, range(COUNT)))


def test_the_published_sum_comes_out_of_the_published_means(printed: Printed) -> None:
    done = asked({name: outcomes(MEANS[name]) for name in FIVE})
    found = rag_sum(done.summary)
    assert found is not None
    assert (18.05, 25) == (round(found.sum, 9), found.of)
    assert dict.fromkeys(FIVE, 40) == found.scored
    assert "Sum of RAG metrics: 18.05 of 25 over 40 turns\n" in printed(done)
    told = as_json(run_json(done))["rag_sum"]
    assert (18.05, 25) == (round(told["sum"], 9), told["of"])


def test_a_metric_that_was_left_out_is_no_part_of_the_whole(printed: Printed) -> None:
    done = asked({name: outcomes(MEANS[name]) for name in FIVE if name != "gpt_fluency"})
    found = rag_sum(done.summary)
    assert found is not None
    assert (13.075, 20) == (round(found.sum, 9), found.of)
    assert " of 20 over 40 turns" in printed(done)


def test_what_does_not_apply_is_in_no_mean_and_the_numbers_say_so(printed: Printed) -> None:
    found = {name: outcomes(MEANS[name]) for name in FIVE}
    found["gpt_groundedness"][:10] = [NOT_APPLICABLE] * 10
    done = asked(found)
    summed = rag_sum(done.summary)
    assert summed is not None
    assert 30 == summed.scored["gpt_groundedness"]
    assert "of 25 over 30–40 turns" in printed(done)


@pytest.mark.parametrize("names", [(), ("gpt_fluency",)])
def test_one_metric_alone_is_no_sum(names: tuple[str, ...], printed: Printed) -> None:
    found: dict[str, list[Outcome]] = {"other": [Score(1.0, 1.0)] * COUNT}
    done = asked(found | {name: outcomes(MEANS[name]) for name in names})
    assert rag_sum(done.summary) is None
    assert as_json(run_json(done))["rag_sum"] is None
    assert "RAG" not in printed(done)


def test_a_metric_without_any_score_is_left_out() -> None:
    found = {name: outcomes(MEANS[name]) for name in FIVE}
    found["ada_cosine_similarity"] = [NOT_APPLICABLE] * COUNT
    summed = rag_sum(asked(found).summary)
    assert summed is not None
    assert 20 == summed.of
    assert "ada_cosine_similarity" not in summed.scored


def test_two_of_the_five_are_the_fewest_for_a_sum() -> None:
    two = {name: outcomes(MEANS[name]) for name in FIVE[:2]}
    of_two = rag_sum(asked(two).summary)
    assert of_two is not None
    assert (5.55, 10) == (round(of_two.sum, 9), of_two.of)
    assert rag_sum(asked({FIVE[0]: two[FIVE[0]]}).summary) is None
