from typing import Any

import pytest

from simulator.core.ports import Form, Message
from simulator.llm.parameters import ChatRequest, Dialect, Rung
from simulator.llm.replies import Failure, FailureKind

FORM = Form("Verdict", {"type": "object"}, "Answer in JSON.")
QUESTION = ChatRequest(
    "m",
    (Message("system", "be kind"), Message("user", "hello")),
    temperature=0.5,
    form=FORM,
    max_tokens=100,
)


def rejected(message: str, param: str = "") -> Failure:
    return Failure(FailureKind.REJECTED, f"400: {message}", param=param)


def test_only_what_is_asked_for_is_sent() -> None:
    body = Dialect().body(ChatRequest("m", (Message("user", "hello"),)))
    assert {"model": "m", "messages": [{"role": "user", "content": "hello"}]} == body


def test_the_top_rung_is_a_strict_schema_and_no_words() -> None:
    body = Dialect().body(QUESTION)
    schema = {"name": "Verdict", "schema": {"type": "object"}, "strict": True}
    assert {"type": "json_schema", "json_schema": schema} == body["response_format"]
    assert (0.5, 100) == (body["temperature"], body["max_tokens"])
    assert ["be kind", "hello"] == [m["content"] for m in body["messages"]]


@pytest.mark.parametrize(
    ("rung", "response_format"), [(Rung.OBJECT, {"type": "json_object"}), (Rung.PROMPT, None)]
)
def test_lower_rungs_say_the_form_in_words(rung: Rung, response_format: object) -> None:
    body = Dialect(rung).body(QUESTION)
    assert response_format == body.get("response_format")
    assert "be kind\n\nAnswer in JSON." == body["messages"][0]["content"]


def test_lower_rungs_change_nothing_without_a_form() -> None:
    question = ChatRequest("m", (Message("user", "hello"),))
    assert Dialect().body(question) == Dialect(Rung.PROMPT).body(question)


@pytest.mark.parametrize(
    ("failure", "better"),
    [
        (rejected("unsupported value", "temperature"), Dialect(dropped=frozenset({"temperature"}))),
        (
            rejected("'temperature' does not support 0.5 with this model"),
            Dialect(dropped=frozenset({"temperature"})),
        ),
        (
            rejected("Use 'max_completion_tokens' instead.", "max_tokens"),
            Dialect(length_name="max_completion_tokens"),
        ),
        (
            rejected("you requested 5000 tokens (1000 in the messages, 4000 in the completion)"),
            Dialect(length_name="max_completion_tokens"),
        ),
        (rejected("no", "response_format"), Dialect(Rung.OBJECT)),
        (rejected("no", "response_format.json_schema.strict"), Dialect(Rung.OBJECT)),
        (rejected("json_schema is not supported"), Dialect(Rung.OBJECT)),
        (rejected("unknown format 'json_schema'", "messages[0]"), Dialect(Rung.OBJECT)),
        (rejected("too long", "messages"), None),
        (rejected("the temperatures are high"), None),
        (Failure(FailureKind.SERVER, "500: temperature"), None),
    ],
)
def test_a_rejection_teaches_a_better_dialect(failure: Failure, better: Dialect | None) -> None:
    assert better == Dialect().after(failure, Dialect().body(QUESTION))


def test_a_parameter_that_was_not_sent_is_not_blamed() -> None:
    body: dict[str, Any] = {"model": "m", "messages": []}
    assert Dialect().after(rejected("temperature?", "temperature"), body) is None


def test_a_length_that_no_name_helps_is_left_out() -> None:
    renamed = Dialect(length_name="max_completion_tokens")
    body = renamed.body(QUESTION)
    dropped = renamed.after(rejected("unknown argument: max_completion_tokens"), body)
    assert dropped is not None
    assert "max_completion_tokens" not in dropped.body(QUESTION)
    assert "max_tokens" not in dropped.body(QUESTION)


def test_the_ladder_ends() -> None:
    lowest = Dialect().lower().lower()
    assert Rung.PROMPT is lowest.rung
    assert lowest == lowest.lower()
    assert lowest.after(rejected("no", "response_format"), lowest.body(QUESTION)) is None
