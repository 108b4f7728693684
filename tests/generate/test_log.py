"""Real questions: those that ask the same as one, what answers them, and what tests them."""

import pytest

from simulator.core.persona import Language
from simulator.core.scenario import Expected, Scenario
from simulator.core.talk import Document
from simulator.generate import log as logs
from simulator.generate.log import QuestionLog, clustered
from simulator.view.summary import NEAR

SCENARIOS = [
    Scenario("password", "パスワードを忘れました", goal="またログインできるようにしたい。"),
    Scenario("return", "これ返せますか", expected=Expected(documents=("faq-2",))),
    Scenario("talk", "こんにちは", turns=("領収書を発行してほしい",)),
]
ENTRIES = {"faq-2": Document("30日以内なら返品できます。", "faq-2", "商品を返品したい")}
FAQ = (
    Document("Open the settings and press Delete.", "faq-1", "How do I delete my account?"),
    Document("It unlocks after 30 minutes.", "faq-2", "My account has been locked"),
    Document("Delivery costs 5 euros.", "faq-3", "What does delivery cost?"),
    Document("We wrap gifts for 2 euros.", "faq-4", "Gift wrapping"),
)


def coverage(questions: list[str], scenarios: list[Scenario]) -> QuestionLog:
    return clustered(questions, tuple(ENTRIES.values()), "ja").against(scenarios, ENTRIES, "ja")


def wordings(log: QuestionLog) -> list[set[str]]:
    return [set(cluster.wordings) for cluster in log.clusters]


def test_five_hundred_alike_are_one_line_and_the_most_frequent_comes_first() -> None:
    shipping = ["送料はいくらですか", "送料いくら？", "送料はいくらになりますか？"]
    questions = [*shipping * 166, shipping[0], shipping[0], *["海外で使えますか"] * 7, "はい"]
    log = coverage(questions, SCENARIOS)
    assert (508, 0, 1, 507) == (log.asked, log.near, log.empty, log.far)
    first, second = log.groups
    assert (shipping[0], 500, 3) == (first.question, first.count, first.different)
    assert ("海外で使えますか", 7, 1) == (second.question, second.count, second.different)
    assert (first,) == log.frequent[:1]


@pytest.mark.parametrize(
    ("language", "same", "others"),
    [
        (
            "ja",
            ["領収書を発行してほしい", "領収書はどこで出せますか？", "領収書の発行方法"],
            [
                "写真を消してしまいました",
                "解約の方法を教えてください",
                "電話で問い合わせできますか",
            ],
        ),
        (
            "en",
            ["How do I cancel my subscription?", "cancel subscription", "where do I cancel it"],
            ["I need a receipt", "My upload stops halfway", "Do you accept PayPal?"],
        ),
    ],
)
def test_the_same_in_other_words_is_one_cluster(
    language: Language, same: list[str], others: list[str]
) -> None:
    log = clustered([*same, *others], (), language)
    assert set(same) in wordings(log)
    assert 1 + len(others) == len(log.clusters)


def test_questions_that_different_entries_answer_stay_apart() -> None:
    log = clustered(["My account is locked", "Delete my account", "account locked"], FAQ, "en")
    assert [{"My account is locked", "account locked"}, {"Delete my account"}] == wordings(log)
    assert ["faq-2", "faq-1"] == [c.entry.id for c in log.clusters if c.entry]


def test_the_entry_that_answers_is_named_and_a_gap_has_none() -> None:
    log = clustered(["How much does delivery cost?", "Do you ship to Peru?"], FAQ, "en")
    delivery, peru = log.clusters
    assert ("faq-3", True) == (delivery.entry and delivery.entry.id, delivery.answered)
    assert (None, False) == (peru.entry, peru.answered)


