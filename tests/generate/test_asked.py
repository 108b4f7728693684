"""Elements of a title: the one thing that it asks for, or none."""

import pytest

from simulator.core.persona import Language
from simulator.generate.rounds import asked_elements, asked_kind

FOUND = [
    ("送料はいくらですか", "送料は全国一律で550円です。5,000円以上で無料になります。", "550円"),
    ("返金には何日かかりますか", "返金には3営業日かかります。", "3営業日"),
    ("支払いの期限を教えてください", "期限は5日以内です。手数料は220円です。", "5日以内"),
    ("送迎車に何名乗れますか", "送迎車は1台につき5名様まで乗れます。", "5名"),
    (
        "営業時間を教えてください",
        "営業時間は午前10時から午後6時までです。",
        "午前10時から午後6時まで",
    ),
    ("設立はいつですか", "当社は1998年に設立されました。", "1998年"),
    ("申し込みはいつまでですか", "申し込みは3月31日まで受け付けます。", "3月31日まで"),
    ("忘れ物はどこで受け取れますか", "忘れ物は1階の総合受付で受け取れます。", "1階の総合受付"),
    ("請求書はどこに送ればよいですか", "請求書は bill@example.jp へ。", "bill@example.jp"),
    ("返品の担当は誰ですか", "返品の担当はお客様相談室です。", "お客様相談室"),
    ("何分前に着けばよいですか", "2時間の講習です。10分前に着いてください。", "10分前"),
    ("無料で何GBまで使えますか", "無料で使えるのは5GBまでです。", "5GBまで"),
    ("手数料の割合を教えてください", "手数料の割合は3%です。", "3%"),
    ("問い合わせの電話番号は？", "電話番号は 0120-000-000 です。", "0120-000-000"),
]
EN_FOUND = [
    ("How much is delivery?", "Delivery is 4.50 pounds. Gifts cost 2 pounds.", "4.50 pounds"),
    ("How long does a refund take?", "A refund takes up to 5 business days.", "5 business days"),
    ("How many devices can I use?", "On 2 floors you can use up to 3 devices.", "3 devices"),
    ("How often can I change my name?", "You can change your name twice a year.", "twice a year"),
    ("What time is check-in?", "Check-in is at 3:00 PM.", "3:00 PM"),
    ("When was the shop founded?", "The shop was founded in 1998.", "1998"),
    ("When is the deadline?", "The deadline is March 31.", "March 31"),
    ("Where do I collect it?", "Collect it at the service desk.", "service desk"),
    ("Who approves my leave?", "Leave is approved by your line manager.", "line manager"),
    ("How big may a file be?", "A file may be up to 25 MB.", "25 MB"),
    ("What percentage is tax?", "Tax is 20 percent of the price.", "20 percent"),
    ("What is the phone number of support?", "Phone support: 0120-000-000.", "0120-000-000"),
]
NONE = [
    # nothing like it is asked for: connectives and stray years are no answers
    ("設立の経緯を教えてください", "当社は1998年に設立されました。"),
    ("なぜ人気があるのですか", "したがって、1998年以降、多くの人が使っています。"),
    ("支払い方法を変更したい", "「設定」→「支払い」で3分ほどで変更できます。"),
    # two could be meant
    ("料金はいくらですか", "料金は大人が500円、子どもが300円です。"),
    ("開発期間はどのくらいですか", "開発期間は小さいもので2〜3ヶ月、大きいもので4〜5ヶ月です。"),
    # another kind
    ("料金はいくらですか", "料金は30日以内にお支払いください。"),
    ("受付時間を教えてください", "受付時間は窓口ごとに違い、2営業日以内に返事します。"),
    ("予約はいつできますか", "予約は1998年からできます。"),
    ("何か月前から申請できますか", "申請は有効期限の2年間のうちにできます。"),
    ("体験の料金はいくらですか", "体験の料金は無料〜3,000円です。"),
    # what is over when the thing holds
    ("返品は何日以内ですか", "返品は30日を過ぎるとできません。"),
    # the sentence with the amount is about something else, or nothing is shared
    ("修理はいくらですか", "修理は見積もりのうえで決まります。送料は500円です。"),
    ("送料はいくらですか", "500円です。"),
]
EN_NONE = [
    ("Why was it founded?", "Therefore, since 1998, it has grown."),
    ("How do I change my card?", "Change your card under Settings, in 3 minutes."),
    ("How much is a ticket?", "A ticket is $5 for adults and $3 for children."),
    ("How much is a ticket?", "A ticket is valid for 14 days."),
    ("When can I return it?", "Since 1998 we let you return anything."),
    ("How long can I cancel?", "After 14 days you cannot cancel."),
    ("When am I billed?", "If you are billed on the 31st, shorter months differ."),
    ("How many devices can I use?", "You can use devices on 2 floors."),
    ("How much is repair?", "Repair is priced by estimate. Postage is 5 pounds."),
]


@pytest.mark.parametrize(("title", "text", "element"), FOUND)
def test_what_a_japanese_title_asks_for_is_taken(title: str, text: str, element: str) -> None:
    assert (element,) == asked_elements(title, text, "ja")


@pytest.mark.parametrize(("title", "text", "element"), EN_FOUND)
def test_what_an_english_title_asks_for_is_taken(title: str, text: str, element: str) -> None:
    assert (element,) == asked_elements(title, text, "en")


@pytest.mark.parametrize(("title", "text"), NONE)
def test_where_japanese_leaves_a_doubt_there_is_no_element(title: str, text: str) -> None:
    assert () == asked_elements(title, text, "ja")


@pytest.mark.parametrize(("title", "text"), EN_NONE)
def test_where_english_leaves_a_doubt_there_is_no_element(title: str, text: str) -> None:
    assert () == asked_elements(title, text, "en")


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("text", ["", "\x00", "\ud800", "(" * 2_000, "1 " * 5_000])
def test_any_passage_will_do(text: str, language: Language) -> None:
    assert () == asked_elements("いくらですか" if language == "ja" else "How much?", text, language)


def test_a_title_that_asks_for_nothing_of_the_kind_has_none() -> None:
    assert asked_kind("パスワードを忘れました", "ja") is None
    assert asked_kind("I forgot my password", "en") is None
    assert asked_kind("いつでも使えますか", "ja") is None
