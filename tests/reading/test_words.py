"""What words prove about claims: nearly verbatim, another amount, a plain denial, a refusal."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.core.claim import Claim, ClaimKind, State
from simulator.core.persona import Language
from simulator.reading.words import read_words, says

MET, UNMET, VIOLATED, UNKNOWN = State.MET, State.UNMET, State.VIOLATED, State.UNKNOWN


NAPPIES = (
    "Yes. Infants in swim nappies may use only the round pool beside the lockers, which costs "
    "900 yen a session and has to be reserved."
)


def _state(
    kind: ClaimKind,
    wordings: tuple[str, ...],
    reply: str,
    language: Language = "en",
    question: str = "",
) -> State:
    claim = Claim("one", kind, wordings)
    (reading,) = read_words([claim], question, reply, language)
    assert reading.claim == "one"
    return reading.state


@settings(deadline=None)
@given(text=st.text(min_size=1) | st.just("x" * 9_000), language=st.sampled_from(["ja", "en"]))
def test_what_is_expected_is_met_by_itself(text: str, language: Language) -> None:
    if text.strip():
        assert says(text, text, language) is MET


def test_sentences_that_are_there_word_for_word_are_met_without_the_yes_before_them() -> None:
    cases: list[tuple[str, str, str, Language, State]] = [
        (NAPPIES, "Can I bring my baby?", NAPPIES[5:], "en", UNKNOWN),
        (NAPPIES, "Can I bring my baby?", f"Thanks for asking! {NAPPIES[5:]}", "en", UNKNOWN),
        (NAPPIES, "Can I bring my baby?", f"No. {NAPPIES[5:]}", "en", UNKNOWN),
        ("round pool", "Can I bring my baby?", NAPPIES, "en", MET),
        ("the pool is for infants", "Who swims?", "The pool is for infants only.", "en", UNKNOWN),
        ("dogs are allowed", "Dogs?", "Dogs are only allowed on Mondays.", "en", UNKNOWN),
        ("Yes. It opens early.", "Is it busy on Sundays?", "It opens early.", "en", UNKNOWN),
        ("Yes. A bus goes at 8.", "Is there parking?", "A bus goes at 8.", "en", UNKNOWN),
        ("Yes. It opens at 8.", "Is the gym free?", "Guests pay $9. It opens at 8.", "en", UNKNOWN),
        ("Yes. The gym is free.", "Is the gym free?", "The gym is free.", "en", MET),
        (
            "Yes. You can pay at the desk.",
            "Can I pay by card?",
            "Cards are not accepted. You can pay at the desk.",
            "en",
            UNKNOWN,
        ),
        (
            "はい。予約が必要です。",
            "駐車場は使えますか",
            "駐車場は使えません。予約が必要です。",
            "ja",
            UNKNOWN,
        ),
        (
            "はい。貸しタオルは250円です。",
            "タオルは借りられますか",
            "貸しタオルは250円です。",
            "ja",
            MET,
        ),
        ("いいえ。犬は入れません。", "犬と入れますか", "犬は入れません。", "ja", MET),
        ("いいえ。犬は入れません。", "犬と入れますか", "はい。犬は入れません。", "ja", UNKNOWN),
        ("はい。小型犬のみ、個室に限ります。", "犬は", "小型犬のみ、個室に限ります。", "ja", MET),
        ("いいえ。小型犬は入れます。", "犬と入れますか", "小型犬は入れます。", "ja", UNKNOWN),
    ]
    assert [] == [
        (wording, question, reply, language, state)
        for wording, question, reply, language, state in cases
        if state is not _state(ClaimKind.SAYS, (wording,), reply, language, question)
    ]


@pytest.mark.parametrize("kind", [ClaimKind.DECLINES, ClaimKind.HANDS_OVER, ClaimKind.ANSWERS])
@pytest.mark.parametrize(
    "text", ["Sorry, I can't tell you that.", "Which ticket?", "It's 500 yen.", "x " * 5_000]
)
def test_an_expected_answer_that_is_said_refuses_answers_and_hands_over_as_due(
    kind: ClaimKind, text: str
) -> None:
    (reading,) = read_words([Claim("one", kind)], "Fee?", text, "en", (text,))
    assert reading.state is MET


@pytest.mark.parametrize(
    ("reply", "language", "state"),
    [
        ("Rooms are for up to four people. Book on our website ahead.", "en", UNMET),
        ("The service charge is 10 %, per person.", "en", UNMET),
        ("個室は4人までです。前日までにご予約ください。", "ja", UNMET),
        ("Kim from our team is on her way.", "en", UNKNOWN),
        ("The helpdesk knows.", "en", UNKNOWN),
        ("看護師がおります。", "ja", UNKNOWN),
    ],
)
def test_plain_facts_are_no_hand_over(reply: str, language: Language, state: State) -> None:
    assert state is _state(ClaimKind.HANDS_OVER, (), reply, language)


def test_a_wording_and_a_text() -> None:
    cases: list[tuple[str, str, Language, State]] = [
        # nearly verbatim
        ("送料は500円です", "送料は全国一律で500円でございます。", "ja", MET),
        ("18時まで営業", "営業時間は午後6時までです。", "ja", MET),
        ("翌月末まで", "来月の末日までお使いいただけます。", "ja", MET),
        # a word of the claim that is not said leaves it open, and a compound is another noun
        ("カードは窓口でその日に発行", "カードは窓口で発行します。", "ja", UNKNOWN),
        ("請求日は月末です", "その月の28日に請求します。", "ja", UNKNOWN),
        ("a deposit is refunded by bank transfer", "The deposit is refunded.", "en", UNKNOWN),
        ("申し込み不要", "お申し込みは必要ありません。", "ja", MET),
        ("返品できます", "返品できます。ただし開封後はできません。", "ja", MET),
        ("$6 for shipping", "Shipping is $6, and it is free over $50.", "en", MET),
        ("1½ hours", "It takes 1.5 hours.", "en", MET),
        ("two weeks", "You have 14 days.", "en", MET),
        ("Crawford", 'It is Joan Crawford in "What Happened?"', "en", MET),
        (
            "お客様相談室のsoudan@example.jpへご連絡",
            "お客様相談室のsoudan@example.jpへご連絡ください。",
            "ja",
            MET,
        ),
        # another amount of the unit, beside the same word
        ("送料は500円です", "送料は全国一律で600円でございます。", "ja", VIOLATED),
        ("作品展は10月12日に開催します。", "作品展は10月21日です。", "ja", VIOLATED),
        ("Refunds within 30 days", "Refunds are available within 14 days.", "en", VIOLATED),
        # the right one beside another word
        ("子どもは400円", "大人は400円、子どもは800円です。", "ja", UNKNOWN),
        ("Shipping is $6 and free over $50", "Shipping is $50, free over $6.", "en", UNKNOWN),
        # only in a case that the claim does not name
        ("子どもは400円", "子どもは平日に乗る場合に限り400円です。", "ja", UNKNOWN),
        ("前日までに電話する", "団体の場合に限り、前日までに電話してください。", "ja", UNKNOWN),
        ("前日までに電話する", "団体の方に限って、前日までに電話してください。", "ja", UNKNOWN),
        # plain denials, either and both, free and paid
        ("開封後の返品はできません", "はい、開封後でも返品できます。", "ja", VIOLATED),
        ("申し込みは不要", "事前の申し込みが必要です。", "ja", VIOLATED),
        ("ペットは無料", "ペットは有料です。", "ja", VIOLATED),
        ("You can use either ticket", "You can use both tickets.", "en", VIOLATED),
        ("Breakfast is included.", "Breakfast is not included.", "en", VIOLATED),
        ("The swim test is required.", "The swim test is optional.", "en", VIOLATED),
        ("We are closed on Mondays.", "We are open on Mondays.", "en", VIOLATED),
        # which words can't tell
        ("50 metres", "No need to swim. The 50 metres swim test is optional.", "en", UNKNOWN),
        ("used books", "We take used or unused books.", "en", UNKNOWN),
        ("申し込み", "申し込みは不要です。", "ja", UNKNOWN),
        ("30日以内", "30日以降です。", "ja", UNKNOWN),
        ("The pool is open every day.", "It is open seven days a week.", "en", UNKNOWN),
        ("We accept American Express", "We take Amex.", "en", UNKNOWN),
        ("Yes", "No", "en", UNKNOWN),
        (
            "You don't necessarily need a real estate agent.",
            "You don't have to use an agent.",
            "en",
            UNKNOWN,
        ),
        (
            "繰り越せます",
            "繰り越せるのは追加で購入されたデータだけです。",
            "ja",
            UNKNOWN,
        ),
        # none of its names, amounts and words
        ("David Seville", "It was Ross Bagdasarian.", "en", UNMET),
        ("500円", "お支払いはカードのみです。", "ja", UNMET),
        ("500円", "申し訳ございませんが、分かりかねます。", "ja", UNMET),
        ("500円", "", "ja", UNMET),
        ("500円", "どちらの店舗をご利用ですか？", "ja", UNMET),
    ]
    assert [] == [
        (wording, text, language, state)
        for wording, text, language, state in cases
        if state is not says(text, wording, language)
    ]


def test_long_expectations_are_failed_by_a_refusal_alone() -> None:
    long = "It costs 5 euros. It opens at nine. Dogs may come along. Bring a towel."
    assert UNKNOWN is says("It costs 7 euros.", long, "en")
    assert UNMET is says("I'm sorry, I don't know.", long, "en")


def test_one_alternative_is_enough() -> None:
    assert MET is _state(ClaimKind.SAYS, ("6 cents", "$0.06"), "It is $0.06 a minute.")


def test_words_of_the_question_may_be_left_out() -> None:
    asked = "電話で退会できますか？"
    assert MET is _state(ClaimKind.SAYS, ("退会は20日まで",), "20日までです。", "ja", asked)


def test_the_quote_is_a_span_of_the_answer() -> None:
    reply = "こんにちは。送料は\n全国一律で500円です。またどうぞ。"
    claim = Claim("one", ClaimKind.SAYS, ("全国一律500円",))
    (reading,) = read_words([claim], "", reply, "ja")
    assert (MET, "全国一律500円") == (reading.state, reading.against)
    assert reading.quote
    assert reading.quote in reply


@pytest.mark.parametrize(
    ("reply", "state"),
    [
        ("Returns are free of charge for everybody.", VIOLATED),
        ("Returns cost $5.", MET),
        ("We ship on Mondays.", MET),
        ("Returns need a form from everybody.", UNKNOWN),
    ],
)
def test_what_must_not_be_said(reply: str, state: State) -> None:
    wording = "Returns are free for everybody"
    assert state is _state(ClaimKind.MUST_NOT, (wording,), reply)


@pytest.mark.parametrize(
    ("reply", "declines", "hands_over", "answers"),
    [
        ("I'm sorry, I don't know.", MET, UNMET, UNMET),
        ("", UNKNOWN, UNMET, UNMET),
        ("Please contact our support team.", MET, MET, UNKNOWN),
        ("It costs 5 euros and opens at nine.", VIOLATED, UNMET, MET),
        ("I can't help with that, but you should put some ice on it.", UNKNOWN, UNMET, MET),
    ],
)
def test_kinds_without_a_wording(
    reply: str, declines: State, hands_over: State, answers: State
) -> None:
    kinds = (ClaimKind.DECLINES, ClaimKind.HANDS_OVER, ClaimKind.ANSWERS, ClaimKind.SUPPORTED)
    readings = read_words([Claim(kind, kind) for kind in kinds], "", reply, "en")
    assert [declines, hands_over, answers, UNKNOWN] == [r.state for r in readings]


def test_a_refusal_may_be_the_expected_answer() -> None:
    claims = [
        Claim("says", ClaimKind.SAYS, ("We cannot tell; please ask the bank.",)),
        Claim("answers", ClaimKind.ANSWERS),
    ]
    readings = read_words(claims, "", "I'm sorry, I don't know.", "en")
    assert [UNKNOWN, UNKNOWN] == [reading.state for reading in readings]


def test_to_name_a_person_is_an_answer_where_what_is_expected_says_so() -> None:
    claims = [
        Claim("says", ClaimKind.SAYS, ("0120-123-456",)),
        Claim("answers", ClaimKind.ANSWERS),
    ]
    readings = read_words(claims, "", "Please contact our support team at 0120-123-456.", "en")
    assert [MET, MET] == [reading.state for reading in readings]


def test_a_short_name_is_no_expected_refusal() -> None:
    expected = Claim("says", ClaimKind.SAYS, ("Kaleidoscope.",))
    answers = Claim("answers", ClaimKind.ANSWERS)
    readings = read_words([expected, answers], "", "Sorry, I don't know.", "en")
    assert [UNMET, UNMET] == [reading.state for reading in readings]


def test_an_amount_that_another_claim_expects_contradicts_nothing() -> None:
    claims = [Claim("a", ClaimKind.SAYS, ("seven days",)), Claim("b", ClaimKind.SAYS, ("30 days",))]
    states = [r.state for r in read_words(claims, "", "You get it back within 30 days.", "en")]
    assert VIOLATED not in states
    assert MET is states[1]
    wrong = read_words(claims, "", "You get it back within 40 days.", "en")
    assert [VIOLATED, VIOLATED] == [r.state for r in wrong]


def test_without_fail_is_no_negation() -> None:
    assert says("水泳帽は必ずかぶってください。", "必ず", "ja") is not VIOLATED
    reply = "水泳帽は必ずかぶってください。忘れた方には1枚100円でお貸しします。"
    question = "髪が短くても水泳帽をかぶらないとだめですか"
    assert VIOLATED is not _state(ClaimKind.SAYS, ("必ず",), reply, "ja", question)


def test_what_is_said_of_one_case_is_not_denied_by_what_is_said_of_another() -> None:
    claim = "One month is refunded if a fault keeps you from using the service for 24 hours"
    reply = "Monthly fees aren't refunded if you cancel during the month. If something breaks for "
    assert State.VIOLATED is not says(
        f"{reply}24 hours, we'll give you one month back.", claim, "en"
    )


@pytest.mark.parametrize(
    ("wording", "text"),
    [
        ("無料で再仕上げをします。", "無料での再仕上げは行っておりません。"),
        ("スタッフが生で解説する", "解説はスタッフによる生のものではありません。"),
        ("Free alterations are allowed.", "Free alterations are no longer open to guests."),
    ],
)
def test_a_denial_beside_what_agrees_is_not_met(wording: str, text: str) -> None:
    language: Language = "en" if wording.isascii() else "ja"
    assert says(text, wording, language) is not MET


@pytest.mark.parametrize(
    ("language", "wordings", "reply", "is_met"),
    [
        ("en", ("£15",), "It used to be £15.", False),
        ("en", ("£15",), "It is no longer £15 a month.", False),
        ("en", ("£15", "£20"), "It is £20, not £15.", True),
        ("en", ("no longer £15",), "It is no longer £15.", True),
        ("ja", ("15日",), "以前は15日でした。", False),
        ("ja", ("10日",), "以前は15日でしたが、今は10日です。", True),
    ],
)
def test_an_amount_that_is_only_denied_is_not_met(
    language: Language, wordings: tuple[str, ...], reply: str, is_met: bool
) -> None:
    claims = [Claim("a", ClaimKind.SAYS, wordings)]
    (reading,) = read_words(claims, "", reply, language)
    assert is_met is (reading.state is State.MET)


def test_of_several_statements_none_is_proven_denied() -> None:
    """Long answers speak of several cases; a denial of one is read as that of another too often."""
    claim = "船内レストランは昼便のみの営業で、夜便は自動販売機のみです。飲食物は持ち込めます。"
    reply = "夜の便は食堂が営業しておらず、船内で買えるのは自動販売機の商品に限られます。"
    assert says(f"持ち込みは可能です。{reply}", claim, "ja") is not VIOLATED


@pytest.mark.parametrize(
    ("wording", "text", "state"),
    [
        (
            "appointment needed for nail clipping",
            "No appointment is needed for nail clipping.",
            VIOLATED,
        ),
        ("Dogs are allowed in the garden.", "No dogs are allowed in the garden.", VIOLATED),
        (
            "the emergency consultation costs £195",
            "An emergency consultation is one hundred and ninety-five pounds.",
            MET,
        ),
    ],
)
def test_no_before_a_noun_denies_and_long_numbers_are_read(
    wording: str, text: str, state: State
) -> None:
    assert state is says(text, wording, "en")


def test_or_part_of_it_does_not_say_that_it_is_included() -> None:
    claim = "each additional half metre (or part) costs £9"
    reply = "Up to 6 metres it is the car rate, then £9 for every half metre (or part of it)."
    assert says(reply, claim, "en") is not VIOLATED


@pytest.mark.parametrize(
    ("wording", "reply"),
    [
        (
            "東京線の予約は2か月前から",
            "東京線は1か月前の同じ日の10時から予約できます。大阪線は2か月前の同じ日からです。",
        ),
        ("1万円札も両替できる", "両替機は千円札と硬貨専用で、一万円札は両替できません。"),
        ("普通券の有効期限は6か月", "昼間券の有効期限は6か月で、普通券には期限がありません。"),
        ("未就学児は80円", "小学生は80円、未就学児は0円です。"),
    ],
)
def test_a_near_miss_is_not_said_by_a_right_answer_that_has_its_words(
    wording: str, reply: str
) -> None:
    assert VIOLATED is not _state(ClaimKind.MUST_NOT, (wording,), reply, "ja")


def test_a_near_miss_is_said_where_its_words_are_in_order() -> None:
    reply = "ご予約ですね。東京線の予約は2か月前から受け付けております。"
    assert VIOLATED is _state(ClaimKind.MUST_NOT, ("東京線の予約は2か月前から",), reply, "ja")


@pytest.mark.parametrize(
    ("wording", "text", "language"),
    [
        ("Delivery costs extra", "Delivery takes three days.", "en"),
        ("You have to pay for parking.", "Parking is behind the building.", "en"),
        ("駐車場には料金がかかります。", "駐車場は建物の裏にあります。", "ja"),
    ],
)
def test_what_costs_is_not_said_by_its_name_alone(
    wording: str, text: str, language: Language
) -> None:
    assert says(text, wording, language) is not MET
    must_not = [Claim("a", ClaimKind.MUST_NOT, (wording,))]
    assert VIOLATED is not read_words(must_not, "", text, language)[0].state


def test_only_the_one_is_not_also_the_other() -> None:
    claim = ("カードでも現金でも払えます。",)
    question = "現金で払えますか"
    for reply in ("お支払いはカードのみとなります。", "カードだけ使えます。"):
        assert MET is not _state(ClaimKind.SAYS, claim, reply, "ja", question)


@pytest.mark.parametrize(
    ("wording", "text", "state"),
    [
        ("A new card is 2.50 pounds.", "A new card is two pounds fifty.", MET),
        ("A new card is 2.50 pounds.", "A new card is 2 pounds 50.", MET),
        ("A new card is 2.50 pounds.", "A new card is three pounds fifty.", VIOLATED),
        ("40 x 60 x 60 cm", "It is 40x60x60 cm.", MET),
        ("40 x 60 x 60 cm", "It is 60 × 60 × 40 cm; the small ones take 10 cm.", MET),
    ],
)
def test_pounds_and_pence_and_sizes_are_read(wording: str, text: str, state: State) -> None:
    assert state is says(text, wording, "en")
