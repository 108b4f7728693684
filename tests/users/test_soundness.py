"""The detectors of an unsound simulated user: what they find, and what they leave alone."""

from dataclasses import replace
from pathlib import Path

import pytest

from simulator.core.persona import Behaviour, Disclosure, Language, Persona, Politeness, Style
from simulator.core.ports import Evidence
from simulator.core.scenario import Scenario
from simulator.files.catalog import Catalog
from simulator.users._soundness import soundness
from tests.execution.scored import evidence, persona

JA = Persona(
    id="angry",
    language="ja",
    name="怒っている人",
    description="迷惑をかけられたと思っていて、結論だけ聞かせてほしい人",
    traits=("悪いのはサービスの側だと思っていて、話し始めから機嫌が悪い。",),
    style=Style(
        24, Politeness.PLAIN, Disclosure.GRUDGING, "答えになっていないと一言で切り捨てる。"
    ),
    patience=1,
    behaviours=(Behaviour("敬語を使わず、言い切りや問い返しで話す。", "です・ます調で話す。"),),
    phrases={"ask": ("だから、{need}んだけど。",)},
)
LOGIN = Scenario(
    id="login",
    query="ログインできません",
    goal="パスワードを再設定して、またログインしたい。",
    known=("画面には Your session has expired, please sign in again と出る",),
    turns=("もう一度最初から言いますね。ログインできません",),
)
BOT = (
    "ログイン画面の「パスワードをお忘れの方」から再設定の手続きができます。"
    "登録したメールアドレスに届くリンクを1時間以内に開いてください。"
)


def ja(*said: str) -> tuple[str, ...]:
    """The tags of the last of these utterances; the bot says the same every time."""
    talk = evidence(*((text, BOT) for text in said), language="ja", scenario=LOGIN, who=JA)
    return soundness(talk)


def en(*said: str, query: str = "I cannot log in") -> tuple[str, ...]:
    bot = "Please open the link that we sent to your registered address within one hour of asking."
    talk = evidence(*((text, bot) for text in said), scenario=Scenario("login", query))
    return soundness(talk)


OPENING = "ログインできません"


@pytest.mark.parametrize(
    ("said", "tag"),
    [
        ("\u200b\u200b", "empty"),
        ("**DONE**", "leaked_mark"),
        ("ありがとう。\n[DONE]", "leaked_mark"),
        ("thought: まだ解決していない\nmessage: 届かないよ", "leaked_mark"),
        ('{"message": "届かないよ", "stop": "none"}', "leaked_mark"),
        ("<think>怒ってみせよう</think>届かないよ", "leaked_thought"),
        ("ほかにご不明な点がございましたら、お気軽にお問い合わせください。", "assistant_voice"),
        ("お問い合わせいただきありがとうございます。", "assistant_voice"),
        (
            "私は、悪いのはサービスの側だと思っていて、話し始めから機嫌が悪いのです。",
            "leaked_brief",
        ),
        ("敬語を使わず、言い切りや問い返しで話す", "leaked_brief"),
        (OPENING, "repeat"),
        ("ログインできません。", "repeat"),
        (BOT, "echo"),
        (f"なるほど。{BOT}", "echo"),
        ("I still cannot open the page, what should I do now?", "language"),
        ("我还是没有收到重置密码的邮件请问应该怎么办才好呢谢谢", "language"),
        ("비밀번호를 재설정하는 메일이 아직도 도착하지 않았습니다", "language"),
        ("困っています。昨日から何度も試しましたし、家族にも聞きました。" * 6, "length"),
    ],
)
def test_an_unsound_user_is_noticed_in_japanese(said: str, tag: str) -> None:
    assert (tag,) == ja(OPENING, said)


@pytest.mark.parametrize(
    ("said", "tag"),
    [
        ("How can I help you today?", "assistant_voice"),
        ("As an AI, I cannot log in.", "assistant_voice"),
        ("Is there anything else I can help with?", "assistant_voice"),
        ("I cannot log in", "repeat"),
        (
            "Please open the link that we sent to your registered address within one hour.",
            "echo",
        ),
        ("まだログインできないのですが、どうすればよいのでしょうか", "language"),
        ("I have tried it on my phone and on the laptop of my brother. " * 12, "length"),
    ],
)
def test_an_unsound_user_is_noticed_in_english(said: str, tag: str) -> None:
    assert (tag,) == en("I cannot log in", said)


@pytest.mark.parametrize(
    "said",
    [
        "だから、またログインしたいんだけど。",
        "パスワードを再設定して、またログインしたいんだけど。",
        "リンクが届かない。",
        "「パスワードをお忘れの方」を押したけど、リンクが届かないんだけど、どうなってるの？",
        "画面には Your session has expired, please sign in again と出る。で、どうなの？",
        "Your session has expired, please sign in again",
        "どうせ done って出るだけでしょ。",
        "**至急**でお願い",
        "stopって押しても止まらない",
        "もう一度最初から言いますね。ログインできません",  # word for word from the scenario
        "……",
        "はい",
        "東京都渋谷区道玄坂一丁目二番三号",
        "担当者を出して。",
        "お問い合わせ番号は分からない。",
    ],
)
def test_ordinary_japanese_users_are_left_alone(said: str) -> None:
    assert () == ja(OPENING, said)


