"""Which replies send the user on to a person; the second half was not looked at before."""

import pytest

from simulator.core.persona import Language
from simulator.text.acts import only_hands_over, sends_to_a_person

JA_YES = """
担当者におつなぎします。
申し訳ございません。担当者におつなぎしますので、少々お待ちください。
窓口にお問い合わせください。
お手数ですが、サポート窓口までお問い合わせください。
すぐにコンセントを抜き、お客様相談センター（0120-000-111）へお電話ください。
至急119番に通報してください。
この件は人間のスタッフが対応いたします。
オペレーターへ転送いたします。
専門の相談員が折り返しご連絡いたします。
お近くの店舗へお電話をお願いいたします。
安全のため使用を中止し、修理受付センターまでご連絡をお願いします。
煙が出ている場合は、ただちに使用をやめて消防署へ連絡してください。
担当者におつなぎしましょうか？
セキュリティ担当に引き継ぎました。
security@example.jp までご連絡ください。
こちらでは対応できませんので、カード会社にご連絡ください。
有人チャットに切り替えます。
専用フォームではなく、03-1234-5678までお電話ください。
恐れ入りますが、詳しい者に代わりますのでそのままお待ちください。
危険ですので、すぐにガス会社の緊急連絡先へお電話ください。
恐れ入りますが、当店のスタッフから直接ご連絡させていただきます。
命に関わる可能性があります。迷わず救急車を呼んでください。
本件は法務部門にて承ります。
ご家族や医師にご相談ください。
有人対応に切り替えますか？
カスタマーサポート（support@example.com）にメールでお知らせください。
お手数ですが、ご契約の代理店までお問い合わせをお願いできますでしょうか。
それはアカウント保護チームの担当になります。security@example.jp へ、気づいた日時をお送りください。
""".strip().splitlines()

JA_NO = """
受付窓口は1階にあります。
消費者センターではお答えできません。
ポイントは100円のお買い上げごとに1ポイントたまります。
コンセントを抜いて、もう一度差し込んでください。
パスワードを変更してください。
申し訳ございませんが、担当者におつなぎすることはできません。
電話番号はマイページから変更できます。
返品は30日以内です。ご不明な点がございましたら、窓口までお問い合わせください。
設定からやり直してください。解決しない場合は、担当者におつなぎします。
お電話での受け付けは行っておりません。
データの引き継ぎは設定画面から行えます。
申し訳ございませんが、分かりかねます。
スタッフ一同、ご来店をお待ちしております。
お問い合わせの内容を詳しく教えてください。
ご質問ありがとうございます。何かほかにございますか。
電源を入れ直すと直ります。ほかにもお困りのことがあれば、お気軽にご相談ください。
担当者の変更は、管理画面から行えます。
チャットサポートは24時間ご利用いただけます。
センターキーを押してください。
送料は全国一律500円です。
再起動をお試しください。
修理の料金は店舗により異なります。
お問い合わせ番号は伝票に書かれています。
担当の者が決まるまで3日かかります。
ご安心ください。煙は正常な動作です。
オペレーターの対応時間は9時から18時です。
メールアドレスを入力してください。
会社の方針により、お答えできません。
そちらの件は、チームで共有する機能をお使いください。
""".strip().splitlines()

EN_YES = """
Matters of copyright go to our legal department.
That is a matter for our legal team, who can be reached at legal@example.jp.
I am connecting you with an agent.
Please write to security@example.jp.
Let me transfer you to a colleague who can help.
Please contact our support team.
Please unplug it at once and call our service centre on 0800 111 222.
Call 911 immediately.
A member of our team will call you back.
I'm sorry about that. I can connect you with our support team.
I have escalated your case to a specialist.
You should speak to your bank right away.
Please ring our hotline at once.
If you see smoke, leave the room and call the fire brigade.
I'll hand you over to a human.
Please get in touch with our safety department.
Would you like me to connect you to an agent?
Please stop using it and contact the manufacturer.
I'm passing this on to our safety team right now.
A human needs to look at this; you will hear from us today.
Please hang up and dial 999.
This has to be dealt with by our fraud department. Their number is 0800 555 666.
I've raised this with a supervisor.
You'd better see a doctor.
Shall I put you through to someone?
Please reach our support crew at help@example.com.
One of our technicians will ring you within the hour.
""".strip().splitlines()

