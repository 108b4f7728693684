"""People beside people: pairs of reviewers, and all of them."""

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from simulator.review.agreement import RaterAgreement, agreement_among_people, agreement_by_two
from simulator.review.verdict_labels import Label
from tests.review.said import SATO, TANAKA, label

PLACES = {"NG": 0, "?": 1, "OK": 2, "": None}
# The words of Sato, Tanaka and Ochi.
ROWS = [
    ("OK", "OK", ""), ("NG", "NG", ""), ("OK", "NG", ""), ("?", "OK", "OK"), ("NG", "NG", "?"),
    ("OK", "OK", "OK"), ("NG", "OK", ""), ("NG", "NG", ""), ("OK", "OK", ""), ("OK", "", ""),
]  # fmt: skip


def labels(rows: list[tuple[str, str, str]] = ROWS) -> list[Label]:
    return [label(n, 0.9, *row) for n, row in enumerate(rows)]


def mean(found: RaterAgreement, name: str) -> float | None:
    return found.figures[name].value.mean


def test_alpha_is_over_all_people() -> None:
    data = [[np.nan if PLACES[w] is None else PLACES[w] for w in row] for row in ROWS]
    expected = krippendorff.alpha(np.array(data, float).T, level_of_measurement="ordinal")
    assert pytest.approx(expected) == mean(agreement_among_people(labels(), whole=True), "alpha")


def test_turns_with_one_word_are_no_pairs() -> None:
    found = agreement_among_people(labels(), whole=True)
    assert (9, 15) == (found.turns, found.pairs)


def test_two_people_are_compared_on_what_both_judged() -> None:
    (pair,) = agreement_by_two(labels(), whole=True)
    both = [(a, b) for a, b, _ in ROWS if "?" not in (a, b) and a and b]
    assert (SATO, TANAKA) == pair.people
    assert pytest.approx(cohen_kappa_score(*zip(*both, strict=True))) == mean(
        pair.agreement, "kappa"
    )
    assert pytest.approx(6 / 8) == mean(pair.agreement, "agreement")
    assert 0.0 == mean(pair.agreement, "bias")
    assert (9, 8) == (pair.agreement.turns, pair.agreement.figures["kappa"].n)


def test_one_kappa_is_over_those_who_share_enough_turns() -> None:
    seldom = [*labels([(a, b, "") for a, b, _ in ROWS]), label(50, 0.9, "OK", "", "NG")]
    (pair,) = agreement_by_two(seldom, whole=True)
    assert mean(pair.agreement, "kappa") == mean(
        agreement_among_people(seldom, whole=True), "kappa"
    )


def test_there_is_no_bias_among_people_who_are_all_alike() -> None:
    assert mean(agreement_among_people(labels(), whole=True), "bias") is None


def test_who_comes_first_makes_no_difference_among_all() -> None:
    turned = [label(n, 0.9, row[1], row[0], row[2]) for n, row in enumerate(ROWS)]
    found, other = (
        agreement_among_people(labels(), whole=True),
        agreement_among_people(turned, whole=True),
    )
    assert pytest.approx(mean(found, "ok_second")) == mean(other, "ok_second")
    assert pytest.approx(mean(found, "kappa")) == mean(other, "kappa")


def test_people_who_judged_nothing_together_have_no_figures() -> None:
    found = agreement_among_people([label(n, 0.9, "OK") for n in range(20)], whole=True)
    assert (0, 0) == (found.turns, found.pairs)
    assert mean(found, "alpha") is None
    assert () == agreement_by_two([label(n, 0.9, "OK") for n in range(20)], whole=True)


def test_the_most_shared_turns_come_first() -> None:
    rows = [("OK", "NG", "")] * 5 + [("OK", "", "OK")] * 7
    pairs = agreement_by_two(labels(rows), whole=True)
    assert [7, 5] == [pair.agreement.turns for pair in pairs]
