"""What contradicts an expected element or answer, and what only looks as if it did."""

import pytest

from simulator.core.persona import Language
from simulator.text.expectations import (
    State,
    contradicts_answer,
    contradicts_element,
    element_state,
)


@pytest.mark.parametrize(
    ("reply", "language", "against"),
    [
        ("苦情は相談室0120-000-222までどうぞ。", "ja", True),
        ("苦情は相談室0120-000-111までどうぞ。", "ja", False),
        ("ご予約は受付0120-000-222までどうぞ。", "ja", False),  # about something else
        ("苦情は相談室info@shop.exampleまで。", "ja", False),  # another way, no other number
        ("You can ring the warden on 01539 000 222.", "en", True),
        ("You can ring the warden on 01539-000-111.", "en", False),
        ("You can ring the warden any time.", "en", False),
    ],
)
def test_another_telephone_number_contradicts(
    reply: str, language: Language, *, against: bool
) -> None:
    wanted = ("苦情は相談室0120-000-111",) if language == "ja" else ("warden: 01539 000 111",)
    assert contradicts_element(reply, wanted, language) is against
    right = [wanted[0], "お急ぎの方は0120-000-222まで。 01539 000 222"]
    assert not contradicts_element(reply, wanted, language, right=right)


@pytest.mark.parametrize(
    ("reply", "element", "asked", "against"),
    [
        (
            "受付は2月末日までです。お手続きがないと3月31日でご契約が終わります。",
            "1月31日",
            "更新の手続きを忘れていました。2月に入っても間に合いますか",
            True,
        ),
        ("受付は1月末日までです。3月31日で終わります。", "1月31日", "更新の締め切りは？", False),
        ("お申し込みの締め切りは6月20日です。", "6月30日", "申し込みの期限はいつですか", True),
        # Nobody had looked at these; all were right.
        ("期限は9月末日です。", "8月31日", "いつまでに払えばいいですか", True),
        ("お申し込みは6月末で締め切ります。", "6月30日", "申し込みの期限はいつですか", False),
        (
            "提出期限は3月の最終日です。発表は4月20日です。",
            "3月31日",
            "いつまでに出せばいいですか",
            False,
        ),
        ("発表は4月20日です。", "3月31日", "書類はいつまでに出せばいいですか", False),
        ("2月末日までです。", "2月29日", "いつまで使えますか", False),
    ],
)
def test_who_asks_until_when_is_answered_by_the_day_that_is_a_limit(
    reply: str, element: str, asked: str, *, against: bool
) -> None:
    assert contradicts_element(reply, (element,), "ja", asked=asked) is against


@pytest.mark.parametrize(
    ("reply", "against"),
    [
        ("Renewals are open until the end of February. The contract ends on March 31.", True),
        ("You can renew by the end of January. The contract ends on March 31.", False),
        ("The contract ends on March 31.", False),
        ("The deadline is 15 February.", True),
    ],
)
def test_an_english_deadline_is_a_day_too(reply: str, *, against: bool) -> None:
    asked = "What is the deadline for renewal?"
    assert contradicts_element(reply, ("January 31",), "en", asked=asked) is against


def test_the_month_before_is_the_previous_month() -> None:
    reply = "おやめになりたい月の前の月の15日までに、会員ページからお申し込みください。"
    assert State.SAID is element_state(("前月15日",), [reply], "ja")
    assert not contradicts_answer(reply, ["前月15日までに会員ページからお申し込みください。"], "ja")
    assert State.SAID is element_state(("翌日の10時",), ["次の日の10時からです。"], "ja")


DENIED = ("使用できません", "使えません", "お使いいただけません", "ご遠慮ください")


@pytest.mark.parametrize(
    ("reply", "against"),
    [
        ("お店で手に入る薬剤を、ご自身の判断でお使いいただいて差し支えありません。", True),
        ("除草剤は、ご自由にお使いいただいてかまいません。", True),
        ("除草剤の使用は禁止です。食酢はお使いいただけます。", False),
        # Of these three one was found at first look, when the first of all was not.
        ("除草剤はお使いいただいて問題ございません。", True),
        ("除草剤は使っていただいて構わないです。", True),
        ("除草剤は使えます。", True),
        ("除草剤の使用は認めておりません。", False),
        ("除草剤はお使いにならないでください。食酢はご自由にお使いください。", False),
        ("除草剤は、事前に届け出た場合はお使いいただけます。", False),
    ],
)
def test_what_must_not_be_used_is_contradicted_by_who_allows_it(
    reply: str, *, against: bool
) -> None:
    asked = "除草剤はまいてもいいでしょうか"
    assert contradicts_element(reply, DENIED, "ja", asked=asked) is against


@pytest.mark.parametrize(
    ("reply", "against"),
    [
        ("Feel free to use weedkiller from any shop.", True),
        ("It's no problem to use weedkiller.", True),
        ("Weedkiller is fine to use.", True),
        ("Weedkiller is banned.", False),
    ],
)
def test_who_feels_free_is_allowed(reply: str, *, against: bool) -> None:
    element = ("cannot be used",)
    assert contradicts_element(reply, element, "en", asked="May I use weedkiller?") is against


