"""A user's matter in a few words, and in a form that phrases can hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.persona import Language
from simulator.users.agenda.matter import heading, in_brief, keywords, plain_need, topic, wanted


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("登録しているメールアドレスを新しいものに変えたい。", "ja", "登録とメールアドレス"),
        ("手続きに時間の制限があるか知りたい。", "ja", "手続きと時間の制限"),
        ("解約したあと写真がどうなるか知りたい。", "ja", "解約と写真"),
        ("20人で使うときの料金を知りたい。", "ja", "料金"),
        ("写真の撮影日を正しい日に直したい", "ja", "写真の撮影日"),
        ("入れないんだけど", "ja", ""),
        ("", "ja", ""),
        ("I want to know whether there is a time limit.", "en", "time limit"),
        ("請求が二重", "ja", "請求"),
        ("refund please", "ja", ""),
        (
            "お世話になります。〔名前〕と申します。電話番号は〔電話番号〕です。送料が高いです",
            "ja",
            "送料",
        ),
        ("I can't log in", "en", "log in"),
        ("I want my gran to see the photos.", "en", "gran and photos"),
        ("What do I do?", "en", ""),
    ],
)
def test_keywords_are_the_runs_of_words_that_say_most(
    text: str, language: Language, expected: str
) -> None:
    assert expected == keywords(text, language)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("メールアドレスを変えたい。", "メールアドレスを変えたい"),
        ("メールアドレスを変えたいのですが", "メールアドレスを変えたい"),
        ("返品したいです。", "返品したい"),
        ("すぐ止めてほしいんだけど", "すぐ止めてほしい"),
        ("返品の条件", "返品の条件が知りたい"),
        ("返品できますか？", ""),
        ("やり方を教えてください。", "やり方を教えてほしい"),
        ("営業時間は？", "営業時間が知りたい"),
        ("返品について。", "返品について知りたい"),
        ("早くして。", "早くしてほしい"),
        ("アプリが落ちるんですけど何とかして", "アプリが落ちるんですけど何とかしてほしい"),
        ("二重請求の返金をお願いします", "二重請求の返金をお願いしたい"),
        ("プランを変更する", "プランを変更したい"),
        ("アプリが落ちる", "アプリが落ちる"),
        ("来週引っ越すんですけど", "来週引っ越す"),
        ("違約金があるか", "違約金があるか知りたい"),
        ("送料っていくら", "送料っていくらか知りたい"),
        ("領収書ください", "領収書が欲しい"),
        ("こんにちは。返品したい。", "返品したい"),
        ("スマホが壊れて", ""),
        ("さっさと直せ", ""),
        ("請求が二重", ""),
        ("こんにちは", ""),
        ("How do I cancel?", ""),
        ("ログインできません", ""),
        ("。", ""),
    ],
)
def test_a_japanese_need_ends_in_a_plain_form_or_not_at_all(text: str, expected: str) -> None:
    assert expected == plain_need(text, "ja")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I want my money back!", "I want my money back"),
        ("To get my money back.", "I want to get my money back"),
        ("Cancel the plan", "I want to cancel the plan"),
        ("My money back", "I want my money back"),
        ("About returns.", "I want to know about returns"),
        ("Opening hours?", "I want to know about opening hours"),
        ("Whether it is free", "I want to know whether it is free"),
        ("Fix it", "I want you to fix it"),
        ("Where is my parcel", "where is my parcel?"),
        ("Can't log in", "can't log in"),
        ("iPhone app won't open.", "iPhone app won't open"),
        ("Still waiting...", "still waiting"),
        ("Hello!", ""),
        ("😡", ""),
    ],
)
def test_an_english_need_is_a_clause_that_may_stand_inside_a_sentence(
    text: str, expected: str
) -> None:
    assert expected == plain_need(text, "en")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("登録しているメールアドレスを新しいものに変えたい。", "メールアドレス"),
        ("手続きに時間の制限があるか知りたい。", "時間の制限"),
        ("解約したあと写真がどうなるか知りたい。", "解約と写真"),
        ("入れないんだけど", ""),
    ],
)
def test_a_topic_is_the_run_that_says_it_all(text: str, expected: str) -> None:
    assert expected == topic(text, "ja")


@pytest.mark.parametrize(
    ("need", "what", "brief"),
    [
        ("I want to know whether there is a limit", "whether there is a limit", None),
        ("I want to cancel my plan", "cancel my plan", "want to cancel my plan"),
        ("I want to be able to log in", "log in", "want to log in"),
        ("I need a receipt", "a receipt", None),
        ("I want my money back", "", None),
    ],
)
def test_an_english_need_in_brief_is_what_one_wants_and_no_order(
    need: str, what: str, brief: str | None
) -> None:
    assert what == wanted(need, "en")
    assert (what if brief is None else brief) == in_brief(need, "en")
    assert "" == in_brief("返品したい", "ja") == wanted("返品したい", "ja")


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("メアドを変えたいんですけど", "ja", "メアドを変えたい"),
        ("確認メールが届かないです。", "ja", "確認メールが届かない"),
        ("招待方法は？", "ja", "招待方法は？"),
        ("How can I cancel my plan?", "en", "How can I cancel my plan?"),
        ("I cannot log in.", "en", "I cannot log in"),
    ],
)
def test_a_matter_is_quoted_without_its_loose_end_and_a_question_with_its_mark(
    text: str, language: Language, expected: str
) -> None:
    assert expected == heading(text, language)


@pytest.mark.parametrize("language", ["ja", "en"])
@given(text=st.text(alphabet=st.characters(codec=None), max_size=100))
def test_any_text_is_borne(text: str, language: Language) -> None:
    keywords(text, language)
    plain_need(text, language)
