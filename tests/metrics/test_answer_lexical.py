"""The share of the expected answer that the replies hold."""

from simulator.core.outcome import Score
from simulator.metrics.answer_lexical import AnswerLexical
from simulator.metrics.elements_lexical import ElementsLexical
from tests.metrics.turns import comment, context, evidence, is_not_applicable, outcome, value

METRIC = AnswerLexical.open(context())
ANSWER = "送料は500円です。5,000円以上は無料です。"


async def parts(*replies: str, answer: str | list[str] = ANSWER) -> dict[str, float]:
    found = await outcome(METRIC, evidence(*replies, answer=answer))
    assert isinstance(found, Score)
    return dict(found.parts)


async def test_plainly_met_in_part_and_missed() -> None:
    assert {"met": 1.0, "contradicted": 0.0} == await parts(ANSWER)
    assert {"met": 0.5, "contradicted": 0.0, "least": 0.75} == await parts("送料は500円です。")
    assert {"met": 0.0, "contradicted": 0.0} == await parts("店は駅の隣です。")


async def test_a_number_of_another_sentence_of_it_contradicts_nothing() -> None:
    assert (await parts("送料は500円です。"))["contradicted"] == 0
    assert (await parts("送料無料は5,000円からです。"))["contradicted"] == 0


async def test_its_sentences_that_were_not_plainly_said_are_named() -> None:
    right = "送料は全国一律500円です。離島へは船便で発送します。"
    half = await outcome(METRIC, evidence("送料は全国一律500円です。", answer=right))
    assert isinstance(half, Score)
    assert (0.5, ("離島へは船便で発送します。",)) == (half.parts["met"], half.named)
    whole = await outcome(METRIC, evidence(right, answer=right))
    assert isinstance(whole, Score)
    assert () == whole.named


async def test_the_sentence_of_which_least_is_held_comes_first_and_a_not_more_tells() -> None:
    right = "保証は家具の修理に2年付きます。お持ち込みの布と日焼けは対象外です。"
    some = await outcome(METRIC, evidence("家具の修理には2年の保証があります。", answer=right))
    assert isinstance(some, Score)
    assert "お持ち込みの布と日焼けは対象外です。" == some.named[0]
    assert some.parts["least"] == 0
    asked = "修理をお受けするのは平日の午前中だけです。"
    plain, denied = [
        (await parts(reply, answer=asked))["least"]
        for reply in ("平日の午前中に修理します。", "平日の午前中に修理しないこともあります。")
    ]
    assert denied < plain


async def test_a_wrong_number_contradicts() -> None:
    assert (await parts("送料は900円です。"))["contradicted"] == 1
    assert (await parts("送料は900円です。", "失礼しました、500円です。"))["contradicted"] == 0


async def test_the_best_of_several_answers_counts() -> None:
    assert 1.0 == value(
        await outcome(METRIC, evidence("無料です。", answer=[ANSWER, "無料です。"]))
    )


async def test_the_comment_says_what_is_wrong() -> None:
    found = await outcome(METRIC, evidence("送料は900円です。", answer="送料は500円です。"))
    assert "期待する回答の内容がない / 期待する回答と食い違う" == comment(found)


async def test_it_needs_an_answer_and_more_than_a_question_back() -> None:
    assert is_not_applicable(await outcome(METRIC, evidence("はい。")))
    asks = evidence("どの商品についてのご質問でしょうか。", answer=ANSWER)
    assert is_not_applicable(await outcome(METRIC, asks))


async def test_an_expected_refusal_may_be_worded_in_any_way() -> None:
    turn = evidence("分かりかねます。", answer="記載がなく、お答えできません。", answerable=False)
    assert is_not_applicable(await outcome(METRIC, turn))


async def test_a_reply_that_is_not_read_whole_is_marked() -> None:
    long = f"{ANSWER}{'今日は晴れです。' * 1_000}"
    for metric in (METRIC, ElementsLexical.open(context())):
        said = evidence(long, answer=ANSWER, elements=["500円"])
        assert "返答のはじめの 8,000 文字だけを読んだ" == comment(await outcome(metric, said))
        assert "" == comment(
            await outcome(metric, evidence(ANSWER, answer=ANSWER, elements=["500円"]))
        )
