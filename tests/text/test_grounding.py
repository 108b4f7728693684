"""What of a reply the documents bear out."""

import pytest

from simulator.core.persona import Language
from simulator.text.grounding import statements, states_anything

JA = (
    "返品はできますか\n商品の到着から30日以内であれば、未使用の商品を返品できます。"
    "返品の送料はお客さまのご負担です。セール品は返品できません。"
)
EN = (
    "Can I return it?\nUnused goods can be returned within 30 days of delivery. "
    "You pay the postage yourself. Sale items cannot be returned."
)


def read(reply: str, language: Language, said: str = "") -> list[bool]:
    """Whether each statement of a reply is borne out."""
    document = JA if language == "ja" else EN
    return [s.borne_out for s in statements(reply, ["", document], said, language)]


@pytest.mark.parametrize(
    ("reply", "language"),
    [
        ("はい、未使用であれば30日以内に返品が可能です。", "ja"),
        ("セール品の返品はお受けできません。", "ja"),
        ("到着から30日以内なら返品できます。送料はお客さまのご負担でございます。", "ja"),
        ("Yes, you can return unused goods within 30 days.", "en"),
        ("You will have to pay the postage.", "en"),
        ("Well, sale items can't be returned.", "en"),
    ],
)
def test_what_the_documents_say_in_other_words_is_borne_out(reply: str, language: Language) -> None:
    found = read(reply, language)
    assert found
    assert all(found)


@pytest.mark.parametrize(
    ("reply", "language"),
    [
        ("到着から14日以内であれば、未使用の商品を返品できます。", "ja"),
        ("到着から30時間以内であれば、未使用の商品を返品できます。", "ja"),
        ("セール品は返品できます。", "ja"),
        ("未使用の商品は返品できません。", "ja"),
        ("返品の送料はお客さまのご負担ではありません。", "ja"),
        ("ポイントは翌月に付与されます。", "ja"),
        ("未使用の商品は30日以内に返品できますが、会員証の提示と身分証のコピーが必要です。", "ja"),
        ("Unused goods can be returned within 14 days of delivery.", "en"),
        ("Unused goods can be returned within 30 hours of delivery.", "en"),
        ("Unused goods cannot be returned.", "en"),
        ("You don't pay the postage yourself.", "en"),
        ("Points are credited in the following month.", "en"),
        ("Unused goods can be returned, but members show their loyalty card.", "en"),
    ],
)
def test_other_numbers_denials_and_additions_are_not_borne_out(
    reply: str, language: Language
) -> None:
    assert [False] == read(reply, language)


@pytest.mark.parametrize(
    ("reply", "language"),
    [
        ("お問い合わせありがとうございます。", "ja"),
        ("申し訳ございません。分かりかねます。", "ja"),
        ("「返品はできますか」についてご案内いたします。", "ja"),
        ("お手数ですが、サポート窓口までお問い合わせください。", "ja"),
        ("ほかにご不明な点はございますか？", "ja"),
        ("", "ja"),
        ("Hello! Thank you for asking.", "en"),
        ("I'm sorry, I don't know.", "en"),
        ('Here is what our help pages say about "Can I return it?":', "en"),
        ("Please contact our help desk.", "en"),
        ("Is there anything else?", "en"),
        ("Yes.", "en"),
    ],
)
def test_courtesies_questions_refusals_and_pointers_state_nothing(
    reply: str, language: Language
) -> None:
    assert [] == read(reply, language)


@pytest.mark.parametrize(
    ("reply", "language"),
    [
        ("申し訳ございませんが、500円の手数料がかかります。", "ja"),
        ("I'm sorry, there is a fee of $5.", "en"),
    ],
)
def test_an_apology_with_a_number_states_something(reply: str, language: Language) -> None:
    assert [False] == read(reply, language)


def test_what_the_user_said_is_no_statement_of_the_bot() -> None:
    assert [] == read("昨日ノートを3冊買いました。", "ja", said="昨日ノートを3冊買いました")
    assert [False] == read("昨日ノートを3冊買いました。", "ja")
    assert [] == read("I bought 3 pens.", "en", said="Hi. I bought 3 pens!")
    assert [False] == read("I bought 3 pens.", "en")


def test_support_has_to_stand_together() -> None:
    apart = ["ノートの色は赤です。", "発送は毎週月曜日に東京の倉庫で行います。"]
    (found,) = statements("赤のノートは東京の倉庫にあります。", apart, "", "ja")
    (together,) = statements("発送は東京の倉庫で行います。", apart, "", "ja")
    assert 0 < found.support < together.support == 1


def test_two_neighbouring_sentences_may_support_one() -> None:
    document = "The lamp has a warranty of two years. It covers the battery."
    (found,) = statements("The lamp's battery has a 2 year warranty.", [document], "", "en")
    assert found.borne_out


