from pathlib import Path

import pytest

from simulator.core.health import Aspect, Ratings, Rubric
from simulator.files.client.client_yaml import read_client_file
from simulator.files.client.metrics import Metrics, check_metrics
from simulator.formats.sources import Source
from tests.files.client.rooms import rooms

__all__ = ["rooms"]
pytestmark = pytest.mark.usefixtures("rooms")


def _rubric(name: str, *aspects: str) -> Rubric:
    made = tuple(Aspect(a, a, "?", Ratings(1, 5)) for a in aspects)
    return Rubric(name, name, ("answer",), "Look.", made, "")


RUBRICS = {
    "quality": _rubric("quality", "overall", "relevance"),
    "manners": _rubric("manners", "politeness", "tone"),
    "other": _rubric("other", "tone", "recall"),
}


def _check(folder: Path, text: str) -> tuple[Metrics, list[str]]:
    path = folder / "client.yaml"
    path.write_text(f"language: ja\ntarget: {{kind: demo}}\n{text}")
    metrics, complaints = check_metrics(read_client_file(Source.of(path, folder)), RUBRICS)
    return metrics, [str(c).removeprefix("client.yaml:") for c in complaints]


@pytest.mark.parametrize(
    ("metrics", "score_by", "rubrics", "named"),
    [
        ("[overall]", "relevance", ["quality"], ("overall",)),
        ("[quality]", "overall", ["quality"], ("quality",)),
        ("[tone, manners]", "politeness", ["manners"], ("tone", "manners")),
        ("[overall, politeness]", "overall", ["quality", "manners"], ("overall", "politeness")),
        ("[pair]", "recall", [], ("pair",)),
        ("[precision, lexical]", "lexical", [], ("pair", "lexical")),
    ],
)
def test_metrics_bring_rubrics_and_plugins(
    tmp_path: Path, metrics: str, score_by: str, rubrics: list[str], named: tuple[str, ...]
) -> None:
    found, complaints = _check(tmp_path, f"metrics: {metrics}\nscore_by: {score_by}\n")
    assert [] == complaints
    assert (rubrics, named) == ([r.id for r in found.rubrics], found.named)
    assert score_by in found.yielded


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "metrics: [overall, overal]",
            (
                '3: no metric "overal"; did you mean overall? choose from: cosine, lexical, '
                "manners, "
                "other, overall, politeness, precision, quality, recall, relevance, tone"
            ),
        ),
        (
            "metrics: [overall, tone]",
            '3: "tone" is in the rubrics manners and other; use the name of the rubric',
        ),
        (
            "metrics: [overall, manners, other]",
            ('3: the rubric manners and the rubric other both produce "tone"; remove one of them'),
        ),
        (
            "metrics: [overall, pair, other]",
            '3: the metric pair and the rubric other both produce "recall"; remove one of them',
        ),
        ("metrics: [overall, cosine]", "3: cosine needs a package; pip install 'mogi[cosine]'"),
        (
            "metrics: [pair]",
            (
                '3: metrics don\'t include "overall", the default main score; '
                "add overall, or write score_by: precision or recall"
            ),
        ),
        (
            "score_by: politeness",
            '3: score_by: "politeness" isn\'t in metrics; add it',
        ),
        (
            "score_by: overal",
            (
                '3: score_by: no metric "overal"; did you mean overall? '
                "choose from: overall, relevance"
            ),
        ),
        (
            "thresholds: {tone: 0.5, tune: 0.5}",
            (
                '3: thresholds: no metric "tune"; did you mean tone? choose from: cosine, lexical, '
                "overall, politeness, precision, recall, relevance, tone"
            ),
        ),
    ],
)
def test_a_wrong_name_is_explained(tmp_path: Path, text: str, complaint: str) -> None:
    assert [complaint] == _check(tmp_path, text)[1]


def test_score_by_is_not_complained_of_while_metrics_are_wrong(tmp_path: Path) -> None:
    assert 1 == len(_check(tmp_path, "metrics: [overal]\nscore_by: overall")[1])


def test_a_computed_metric_goes_before_an_aspect_of_the_same_name(tmp_path: Path) -> None:
    found, _ = _check(tmp_path, "metrics: [overall, lexical]")
    assert frozenset({"overall", "relevance", "lexical"}) == found.yielded
