"""Answers that are taken from an entry of another matter, and both sides of a contradiction."""

from dataclasses import replace

import pytest

from simulator.core.outcome import Score
from simulator.core.ports import Evidence, Metric
from simulator.core.talk import Document, Exchange, Reply
from simulator.metrics._grounding import Grounding
from simulator.metrics.answer_lexical import AnswerLexical
from simulator.metrics.elements_lexical import ElementsLexical
from simulator.metrics.grounded import Grounded
from simulator.metrics.lexical import Lexical
from tests.metrics.turns import Entries, context, evidence, outcome

SEAT = Document(
    "チャイルドシートは1台1,100円です。ご利用の3日前までに予約してください。",
    "seat",
    "チャイルドシートは借りられますか",
)
CARS = Document(
    "24時間の基本料金は、軽自動車5,500円、ミニバン13,200円です。夏は1日につき1,100円の加算があります。",
    "cars",
    "車種ごとの基本料金はいくらですか",
)
ETC = Document(
    "全車にETC車載器を付けています。ETCカードの貸し出しは行っていませんので、"
    "ご自身のカードをお持ちください。",
    "etc",
    "ETCは使えますか",
)
PAYING = Document(
    "出発時に、クレジットカードまたはPayPayでお支払いください。"
    "現金は保証金20,000円をお預かりし、返却時にお返しします。デビットカードは使えません。",
    "paying",
    "支払い方法は何がありますか",
)
PLACE = Document("店は港の正面、駅から徒歩2分です。", "place", "お店はどこですか")
DESK = Document("お電話（0869-555-0164）は8時から20時までです。", "desk", "連絡先はどこですか")
ALL = (SEAT, CARS, ETC, PAYING, PLACE, DESK)
ABOUT_SEATS = {"elements": ["1,100円", "3日前まで"], "answer": SEAT.text}


def opened(kind: type[ElementsLexical | AnswerLexical | Grounded | Lexical]) -> Metric:
    return kind.open(replace(context(), grounding=Grounding(Entries(*ALL), "ja")))


def talk(*exchanges: tuple[str, str], **expected: object) -> Evidence:
    """A talk with these questions and answers."""
    made = evidence(*(answer for _, answer in exchanges), **expected)  # type: ignore[arg-type]
    said = tuple(
        Exchange(turn, question, Reply(answer))
        for turn, (question, answer) in enumerate(exchanges, start=1)
    )
    return replace(made, talk=replace(made.talk, exchanges=said))


async def score(kind: type[Grounded | ElementsLexical | Lexical], turn: Evidence) -> Score:
    found = await outcome(opened(kind), turn)
    assert isinstance(found, Score), found
    return found


ASKED = ("チャイルドシートは借りられますか", SEAT.text)


@pytest.mark.parametrize(
    "question", ["それはいくらですか", "で、いくらかかるか知りたいんだけど", "シートの料金は？"]
)
async def test_a_follow_up_answered_from_another_entry_has_lost_the_thread(question: str) -> None:
    turn = talk(ASKED, (question, CARS.text), **ABOUT_SEATS)
    found = await score(Grounded, turn)
    assert 1.0 == found.parts["elsewhere"]
    assert "別の項目" in found.comment
    assert 0.5 == (await score(Lexical, turn)).value


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("それはいくらですか", "1台1,100円です。"),
        ("それはいくらですか", SEAT.text),
        ("ミニバンだといくらですか", CARS.text),  # asks for another matter itself
        ("お店はどこですか", PLACE.text),
        (
            "それはいくらですか",
            "申し訳ございません。分かりかねます。お電話（0869-555-0164）でどうぞ。",
        ),
        ("その駅からはどのくらいですか", PLACE.text),
        ("それはいくらですか", f"{SEAT.text}{CARS.text}"),
    ],
)
async def test_who_answers_or_was_asked_something_else_has_not(question: str, answer: str) -> None:
    found = await score(Grounded, talk(ASKED, (question, answer), **ABOUT_SEATS))
    assert "elsewhere" not in found.parts


