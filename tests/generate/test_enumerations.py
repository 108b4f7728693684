import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simulator.core.persona import Language
from simulator.generate.elements import enumerations


@pytest.mark.parametrize(
    ("language", "text", "items"),
    [
        ("ja", "口座振替、カード、コンビニ払込票の3種類です。", "口座振替 カード コンビニ払込票"),
        ("ja", "カード・口座振替・コンビニ", "カード 口座振替 コンビニ"),
        ("ja", "口座振替かカードかコンビニです。", "口座振替 カード コンビニ"),
        ("ja", "カード、コンビニ払い、代金引換をどうぞ。", "カード コンビニ払い 代金引換"),
        ("ja", "銀行振込、口座引き落とし、または現金で", "銀行振込 口座引き落とし 現金"),
        ("ja", "マイページまたはお電話で承ります。", "マイページ お電話"),
        ("ja", "認証アプリとSMSのどちらかを選べます。", "認証アプリ SMS"),
        ("ja", "英字と数字の両方を入れてください。", "英字 数字"),
        ("ja", "1. ログイン 2. 契約変更 3. 確認を押す", "ログイン 契約変更 確認を押す"),
        ("ja", "①電話\n②メール\n", "電話 メール"),
        ("ja", "・口座振替\n・カード\n・コンビニ払い\n", "口座振替 カード コンビニ払い"),
        ("en", "We take cards, bank transfers and cash.", "cards|bank transfers|cash"),
        ("en", "We accept Visa, Mastercard and JCB.", "Visa|Mastercard|JCB"),
        ("en", "You can pay by card, by transfer, or in cash.", "card|transfer|cash"),
        ("en", "Choose between express and standard.", "express|standard"),
        ("en", "1. Log in 2. Choose Plan 3. Press Save", "Log in|Choose Plan|Press Save"),
        ("en", "- card\n- transfer\n", "card|transfer"),
    ],
)
def test_what_is_enumerated_is_found(language: Language, text: str, items: str) -> None:
    found = max(enumerations(text, language), key=len)
    assert items.split("|" if language == "en" else " ") == [item for _, item in found]
    assert all(text[at:].startswith(item) for at, item in found)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ja", "返品は可能ですか、無理ですか。"),
        ("ja", "画面を見て、確認し、押してください。"),
        ("ja", "相続や結婚による名義変更はお電話で承ります。"),
        ("ja", "登録したお名前、最後に利用した日、直近のお支払い金額です。"),
        ("ja", "何日かかりますか。14,800円か4,800円です。"),
        ("ja", "10:00から18:00、1.5倍です。"),
        ("en", "If it does not come, check your phone, your filter and wait."),
        ("en", "Open the app, turn off the saver, and press Save."),
        ("en", "Allow mail from example.jp, do not open links, and forward it."),
        ("en", "It costs 1,480 yen, 14,800 yen or more."),
    ],
)
def test_clauses_and_amounts_are_no_enumeration(language: Language, text: str) -> None:
    assert [] == enumerations(text, language)


@given(st.text(alphabet="口座振替カードか、・または とや引落しいき①1.2\n", max_size=60))
@example("①.1 ①1")
def test_any_text_is_read(text: str) -> None:
    for one in enumerations(text, "ja"):
        assert all(item and text[at:].startswith(item) for at, item in one)
