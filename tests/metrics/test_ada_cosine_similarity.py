"""The cosine metric: bins, what is asked, and what cannot be compared."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from simulator.core.errors import InputError, ModelError, ModelFault
from simulator.core.outcome import Gap, Outcome, Score, Unscored
from simulator.core.persona import Language
from simulator.core.ports import CallId, Role, Vector
from simulator.metrics.ada_cosine_similarity import LONGEST, AdaCosineSimilarity
from tests.metrics.turns import context, evidence, is_not_applicable, outcome


class Fixed:
    """An embedder that gives these vectors, or raises."""

    def __init__(self, *vectors: Vector, error: Exception | None = None) -> None:
        self._vectors = vectors
        self._error = error
        self.asked: list[tuple[CallId, tuple[str, ...]]] = []

    async def embed(self, call: CallId, texts: Sequence[str]) -> Sequence[Vector]:
        self.asked.append((call, tuple(texts)))
        if self._error:
            raise self._error
        return self._vectors


def metric(embedder: Fixed | None) -> AdaCosineSimilarity:
    return AdaCosineSimilarity.open(replace(context(), embedder=embedder))


async def scored(raw: float) -> Score:
    embedder = Fixed([1.0, 0.0], [raw, (1 - raw * raw) ** 0.5])
    found = await outcome(metric(embedder), evidence("回答", answer="正解"))
    assert isinstance(found, Score)
    return found


@pytest.mark.parametrize(
    ("raw", "number"),
    [
        (-1.0, 1), (-0.3, 1), (0.0, 1), (0.1999, 1), (0.2001, 2), (0.3999, 2), (0.4001, 3),
        (0.5999, 3), (0.6001, 4), (0.7999, 4), (0.8001, 5), (1.0, 5),
    ],
)  # fmt: skip
async def test_the_five_bins(raw: float, number: int) -> None:
    found = await scored(raw)
    assert (number / 5, {"bin": float(number)}) == (found.value, found.parts)
    assert raw == pytest.approx(found.raw)


@pytest.mark.parametrize(("vector", "number"), [([3.0, 4.0], 4), ([4.0, 3.0], 5)])
async def test_an_edge_belongs_to_the_bin_above(vector: Vector, number: int) -> None:
    found = await outcome(metric(Fixed([1.0, 0.0], vector)), evidence("回答", answer="正解"))
    assert isinstance(found, Score)
    assert {"bin": float(number)} == found.parts


async def test_both_texts_of_the_turn_are_asked_for_under_its_name() -> None:
    embedder = Fixed([1.0], [1.0])
    await outcome(metric(embedder), evidence("一", "二", answer="正解"))
    assert [(CallId("returns/calm/1", 2, Role.EMBEDDING), ("正解", "二"))] == embedder.asked


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("ja", "長いため、先頭の 6,000 文字だけを比べた"),
        ("en", "too long: only the first 6,000 characters count"),
    ],
)
async def test_long_texts_are_cut_and_it_says_so(language: Language, told: str) -> None:
    embedder = Fixed([1.0], [1.0])
    turn = evidence("あ" * 20_000, language=language, answer="い" * LONGEST)
    found = await outcome(metric(embedder), turn)
    assert isinstance(found, Score)
    assert told == found.comment
    assert [("い" * LONGEST, "あ" * LONGEST)] == [texts for _, texts in embedder.asked]


async def test_without_an_expected_answer_it_is_not_applicable() -> None:
    for nothing in ("", " \n"):
        assert is_not_applicable(await outcome(metric(Fixed()), evidence("回答", answer=nothing)))


async def test_an_empty_reply_is_in_the_lowest_bin_and_nothing_is_asked() -> None:
    embedder = Fixed()
    found = await outcome(metric(embedder), evidence(" ", answer="正解"))
    assert Score(0.2, 0.0, "回答が空", {"bin": 1.0}) == found
    assert [] == embedder.asked


@pytest.mark.parametrize(
    "embedder",
    [
        Fixed(error=ModelError(ModelFault.REJECTED, "too long", of_prompt=True)),
        Fixed(error=ModelError(ModelFault.UNPARSABLE, "a vector of zeros")),
        Fixed(error=ModelError(ModelFault.FILTERED, "filtered")),
        Fixed([1.0], [1.0, 2.0]),
        Fixed([0.0], [1.0]),
        Fixed([float("nan")], [1.0]),
    ],
)
async def test_what_cannot_be_compared_is_an_error_and_no_number(embedder: Fixed) -> None:
    found: Outcome = await outcome(metric(embedder), evidence("回答", answer="正解"))
    assert isinstance(found, Unscored)
    assert Gap.METRIC_ERROR is found.reason
    assert found.detail


async def test_an_endpoint_that_gives_no_answer_leaves_the_turn_to_be_scored_later() -> None:
    embedder = Fixed(error=ModelError(ModelFault.UNAVAILABLE, "down"))
    with pytest.raises(ModelError):
        await metric(embedder).score(evidence("回答", answer="正解"))


async def test_without_a_model_it_says_what_to_write() -> None:
    with pytest.raises(InputError, match=r"embedding: \{model: …\}"):
        await metric(None).score(evidence("回答", answer="正解"))
