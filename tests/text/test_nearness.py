"""Nearness by words, against scikit-learn's tf-idf, and what it says of questions."""

import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from simulator.core.persona import Language
from simulator.text.nearness import NearestTexts, WordWeights, may_be_reworded, unsaid
from simulator.text.sentences import sentences
from simulator.text.tokens import content_tokens

TEXTS = {
    "en": ["How do I reset my password?", "Delivery costs 5 pounds", "password password delivery"],
    "ja": ["パスワードを忘れました", "送料はいくらですか", "送料と返品とパスワード、送料"],
}


@pytest.mark.parametrize("language", ["ja", "en"])
def test_cosines_are_those_of_scikit_learn(language: Language) -> None:
    texts = TEXTS[language]
    weights = WordWeights(texts, language)
    model = TfidfVectorizer(analyzer=lambda t: content_tokens(t, language), sublinear_tf=True)
    vectors = model.fit_transform(texts)
    cosines = (vectors @ vectors.T).toarray()
    for at, text in enumerate(texts):
        for other, theirs in enumerate(texts):
            found = NearestTexts([weights.vector(theirs)]).nearest(weights.vector(text))
            assert cosines[at][other] == pytest.approx(found[1] if found else 0.0)


def test_the_nearest_text_is_found_and_the_first_of_equal_ones() -> None:
    weights = WordWeights(TEXTS["en"], "en")
    texts = NearestTexts([weights.vector(text) for text in TEXTS["en"]])
    found = texts.nearest(weights.vector("delivery costs"))
    assert found is not None
    assert (1, 0.664) == (found[0], round(found[1], 3))
    assert 3 == texts.add(weights.vector(TEXTS["en"][1]))
    same = texts.nearest(weights.vector("Delivery costs 5 pounds"))
    assert same is not None
    assert (1, 1.0) == (same[0], round(same[1], 6))
    assert [1, 3] == texts.ranked(weights.vector("Delivery costs 5 pounds"), 2)
    assert [0, 2] == texts.ranked(weights.vector("reset a password"), 9)


@pytest.mark.parametrize("text", ["", "🎉", "はい、です。", "\ud800"])
def test_a_text_without_content_is_near_to_nothing(text: str) -> None:
    weights = WordWeights(TEXTS["ja"], "ja")
    texts = NearestTexts([weights.vector(each) for each in TEXTS["ja"]])
    assert {} == weights.vector("")
    assert texts.nearest(weights.vector("")) is None
    assert 0.0 == weights.held("", text)


def test_the_share_of_a_text_that_another_holds_is_weighed() -> None:
    weights = WordWeights(["a rare word", "common", "common", "common"], "en")
    assert 1.0 == weights.held("rare common", "common and rare")
    assert weights.held("rare common", "common") < 0.5 < weights.held("rare common", "rare")


KNOWN = {
    "en": ["Look in your spam folder first. Parcels are sent on Mondays, for 5 euros."],
    "ja": ["迷惑メールフォルダーを確認してください。荷物は月曜日に500円で発送します。"],
}


@pytest.mark.parametrize(
    ("language", "element", "said", "may_be"),
    [
        ("en", "spam", "Please check your junk folder.", True),
        ("en", "spam", "Parcels are sent on Mondays, for 5 euros.", False),
        ("en", "spam", "Do not look in your folder first.", False),
        ("en", "spam", "Sorry, I do not know of a folder.", False),
        ("en", "5 euros", "Your parcels go out on Mondays.", False),
        ("ja", "迷惑メール", "スパムのフォルダーをご覧ください。", True),
        ("ja", "迷惑メール", "荷物は月曜日に500円で発送します。", False),
        ("ja", "500円", "荷物の発送は月曜です。", False),
    ],
)
def test_a_sentence_nearest_to_the_known_one_may_reword_it(
    language: Language, element: str, said: str, may_be: bool
) -> None:
    assert may_be == may_be_reworded((element,), [said], KNOWN[language], language)


