"""When a user believes that it has heard what it wants."""

import pytest

from simulator.core.persona import Language
from simulator.users.agenda.needs import needs_of, read_reply
from tests.users.people import bare, brief


def is_met(need: str, reply: str, language: Language = "ja", query: str = "？") -> bool:
    (found,) = needs_of(brief(bare(language), goal=need, query=query))
    return found.is_met_by(read_reply(reply, language))


@pytest.mark.parametrize(
    ("need", "reply"),
    [
        ("買った靴を返品したい。", "買った靴は返品できます。"),
        (
            "登録しているメールアドレスを変えたい。",
            "「設定」の「メールアドレス」で登録を変えられます。",
        ),
        ("解約の期限がいつか知りたい。", "解約は更新日の前日までにお願いします。"),
        ("送料がいくらか知りたい。", "送料は500円です。"),
        ("どこに連絡すればよいか知りたい。", "security@example.jp までどうぞ。"),
        ("自分で確認したい。", "はい。"),  # no content words: any statement will do
    ],
)
def test_a_reply_with_most_of_its_words_meets_a_need(need: str, reply: str) -> None:
    assert is_met(need, reply)


@pytest.mark.parametrize(
    ("need", "reply"),
    [
        ("買った靴を返品したい。", "会員登録は無料です。"),
        (
            "買った靴を返品したい。",
            "買った靴を返品したいのですね。申し訳ございませんが、分かりかねます。",
        ),
        ("買った靴を返品したい。", "買った靴を返品されたいのですか？"),
        ("送料がいくらか知りたい。", "送料がかかります。"),
        ("自分で確認したい。", "何をですか？"),
    ],
)
def test_other_topics_refusals_and_questions_do_not(need: str, reply: str) -> None:
    assert not is_met(need, reply)


@pytest.mark.parametrize(
    ("need", "reply", "met"),
    [
        ("I want to know when the card is used.", "The card is used within 3 days.", True),
        ("I want to know when the card is used.", "A card is fine.", False),
        ("I want to know how long it takes.", "It takes Seven business days.", True),
        ("I want to know how long it takes.", "It takes the month you chose.", False),
        ("I want to know how much it costs.", "It is 480 yen.", True),
        ("I want to know where to send the papers.", "Send them to legal@example.jp.", True),
        ("I want to return my shoes.", "You can return shoes under Orders.", True),
        ("I want to return my shoes.", "I'm sorry, I don't know how to return shoes.", False),
    ],
)
def test_english_needs_are_met_likewise(need: str, reply: str, *, met: bool) -> None:
    assert met == is_met(need, reply, "en")


@pytest.mark.parametrize(
    ("need", "reply", "met"),
    [
        # A word for money or time that is not asked for calls for no figure.
        (
            "いつまでに手続きすれば次の料金がかからないか知りたい。",
            "前日までに手続きすれば、次の料金はかかりません。",
            True,
        ),
        ("期限が切れたカードを変えたい。", "カードは設定の画面で、期限前でも変えられます。", True),
        ("いつもの支払い方法に戻したい。", "支払い方法は設定の画面で戻せます。", True),
        ("容量の制限をなくしたい。", "容量の制限は、有料のプランでなくせます。", True),
        ("料金を知りたい。", "料金はプランによって変わります。", False),
        ("期限がいつか知りたい。", "期限はお知らせします。", False),
        # That there is none is an answer as well.
        ("手続きに時間の制限があるか知りたい。", "手続きに時間の制限はありません。", True),
        ("いつから使えるか知りたい。", "すぐに使えます。", True),
        ("いつもらえるか知りたい。", "月末にもらえます。", True),
        ("返品の送料がいくらか知りたい。", "返品の送料はかかりません。", True),
        ("いつ届くか知りたい。", "五日ほどで届きます。", True),
    ],
)
def test_what_is_asked_for_has_to_be_there_and_nothing_else(
    need: str, reply: str, *, met: bool
) -> None:
    assert met == is_met(need, reply)


