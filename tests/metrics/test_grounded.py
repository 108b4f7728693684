"""How far the documents of a turn bear out its reply."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from simulator.core.errors import TargetFault
from simulator.core.outcome import Outcome, Score
from simulator.core.persona import Language
from simulator.core.ports import Metric
from simulator.core.talk import Document, Reply, TargetFailure
from simulator.metrics._grounding import Grounding
from simulator.metrics.grounded import Grounded
from simulator.metrics.lexical import Lexical
from simulator.text.grounding import Statement, statements
from tests.metrics.turns import (
    Entries,
    comment,
    context,
    evidence,
    is_not_applicable,
    outcome,
    value,
)

METRIC = Grounded.open(context())
DOCUMENT = Document("全国一律500円です。", "faq-1", "送料はいくらですか")
RIGHT, WRONG = "送料は全国一律500円です。", "送料は全国一律800円です。"


async def test_a_reply_of_the_documents_is_borne_out() -> None:
    found = await outcome(METRIC, evidence(Reply(RIGHT, (DOCUMENT,))))
    assert 1.0 == value(found)
    assert "" == comment(found)
    assert isinstance(found, Score)
    assert {"borne_out": 1.0, "weakest": 1.0, "contradicted": 0.0, "invented": 0.0} == found.parts
    assert () == found.named


async def test_what_is_in_no_document_is_quoted() -> None:
    reply = f"{RIGHT}{WRONG}離島へは船便のみです。"
    found = await outcome(METRIC, evidence(Reply(reply, (DOCUMENT,))))
    assert pytest.approx(1 / 3) == value(found)
    assert f"文書で裏づけられない文: {WRONG} / 離島へは船便のみです。" == comment(found)
    assert isinstance(found, Score)
    expected = {"borne_out": pytest.approx(1 / 3), "weakest": 0.0, "contradicted": 1.0}
    assert {**expected, "invented": 1.0} == found.parts
    assert (WRONG, "離島へは船便のみです。") == found.named


async def test_the_sentence_of_which_most_is_not_borne_out_is_named_first() -> None:
    short, promise = "お茶が出ます。", "お急ぎのときは職員がご自宅まで車でお届けにうかがいます。"
    found = await outcome(METRIC, evidence(Reply(f"{short}{RIGHT}{promise}", (DOCUMENT,))))
    assert isinstance(found, Score)
    assert (promise, short) == found.named


async def test_one_statement_that_is_not_borne_out_brings_the_value_under_the_threshold() -> None:
    found = await outcome(METRIC, evidence(Reply(f"{RIGHT * 9}{WRONG}", (DOCUMENT,))))
    assert 0.59 < value(found) < 0.6
    assert isinstance(found, Score)
    assert pytest.approx(0.9) == found.parts["borne_out"]


async def test_what_is_expected_bears_out_what_says_it() -> None:
    said = "どちらへお送りしても、500円をお願いいたします。"
    reply = Reply(said, (DOCUMENT,))
    assert value(await outcome(METRIC, evidence(reply))) < 0.6
    assert value(await outcome(METRIC, evidence(reply, elements=["500円"]))) == 0.6
    assert value(await outcome(METRIC, evidence(reply, answer=said))) == 1.0


@pytest.mark.parametrize(
    "added", ["離島なら900円", "JTBの会員なら無料", "隣の店なら冷えた麦茶つき"]
)
async def test_but_not_with_anything_from_elsewhere(added: str) -> None:
    said = f"お送りするときのお値段は500円、{added}です。"
    found = await outcome(METRIC, evidence(Reply(said, (DOCUMENT,)), elements=["500円"]))
    assert value(found) < 0.6


OTHERS = [Document(f"品番{n}の棚は{n}番です。", f"shelf-{n}", f"棚{n}") for n in range(40)]
WITH_KNOWLEDGE = Grounded.open(
    replace(context(), grounding=Grounding(Entries(*OTHERS, DOCUMENT), "ja"))
)


async def test_also_where_a_document_seems_to_deny_it() -> None:
    said, document = "送料は代金に含まれません。", Document("送料は代金に含まれます。", "faq-1")
    for element, contradicted in ((said, 0.0), ("500円", 1.0)):
        found = await outcome(METRIC, evidence(Reply(said, (document,)), elements=[element]))
        assert isinstance(found, Score)
        assert contradicted == found.parts["contradicted"]


async def test_an_expected_amount_does_not_bear_out_that_it_is_denied() -> None:
    document = Document("A crown needs two visits. It costs £590.", "d09", "How many visits?")
    reply = Reply("A crown needs two visits. It does not cost £590.", (document,))
    found = await outcome(METRIC, evidence(reply, language="en", elements=["two visits", "£590"]))
    assert isinstance(found, Score)
    assert 1.0 == found.parts["contradicted"]


async def test_without_documents_the_nearest_entries_of_the_knowledge_base_count() -> None:
    for reply in (RIGHT, Reply(RIGHT, reports_documents=True), Reply(RIGHT, (Document(" "),))):
        assert 1.0 == value(await outcome(WITH_KNOWLEDGE, evidence(reply)))
    found = await outcome(WITH_KNOWLEDGE, evidence(f"品番7の棚は7番です。{WRONG}"))
    assert isinstance(found, Score)
    assert (WRONG,) == found.named


async def test_documents_that_came_go_before_the_knowledge_base() -> None:
    turn = evidence(Reply(RIGHT, (Document("定休日は水曜日です。"),)))
    assert 0.0 == value(await outcome(WITH_KNOWLEDGE, turn))


DESK = Document("代表電話は03-0000-1200、平日9時から17時までです。", "desk", "本社")
LINE = "詳しくは本社窓口 03-0000-1200（平日9時から17時）へお電話ください。"
AT_A_DESK = Grounded.open(
    replace(context(), grounding=Grounding(Entries(*OTHERS, DOCUMENT, DESK), "ja"))
)


async def test_a_contact_of_the_knowledge_base_may_be_named_with_any_answer() -> None:
    reply = Reply(f"申し訳ございません。分かりかねます。{LINE}", (DOCUMENT,))
    found = await outcome(AT_A_DESK, evidence(reply, answerable=False))
    assert 0.6 <= value(found)
    assert "" == comment(found)


@pytest.mark.parametrize(
    "line",
    [
        LINE.replace("1200", "1299"),
        LINE.replace("17時", "21時"),
        "詳しくはヤマト運輸 03-0000-1200 へお電話ください。",
    ],
)
async def test_but_not_with_another_number_hour_or_name(line: str) -> None:
    reply = Reply(f"申し訳ございません。分かりかねます。{line}", (DOCUMENT,))
    found = await outcome(AT_A_DESK, evidence(reply, answerable=False))
    assert value(found) < 0.6
    assert isinstance(found, Score)
    assert (line,) == found.named


@pytest.mark.parametrize(
    ("beside", "invented"),
    [
        ("手数料は別に120円です。", 1.0),
        ("隣の「ハヤブサ便」のほうが早く着きます。", 1.0),
        ("品番7の棚は7番です。", 0.0),  # in the knowledge base, but nothing that came
        ("返品する方法は2つあります。", 0.0),
    ],
)
async def test_a_number_or_a_name_that_stands_nowhere_is_invented(
    beside: str, invented: float
) -> None:
    reply = Reply(f"{RIGHT}{beside}", (DOCUMENT,))
    found = await outcome(AT_A_DESK, evidence(reply, elements=["500円"]))
    assert isinstance(found, Score)
    assert invented == found.parts["invented"]


async def test_what_is_beside_a_right_answer_needs_fewer_of_its_words() -> None:
    beside = "どこの送料でも変わらないのでご安心を。"
    reply = Reply(f"{RIGHT}{beside}", (DOCUMENT,))
    assert value(await outcome(AT_A_DESK, evidence(reply))) < 0.6
    assert value(await outcome(AT_A_DESK, evidence(reply, elements=["500円"]))) >= 0.6


@pytest.mark.parametrize(
    ("language", "advice", "hands_over"),
    [
        (
            "ja",
            "湿布を貼って休めば治ります。",
            "担当者におつなぎしますので、そのままお待ちください。",
        ),
        ("en", "Just put some ice on it.", "Please stay there; a colleague will be with you."),
    ],
)
async def test_beside_a_hand_over_advice_is_a_statement_and_please_wait_is_none(
    language: Language, advice: str, hands_over: str
) -> None:
    metric = Grounded.open(context(language))

    async def found(reply: str) -> Outcome:
        said = Reply(reply, (DOCUMENT,))
        return await outcome(metric, evidence(said, language=language, escalate=True))

    assert is_not_applicable(await found(hands_over))
    beside = await found(f"{advice} {hands_over}")
    assert isinstance(beside, Score)
    assert (advice,) == beside.named


def test_with_a_knowledge_base_it_needs_no_documents_of_the_bots() -> None:
    assert [("context",), ()] == [metric.infos[0].needs for metric in (METRIC, WITH_KNOWLEDGE)]
    empty = Grounded.open(replace(context(), grounding=Grounding(Entries(), "ja")))
    assert ("context",) == empty.infos[0].needs


async def test_a_question_back_and_a_refusal_state_nothing() -> None:
    for reply in (
        "どちらの商品についてのご質問でしょうか？",
        "申し訳ございません。分かりかねます。",
    ):
        assert is_not_applicable(await outcome(METRIC, evidence(Reply(reply, (DOCUMENT,)))))
        assert is_not_applicable(await outcome(WITH_KNOWLEDGE, evidence(reply)))


async def test_what_leads_up_to_a_question_back_is_no_statement() -> None:
    reply = Reply("2点確認させてください。どの商品でしょうか。", (DOCUMENT,))
    assert is_not_applicable(await outcome(METRIC, evidence(reply)))


async def test_turns_that_are_asked_about_at_once_are_looked_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: list[str] = []

    def counted(reply: str, *args: Any) -> list[Statement]:
        looked.append(reply)
        return statements(reply, *args)

    monkeypatch.setattr("simulator.metrics._grounding.statements", counted)
    given = replace(context(), grounding=Grounding(Entries(*OTHERS, DOCUMENT), "ja"))
    metrics: list[Metric] = [Grounded.open(given), Lexical.open(given)]
    turns = [evidence(RIGHT, answer=RIGHT), evidence(Reply(WRONG, (DOCUMENT,)), answer=WRONG)]
    await asyncio.gather(*(metric.score(turn) for metric in metrics for turn in turns))
    assert [WRONG, RIGHT] == sorted(looked, key=[WRONG, RIGHT].index)


async def test_the_comment_is_in_the_language_of_the_talk() -> None:
    turn = evidence(Reply("It is free.", (Document("It costs 5 pounds."),)), language="en")
    assert "not in the documents: It is free." == comment(await outcome(METRIC, turn))


async def test_the_documents_of_this_turn_count() -> None:
    turn = evidence(Reply("はい。", (DOCUMENT,)), Reply(RIGHT, (Document("定休日は水曜日です。"),)))
    assert 0.0 == value(await outcome(METRIC, turn))


async def test_without_documents_or_statements_it_does_not_apply() -> None:
    for reply in (
        RIGHT,
        Reply(RIGHT, reports_documents=True),
        Reply(RIGHT, (Document(" "),)),
        Reply("ありがとうございます。", (DOCUMENT,)),
        Reply("", (DOCUMENT,)),
        TargetFailure(TargetFault.TIMEOUT, "too slow"),
    ):
        assert is_not_applicable(await outcome(METRIC, evidence(reply)))


async def test_long_texts_are_read_in_another_thread() -> None:
    turn = evidence(Reply(RIGHT, (Document("営業中です。" * 4000), DOCUMENT)))
    assert 1.0 == value(await outcome(METRIC, turn))