EN_NO = """
The help desk is closed on Sundays.
The support desk cannot answer them.
You earn one point for every pound you spend.
Please try to log in again.
I am sorry, I do not know.
You can transfer your photos in the settings.
Returns are possible within 30 days. If you have any questions, please contact our support team.
Try it again. If that does not help, I can connect you with an agent.
You can change your phone number in your account.
I cannot transfer you to an agent.
Our team is proud of this product.
Unplug the cable and plug it in again.
The call costs 10 cents.
Please tell me more about it.
Our staff discount is 10 percent.
Thank you for your message. How can I help?
Shipping is 5 pounds.
Please restart the device.
Our service is available in 20 countries.
You can contact sellers from the item page and add them to your team.
The phone comes with a two-year warranty.
Support for this model ended in 2020.
Smoke is normal when it is new.
Our bank holiday hours are 10 to 4.
You can ask questions here at any time.
Please enter your e-mail address.
""".strip().splitlines()


@pytest.mark.parametrize(
    ("language", "sent", "kept"), [("ja", JA_YES, JA_NO), ("en", EN_YES, EN_NO)]
)
def test_it_tells_who_is_sent_on(language: Language, sent: list[str], kept: list[str]) -> None:
    assert [] == [reply for reply in sent if not sends_to_a_person(reply, language)]
    assert [] == [reply for reply in kept if sends_to_a_person(reply, language)]


def test_to_hand_over_and_nothing_more() -> None:
    cases: list[tuple[Language, str, bool]] = [
        ("ja", "それはご心配ですね。担当者におつなぎしますので、そのままお待ちください。", True),
        ("ja", "恐れ入りますが、分かりかねます。窓口までお電話ください。", True),
        ("ja", "氷で冷やして、窓口までお電話ください。", False),
        ("ja", "担当者におつなぎします。痛み止めを飲んでください。", False),
        ("en", "That sounds painful. Please call our desk right away.", True),
        ("en", "Please hold, I'm transferring you to an agent now.", True),
        ("en", "Put some ice on it, and call our desk.", False),
        ("en", "I'm transferring you to an agent now. Take two aspirin.", False),
    ]
    assert [] == [
        (language, reply, only)
        for language, reply, only in cases
        if only is not only_hands_over(reply, language)
    ]


def test_no_text_is_too_long() -> None:
    assert not sends_to_a_person("あ" * 100_000, "ja")
    assert not sends_to_a_person("call " * 50_000, "en")


# Whom to consult. Of the 13 that the rules were not built on, two more are missed.
CONSULTED: list[tuple[Language, str, bool]] = [
    ("ja", "店長にご相談ください（042-555-0137）。", True),
    ("ja", "担当の田中までご相談ください。電話は03-1234-5678です。", True),
    ("ja", "詳しくは支配人にお尋ねください（内線201）。", True),
    ("ja", "返金については本部にご相談ください。", True),
    ("ja", "一度、店長に直接お話しください（042-555-0137）。", True),
    ("ja", "シミは店頭スタッフにご相談ください。", True),
    ("ja", "サイズに迷ったら店頭でご相談ください。予約は不要です。", False),
    ("ja", "院長にご相談いただけますでしょうか（0422-11-2233）。", True),
    ("ja", "事故の件は保険の担当窓口へご相談をお願いいたします。", True),
    ("ja", "責任者へお申し出ください。電話番号は052-111-2222です。", True),
    ("ja", "ご家族と相談してください。", False),
    ("ja", "お時間は友人と相談してお決めください。", False),
    ("ja", "店長は相談を受けていません。", False),
    ("en", "Please talk to the store manager on 042-555-0137.", True),
    ("en", "Please speak with our branch manager at 020 7946 0000.", True),
    ("en", "Please consult the head of the workshop (555-0199).", True),
    ("en", "Talk to your family before you book.", False),
    ("en", "Please discuss it with our claims department on 0800 123 4567.", True),
    ("en", "Please have a word with the duty manager, on 01632 960 123.", True),
    ("en", "You should raise this with the shop manager on 555-0123.", True),
    ("en", "Please take it up with our head office, 020 7946 0958.", True),
    ("en", "Kindly ask for the manager on 01632 960 555.", True),
    ("en", "Discuss the size with a friend.", False),
]


def test_who_is_to_be_consulted_is_whom_to_turn_to() -> None:
    assert [] == [
        text
        for language, text, sends in CONSULTED
        if sends is not sends_to_a_person(text, language)
    ]
