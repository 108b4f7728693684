"""The share of the expected elements that the replies hold."""

import pytest

from simulator.core.errors import TargetFault
from simulator.core.outcome import Score
from simulator.core.persona import Language
from simulator.core.scenario import Element
from simulator.core.talk import Document, Reply, TargetFailure
from simulator.metrics.elements_lexical import ElementsLexical
from tests.metrics.turns import comment, context, evidence, is_not_applicable, outcome, value

METRIC = ElementsLexical.open(context())


async def test_the_value_is_the_share_of_the_elements_that_are_there() -> None:
    turn = evidence(
        "30日以内なら返品できます。", elements=["30日以内", "返品できる", "無料", "店舗"]
    )
    assert 0.5 == value(await outcome(METRIC, turn))


async def test_what_an_earlier_reply_said_still_counts() -> None:
    turn = evidence("30日以内です。", "返品できます。", elements=["30日以内", "返品できる"])
    assert 1.0 == value(await outcome(METRIC, turn))


async def test_an_earlier_turn_without_an_answer_does_not_matter() -> None:
    failure = TargetFailure(TargetFault.TIMEOUT, "too late")
    turn = evidence(failure, "30日以内です。", elements=["30日以内"])
    assert 1.0 == value(await outcome(METRIC, turn))


async def test_a_denied_verb_does_not_count() -> None:
    turn = evidence("返品できません。", elements=["返品できる"])
    assert 0.0 == value(await outcome(METRIC, turn))


@pytest.mark.parametrize(
    ("language", "reply", "elements", "said"),
    [
        ("ja", "はい。", ["30日以内", "無料"], "ない要素: 30日以内、無料"),
        ("en", "Yes.", ["within 30 days", "free"], "missing: within 30 days, free"),
        ("ja", "無料です。", ["無料"], ""),
    ],
)
async def test_the_comment_names_what_is_missing(
    language: Language, reply: str, elements: list[str], said: str
) -> None:
    turn = evidence(reply, language=language, elements=elements)
    assert said == comment(await outcome(METRIC, turn))


@pytest.mark.parametrize("elements", [[], [""], ["。", " "]])
async def test_without_elements_it_is_not_applicable(elements: list[str]) -> None:
    assert is_not_applicable(await outcome(METRIC, evidence("はい。", elements=elements)))


async def test_its_parts_count_every_element_and_it_names_those_not_plainly_said() -> None:
    elements: list[str | Element] = ["30日以内", ("無料", "0円"), "宿泊の予約", "店舗で受け取る"]
    turn = evidence(
        "30日以内です。料金は0円です。お泊まりの予定をお知らせします。", elements=elements
    )
    found = await outcome(METRIC, turn)
    assert isinstance(found, Score)
    assert {"said": 2, "unclear": 1, "missing": 1, "contradicted": 0} == found.parts
    assert (2 + 1 / 2) / 4 == found.value
    assert ("宿泊の予約", "店舗で受け取る") == found.named
    assert "ない要素: 店舗で受け取る / 別の言い方かもしれない要素: 宿泊の予約" == found.comment


async def test_only_this_reply_can_contradict() -> None:
    elements = ["返品は30日以内", "返品は無料"]
    for replies, count in (
        (("返品は10日以内です。",), 1),
        (("返品は10日以内です。", "失礼しました。返品は30日以内です。"), 0),
        (("返品は30日以内です。", "返品は無料ではありません。"), 1),
    ):
        found = await outcome(METRIC, evidence(*replies, elements=elements))
        assert isinstance(found, Score)
        assert count == found.parts["contradicted"]


async def test_an_element_with_alternatives_is_named_with_all_of_them() -> None:
    turn = evidence("Yes.", language="en", elements=[("6 cents", "$0.06")])
    assert "missing: 6 cents / $0.06" == comment(await outcome(METRIC, turn))


async def test_it_does_not_apply_to_a_question_back() -> None:
    asks = evidence("どの商品についてのご質問でしょうか。", elements=["無料"])
    assert is_not_applicable(await outcome(METRIC, asks))