# A condition is left out of a sentence that is near otherwise; or it stands there in another word.
LEFT_OUT: list[tuple[Language, str, str, str, bool]] = [
    (
        "ja",
        "タグ",
        "返品は、タグが付いた未使用の品に限り14日以内に受け付けます。送料はお客さま負担です。",
        "未使用の品は14日以内に返品できます。",
        False,
    ),
    (
        "ja",
        "タグ",
        "返品は、タグが付いた未使用の品に限り14日以内に受け付けます。送料はお客さま負担です。",
        "未使用でしたら14日以内の返品をお受けしています。",
        False,
    ),
    (
        "ja",
        "タグ",
        "返品は、タグが付いた未使用の品に限り14日以内に受け付けます。送料はお客さま負担です。",
        "値札が付いたままの未使用品を14日以内に受け付けます。",
        True,
    ),
    (
        "ja",
        "学生証",
        "学割は、窓口で学生証を見せると20%引きになります。",
        "学割は20%引きになります。",
        False,
    ),
    (
        "ja",
        "学生証",
        "学割は、窓口で学生証を見せると20%引きになります。",
        "在学を示すカードを窓口で見せると20%引きになります。",
        True,
    ),
    (
        "ja",
        "予約番号",
        "変更は、予約番号をご用意のうえ前日までに電話でお知らせください。",
        "変更は前日までにお電話でお知らせください。",
        False,
    ),
    (
        "ja",
        "予約番号",
        "変更は、予約番号をご用意のうえ前日までに電話でお知らせください。",
        "変更は前日までに電話でご連絡ください。",
        False,
    ),
    ("ja", "保証書", "修理は、保証書をお持ちいただければ無料です。", "修理は無料です。", False),
    (
        "en",
        "receipt",
        "Bring the item back within 14 days with the receipt and we refund it.",
        "Bring the item back within 14 days and we refund it.",
        False,
    ),
    (
        "en",
        "receipt",
        "Bring the item back within 14 days with the receipt and we refund it.",
        "Bring it within 14 days with your proof of purchase and we refund it.",
        True,
    ),
    (
        "en",
        "passport",
        "To rent a bike, leave a passport at the desk as security.",
        "You can rent a bike at the desk.",
        False,
    ),
    (
        "en",
        "unopened",
        "Unopened boxes can be sent back within 30 days.",
        "Boxes can be sent back within 30 days.",
        False,
    ),
    (
        "en",
        "unopened",
        "Unopened boxes can be sent back within 30 days.",
        "Boxes still sealed can be sent back within 30 days.",
        True,
    ),
    (
        "en",
        "weekdays",
        "The helpline answers on weekdays from 9 to 5.",
        "The helpline answers from 9 to 5.",
        False,
    ),
    (
        "en",
        "weekdays",
        "The helpline answers on weekdays from 9 to 5.",
        "Monday to Friday the helpline answers from 9 to 5.",
        True,
    ),
]


@pytest.mark.parametrize(("language", "element", "known", "said", "may_be"), LEFT_OUT)
def test_one_word_that_nothing_stands_for_was_left_out(
    language: Language, element: str, known: str, said: str, may_be: bool
) -> None:
    assert may_be is may_be_reworded((element,), [said], [known], language)


FREE, MOVED = (
    "調律後2週間以内の音の狂いは、無料で1回調整します。",
    "ただし、調律後にピアノの置き場所を動かした場合は有料です。",
)
ONCE, NOT_SO = (
    "The ticket may be moved once, free of charge.",
    "This is not so within 48 hours of the flight.",
)


@pytest.mark.parametrize(
    ("language", "answer", "asked", "reply", "left_out"),
    [
        ("ja", FREE + MOVED, "音がずれている", "2週間のうちなら1度無料です。", [MOVED]),
        ("ja", FREE + MOVED, "音がずれている", "無料です。場所を動かされたときは有料です。", []),
        ("en", f"{ONCE} {NOT_SO}", "Can I move it?", "Once, for nothing.", [NOT_SO]),
        ("en", f"{ONCE} {NOT_SO}", "Can I move it?", "Not 48 hours before the flight.", []),
    ],
)
def test_a_sentence_of_which_hardly_anything_is_there_is_named(
    language: Language, answer: str, asked: str, reply: str, left_out: list[str]
) -> None:
    lacking = [part for part in sentences(answer, language) if part not in (FREE, ONCE)]
    assert left_out == unsaid(lacking, answer, asked, [reply], language)


@pytest.mark.parametrize(
    ("element", "known", "reply", "language"),
    [
        (
            "deducted",
            "A home visit costs £35, which is deducted from the bill if you go ahead.",
            "The call is £35, and we take that off your invoice if you place the work with us.",
            "en",
        ),
        (
            "by appointment only",
            "Saturdays from 9:00 to 12:30 are by appointment only.",
            "A Saturday morning visit (9:00 to 12:30) has to be booked with us first.",
            "en",
        ),
        (
            "申込金に充てます",
            "教材費3,300円は申込金に充てます。",
            "教材の3,300円は、はじめにお預かりした分から差し引きます。",
            "ja",
        ),
    ],
)
def test_a_sentence_with_the_same_amounts_may_say_it_in_other_words(
    element: str, known: str, reply: str, language: Language
) -> None:
    rest = "Every estimate is valid for 60 days." if language == "en" else "受付は9時からです。"
    assert may_be_reworded((element,), [reply], [f"{known} {rest}"], language)
    assert not may_be_reworded((element,), [rest], [f"{known} {rest}"], language)
