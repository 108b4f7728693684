"""Recorded talks: what logs look like, who the customer is, and what is told of broken ones."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simulator.core.errors import InputError
from simulator.files.dialogs import SHOWN, Dialogs, language_of, read_dialogs
from simulator.formats.sources import Source

Write = Callable[..., Source]
WHOLE = {
    "id": "c1",
    "utterances": [
        {"name": "operator_1", "text": "ご用件をどうぞ。"},
        {"name": "customer_7", "text": "こんにちは。"},
        {"name": "customer_7", "text": "送料はいくらですか。"},
        {"name": "operator_1", "text": "500円です。"},
        {"name": "customer_7", "text": "分かりました。"},
    ],
}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def make(*lines: Any, name: str = "log.jsonl", raw: bytes | None = None) -> Source:
        texts = [x if isinstance(x, str) else json.dumps(x, ensure_ascii=False) for x in lines]
        path = tmp_path / name
        path.write_bytes(raw if raw is not None else "\n".join(texts).encode())
        return Source.of(path, tmp_path)

    return make


def turns(dialogs: Dialogs) -> list[tuple[str, ...]]:
    return [talk.customer_turns for talk in dialogs.talks]


def wrong(source: Source, **options: Any) -> list[str]:
    with pytest.raises(InputError) as caught:
        read_dialogs(source, **options)
    return [str(complaint) for complaint in caught.value.complaints]


def test_a_dialog_a_line_with_its_utterances(write: Write) -> None:
    found = read_dialogs(write(WHOLE))
    assert [("こんにちは。\n送料はいくらですか。", "分かりました。")] == turns(found)
    assert ["c1"] == [talk.id for talk in found.talks]
    assert ({"customer_7": 3}, {"operator_1": 2}) == (found.customers, found.others)


def test_an_utterance_a_line_even_where_conversations_are_mixed_up(write: Write) -> None:
    lines = [
        {"session_id": "s1", "role": "user", "content": "one"},
        {"session_id": "s2", "role": "user", "content": "two"},
        {"session_id": "s1", "role": "assistant", "content": "hm"},
        {"session_id": "s1", "role": "user", "content": "three"},
    ]
    found = read_dialogs(write(*lines))
    assert [("s1", 1), ("s2", 2)] == [(talk.id, talk.line) for talk in found.talks]
    assert [("one", "three"), ("two",)] == turns(found)


def test_japanese_keys_and_roles(write: Write) -> None:
    lines = [
        {"会話ID": 12, "発話者": "お客様", "発話": "送料は?"},
        {"会話ID": 12, "発話者": "オペレータ", "発話": "500円です"},
    ]
    found = read_dialogs(write(*lines))
    assert [("送料は?",)] == turns(found)
    assert "12" == found.talks[0].id


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932"])
def test_a_csv_in_any_encoding_that_excel_writes(write: Write, encoding: str) -> None:
    text = "会話,話者,本文\nA,顧客,送料は？\nA,担当者,500円です\nA,顧客,\nB,顧客,返品したい\n"
    found = read_dialogs(write(name="log.csv", raw=text.encode(encoding)))
    assert [("送料は？",), ("返品したい",)] == turns(found)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp932"])
def test_json_lines_in_other_encodings(write: Write, encoding: str) -> None:
    raw = json.dumps(WHOLE, ensure_ascii=False).encode(encoding)
    assert "分かりました。" == read_dialogs(write(raw=raw)).talks[0].customer_turns[-1]


def test_a_json_list_knows_the_lines_of_its_dialogs(write: Write) -> None:
    text = json.dumps([WHOLE, {**WHOLE, "id": "c2"}], indent=1, ensure_ascii=False)
    found = read_dialogs(write(name="log.json", raw=text.encode()))
    second = text[: text.index('"c2"')].count("\n")
    assert [2, second] == [talk.line for talk in found.talks]


def test_messages_of_a_chat_api_without_what_prompts_and_tools_say(write: Write) -> None:
    messages = [
        {"role": "system", "content": "be kind"},
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
        {"role": "assistant", "content": None},
        {"role": "tool", "content": "{}"},
        {"role": "user", "content": "c"},
    ]
    found = read_dialogs(write({"messages": messages}))
    assert [("a\nb\nc",)] == turns(found)
    assert "talk-001" == found.talks[0].id
    assert {} == found.others


@pytest.mark.parametrize(
    ("record", "path"),
    [
        ({"meta": {"conditions": ["1泊", "1泊", "2名"]}}, ""),
        ({"facts": ["1泊", "2名"]}, ""),
        ({"task": {"told": ["1泊", "2名"]}}, "task.told"),
    ],
)
def test_facts_that_the_log_lists(write: Write, record: dict[str, Any], path: str) -> None:
    found = read_dialogs(write({**WHOLE, **record}), facts=path)
    assert ("1泊", "2名") == found.talks[0].facts


def test_the_id_may_stand_in_the_meta_data(write: Write) -> None:
    record = {"meta": {"id": {"id": "x.7"}}, "utterances": WHOLE["utterances"]}
    assert "x.7" == read_dialogs(write(record)).talks[0].id


def test_whoever_is_not_the_operator_is_the_customer(write: Write) -> None:
    record = {"turns": [{"name": "bot", "text": "どうぞ"}, {"name": "u-42", "text": "送料は?"}]}
    assert {"u-42": 1} == read_dialogs(write(record)).customers


def test_speakers_whose_names_say_nothing_have_to_be_named(write: Write) -> None:
    record = {"turns": [{"name": "A", "text": "どうぞ"}, {"name": "B", "text": "送料は?"}]}
    source = write(record)
    assert [
        'log.jsonl: can\'t tell who the customer is; set the name with --user: "A" (1), "B" (1)'
    ] == wrong(source)
    assert ['log.jsonl: no speaker "C"; choose from: "A" (1), "B" (1)'] == wrong(
        source, users=["C"]
    )
    assert [("送料は?",)] == turns(read_dialogs(source, users=["B"]))


def test_every_broken_line_is_told(write: Write) -> None:
    source = write("{", WHOLE, "[]", "", "7")
    assert [
        (
            "log.jsonl:1: this isn't JSON (Expecting property name enclosed in double quotes); "
            "write one object a line: {…}"
        ),
        "log.jsonl:3: a list is not an object; write one a line: {…}",
        "log.jsonl:5: 7 is not an object; write one a line: {…}",
    ] == wrong(source)


def test_every_broken_utterance_is_told(write: Write) -> None:
    broken = [{"text": "a"}, {"name": "user", "txt": "b"}, {"name": "user", "text": {}}, "c"]
    source = write({"id": "a", "turns": broken}, {"id": "a", "turns": []}, {"id": "b"})
    assert [
        'log.jsonl:1: utterance 1 doesn\'t say who speaks; keys: "text"',
        'log.jsonl:1: utterance 2 has no text; keys: "name", "txt"',
        "log.jsonl:1: utterance 3 has a mapping, but text is expected",
        "log.jsonl:1: utterance 4 must be an object; write {…}",
        'log.jsonl:2: the ID "a" is already on line 1',
        'log.jsonl:3: has no list of utterances; keys: "id"',
    ] == wrong(source)


def test_an_utterance_has_to_name_its_conversation(write: Write) -> None:
    named = {"conversation": "a", "role": "user", "text": "a"}
    assert [
        (
            "log.jsonl:2: doesn't say which conversation it belongs to; write it under "
            '"conversation" (keys: "role", "text")'
        )
    ] == wrong(write(named, {"role": "user", "text": "a"}))


@pytest.mark.parametrize("rows", [1, 3000])
def test_a_column_that_is_nowhere_is_told_once_with_the_names_that_it_may_have(
    write: Write, rows: int
) -> None:
    raw = ("No,誰,せりふ\n" + "1,客,送料は？\n" * rows).encode()
    there = '("No", "誰", "せりふ")'
    assert [
        (
            "log.csv: no column says to which conversation a line belongs; "
            f"name it conversation, session_id, 会話ID {there}"
        ),
        f"log.csv: no column says what is said; name it text, message, 発言 {there}",
        f"log.csv: no column says who speaks; name it speaker, role, 話者 {there}",
    ] == wrong(write(name="log.csv", raw=raw))


def test_the_headers_that_are_named_are_read(write: Write) -> None:
    for at in range(3):
        header = [names[at] for names in SHOWN.values()]
        raw = (",".join(header) + "\nA,顧客,送料は？\nA,担当者,500円です\n").encode()
        assert [("送料は？",)] == turns(read_dialogs(write(name="log.csv", raw=raw)))


def test_of_a_file_that_is_wrong_throughout_only_the_first_lines_are_told(write: Write) -> None:
    said = wrong(write(*["{"] * 200))
    assert (51, "and 150 more errors in log.jsonl") == (len(said), said[-1])


@pytest.mark.parametrize("lines", [(), ("",), ("[]",), ({"turns": []},)])
def test_a_log_without_talks_is_complained_of(write: Write, lines: tuple[Any, ...]) -> None:
    assert 1 == len(wrong(write(*lines)))


def test_a_path_to_facts_that_is_nowhere_tells_what_is_there(write: Write) -> None:
    record = {**WHOLE, "meta": {"conditions": ["1泊"]}}
    assert [
        'log.jsonl: no conversation has "meta.condition"; in "meta" keys: "conditions"'
    ] == wrong(write(record), facts="meta.condition")
    assert ["log.jsonl:1: meta must be a list of texts"] == wrong(write(record), facts="meta")


def test_deep_nesting_is_no_crash(write: Write) -> None:
    assert 1 == len(wrong(write('{"turns": ' + "[" * 100_000)))
    assert 1 == len(wrong(write("[" * 100_000)))


def test_the_language_is_told_by_the_kana(write: Write) -> None:
    english = {"turns": [{"role": "user", "text": "How much is the Sōseki set (漱石)?"}]}
    assert "ja" == language_of(read_dialogs(write(WHOLE)))
    assert "en" == language_of(read_dialogs(write(english)))
