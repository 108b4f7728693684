"""What a corrected answer asks of others: right, wrong, or left to a person."""

from dataclasses import replace

import pytest

from simulator.core.persona import Language
from simulator.core.talk import Document
from simulator.improve.matter import Matter, content_clause, exchanged, keeps, unsupported

JA = Matter(
    "電動ろくろの体験はいくらですか？",
    "電動ろくろ体験はお一人4,400円です。",
    ("ありがとうございます。手びねり体験はお一人3,300円、電動ろくろ体験はお一人3,800円です。",),
    "ja",
)
EN = Matter(
    "How much is a basic service?",
    "A basic service is £45.",
    ("Thanks. A basic service costs £55 and takes two working days.",),
    "en",
)


def test_only_the_amount_in_the_same_place_is_put_right() -> None:
    assert {("yen", 3800.0)} == JA.replaced


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("手びねり体験はお一人3,300円、電動ろくろ体験はお一人4,400円です。", True),
        ("電動ろくろ体験は4,400円です。", True),
        (JA.wrong[0], False),
        (JA.wrong[0] + "4,400円のこともあります。", False),
        ("申し訳ございません。その件は分かりかねます。", False),
        ("駐車場は3台分あります。", False),
        ("", False),
    ],
)
def test_japanese_answers(answer: str, *, expected: bool | None) -> None:
    assert expected is JA.is_right(answer)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("A basic service costs £45 and takes two working days.", True),
        ("A basic service costs £55 or £45.", False),
        ("A full service costs £110.", False),
        ("Sorry, I do not know.", False),
    ],
)
def test_english_answers(answer: str, *, expected: bool | None) -> None:
    assert expected is EN.is_right(answer)


def test_what_words_cannot_decide_is_open() -> None:
    matter = Matter(
        "Can I bring my dog?", "Dogs are welcome on the terrace.", ("We open at 9.",), "en"
    )
    assert matter.is_right("Pets may sit outside with you.") is not True


def test_a_refusal_has_to_name_whom_to_call() -> None:
    right = "I am sorry, I cannot answer that. Please call our staff on 020 7946 0111."
    matter = Matter("Who pays for injuries?", right, ("Renting a bike costs £18 a day.",), "en")
    assert matter.is_refusal
    assert matter.is_right("Sorry, I cannot answer that here. Please call 020 7946 0111.")
    assert matter.is_right("Renting a bike costs £18 a day.") is False
    assert matter.is_right("Sorry, I do not know that.") is not True


def test_an_answer_on_the_matter_may_change_by_what_was_put_right_alone() -> None:
    before = JA.wrong[0]
    assert JA.settles(before, before.replace("3,800", "4,400"))
    worse = before.replace("3,800", "4,400").replace("3,300", "2,300")
    assert JA.settles(before, worse) is False
    assert JA.settles(before, before.replace("です。", "です。焼成は別料金600円です。")) is not True


def test_another_answer_keeps_what_it_said_and_says_no_more() -> None:
    before = "The shop opens from 9 am to 6 pm."
    assert keeps(before, f"Hello. {before}", "en")
    assert keeps(before, "The shop opens from 8 am to 6 pm.", "en") is False
    assert keeps(before, f"{before} A basic service is £45.", "en") is None
    assert keeps(before, "Sorry, I do not know.", "en") is False
    assert keeps(before, "We sell bikes.", "en") is False


@pytest.mark.parametrize(
    ("said", "clause"),
    [
        ("こんにちは。送料はいくらですか？", "送料はいくらですか"),
        ("Hello there! How much is delivery?", "How much is delivery"),
    ],
)
def test_filler_is_no_part_of_what_is_asked(said: str, clause: str) -> None:
    assert clause == content_clause(said, "ja" if clause.endswith("か") else "en")


def test_what_nobody_wrote_is_seen() -> None:
    known = ["Delivery costs £5.", "We open at 9."]
    assert ["Delivery costs £7."] == list(unsupported(["Delivery costs £7."], known, "en"))
    assert not list(unsupported(["Delivery costs £5."], known, "en"))


@pytest.mark.parametrize(
    ("right", "answer", "is_exchanged", "language"),
    [
        (
            "料金は大人1,200円、子ども600円でございます。",
            "料金は大人600円、子ども1,200円です。",
            True,
            "ja",
        ),
        ("料金は大人1,200円、子ども600円です。", "子どもは600円、大人は1,200円です。", False, "ja"),
        ("料金は大人1,200円、子ども600円です。", "大人1,200円、子ども600円です。", False, "ja"),
        ("Entry costs $12 for adults, $6 for children.", "Adults $6, children $12.", True, "en"),
        ("Entry costs $12 for adults, $6 for children.", "Adults $12, children $6.", False, "en"),
        (
            "Entry costs $12 for adults, $6 for children.",
            "It costs $6 for children and $12 for adults.",
            False,
            "en",
        ),
        ("It opens at 9 and closes at 17.", "It closes at 17 and opens at 9.", False, "en"),
        ("Adults pay $12.", "Children pay $6, adults $12.", False, "en"),
    ],
)
def test_amounts_that_change_places_say_something_else(
    right: str, answer: str, *, is_exchanged: bool, language: Language
) -> None:
    assert is_exchanged is exchanged(right, answer, language)
    if is_exchanged:
        assert Matter("", right, (), language).is_right(answer) is False


