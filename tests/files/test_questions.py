"""What real customers asked: columns of questions, and talks."""

import json
from pathlib import Path

import pytest

from simulator.core.errors import InputError
from simulator.files.questions import read_questions
from simulator.formats.sources import Source

TALK = (
    '{"utterances": [{"speaker": "operator", "text": "ご用件は何ですか。"},'
    '{"speaker": "customer", "text": "こんにちは。送料はいくらですか？急いでいます。"},'
    '{"speaker": "operator", "text": "500円です。"},'
    '{"speaker": "customer", "text": "ありがとうございます。"}]}\n'
    '{"utterances": [{"speaker": "customer", "text": "画面が真っ白です。"},'
    '{"speaker": "operator", "text": "はい。"}]}\n'
)


def source(folder: Path, text: str, name: str) -> Source:
    path = folder / name
    path.write_text(text, "utf-8")
    return Source.of(path, folder)


@pytest.mark.parametrize("column", ["question", "Query", "質問", "お問い合わせ内容", "user_input"])
def test_a_column_of_questions_is_found_by_its_name(tmp_path: Path, column: str) -> None:
    log = source(tmp_path, f"date,{column},answer\n1,送料は？,x\n2,,x\n3,送料は？,x\n", "log.csv")
    assert ["送料は？", "送料は？"] == read_questions(log, "ja")


def test_a_text_has_a_question_a_line(tmp_path: Path) -> None:
    log = source(tmp_path, "送料は？\n\n 返品できますか \n送料は？\n", "questions.txt")
    assert ["送料は？", "返品できますか", "送料は？"] == read_questions(log, "ja")
    with pytest.raises(InputError, match="it contains no"):
        read_questions(source(tmp_path, "\n", "empty.txt"), "ja")


def test_markdown_has_a_question_a_line_without_marks_of_lists(tmp_path: Path) -> None:
    text = "# 質問\n\n1. 送料は？\n12) 返品できますか\n- 2.5kgの送料は？\n24時間ですか\n"
    asked = ["送料は？", "返品できますか", "2.5kgの送料は？", "24時間ですか"]
    assert asked == read_questions(source(tmp_path, text, "questions.md"), "ja")


def test_json_lines_have_keys_instead(tmp_path: Path) -> None:
    log = source(tmp_path, '{"query": "Is it free?", "n": 1}\n{"n": 2}\n', "log.jsonl")
    assert ["Is it free?"] == read_questions(log, "en")


def test_of_talks_the_sentences_count_that_ask(tmp_path: Path) -> None:
    log = source(tmp_path, TALK, "talks.jsonl")
    assert ["送料はいくらですか?", "画面が真っ白です。"] == [
        text.replace("？", "?") for text in read_questions(log, "ja")
    ]


def test_a_log_in_which_nobody_asks_is_the_wrong_one(tmp_path: Path) -> None:
    log = source(tmp_path, '{"query": ""}\n', "log.jsonl")
    with pytest.raises(InputError, match="it contains no questions;"):
        read_questions(log, "en")


def test_talks_may_be_a_table(tmp_path: Path) -> None:
    text = "conversation,speaker,text\nc1,Tanaka,Is it free?\nc1,agent,Yes.\n"
    log = source(tmp_path, text, "talks.csv")
    assert ["Is it free?"] == read_questions(log, "en")
    assert ["Is it free?"] == read_questions(log, "en", ["Tanaka"])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("date,note\n1,x\n", "no column contains questions; call it question, query, 質問"),
        ("conversation,speaker,text\nc1,a,x\n", "can't tell who the customer is; set"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        read_questions(source(tmp_path, text, "log.csv"), "en")


def test_what_is_no_text_is_said_and_parts_of_a_message_are_text(tmp_path: Path) -> None:
    part = {"type": "text", "text": "返品できますか"}
    rows = [{"question": 3}, {"question": [part]}, {"question": None}]
    assert ["3", "返品できますか"] == read_questions(
        source(tmp_path, json.dumps(rows), "a.json"), "ja"
    )
    wrong = json.dumps([{"question": {"x": 1}}])
    with pytest.raises(InputError, match=r"a\.json:1: question: a mapping is not text"):
        read_questions(source(tmp_path, wrong, "a.json"), "ja")


def test_a_table_without_rows_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.csv: there are no rows"):
        read_questions(source(tmp_path, "question\n", "a.csv"), "ja")


def test_of_another_tools_records_a_speaker_can_be_named_too(tmp_path: Path) -> None:
    record = json.dumps({"user_input": "Can I return it?", "response": "Yes."})
    log = source(tmp_path, f"{record}\n", "a.jsonl")
    assert ["Can I return it?"] == read_questions(log, "en", ["user"])
    with pytest.raises(InputError, match="no speaker"):
        read_questions(log, "en", ["Bob"])
