"""Plain and polite endings of Japanese statements."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.persona import Politeness
from simulator.users.agenda.wording import fitted, to_plain, to_polite

BOTH_WAYS = [
    ("本を買った", "本を買いました"),
    ("本を読んだ", "本を読みました"),
    ("手紙を書いた", "手紙を書きました"),
    ("東京に行った", "東京に行きました"),
    ("急いだ", "急ぎました"),
    ("話した", "話しました"),
    ("待った", "待ちました"),
    ("友だちを呼んだ", "友だちを呼びました"),
    ("昨日来た", "昨日来ました"),
    ("スタンダードプランを使っている", "スタンダードプランを使っています"),
    ("メールは今も受け取れる", "メールは今も受け取れます"),
    ("会社の経費にする", "会社の経費にします"),
    ("登録したのは10分ほど前", "登録したのは10分ほど前です"),
    ("写真は30枚くらい", "写真は30枚くらいです"),
    ("エラーは「E-102」", "エラーは「E-102」です"),
    ("値段が高い", "値段が高いです"),
    ("現場の写真を保存したい", "現場の写真を保存したいです"),
    ("アカウントを持っていない", "アカウントを持っていません"),
    ("番号が分からない", "番号が分かりません"),
    ("お金がない", "お金がないです"),
    ("表示された", "表示されました"),
]


@pytest.mark.parametrize(("plainly", "politely"), BOTH_WAYS)
def test_endings_change_and_change_back(plainly: str, politely: str) -> None:
    assert politely == to_polite(plainly)
    assert plainly == to_plain(politely)


@pytest.mark.parametrize(
    ("plainly", "politely"),
    [
        ("静かだ", "静かです"),
        ("静かだった", "静かでした"),
        ("値段が高かった", "値段が高かったです"),
        ("届かなかった", "届きませんでした"),
        ("見つからなかった", "見つかりませんでした"),
        ("会員番号は12345", "会員番号は12345です"),
    ],
)
def test_plain_endings_become_polite(plainly: str, politely: str) -> None:
    assert politely == to_polite(plainly)


@pytest.mark.parametrize(
    "text", ["もう払いました", "払っていません", "先週です", "届きませんでした"]
)
def test_polite_endings_stay_polite(text: str) -> None:
    assert text == to_polite(text)


@pytest.mark.parametrize("text", ["急いでいるから", "たぶん行こう", "……", "", "Yes, I do"])
def test_what_is_not_known_stays_as_it_is(text: str) -> None:
    assert text == to_plain(text)
    assert text == to_polite(text) or text == "Yes, I do"


@pytest.mark.parametrize(
    "follows", ["という感じで", "んです", "みたいで…", "です。", "って言われた"]
)
def test_what_follows_may_need_the_plain_form(follows: str) -> None:
    assert "もう払った" == fitted("もう払った", Politeness.POLITE, follows)


@pytest.mark.parametrize("follows", ["。", "けど…", "、はい", "", "から"])
def test_elsewhere_it_is_in_the_persons_register(follows: str) -> None:
    assert "もう払いました" == fitted("もう払った", Politeness.FORMAL, follows)
    assert "もう払った" == fitted("もう払いました", Politeness.PLAIN, follows)


@given(text=st.text(max_size=40))
def test_any_text_is_borne(text: str) -> None:
    assert to_polite(text) or not text
    assert to_plain(text) or not text