@pytest.mark.parametrize(
    ("need", "reply", "met"),
    [
        ("I want to cancel it without a fee.", "You can cancel it without fees there.", True),
        ("I want to stop the fee for my plan.", "Your plan has no fee from now on.", True),
        ("I want to know the price of the plan.", "The plan is free of charge.", True),
        ("I want to know the price of the plan.", "The plan has a price.", False),
        ("I want to know what shipping costs.", "We do not charge for shipping.", True),
        ("I want to know whether there is a time limit.", "There is no time limit.", True),
        ("I want to know when the card is used.", "The card is used immediately.", True),
        ("I want to know when the card is used.", "The card is used on March 3.", True),
        ("I want to know when the card is used.", "The card may be used.", False),
        ("I want to know when the card is used.", "The card is 480 yen a month.", False),
        ("I want to see the photos when I am offline.", "The photos can be seen offline.", True),
    ],
)
def test_english_figures_are_called_for_likewise(need: str, reply: str, *, met: bool) -> None:
    assert met == is_met(need, reply, "en")


@pytest.mark.parametrize(
    ("need", "reply", "language"),
    [
        ("支払いが遅れたときの利息がいくらか知りたい。", "期日を過ぎると年10%の利息です。", "ja"),
        ("返金がいくらか知りたい。", "返金は半額です。", "ja"),
        ("店が開いている曜日がいつか知りたい。", "店は平日に開いています。", "ja"),
        ("I want to know how much the late fee is.", "The late fee is 10% a year.", "en"),
        ("I want to know when the shop is open.", "The shop is open on weekdays.", "en"),
    ],
)
def test_a_rate_is_a_price_and_a_day_of_the_week_a_time(
    need: str, reply: str, language: Language
) -> None:
    assert is_met(need, reply, language)


def test_a_time_of_something_else_is_none() -> None:
    assert not is_met("いつ届くか知りたい。", "営業時間は9時から18時です。")
    assert not is_met("I want to know when it arrives.", "We are open from 9:00.", "en")


def test_what_shares_no_more_than_the_facts_is_about_something_else() -> None:
    given = brief(
        query="買った万年筆を一度使ったんですが返品できますか",
        goal="使ったあとの商品を返品できるか知りたい。",
        known=["届いたのは3日前", "インクを入れて一度書いた"],
    )
    delivery = "在庫のある商品は、2営業日以内に発送し、翌日から3日以内にお届けします。"
    quoted = "「注文してから何日で届きますか」についてご案内いたします。"
    (need,) = needs_of(given)
    assert not need.is_met_by(read_reply(quoted + delivery, "ja"))
    assert need.is_met_by(read_reply("未使用の商品に限り、14日以内なら返品できます。", "ja"))


def test_the_first_need_is_met_by_the_words_of_a_query_that_says_enough() -> None:
    goal = "新しい端末でも使えるようにしたい。"
    reply = "登録の確認メールが届かないときは、再送してください。"
    assert is_met(goal, reply, query="登録のメールが届かない")
    assert not is_met(goal, reply, query="届かない")


def test_a_query_about_more_does_not_stand_in_for_a_price() -> None:
    goal, query = "会員の料金を知りたい。", "会員の料金と家族の招待方法は？"
    assert not is_met(goal, "会員の家族は招待で参加できます。料金は別です。", query=query)
    assert is_met(goal, "会員の家族は招待で参加できます。料金は500円です。", query=query)


def test_each_sentence_of_the_goal_is_a_need() -> None:
    assert ["返品したい。", "送料を知りたい。"] == [
        need.text for need in needs_of(brief(goal="返品したい。送料を知りたい。"))
    ]


def test_without_a_goal_the_query_is_the_need() -> None:
    assert ["返品できますか"] == [n.text for n in needs_of(brief(goal="", query="返品できますか"))]
