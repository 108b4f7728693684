"""Recorded talks as scenarios: what becomes of the customer's words."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.persona import Language
from simulator.files.dialogs import Dialog, Imported, Utterance, Wish, scenarios_of
from simulator.files.scenarios.loading import load_scenarios


def dialog(*said: str, name: str = "t1", facts: tuple[str, ...] = ()) -> Dialog:
    """A talk in which the operator says something between any two messages of the customer."""
    talk: list[Utterance] = []
    for text in said:
        talk += [Utterance("bot", "はい。", 1), Utterance("user", text, 1, is_customer=True)]
    return Dialog(name, 1, tuple(talk), facts)


def made(*talks: Dialog, language: Language = "ja", **options: Any) -> Imported:
    return scenarios_of(talks, language, **options)


def entry(*said: str, language: Language = "ja", facts: tuple[str, ...] = ()) -> dict[str, Any]:
    return dict(made(dialog(*said, facts=facts), language=language).entries[0])


def test_the_first_request_is_the_query_and_the_rest_is_the_script() -> None:
    found = entry("送料はいくらですか。", "はい。", "分かりました。")
    assert "送料はいくらですか。" == found["query"]
    assert ["はい。", "分かりました。"] == found["turns"]
    assert ["imported"] == found["tags"]


def test_a_greeting_alone_is_joined_with_what_follows() -> None:
    found = entry("こんにちは。", "よろしくお願いします。", "送料は?", "どうも。")
    assert "こんにちは。\nよろしくお願いします。\n送料は?" == found["query"]
    assert ["どうも。"] == found["turns"]


def test_what_is_asked_is_the_goal_and_what_is_told_is_known() -> None:
    found = entry(
        "来月、宮崎に行きたいと思っています。",
        "はい、大人2名です。朝食はつけてください。",
        "ありがとうございます。駐車場はありますか?",
    )
    assert (
        "来月、宮崎に行きたいと思っています。朝食はつけてください。駐車場はありますか?"
        == found["goal"]
    )
    assert ["大人2名です。"] == found["known"]


def test_where_the_query_says_all_that_is_asked_there_is_no_goal() -> None:
    found = entry("キャンセルしたいのですが。", "予約は5月2日です。", "はい、お願いします。")
    assert "goal" not in found
    assert ["予約は5月2日です。"] == found["known"]


def test_nothing_is_known_twice() -> None:
    found = entry("予約の件です。", "2名です。", "はい、2名です。", "大人2名です。予約の件です。")
    assert ["大人2名です。"] == found["known"]


def test_facts_of_the_log_stand_in_place_of_what_was_told() -> None:
    found = entry("予約の件です。", "2名です。", facts=("人数は2名", "1泊"))
    assert ["人数は2名", "1泊"] == found["known"]


@pytest.mark.parametrize(
    ("said", "goal"),
    [
        (
            [
                "お世話になります。佐藤花子と申します。先月の請求が二重になっているんですが",
                "メールはhanako@example.comです",
                "ありがとうございます。いつ頃戻りますか？",
            ],
            "先月の請求が二重になっているんですが。いつ頃戻りますか？",
        ),
        (["引っ越すんだけど", "来月です。早くして"], None),
        (
            ["すみません。聞きたいんですけど。アプリが落ちるんです。", "直し方を教えて"],
            "アプリが落ちるんです。直し方を教えて。",
        ),
        (
            ["株式会社山田の鈴木です。見積書が届いていないのですが。", "住所も変えられますか？"],
            "見積書が届いていないのですが。住所も変えられますか？",
        ),
    ],
)
def test_the_goal_begins_with_the_matter_and_not_with_who_is_speaking(
    said: list[str], goal: str | None
) -> None:
    assert goal == entry(*said).get("goal")


def test_who_only_says_its_name_has_said_nothing_yet() -> None:
    found = entry("もしもし、田中ですけど。", "届いた皿が割れていました。", "田中です。")
    assert "もしもし、〔名前〕ですけど。\n届いた皿が割れていました。" == found["query"]
    assert "known" not in found


def test_english() -> None:
    found = entry(
        "Hi!",
        "My parcel is late.",
        "Yes. It was sent on Monday. Can I get my money back?",
        "Ok, thanks.",
        language="en",
    )
    assert "Hi!\nMy parcel is late." == found["query"]
    assert "My parcel is late. Can I get my money back?" == found["goal"]
    assert ["It was sent on Monday."] == found["known"]


def test_personal_data_is_masked_and_counted_unless_it_is_to_stay() -> None:
    talk = dialog("03-1234-5678に電話してください。", "a@example.comです。", name="a@example.com")
    hidden = made(talk)
    assert {"phone": 1, "email": 1} == hidden.masked
    assert ["〔メールアドレス〕です。"] == hidden.entries[0]["turns"]
    assert "@" not in hidden.text("log.jsonl", "ja")
    shown = made(talk, keep_personal_data=True)
    assert ("a@example.com", {}) == (shown.entries[0]["id"], shown.masked)


def test_ids_are_stable_unique_and_fit_to_name_an_episode() -> None:
    names = ["a/b", "a-b", "x" * 200, "090-1234-5678", "\u202e"]
    first = made(*(dialog("送料は?", name=name) for name in names))
    again = made(*(dialog("送料は?", name=name) for name in names))
    ids = [str(e["id"]) for e in first.entries]
    assert ids == [str(e["id"]) for e in again.entries]
    assert ["a-b", "a-b-2"] == ids[:2]
    assert 5 == len(set(ids))
    assert all(name and "/" not in name and len(name) <= 100 for name in ids)


def test_talks_of_courtesies_are_left_out_and_counted() -> None:
    found = made(dialog("こんにちは。", "はい。", name="a"), dialog("送料は?", name="b"))
    assert (1, ["b"]) == (found.silent, [e["id"] for e in found.entries])


def test_it_counts_what_there_is() -> None:
    found = made(dialog("送料は?", "2名です。", "返品はできますか。"), dialog("返品は?", name="b"))
    assert (4, 3, 1, 1) == (found.turns, found.longest, found.goals, found.facts)


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30).filter(str.strip)


@given(st.lists(st.lists(TEXT, min_size=1, max_size=4), min_size=1, max_size=4))
def test_whatever_was_said_the_file_is_read_back(tmp_path_factory: Any, talks: Any) -> None:
    found = made(*(dialog(*said, name=f"t{n}") for n, said in enumerate(talks)))
    if not found.entries:
        return
    folder: Path = tmp_path_factory.mktemp("client")
    (folder / "scenarios.yaml").write_text(found.text("log.jsonl", "ja"), "utf-8")
    read = load_scenarios(folder)
    assert [e["id"] for e in found.entries] == list(read)
    for written in found.entries:
        scenario = read[str(written["id"])]
        assert str(written["query"]).strip() == scenario.query
        turns = written.get("turns", [])
        assert isinstance(turns, list)
        assert [str(turn).strip() for turn in turns] == list(scenario.turns)


def test_what_a_case_says_beside_its_talk_is_kept() -> None:
    wish = Wish(
        "A refund", "An impatient customer", ("It is confirmed.",), (("14 days",),), ("no",)
    )
    said = (Utterance("user", "Where is my parcel?", 1, is_customer=True),)
    made = scenarios_of([Dialog("a", 1, said, wish=wish)], "en")
    ((name, persona),) = made.personas.items()
    assert {
        "id": "a",
        "query": "Where is my parcel?",
        "goal": "A refund",
        "expected": {
            "answer": "It is confirmed.",
            "elements": ["14 days"],
            "must_not": ["no"],
        },
        "personas": [name],
        "tags": ["imported"],
    } == made.entries[0]
    assert "An impatient customer" == persona["description"]
    assert "#   expected" in made.text("a.json", "en")