def test_without_documents_nothing_is_borne_out() -> None:
    assert [0.0] == [s.support for s in statements("返品できます。", [], "", "ja")]


def test_each_statement_is_kept_as_it_was_said() -> None:
    found = statements("はい、返品できます。\n- 送料は500円です。", [JA], "", "ja")
    assert ["はい、返品できます。", "- 送料は500円です。"] == [s.sentence for s in found]


def test_a_question_among_the_documents_denies_and_affirms_nothing() -> None:
    document = "返品できませんか？\n返品できます。"
    assert [1.0] == [s.support for s in statements("返品できます。", [document], "", "ja")]
    (found,) = statements("返品できません。", [document], "", "ja")
    assert 0 == found.support


def test_what_a_bot_says_of_itself_is_in_no_document() -> None:
    assert [False] == read("I love that I returned my unused goods.", "en")


@pytest.mark.parametrize("title", ["解約できますか", "解約できますか？", "「解約できますか」"])
def test_questions_alone_bear_nothing_out(title: str) -> None:
    document = f"{title}\n年払いの期間中は解約できません。"
    assert [0.0] == [s.support for s in statements("解約できます。", [document], "", "ja")]


@pytest.mark.parametrize(
    "reply", ["Unused goods can be returned, at one place, within 30 days.", "Well, I can."]
)
def test_one_counts_nothing_and_a_bare_i_states_nothing(reply: str) -> None:
    assert all(read(reply, "en"))


@pytest.mark.parametrize(
    ("reply", "language"),
    [
        ("到着から14日以内であれば、未使用の商品を返品できます。", "ja"),
        ("到着から30か月以内であれば、未使用の商品を返品できます。", "ja"),
        ("セール品は返品できます。", "ja"),
        ("Unused goods can be returned within 14 days of delivery.", "en"),
        ("Unused goods can be returned within 30 months of delivery.", "en"),
        ("Unused goods cannot be returned.", "en"),
    ],
)
def test_the_same_with_another_number_or_denied_is_contradicted(
    reply: str, language: Language
) -> None:
    (found,) = statements(reply, [f"\n{JA if language == 'ja' else EN}"], "", language)
    assert found.contradicted
    assert not found.borne_out


@pytest.mark.parametrize(
    ("reply", "language"),
    [
        ("返品の手数料は500円です。", "ja"),
        ("ポイントは翌月に付与されます。", "ja"),
        ("未使用の商品は返品できます。", "ja"),
        ("A courier collects it for $5.", "en"),
        ("Unused goods can be returned.", "en"),
    ],
)
def test_what_is_not_there_is_no_contradiction(reply: str, language: Language) -> None:
    (found,) = statements(reply, [f"\n{JA if language == 'ja' else EN}"], "", language)
    assert not found.contradicted


def test_another_name_in_the_same_place_is_a_contradiction() -> None:
    document = "朝食\n朝食は1階のレストラン大和で6時30分からご用意しています。"
    (found,) = statements(
        "朝食は1階のレストラン横浜で6時半からご用意しています。", [document], "", "ja"
    )
    assert found.contradicted
    (found,) = statements(
        "Dinner is served in the Blue Hall.", ["\nDinner is served in the Red Hall."], "", "en"
    )
    assert found.contradicted


@pytest.mark.parametrize(
    ("reply", "document", "asked", "language"),
    [
        (
            "それならソフトバンクの利用がお得です。",
            "\n早割の利用がお得です。",
            "ソフトバンクは？",
            "ja",
        ),
        ("Tickets are cheap at Acme.", "\nTickets are cheap at the door.", "And at Acme?", "en"),
    ],
)
def test_a_name_that_nobody_brought_up_is_not_borne_out(
    reply: str, document: str, asked: str, language: Language
) -> None:
    (found,) = statements(reply, [document], "", language)
    assert not found.borne_out
    (known,) = statements(reply, [document], asked, language)
    assert known.support > found.support


def test_a_month_is_about_thirty_days_and_half_past_six_is_6_30() -> None:
    (found,) = statements(
        "到着から1か月以内に返品できます。", ["\n到着から30日以内に返品できます。"], "", "ja"
    )
    assert not found.contradicted
    (found,) = statements("6時半に開店します。", ["\n6時30分に開店します。"], "", "ja")
    assert found.borne_out


def test_what_is_said_instead_denies_nothing() -> None:
    document = "撮影\n着物で撮れます。私服でも撮れます。"
    (found,) = statements("着物でなく私服でも撮れます。", [document], "", "ja")
    assert not found.contradicted


def test_the_title_is_named_in_each_sentence() -> None:
    document = "スポーツジムの休会\n手続きは前月の20日までです。料金は月額1100円です。"
    (found,) = statements("スポーツジムの休会の料金は月額1100円です。", [document], "", "ja")
    assert 1.0 == found.support