@pytest.mark.parametrize(
    ("matter", "answer", "is_right"),
    [
        (
            Matter(
                "無料お試しは何日間ですか",
                "無料お試しは30日間です。終了後に自動で有料プランに切り替わることはありません。",
                ("無料お試しは14日間です。期間が終わると、自動で有料プランに切り替わります。",),
                "ja",
            ),
            "無料お試しは30日間です。期間が終わると、自動で有料プランに切り替わります。",
            False,
        ),
        (
            Matter(
                "How long is the free trial?",
                "The free trial lasts 30 days. It does not turn into a paid plan by itself.",
                ("The free trial lasts 14 days. Afterwards it turns into a paid plan by itself.",),
                "en",
            ),
            "The free trial lasts 30 days. Afterwards it turns into a paid plan by itself.",
            False,
        ),
    ],
)
def test_half_of_what_was_put_right_is_not_right(
    matter: Matter, answer: str, *, is_right: bool | None
) -> None:
    assert is_right is matter.is_right(answer)


CALL = "You can also ring 020 7946 0111."


@pytest.mark.parametrize(
    ("language", "right", "is_refusal"),
    [
        ("en", f"Tax is a matter for our advisers, shall I put you through? {CALL}", True),
        (
            "en",
            "I can't judge symptoms. Let me hand you over to a nurse.",
            True,
        ),
        (
            "ja",
            "夜間は救急センターへご連絡ください。受付は午後9時からです。",
            False,
        ),
        ("ja", "貸切風呂のご予約は、当日の14時からフロントで承っております。", False),
    ],
)
def test_who_helps_is_a_refusal_and_when_is_a_fact(
    language: Language, right: str, *, is_refusal: bool
) -> None:
    assert is_refusal is Matter("", right, (), language).is_refusal


MEMBERS = Matter(
    "メンバーを4人目から追加するといくらですか?",
    "4人目からのメンバーは、1人につき月額330円です。3人まではプランに含まれます。",
    ("4人目からは1人につき月額550円です。\n追加は「メンバー管理」から行います。",),
    "ja",
)


def test_what_a_person_adds_to_what_was_wrong_need_not_be_said() -> None:
    answer = "4人目からは1人につき月額330円です。\n追加は「メンバー管理」から行います。"
    assert MEMBERS.is_right(answer) is True


CANCEL = Matter(
    "How late can I cancel my appointment without paying?",
    "You can cancel free of charge up to 24 hours before the appointment; after that it is £20.",
    ("You can cancel up to 48 hours before it. Whoever cancels later has to pay £35.",),
    "en",
)


@pytest.mark.parametrize(
    ("title", "text", "is_contrary"),
    [
        ("Cancel an appointment", "Whoever cancels later has to pay £35.", True),
        ("Cancelling", "For cancellations up to 24 hours before, nothing is charged.", False),
        ("Appointments", "A standard appointment lasts 15 minutes.", False),
        ("Fleas", "Treat your pet every four weeks.", False),
        ("Insurance", "The fee for a claim is £12.", False),
    ],
)
def test_an_entry_that_says_what_a_person_denies(
    title: str, text: str, *, is_contrary: bool
) -> None:
    assert is_contrary is any(CANCEL.contradicting([Document(text, "a", title)]))


def test_another_subject_with_the_same_figure_is_not_on_the_matter() -> None:
    asked, wrong = "When is the restaurant open?", "The restaurant is open until 11 pm."
    matter = Matter(asked, "The restaurant is open until 10 pm.", (wrong,), "en")
    texts = {"Spa": "The spa is open until 11 pm.", "Restaurant": wrong}
    entries = [Document(text, title, title) for title, text in texts.items()]
    assert [("Restaurant", wrong)] == [(e.title, s) for e, s in matter.contradicting(entries)]


NIGHT = Matter(
    "夜とくプランの夜間の単価を教えてください",
    "夜とくプランの夜間(23時から翌朝7時まで)の単価は、1kWhあたり19.8円です。",
    (
        (
            "夜とくプランの単価は、23時から翌朝7時までの夜間が1kWhあたり21.8円です。"
            "昼間の単価は34.2円になります。"
        ),
    ),
    "ja",
)


def test_a_figure_that_a_person_left_beside_the_wrong_one_is_not_contrary() -> None:
    assert NIGHT.is_right(NIGHT.wrong[0].replace("21.8", "19.8")) is True
    assert not NIGHT.denies("昼間の単価は34.2円になります。")
    assert NIGHT.denies("夜間の単価は1kWhあたり21.8円です。")


def test_what_an_entry_says_is_no_refusal() -> None:
    right = "停電のときは、停電ダイヤル0120-555-018へご連絡ください。"
    matter = Matter("停電です。どこに連絡しますか?", right, ("お答えできません。",), "ja")
    assert matter.is_refusal
    known = replace(matter, is_known=matter.is_said_by(Document(right, title="停電", id="e1")))
    assert not known.is_refusal
    assert known.is_right(right) is True


def test_a_price_denies_nothing_that_is_not_called_free() -> None:
    matter = Matter(
        "How much is it to use your car on my test day?",
        "Using our car on test day costs £85.",
        ("You can take the test in your instructor's car. The hire on test day costs £58.",),
        "en",
    )
    assert matter.is_right(matter.wrong[0].replace("58", "85")) is True