@pytest.mark.parametrize(
    ("reply", "element"),
    [
        (
            "休校になった教習のキャンセル料はかからず、優先して振り替えます。",
            "キャンセル料はかから",
        ),
        ("手数料はいただかない決まりです。", "手数料はいただか"),
    ],
)
def test_an_element_that_is_cut_within_a_verb_is_said_where_it_stands(
    reply: str, element: str
) -> None:
    assert State.SAID is element_state((element,), [reply], "ja")
    assert not contradicts_element(reply, (element,), "ja")


@pytest.mark.parametrize(
    ("reply", "against"),
    [
        (
            "案内がございません。受付(電話0999-11-5240、平日9時〜20時30分)へお問い合わせください。",
            False,
        ),
        ("窓口(平日10時〜19時)までお問い合わせください。", False),
        ("講習は平日の9時から17時に行います。", True),
    ],
)
def test_the_hours_of_a_desk_contradict_no_other_hours(reply: str, *, against: bool) -> None:
    element = ("平日の9時から15時",)
    assert contradicts_element(reply, element, "ja", asked="講習の時間は") is against


@pytest.mark.parametrize(
    ("reply", "element", "asked", "expected"),
    [
        ("1回だけ無料で再調整に伺います。", "無料にはなりません", "", True),
        ("無料にはなりません。", "無料にはなりません", "", False),
        ("会議室をご利用になれます。", "利用できます", "", False),
        ("無料です。", "有料", "直すのは無料ですか", True),
        ("費用はいただきません。", "有料", "直すのは無料ですか", True),
        ("有料で承ります。", "無料", "いくらかかりますか", True),
        ("無料です。", "有料", "明日来てもらえますか", False),
        ("調整は無料ですが、出張費を500円いただきます。", "有料", "無料ですか", False),
        ("2週間以内の場合は無料です。", "有料", "無料ですか", False),
        ("石油系の原料は不使用です。", "石油系の原料は使っていません", "", False),
    ],
)
def test_japanese_costs_and_denials_contradict(
    reply: str, element: str, asked: str, expected: bool
) -> None:
    assert contradicts_element(reply, (element,), "ja", asked=asked) is expected


@pytest.mark.parametrize(
    ("reply", "element"),
    [
        (
            (
                "Everyone has to be 7 or over and no shorter than 1.2 m. "
                "Under-16s also need a paying adult flying with them."
            ),
            "Anyone under 16 must fly with a paying adult.",
        ),
        (
            "Please don't drink beforehand, because anyone who has won't be let on board.",
            "Anyone who has been drinking will not be allowed to board.",
        ),
        (
            (
                "With 7 days to go you can switch for nothing, and between 7 days and 48 hours "
                "it's £30 a head."
            ),
            "Between 7 days and 48 hours before it costs £30 per person.",
        ),
    ],
)
def test_what_says_the_same_of_people_and_prices_contradicts_nothing(
    reply: str, element: str
) -> None:
    assert not contradicts_element(reply, (element,), "en")


@pytest.mark.parametrize(
    ("reply", "element", "expected"),
    [
        (
            "Our shop is open every day from 10 till 4.",
            "The farm shop is open 10:00 to 15:00",
            True,
        ),
        ("Our shop is open from 10 till 3.", "The farm shop is open 10:00 to 15:00", False),
        ("Our office is open from 9:00 to 17:00.", "The farm shop is open 10:00 to 15:00", False),
        ("No dogs here, not even in the car.", "Dogs are not allowed on the farm", False),
        ("We need someone of at least 18 years.", "A person aged 18 or over", False),
    ],
)
def test_hours_of_the_same_contradict(reply: str, element: str, *, expected: bool) -> None:
    assert contradicts_element(reply, (element,), "en") is expected


@pytest.mark.parametrize(
    ("reply", "element", "expected"),
    [
        ("はい、処分のみでもご利用いただけます。", "処分だけのご依頼はお受けしていません", True),
        ("水濡れは保証の対象になりません。", "水濡れは保証の対象外", False),
        ("裏返すことはできません。", "裏返しはできません", False),
        (
            "月〜土の8:30から18:00まで開いています。",
            "営業時間は月曜日から土曜日の8時30分〜18時",
            False,
        ),
        ("営業時間は9時から18時です。", "営業時間は8時30分〜18時", True),
    ],
)
def test_japanese_bans_and_hours_contradict(reply: str, element: str, *, expected: bool) -> None:
    assert contradicts_element(reply, (element,), "ja") is expected