async def test_where_no_entry_is_known_to_be_expected_nothing_is_told() -> None:
    turn = talk(ASKED, ("それはいくらですか", CARS.text), elements=["500円"])
    assert "elsewhere" not in (await score(Grounded, turn)).parts


LENDS = [("貸し出しは行っていません", "ご自身のカードをお持ちください")]
PAYS = (
    "お支払いは出発時に、クレジットカードまたはPayPayで承ります。"
    "現金は保証金20,000円をお預かりし、返却時にお返しします。デビットカードは使えません。"
)


@pytest.mark.parametrize(
    ("answer", "part"),
    [
        (PAYS, "missing"),
        ("ETCのカードはご自分のものをご用意ください。お貸しはしておりません。", "unclear"),
        (f"{PAYS}{ETC.text}", "said"),
    ],
)
async def test_what_is_taken_from_another_entry_says_nothing_in_other_words(
    answer: str, part: str
) -> None:
    turn = talk(("ETCカードは借りられますか", answer), elements=LENDS, answer=ETC.text)
    assert 1.0 == (await score(ElementsLexical, turn)).parts[part]


async def test_a_contradiction_names_both_sides() -> None:
    said = "遅れた場合は30分ごとに1,000円を頂戴します。"
    found = await score(ElementsLexical, evidence(said, elements=["30分ごとに2,000円"]))
    assert (f"期待は「30分ごとに2,000円」、回答は「{said}」",) == found.named


async def test_of_a_long_sentence_the_clause_that_contradicts_is_quoted() -> None:
    long = "島々への配達についてお問い合わせいただき、誠にありがとうございますので"
    said = f"{long}、小包の配達料は1,500円となりますが、そのほかの条件は変わりません。"
    found = await score(ElementsLexical, evidence(said, elements=["小包の配達料は1,200円"]))
    assert (
        "期待は「小包の配達料は1,200円」、回答は「… 小包の配達料は1,500円となりますが …」",
    ) == found.named


async def test_a_hand_over_that_the_documents_deny_is_contradicted() -> None:
    right = Document("Complaints are handled by the practice manager. Call 0555 010 177.")
    said = "Complaints are not handled by the practice manager. Call 0555 010 177."
    turn = evidence(Reply(said, (right,)), language="en", answerable=False, escalate=True)
    assert 1.0 == (await score(Grounded, turn)).parts["contradicted"]


async def test_yes_for_no_is_a_contradiction_in_the_first_answer() -> None:
    metric = opened(AnswerLexical)
    right = evidence("離島へは送れません。", answer="いいえ、離島へは送れません。")
    found = await outcome(metric, right)
    assert isinstance(found, Score)
    assert (1.0, 0.0) == (found.parts["met"], found.parts["contradicted"])
    found = await outcome(
        metric, evidence("はい、5日で届きます。", answer="いいえ、5日で届きます。")
    )
    assert isinstance(found, Score)
    assert 1.0 == found.parts["contradicted"]


MINIVAN = "ミニバンの料金は13,200円、夏はそこに加算がつく決まりです。荷物も多く積めて人気です。"


@pytest.mark.parametrize(("came", "lost"), [((CARS,), True), ((CARS, SEAT), False), ((), False)])
async def test_a_reworded_one_is_told_by_the_documents_that_came(
    came: tuple[Document, ...], *, lost: bool
) -> None:
    turn = talk(ASKED, ("それはいくらですか", MINIVAN), **ABOUT_SEATS)
    first, last = turn.talk.exchanges
    said = replace(last, reply=Reply(MINIVAN, came, reports_documents=True))
    turn = replace(turn, talk=replace(turn.talk, exchanges=(first, said)))
    assert lost is ("elsewhere" in (await score(Grounded, turn)).parts)


async def test_a_first_question_follows_nothing_up() -> None:
    turn = talk((ASKED[0], CARS.text), **ABOUT_SEATS)
    assert "elsewhere" not in (await score(Grounded, turn)).parts