@pytest.mark.parametrize(
    ("question", "entry", "is_expected"),
    [
        ("パスワードを忘れました", "p1", True),
        ("小さいタトゥーがあります", "p2", True),
        ("水着を忘れました", "p1", False),  # the entry names no such thing
        ("時計をロッカーに忘れました", "p1", False),
        ("犬を連れて行けますか", None, False),
    ],
)
def test_an_entry_is_expected_that_has_most_words_and_named_that_has_some(
    question: str, entry: str | None, *, is_expected: bool
) -> None:
    faq = (
        Document("ログイン画面から再設定してください。", "p1", "パスワードを忘れました"),
        Document("小さいものはシールで隠せば入れます。", "p2", "タトゥーについて"),
        Document("大人は900円です。", "p3", "入場料"),
        Document("バスで12分です。", "p4", "行き方"),
    )
    (cluster,) = clustered([question], faq, "ja").clusters
    named = cluster.entry and cluster.entry.id
    assert (entry, is_expected) == (named, cluster.answered)


def test_courtesies_around_a_question_tell_nothing() -> None:
    polite = "お世話になっております。領収書を発行してください。よろしくお願いいたします。"
    other = "お世話になっております。写真が消えました。よろしくお願いいたします。"
    log = clustered(["領収書の発行をお願いします", polite, other], (), "ja")
    assert [2, 1] == [cluster.count for cluster in log.clusters]
    assert polite in log.clusters[0].wordings


def test_personal_data_is_masked_and_does_not_tell_questions_apart() -> None:
    mails = [f"Please send the receipt to anna{n}@example.com" for n in range(3)]
    (cluster,) = clustered(mails, (), "en").clusters
    assert (3, 1) == (cluster.count, cluster.different)
    assert "example.com" not in cluster.question


@pytest.mark.parametrize(
    "question", ["はい", "ありがとうございます", "教えてください", "田中太郎です", ""]
)
def test_what_says_nothing_is_counted_and_no_cluster(question: str) -> None:
    log = clustered([question, "送料はいくらですか"], (), "ja")
    assert (2, 1, 1) == (log.asked, log.empty, len(log.clusters))


def test_a_cluster_keeps_the_name_that_one_of_its_wordings_has_already() -> None:
    (cluster,) = clustered(
        ["cancel subscription"] * 2 + ["Cancel my subscription"], (), "en"
    ).clusters
    (other,) = clustered(["Cancel my subscription"], (), "en").clusters
    assert "cancel subscription" == cluster.question
    assert cluster == cluster.as_one_of(frozenset())
    turned = cluster.as_one_of(frozenset({other.name}))
    assert (other.name, "Cancel my subscription", 3) == (turned.name, turned.question, turned.count)


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
    log = coverage([question], SCENARIOS)
    assert (1, 0, ()) == (log.near, log.empty, log.groups)


def test_the_nearest_scenario_of_a_far_question_is_named() -> None:
    scenarios = [*SCENARIOS, Scenario("parcel", "荷物の配達日時と配達場所を変更したい")]
    questions = ["配達員が庭の植木鉢と塀を壊した", "宇宙"]
    parcel, space = clustered(questions, (), "ja").against(scenarios, {}, "ja").groups
    assert "parcel" == parcel.nearest
    assert 0.0 < parcel.nearness < NEAR
    assert (None, 0.0) == (space.nearest, space.nearness)


def test_clusters_hold_every_question_once_also_beyond_those_that_are_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    questions = [
        f"{a}の{b}を教えて" for a in ("送料", "返品", "営業") for b in ("時間", "方法", "料金")
    ]
    for most in (1_500, 4):
        monkeypatch.setattr(logs, "_MOST_COMPARED", most)
        log = clustered(questions * 2, (), "ja")
        assert 18 == sum(cluster.count for cluster in log.clusters)
        assert sorted(questions) == sorted(w for cluster in log.clusters for w in cluster.wordings)


@pytest.mark.parametrize(
    ("language", "questions"),
    [
        (
            "ja",
            [
                "メールはtaro@example.comです。商品が届きません",
                "メールがhana@example.comで返品したいです",
            ],
        ),
        (
            "en",
            ["My name is John Smith, can I return it?", "My name is Jane Brown, is it in stock?"],
        ),
    ],
)
def test_what_stands_for_personal_data_is_no_matter(
    language: Language, questions: list[str]
) -> None:
    assert [1, 1] == [cluster.count for cluster in clustered(questions, (), language).clusters]
