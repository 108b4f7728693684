"""_hearing: fields in every wrapping, bare text, and the mark; thoughts are never a message."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.users.persona_llm import MARK, hear


def fields(message: str = "E-102.", stop: str = "none") -> str:
    return json.dumps({"thought": "secret", "message": message, "stop": stop, "reason": "r"})


def test_fields_that_cannot_be_read_are_never_a_message() -> None:
    cases: list[str] = [
        '{"thought": "secret", "message": "Hi',
        "{'thought': 'secret', 'message': 'Hi'}",
        "```json\n{thought: secret, message: Hi}\n```",
        "thought: secret\nmessage: Hi\nstop: none",
        "**Thought**：secret\nHi",
        'Sure! {"thought": "secret", "message": "Hi", "stop": "finished"}',
        f"{fields('one')} or {fields('two')}",
        "<think>secret",
    ]
    assert [] == [text for text in cases if hear(text, (), whole=True) is not None]


@pytest.mark.parametrize(
    "text",
    [
        fields(),
        f"```json\n{fields()}\n```",
        f"Here is my answer: {fields()}",
        f"<think>I am secret</think>\n{fields()}",
        '{"message": "E-102.", "stop": null, "thought": null, "reason": null}',
        '{"message": "E-102.", "stop": " None "}',
        '{"message": " E-102. ", "stop": "", "mood": 7}',
        "<think>I am secret</think>\nE-102.",
        "E-102.",
    ],
)
def test_the_message_is_found_in_what_models_put_around_it(text: str) -> None:
    said = hear(text, (), whole=True)
    assert said is not None
    assert ("E-102.", "none") == (said.message, said.stop)


@pytest.mark.parametrize(
    "text", ['It says {"error": 102}.', "{name} is what I see", "My message: none came."]
)
def test_braces_and_labels_of_a_plain_message_are_part_of_it(text: str) -> None:
    said = hear(text, (), whole=True)
    assert said is not None
    assert text == said.message


def test_a_plain_message_that_was_cut_off_is_no_message() -> None:
    assert hear("I cannot lo", (), whole=False) is None
    assert hear(fields(), (), whole=False) is not None


@pytest.mark.parametrize("text", ["", " \n", "\u200b", fields(" \u200b\n")])
def test_what_nobody_can_see_is_empty(text: str) -> None:
    said = hear(text, (), whole=True)
    assert said is not None
    assert "" == said.message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (MARK, ""),
        (f"\n {MARK} \n", ""),
        (f"Thank you.\n{MARK}", "Thank you."),
        (fields(MARK), ""),
        (fields(f"Thank you.\n{MARK}"), "Thank you."),
        (fields(f"Thank you. {MARK}", "done"), "Thank you."),
    ],
)
def test_the_mark_ends_the_talk_and_is_not_sent(text: str, message: str) -> None:
    said = hear(text, (), whole=True)
    assert said is not None
    assert (message, "done") == (said.message, said.stop)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Is it DONE now?", "Is it DONE now?"),
        ("DONE", "DONE"),
        (f"When is it {MARK} then?", f"When is it {MARK} then?"),
        (f"{MARK}\nWhat does that mean?", f"{MARK}\nWhat does that mean?"),
        (f"Are we there? {MARK}", "Are we there?"),
        (fields(f"Are we there? {MARK}"), "Are we there?"),
    ],
)
def test_the_word_done_inside_a_message_ends_nothing(text: str, message: str) -> None:
    said = hear(text, (), whole=True)
    assert said is not None
    assert (message, "none") == (said.message, said.stop)


def test_the_mark_does_not_hide_that_somebody_gave_up() -> None:
    said = hear(fields(MARK, "gave_up"), (), whole=True)
    assert said is not None
    assert ("", "gave_up") == (said.message, said.stop)


@given(st.text())
def test_any_text_is_heard_or_not_but_never_crashes(text: str) -> None:
    for said in (hear(text, (), whole=True), hear(fields(text), (), whole=False)):
        assert said is None or not said.message.endswith(f"\n{MARK}")
