"""A metric beside people: what each figure is made of."""

import pytest
from scipy.stats import spearmanr
from sklearn.metrics import cohen_kappa_score

from simulator.review.agreement import NAMES, RaterAgreement, agreement_with_people
from simulator.review.verdict_labels import Label
from tests.review.said import label

# A score, and the words of people.
ROWS: list[tuple[float, str]] = [
    (0.2, "NG"), (0.4, "NG"), (0.6, "OK"), (0.8, "OK"), (1.0, "OK"), (0.8, "NG"),
    (0.6, "NG"), (1.0, "OK"), (0.8, "?"), (0.4, "?"), (1.0, "OK"), (0.2, "NG"),
]  # fmt: skip
SURE = [(value, word) for value, word in ROWS if word != "?"]


def plain(rows: list[tuple[float, str]] = ROWS) -> list[Label]:
    return [label(n, value, word) for n, (value, word) in enumerate(rows)]


def beside(
    labels: list[Label], threshold: float | None = 0.7, whole: bool = True
) -> RaterAgreement:
    return agreement_with_people(labels, "overall", threshold, whole=whole)


def mean(found: RaterAgreement, name: str) -> float | None:
    return found.figures[name].value.mean


def test_words_are_compared_where_nobody_is_unsure() -> None:
    found = beside(plain())
    metric = ["OK" if value >= 0.7 else "NG" for value, _ in SURE]
    people = [word for _, word in SURE]
    same = sum(a == b for a, b in zip(metric, people, strict=True)) / len(SURE)
    assert pytest.approx(same) == mean(found, "agreement")
    assert pytest.approx(metric.count("OK") / len(SURE)) == mean(found, "ok_first")
    assert pytest.approx(people.count("OK") / len(SURE)) == mean(found, "ok_second")
    assert pytest.approx(cohen_kappa_score(metric, people)) == mean(found, "kappa")
    assert {10} == {found.figures[name].n for name in ("agreement", "bias", "kappa")}


def test_the_unsure_stand_in_the_middle_where_there_is_an_order() -> None:
    found = beside(plain())
    places = {"NG": 0, "?": 1, "OK": 2}
    metric = [2 if value >= 0.7 else 0 for value, _ in ROWS]
    people = [places[word] for _, word in ROWS]
    kappa = cohen_kappa_score(metric, people, labels=[0, 1, 2], weights="quadratic")
    assert pytest.approx(kappa) == mean(found, "quadratic_kappa")
    values = [value for value, _ in ROWS]
    assert pytest.approx(spearmanr(values, people).statistic) == mean(found, "spearman")
    assert {12} == {found.figures[n].n for n in ("quadratic_kappa", "alpha", "spearman")}
    assert (12, 12, 2) == (found.turns, found.pairs, found.unsure)


def test_a_lenient_metric_has_a_bias_above_zero() -> None:
    found = beside([label(n, 0.9, "NG" if n % 2 else "OK") for n in range(10)])
    assert 0.5 == mean(found, "bias")


def test_a_threshold_is_reached_by_a_hair() -> None:
    found = beside([label(n, 0.7 - 1e-12, "OK") for n in range(6)])
    assert 1.0 == mean(found, "ok_first")


def test_a_metric_that_says_one_word_only_has_no_kappa() -> None:
    found = beside([label(n, 0.2, "NG" if n % 3 else "OK") for n in range(12)])
    assert mean(found, "kappa") is None
    assert mean(found, "quadratic_kappa") is None
    assert mean(found, "spearman") is None
    assert mean(found, "agreement") is not None


def test_without_a_threshold_there_is_an_order_only() -> None:
    found = beside(plain(), threshold=None)
    defined = {name for name in NAMES if mean(found, name) is not None}
    assert {"spearman"} == defined
    assert mean(beside(plain()), "spearman") == mean(found, "spearman")


def test_weights_make_drawn_turns_stand_for_the_others() -> None:
    labels = [
        *(label(n, 0.2, "OK", weight=1.0) for n in range(6)),
        *(label(n, 0.9, "OK", weight=9.0) for n in range(6, 12)),
    ]
    assert pytest.approx(0.9) == mean(beside(labels), "agreement")
    assert pytest.approx(0.5) == mean(beside(labels, whole=False), "agreement")


def test_a_turn_with_several_words_counts_as_one() -> None:
    labels = [
        *(label(n, 0.9, "NG", "NG", "NG") for n in range(5)),
        *(label(n, 0.9, "OK") for n in range(5, 10)),
    ]
    found = beside(labels)
    assert pytest.approx(0.5) == mean(found, "agreement")
    assert (10, 20) == (found.turns, found.pairs)


def test_turns_without_a_score_are_left_out() -> None:
    found = beside([*plain(), label(99, None, "OK")])
    assert (12, 12) == (found.turns, found.pairs)


@pytest.mark.parametrize(("n", "defined"), [(4, False), (5, True)])
def test_below_five_pairs_there_is_no_figure(n: int, defined: bool) -> None:
    found = beside([label(k, 0.9, "OK") for k in range(n)])
    assert defined == (mean(found, "agreement") is not None)


def test_turns_of_one_conversation_are_drawn_together() -> None:
    apart = beside(plain())
    together = beside([label(n // 2, value, word) for n, (value, word) in enumerate(ROWS)])
    assert mean(apart, "agreement") == mean(together, "agreement")
    assert apart.figures["agreement"].value != together.figures["agreement"].value


def test_of_no_turns_there_is_nothing() -> None:
    found = beside([])
    assert {None} == {mean(found, name) for name in NAMES}