@pytest.mark.parametrize(
    ("sentence", "document", "language"),
    [
        (
            "土曜の午後は団体の予約をお受けしておりません。",
            "土曜日の午後は団体の予約を受け付けていません。",
            "ja",
        ),
        ("隠せない大きさの方はお断りしています。", "隠せない大きさの方は利用できません。", "ja"),
        (
            "Germany is no problem, nor are France and Spain.",
            "We deliver to France, Germany and Spain.",
            "en",
        ),
    ],
)
def test_what_denies_in_other_words_contradicts_nothing(
    sentence: str, document: str, language: Language
) -> None:
    assert not any(s.contradicted for s in statements(sentence, [document], "", language))


def test_a_sentence_turned_round_is_seen_though_its_neighbour_denies_the_same_word() -> None:
    document = "期の中で2回まで振り替えできます。当日の欠席は振り替えできません。"
    (found,) = statements("期の中で2回まで振り替えできません。", [document], "", "ja")
    assert found.contradicted


def test_an_amount_that_stands_elsewhere_in_the_documents_contradicts_nothing() -> None:
    document = "大人の料金は1回600円です。中学生の回数券は11回で3,000円です。"
    (found,) = statements("中学生の回数券の料金は1回600円です。", [document], "", "ja")
    assert not found.contradicted


@pytest.mark.parametrize(
    ("courtesy", "language"),
    [
        ("ほかにもご不明な点がありましたら、お気軽にどうぞ。", "ja"),
        ("ご検討くださいませ。", "ja"),
        ("Good luck with it!", "en"),
        ("Hope that helps!", "en"),
        ("You are very welcome. Is there anything else I can help you with?", "en"),
        ("No worries, have a great day.", "en"),
        ("It was my pleasure to help. Take care!", "en"),
        ("I'm here if you need anything else.", "en"),
        ("You're very welcome, have a nice day!", "en"),
        ("とんでもございません。今後ともよろしくお願いいたします。", "ja"),
    ],
)
def test_a_closing_courtesy_states_nothing(courtesy: str, language: Language) -> None:
    assert [] == statements(courtesy, [JA if language == "ja" else EN], "", language)
    assert not states_anything(courtesy, language)


@pytest.mark.parametrize(
    ("reply", "language"),
    [
        ("You're welcome to bring your dog.", "en"),
        ("Any time before noon works.", "en"),
        ("No problem, refunds are free of charge.", "en"),
        ("See you at the front desk in the lobby.", "en"),
        ("鍵のご返却をよろしくお願いいたします。", "ja"),
    ],
)
def test_what_begins_like_a_goodbye_may_state_something(reply: str, language: Language) -> None:
    assert states_anything(reply, language)


def test_a_denied_price_contradicts_though_the_sentence_has_no_other_word() -> None:
    (found,) = statements("It does not cost £590.", ["Crowns\nIt costs £590."], "", "en")
    assert found.contradicted


@pytest.mark.parametrize(
    ("reply", "document", "against"),
    [
        (
            "普通車MTは、一般の方が335,500円です。",
            "普通車ATは一般319,000円です(税込)。普通車MTは16,500円の追加になります。",
            False,
        ),
        (
            "普通車MTは、一般の方が336,500円です。",
            "普通車ATは一般319,000円です(税込)。普通車MTは16,500円の追加になります。",
            True,
        ),
        ("入会金と月会費を合わせて8,500円です。", "入会金は5,000円、月会費は3,500円です。", False),
        ("入会金は8,500円です。", "入会金は5,000円です。月会費は3,500円です。", True),
        ("会員の入館料は2,100円です。", "入館料は3,000円です。会員は900円引きです。", False),
    ],
)
def test_a_sum_of_what_is_added_contradicts_nothing(
    reply: str, document: str, *, against: bool
) -> None:
    found = statements(reply, [document], "", "ja")
    assert any(s.contradicted for s in found) is against


@pytest.mark.parametrize(
    ("said", "known", "invented"),
    [
        ("出船30分前、鳴海港東桟橋に集合。", "集合は出船の30分前、鳴海港の東桟橋。", False),
        ("湿度が45〜65%くらいのお部屋です。", "湿度45から65%が適しています。", False),
        ("湿度が40〜65%くらいのお部屋です。", "湿度45から65%が適しています。", True),
        ("出船30分前、気仙沼港に集合。", "集合は出船の30分前、鳴海港の東桟橋。", True),
    ],
)
def test_a_dropped_no_and_the_ends_of_a_range_are_not_from_nowhere(
    said: str, known: str, *, invented: bool
) -> None:
    assert [invented] == [s.invented for s in statements(said, [known], "", "ja")]