@pytest.mark.parametrize(
    ("element", "reply", "language", "against"),
    [
        ("休館日も含めて数えます", "休館日は日数に入りませんので、ごゆっくりどうぞ。", "ja", True),
        (
            "連絡の日から7日間取り置き、この7日間には休館日も含めて数えます。",
            "休館日は日数に入りませんので、その分ゆっくりお越しいただけます。",
            "ja",
            True,
        ),
        # Of these ten nine were read so at first look.
        ("土日も日数に数えます", "土日も含めて計算します。", "ja", False),
        ("サービス料は料金に含みます", "サービス料は料金に入っておりません。", "ja", True),
        ("未就学児は人数に入れません", "未就学児も人数に数えます。", "ja", True),
        ("未就学児は人数に入れません", "未就学児は数えません。", "ja", False),
        ("定休日は期間に含めません", "定休日を除いて数えます。", "ja", False),
        ("定休日は期間に含めません", "定休日も期間に入ります。", "ja", True),
        ("第1会議室には入れません", "第1会議室は料金に入りません。", "ja", False),
        ("Public holidays are counted.", "Public holidays do not count.", "en", True),
        ("Babies do not count.", "Babies are not counted in the group size.", "en", False),
        ("Babies do not count.", "Babies count towards the group size too.", "en", True),
    ],
)
def test_what_counts_and_what_does_not(
    element: str, reply: str, language: Language, *, against: bool
) -> None:
    assert contradicts_element(reply, (element,), language) is against


@pytest.mark.parametrize(
    ("element", "reply", "language", "against"),
    [
        (
            "貸し農園はリードをつけていれば同伴できますが、6月と7月は18時以降できません。",
            "貸し農園はリードにつなげばお過ごしになれますが、6月と7月は18時以降のご同伴をお断りしております。",
            "ja",
            False,
        ),
        # Nobody had looked at these.
        (
            "犬はリードがあれば入れますが、8月は10時以降入れません。",
            "犬はリードがあればお入りになれますが、8月は10時以降のご入場をお断りしております。",
            "ja",
            False,
        ),
        (
            "Prams are welcome, but not after 6 pm.",
            "You may bring prams, but after 6 pm prams are not permitted.",
            "en",
            False,
        ),
        ("Prams are welcome, but not after 6 pm.", "Prams are not welcome.", "en", True),
    ],
)
def test_an_exception_at_a_time_is_held_against_nothing_but_that(
    element: str, reply: str, language: Language, *, against: bool
) -> None:
    assert contradicts_element(reply, (element,), language) is against


LADDER = "1週間前までなら全額、6日前から前日でしたら半分をお返しし、当日は返金がございません。"


@pytest.mark.parametrize(
    ("element", "reply", "language", "against"),
    [
        ("前日までなら全額返金", LADDER, "ja", True),
        ("1週間前までなら全額返金", LADDER, "ja", False),
        # Of these seven six were read so at first look, three before.
        ("3日前までなら無料", "10日前までなら無料、3日前までなら20%です。", "ja", True),
        ("3日前までなら50%返金", "10日前までなら50%、3日前までなら20%を返金します。", "ja", True),
        ("前日までは半額", "3日前までは全額、前日までは半額を返金します。", "ja", False),
        (
            "full refund the day before",
            "A full refund is due a week before, and half the fee the day before.",
            "en",
            True,
        ),
        (
            "50% refund up to 2 days before",
            "50% is refunded up to 7 days before, 20% up to 2 days before.",
            "en",
            True,
        ),
        (
            "50% refund up to 2 days before",
            "70% is refunded up to 7 days before, 50% up to 2 days before.",
            "en",
            False,
        ),
    ],
)
def test_a_share_that_holds_at_another_time_contradicts(
    element: str, reply: str, language: Language, *, against: bool
) -> None:
    assert contradicts_element(reply, (element,), language) is against
    if against:
        assert State.SAID is not element_state((element,), [reply], language)


@pytest.mark.parametrize(
    ("wanted", "reply", "language", "against"),
    [
        (
            "There is no shuttle on Saturdays.",
            "We have a shuttle: on weekdays (Monday to Friday, never Saturday) dogs are fetched.",
            "en",
            False,
        ),
        ("We do not deliver on Sundays.", "We deliver on Sundays.", "en", True),
        (
            "Dogs with a cough must stay home until they are free of symptoms for 48 hours.",
            "A coughing dog needs to stay at home until 48 hours have gone by without symptoms.",
            "en",
            False,
        ),
        (
            "We do not groom sedated dogs and we do not groom cats.",
            "Cats and dogs under sedation are not groomed here.",
            "en",
            False,
        ),
        (
            "Bisque and glaze firings are charged separately.",
            "Bisque and glaze each count as a firing of their own.",
            "en",
            False,
        ),
        (
            "白無垢と打掛は宅配試着の対象外です。",
            "宅配試着は2着まで1,980円ですが、白無垢と打掛はお送りできません。",
            "ja",
            False,
        ),
    ],
)
def test_what_denies_the_same_in_other_words_or_on_another_day_contradicts_nothing(
    wanted: str, reply: str, language: Language, *, against: bool
) -> None:
    assert contradicts_answer(reply, [wanted], language) is against