@pytest.mark.parametrize(
    "said",
    [
        "I opened the link but nothing happens, and it is within one hour of asking.",
        "I am done with this!",
        "Could you help me, please?",
        "No.",
        "My name is 山田 太郎.",
        "So for what reason: none?",
    ],
)
def test_ordinary_english_users_are_left_alone(said: str) -> None:
    assert () == en("I cannot log in", said)


@pytest.mark.parametrize(
    "query",
    [
        "How can I help you?",
        "Ihre Sitzung ist abgelaufen, bitte melden Sie sich noch einmal an",
        "これは日本語の質問ですが、英語のクライアントに届きました",
        "**DONE**",
    ],
)
def test_the_scenarios_own_query_is_never_suspicious(query: str) -> None:
    assert () == en(query, query=query)


def test_several_tags_may_stand_on_one_turn() -> None:
    assert ("leaked_mark", "assistant_voice") == ja(OPENING, "お役に立ててよかったです。**DONE**")


def test_a_huge_utterance_is_read_in_reasonable_time() -> None:
    assert ("length",) == en("I cannot log in", "word after word " * 70_000)


def spoken(language: Language) -> list[Evidence]:
    """Every phrase of every shipped persona, as the second utterance of a talk."""
    found = []
    for who in Catalog(None, Path.cwd()).personas(language).values():
        for wordings in who.phrases.values():
            for wording in wordings:
                said = wording.format_map(_Filled(language))
                found.append(
                    evidence(
                        (LOGIN.query, BOT), (said, BOT), language=language, scenario=LOGIN, who=who
                    )
                )
    return found


class _Filled(dict[str, str]):
    """Whatever a phrase asks for, it gets the goal or a fact."""

    def __init__(self, language: Language) -> None:
        super().__init__()
        self._language = language

    def __missing__(self, key: str) -> str:
        if self._language == "en":
            return "log in again and see my photos" if key == "need" else "the app says error 42"
        return "またログインしたい" if key == "need" else "エラー番号は42"


@pytest.mark.parametrize("language", ["ja", "en"])
def test_no_phrase_of_a_shipped_persona_raises_an_alarm(language: Language) -> None:
    found = spoken(language)
    assert len(found) > 50
    alarms = [(e.persona.id, e.exchange.user, soundness(e)) for e in found if soundness(e)]
    assert [] == alarms


def test_a_plain_persona_without_phrases_will_do() -> None:
    who = persona("en")
    assert () == soundness(evidence(("Hello", "Hi."), ("It is broken.", "Oh."), who=who))


def test_whose_words_were_written_before_is_never_unsound() -> None:
    talk = evidence((OPENING, BOT), (BOT, BOT), language="ja", scenario=LOGIN, who=JA)
    assert soundness(talk)
    assert () == soundness(replace(talk, scripted=True))


@pytest.mark.parametrize(
    ("said", "tags"),
    [
        ("The customer has opened the link and thanks the desk.", ("leaked_thought",)),
        ("The customer number is on my letter.", ()),
    ],
)
def test_nobody_sees_oneself_from_outside(said: str, tags: tuple[str, ...]) -> None:
    assert tags == en("I cannot log in", said)


@pytest.mark.parametrize(
    ("said", "tags"),
    [
        ("Understood. If I do this by 23:59, I am not billed again, and my data stays.", ("echo",)),
        ("So if I do this by 23:59, I am not billed again, and my data stays?", ()),
        ("If I do this by 23:59 tonight, will somebody tell me that it worked.", ()),
    ],
)
def test_a_reply_recited_as_ones_own_is_an_echo(said: str, tags: tuple[str, ...]) -> None:
    bot = "If you do this by 23:59, you are not billed again, and your data stays."
    talk = evidence(("How do I cancel?", bot), (said, bot), scenario=Scenario("s", "How?"))
    assert tags == soundness(talk)


def test_who_tells_of_a_customer_in_its_brief_may_do_so() -> None:
    query = "The customer is asking for a refund, may I give it?"
    assert () == en(query, "The customer is sure of it.", query=query)


@pytest.mark.parametrize(
    ("said", "tags"),
    [
        ("利用者は説明に納得し、礼を述べている。", ("leaked_thought",)),
        ("利用者はどう思っているのですか？", ()),
        ("利用者は3人です。", ()),
    ],
)
def test_a_japanese_user_does_not_tell_of_the_customer(said: str, tags: tuple[str, ...]) -> None:
    assert tags == ja(OPENING, said)


@pytest.mark.parametrize("language", ["ja", "en"])
def test_who_recites_the_reminder_of_its_prompt_leaks_it(language: Language) -> None:
    prompt = Catalog(None, Path(__file__).parents[2]).prompt(language, "user")
    for sentence in prompt.render("remind", turn="2", max_turns="3").strip("()（）").split(". "):
        talk = evidence(("?", "!"), (sentence, "!"), language=language, scenario=LOGIN)
        assert "leaked_thought" in soundness(talk)
