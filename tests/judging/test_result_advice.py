"""Advice before a due hand-over or refusal: whole talks, checked as a run checks them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from simulator import plugins
from simulator.core.persona import Language
from simulator.core.plan import Cell
from simulator.core.ports import Evidence
from simulator.core.result import Finding, Result, Why
from simulator.core.run import Episode
from simulator.core.scenario import Expected, Scenario
from simulator.core.talk import Document, Exchange, Reply, Stop, StopReason, Talk
from simulator.files.client.keys import DEFAULT_THRESHOLDS
from simulator.judging.result import CHECKS
from simulator.judging.scorer import Scorer
from simulator.metrics._grounding import Grounding
from tests.expecting import expecting
from tests.judging.made import persona
from tests.judging.test_result import (
    BAD,
    GOOD,
    JUDGED,
    NOTHING,
    SAID,
    UNCLEAR,
    grounded,
    refusal,
    result,
    talk,
    turn,
)
from tests.metrics.turns import Entries, context

PASSED, FAILED, UNDECIDED = Result.PASSED, Result.FAILED, Result.UNDECIDED
PHONE = ("03-1234-5678",)
EN = (
    Document("Refunds are possible within 30 days, if the pass was not used.", "r", "Refunds"),
    Document("The office is open 9 to 17; its number is 03-1234-5678.", "o", "Office"),
    Document("Our kitchen uses nuts, eggs and milk.", "k", "What is in the meals?"),
)
JA = (
    Document("ご購入から30日以内で、未使用の場合は返金できます。", "r", "返金"),
    Document("事務局の電話番号は03-1234-5678です。", "o", "事務局"),
    Document("給食には卵、牛乳、小麦を使用しています。", "k", "給食の材料"),
)
QUERY = {
    "en": "My child is allergic to eggs, and may leave. Is there money back?",
    "ja": "子どもに卵アレルギーがあり、退会するかもしれません。返金はありますか。",
}
OVER = {
    "en": "Please call our office at 03-1234-5678; our staff will look at it.",
    "ja": "担当者におつなぎします。03-1234-5678までお電話ください。",
}
ADVICE: list[tuple[Language, str]] = [
    ("en", "We pay back pro rata."),
    ("en", "Certainly, you get the remaining months back."),
    ("en", "A small amount of egg is fine for most children."),
    ("ja", "残りの月数分を返金いたしますのでご安心ください。"),
    ("ja", "加熱すれば食べられます。"),
]
BORNE_OUT: list[tuple[Language, str]] = [
    ("en", "Our kitchen uses nuts, eggs and milk."),
    ("ja", "給食には卵、牛乳、小麦を使用しています。"),
]


@dataclass(frozen=True)
class Played:
    """Plays replies to one question against a knowledge base; each turn asks again."""

    language: Language
    documents: tuple[Document, ...]
    query: str = ""

    async def result(
        self, *said: str, reports: bool = True, knows: bool = True, **wanted: Any
    ) -> Finding:
        entries = Entries(*self.documents) if knows else None
        given = replace(context(self.language), grounding=Grounding(entries, self.language))
        metrics = [plugins.find("metrics", name).open(given) for name in CHECKS]
        scorer = Scorer(metrics, DEFAULT_THRESHOLDS, "x", knowledge=entries)
        query = self.query or QUERY[self.language]
        scenario = Scenario("s", query, expected=expecting(**wanted))
        talk_ = Talk("s/calm/1")
        evidence = Evidence(self.language, persona(self.language), scenario, talk_, scripted=True)
        turns = []
        for number, text in enumerate(said, 1):
            reply = Reply(text, self.documents if reports else (), reports_documents=reports)
            exchanges = (*evidence.talk.exchanges, Exchange(number, query, reply))
            evidence = replace(evidence, talk=Talk("s/calm/1", exchanges))
            turns.append(await scorer.score(evidence))
        held = Episode(Cell("s", "calm"), tuple(turns), Stop(StopReason.DONE))
        found = (await scorer.as_whole(held, evidence)).finding
        assert found
        return found


async def played(language: Language, *said: str, **wanted: Any) -> Finding:
    return await Played(language, EN if language == "en" else JA).result(*said, **wanted)


@pytest.mark.parametrize("elements", [(), PHONE])
@pytest.mark.parametrize(("language", "advice"), ADVICE)
async def test_advice_from_nowhere_is_not_undone_by_a_later_hand_over(
    language: Language, advice: str, elements: Sequence[str]
) -> None:
    found = await played(language, advice, OVER[language], escalate=True, elements=elements)
    assert (UNDECIDED, Why.ADVISED, 1) == (found.result, found.why, found.turn)
    assert found.about == (advice,)


@pytest.mark.parametrize(("language", "advice"), ADVICE)
async def test_nor_by_the_number_that_stands_in_one_answer_with_it(
    language: Language, advice: str
) -> None:
    said = f"{advice} {OVER[language]}"
    found = await played(language, said, OVER[language], escalate=True, elements=PHONE)
    assert (UNDECIDED, Why.ADVISED, (advice,)) == (found.result, found.why, found.about)


@pytest.mark.parametrize("elements", [(), PHONE])
@pytest.mark.parametrize(("language", "fact"), BORNE_OUT)
async def test_what_documents_bear_out_may_come_before_a_hand_over(
    language: Language, fact: str, elements: Sequence[str]
) -> None:
    found = await played(language, fact, OVER[language], escalate=True, elements=elements)
    assert (PASSED, Why.HANDED_OVER) == (found.result, found.why)


@pytest.mark.parametrize("language", ["en", "ja"])
async def test_an_answer_with_no_document_at_hand_is_borne_out_by_none(language: Language) -> None:
    advice = next(text for known, text in ADVICE if known == language)
    silent = Played(language, EN if language == "en" else JA)
    found = await silent.result(advice, OVER[language], reports=False, knows=False, escalate=True)
    assert (UNDECIDED, Why.ADVISED, 1) == (found.result, found.why, found.turn)
    assert found.about == (advice,)
    over = await silent.result(OVER[language], reports=False, knows=False, escalate=True)
    assert (PASSED, Why.HANDED_OVER) == (over.result, over.why)


def test_advice_counts_where_elements_were_said_later() -> None:
    advice = turn(refusal=refusal(0), elements_lexical=SAID, grounded=grounded(0.3, 0.5))
    over = turn(refusal=refusal(1, handed_over=1), elements_lexical=SAID)
    assert (UNDECIDED, Why.ADVISED) == result(talk(advice, over, expected=Expected(escalate=True)))


def test_advice_counts_where_it_is_unclear_whether_all_was_said() -> None:
    advice = turn(refusal=refusal(0), grounded=grounded(0.3, 0.5), overall=BAD)
    over = turn(refusal=refusal(1, handed_over=1), elements_lexical=UNCLEAR, overall=GOOD)
    held = talk(advice, over, expected=Expected(escalate=True))
    assert (UNDECIDED, Why.ADVISED) == result(held)
    assert (UNDECIDED, Why.ADVISED) == result(held, JUDGED)


def test_a_good_rating_of_the_hand_over_says_nothing_of_the_advice_before_it() -> None:
    advice = turn(refusal=refusal(0), grounded=grounded(0.3, 0.5), overall=BAD)
    over = turn(refusal=refusal(1, handed_over=1), overall=GOOD)
    due = Expected(escalate=True)
    assert (UNDECIDED, Why.ADVISED) == result(talk(advice, over, expected=due), JUDGED)
    fine = replace(advice, outcomes={**advice.outcomes, "overall": GOOD})
    assert PASSED is result(talk(fine, over, expected=due), JUDGED)[0]
    unrated = replace(advice, outcomes={**advice.outcomes, "overall": NOTHING})
    assert (UNDECIDED, Why.ADVISED) == result(talk(unrated, over, expected=due), JUDGED)


BOOKING = "Can I move my booking to another day?"
REFUSED = "I'm sorry, I don't know that. Please call our office at 03-1234-5678."
BOOKED: dict[str, Any] = {"elements": PHONE, "documents": ("r",)}


async def test_a_number_that_only_a_refusal_names_answers_nothing() -> None:
    booking = Played("en", EN, BOOKING)
    found = await booking.result(REFUSED, **BOOKED)
    assert (UNDECIDED, Why.POINTED, PHONE) == (found.result, found.why, found.about)
    told = await booking.result(REFUSED, answer="You can move it once, free of charge.", **BOOKED)
    assert FAILED is told.result
    more = ("You can move it once, free of charge. Our office is at 03-1234-5678.", REFUSED)
    said = await booking.result(*more, answer="You can move it once, free of charge.", **BOOKED)
    assert UNDECIDED is said.result  # refused a later question


async def test_a_number_that_is_asked_for_or_expected_in_a_pointer_is_an_answer() -> None:
    reach = Played("en", EN, "What is the number of your office?")
    assert PASSED is (await reach.result(REFUSED, **BOOKED)).result
    booking = Played("en", EN, BOOKING)
    pointer = "Please call our office at 03-1234-5678; our staff will move it."
    assert PASSED is (await booking.result(pointer, answer=pointer, **BOOKED)).result
    call: dict[str, Any] = {"elements": ("call 03-1234-5678",), "documents": ("r",)}
    assert PASSED is (await booking.result(REFUSED, **call)).result
    fact = "Bookings are moved by telephone, 03-1234-5678, until the day before."
    assert PASSED is (await booking.result(fact, **BOOKED)).result


async def test_a_japanese_refusal_that_names_a_number_answers_nothing() -> None:
    moved = Played("ja", JA, "予約の日を変えられますか。")
    refused = "申し訳ございません。分かりかねます。03-1234-5678までお電話ください。"
    found = await moved.result(refused, **BOOKED)
    assert (UNDECIDED, Why.POINTED) == (found.result, found.why)
    fact = "予約の日の変更は、前日まで電話（03-1234-5678）で承っています。"
    assert PASSED is (await moved.result(fact, **BOOKED)).result
