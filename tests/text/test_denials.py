"""A correction takes amounts back; the others are affirmed."""

import pytest

from simulator.core.persona import Language
from simulator.improve.candidates import with_one_figure
from simulator.improve.matter import Matter
from simulator.text.denials import affirmed, denied


@pytest.mark.parametrize(
    ("language", "text", "rest", "values"),
    [
        ("en", "It costs $18, not $28. Abroad it's $40.", "It costs $18. Abroad it's $40.", {28}),
        ("en", "It is $18. It is not $28.", "It is $18.", {28}),
        ("en", "The fee is $18 instead of $28.", "The fee is $18.", {28}),
        ("en", "It costs 49p per kWh, not 79p.", "It costs 49p per kWh.", {79}),
        ("en", "It used to be $28, but now it's $18.", "now it's $18.", {28}),
        ("en", "It's $45. The $54 you quoted is the old price.", "It's $45.", {54}),
        ("en", "Not more than 5 days. Not refundable.", "", set()),
        ("en", "Come no later than 10 am; we won't wait.", "", set()),
        ("ja", "月110円です。210円ではありません。", "月110円です。", {210}),
        ("ja", "手数料は210円ではなく110円です。", "手数料は110円です。", {210}),
        ("ja", "以前は210円でしたが、今は110円です。", "今は110円です。", {210}),
        ("ja", "返品は30日以内です。7日以内は誤りです。", "返品は30日以内です。", {604_800}),
        ("ja", "3名様以上ではご利用いただけません。", "", set()),
        ("ja", "9時から18時まで営業します。", "", set()),
    ],
)
def test_what_is_denied_goes(language: Language, text: str, rest: str, values: set[float]) -> None:
    assert (rest or text) == affirmed(text, language)
    assert values == {value for _, value in denied(text, language)}


WIRE = Matter(
    "How much is a wire transfer?",
    "A wire transfer within the US costs $18, not $28. Abroad it's $40.",
    ("Good question! A wire transfer costs $28 within the US and $40 abroad.",),
    "en",
)
MAIL = Matter(
    "メールアドレスを増やすといくらですか？",
    "5個までは無料で、6個目からは1個につき月110円です。210円ではありません。",
    ("メールアドレスは5個まで無料です。6個目からは追加1個につき月210円がかかります。",),
    "ja",
)


@pytest.mark.parametrize(
    ("matter", "answer", "expected"),
    [
        (WIRE, "A wire transfer costs $18 within the US and $40 abroad.", True),
        (WIRE, "A wire transfer costs $28 within the US and $40 abroad, and it's $18.", False),
        (WIRE, "A wire transfer costs $40 within the US and $18 abroad.", None),
        (MAIL, "はい、6個目からは追加1個につき月110円がかかります。", True),
        (MAIL, "6個目からは追加1個につき月110円、または月210円です。", False),
    ],
)
def test_the_decisive_amounts_decide(matter: Matter, answer: str, *, expected: bool | None) -> None:
    assert expected is matter.is_right(answer)


def test_one_figure_is_replaced_the_denied_one_first() -> None:
    sentence = "A wire transfer costs $28 within the US and $40 abroad."
    (text,) = with_one_figure(sentence, WIRE.affirmed, WIRE.right)
    assert sentence.replace("$28", "$18") == text
    (text,) = with_one_figure("It lasts three years.", "It's 5 years.", "It's 5 years.")
    assert "It lasts 5 years." == text