@pytest.mark.parametrize(
    ("language", "word", "denied", "affirmed"),
    [
        ("ja", "飲食", "館内での飲食はできません。", "館内での飲食はできます。"),
        ("ja", "ペット", "ペットはご遠慮ください。", "ペットもご一緒にどうぞ。"),
        ("en", "refund", "We do not give refunds.", "You get a refund at the desk."),
    ],
)
async def test_a_word_that_is_only_denied_is_unclear_unless_what_is_right_denies_it_too(
    language: Language, word: str, denied: str, affirmed: str
) -> None:
    metric = ElementsLexical.open(context(language))

    async def state(reply: Reply | str, answer: str = "") -> float:
        turn = evidence(reply, language=language, elements=[word], answer=answer)
        return value(await outcome(metric, turn))

    assert (1.0, 0.5) == (await state(affirmed), await state(denied))
    assert 1.0 == await state(denied, answer=denied)
    assert 1.0 == await state(Reply(denied, (Document(denied),)))
    assert 0.5 == await state(Reply(denied, (Document(affirmed),)))
    assert 1.0 == await state(f"{denied} {affirmed}")


GOAL = "着物のレンタル料金を知りたい。ヘアセットを追加するといくらか知りたい。"
FIRST, SECOND = "着物のレンタル料金を教えてください", "ヘアセットを追加するといくらですか"
OTHERS = "レンタル料金は一式88,000円から253,000円までございます。"


@pytest.mark.parametrize(
    ("goal", "asked", "replies", "contradicted"),
    [
        (GOAL, [FIRST], [OTHERS], 0),
        (GOAL, [FIRST, SECOND], [OTHERS, "ヘアセットは5,500円です。"], 0),
        (GOAL, [FIRST, SECOND, FIRST], [OTHERS, "ヘアセットは5,500円です。", OTHERS], 0),
        ("", [SECOND], ["ヘアセットの追加は7,700円です。"], 1),
    ],
)
async def test_an_amount_may_answer_what_the_user_has_not_asked_yet(
    goal: str, asked: list[str], replies: list[str], contradicted: int
) -> None:
    turn = evidence(*replies, elements=["5,500円"], goal=goal, asked=asked)
    found = await outcome(METRIC, turn)
    assert isinstance(found, Score)
    assert contradicted == found.parts["contradicted"]


async def test_so_in_english() -> None:
    goal = "I want to know the price of a guided tour, and what parking costs."
    asked = ["How much is a guided tour?"]
    turn = evidence(
        "Guided tours are $40 to $90.", language="en", elements=["$12"], goal=goal, asked=asked
    )
    found = await outcome(METRIC, turn)
    assert isinstance(found, Score)
    assert 0 == found.parts["contradicted"]


DESK = "それは分からない。船宿に電話で聞いてほしい（0599-55-0138、7時〜19時）。"


@pytest.mark.parametrize(
    ("reply", "element", "asked", "said"),
    [
        (DESK, "7時", "釣りは何時からですか", 0.0),
        (DESK, "7時", "電話は何時からですか", 1.0),
        (DESK, "0599-55-0138", "釣りは何時からですか", 0.5),
        (DESK, "0599-55-0138", "船宿の電話番号は", 1.0),
        ("天気は分かりません。釣りは7時からです。", "7時", "釣りは何時からですか", 1.0),
        ("釣りは7時からです。詳しくは船宿にお電話ください。", "7時", "釣りは何時からですか", 1.0),
    ],
)
async def test_the_hours_of_a_desk_that_a_refusal_names_are_not_those_asked_for(
    reply: str, element: str, asked: str, said: float
) -> None:
    turn = evidence(reply, elements=[element], asked=[asked])
    assert said == value(await outcome(METRIC, turn))


async def test_where_a_person_is_asked_for_a_desk_is_what_is_expected() -> None:
    turn = evidence(DESK, elements=["7時"], asked=["釣りは何時からですか"], escalate=True)
    assert value(await outcome(METRIC, turn)) == 1.0
