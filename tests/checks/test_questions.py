"""Real questions beside scenarios: near, far, and those that are alike as one."""

import pytest

from simulator.checks.questions import ALIKE, log_coverage
from simulator.core.scenario import Expected, Scenario
from simulator.core.talk import Document
from simulator.text.nearness import NearestTexts, WordWeights
from simulator.view.coverage import NEAR

SCENARIOS = [
    Scenario("password", "パスワードを忘れました", goal="またログインできるようにしたい。"),
    Scenario("return", "これ返せますか", expected=Expected(documents=("faq-2",))),
    Scenario("talk", "こんにちは", turns=("領収書を発行してほしい",)),
]
ENTRIES = {"faq-2": Document("30日以内なら返品できます。", "faq-2", "商品を返品したい")}


def test_five_hundred_alike_are_one_line_and_the_most_frequent_comes_first() -> None:
    shipping = ["送料はいくらですか", "送料いくら？", "送料はいくらになりますか？"]
    questions = [*shipping * 166, shipping[0], shipping[0], *["海外で使えますか"] * 7, "はい"]
    found = log_coverage(questions, SCENARIOS, ENTRIES, "ja")
    assert (508, 0, 1, 507) == (found.asked, found.near, found.empty, found.far)
    first, second = found.groups
    assert (shipping[0], 500, 3) == (first.question, first.count, first.different)
    assert ("海外で使えますか", 7, 1) == (second.question, second.count, second.different)


@pytest.mark.parametrize(
    "question",
    [
        "パスワードを忘れた！",  # the query
        "ログインできるようにしたいです",  # the goal
        "領収書の発行",  # a scripted turn
        "商品の返品",  # the title of what is expected
    ],
)
def test_a_scenario_is_near_by_any_of_its_texts(question: str) -> None:
    found = log_coverage([question], SCENARIOS, ENTRIES, "ja")
    assert (1, 0, ()) == (found.near, found.empty, found.groups)


def test_the_nearest_scenario_of_a_far_question_is_named() -> None:
    scenarios = [*SCENARIOS, Scenario("parcel", "荷物の配達日時と配達場所を変更したい")]
    questions = ["配達員が庭の植木鉢と塀を壊した", "宇宙"]
    parcel, space = log_coverage(questions, scenarios, {}, "ja").groups
    assert "parcel" == parcel.nearest
    assert 0.0 < parcel.nearness < NEAR < ALIKE
    assert (None, 0.0) == (space.nearest, space.nearness)


def test_groups_hold_every_question_once() -> None:
    questions = [
        f"{a}の{b}を教えて" for a in ("送料", "返品", "営業") for b in ("時間", "方法", "料金")
    ]
    found = log_coverage(questions * 2, [], {}, "ja")
    assert 18 == found.far == sum(group.count for group in found.groups)
    assert 9 == sum(group.different for group in found.groups)
    weights = WordWeights(questions, "ja")
    leaders = [weights.vector(group.question) for group in found.groups]
    for at, leader in enumerate(leaders):
        near = NearestTexts(leaders[:at]).nearest(leader)
        assert near is None or near[1] < ALIKE
