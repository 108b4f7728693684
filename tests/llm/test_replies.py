import json
from typing import Any

import pytest

from simulator.core.errors import ModelFault
from simulator.core.ports import Usage
from simulator.llm.replies import Failure, FailureKind, ModelAnswer, read_response
from tests.loopback.replies import Says


def body(said: Says) -> bytes:
    return json.dumps(said.payload({"messages": []})).encode()


def failure(status: int, error: Any, headers: dict[str, str] | None = None) -> Failure:
    result = read_response(status, headers or {}, json.dumps(error).encode())
    assert isinstance(result, Failure)
    return result


@pytest.mark.parametrize(
    ("said", "fault", "text"),
    [
        (Says("hello"), None, "hello"),
        (Says("cut o", finish="length"), ModelFault.TRUNCATED, "cut o"),
        (Says("par", finish="content_filter"), ModelFault.FILTERED, "par"),
        (Says(None, refusal="I will not"), ModelFault.REFUSED, "I will not"),
        (Says(None), ModelFault.EMPTY, ""),
        (Says(" \n"), ModelFault.EMPTY, " \n"),
        (Says([{"type": "text", "text": "a"}, {"text": "b"}]), None, None),
    ],
)
def test_each_end_of_a_completion_is_an_outcome_of_its_own(
    said: Says, fault: ModelFault | None, text: str | None
) -> None:
    result = read_response(200, {}, body(said))
    assert isinstance(result, ModelAnswer)
    assert fault == result.fault
    assert text in (None, result.text)


def test_a_content_of_parts_is_joined() -> None:
    parts = [{"type": "thinking", "thinking": []}, {"text": "a"}, {"text": "b"}, 3]
    data = {"choices": [{"message": {"content": parts}, "finish_reason": "stop"}]}
    told = ModelAnswer("ab", "stop", reasoned=True)
    assert told == read_response(200, {}, json.dumps(data).encode())


def test_text_is_sanitised() -> None:
    result = read_response(200, {}, body(Says("a\ud800b\x00c\u200bd\r\n")))
    assert isinstance(result, ModelAnswer)
    assert "a\ufffdbc\u200bd\n" == result.text


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[" * 100_000,
        b"<html>hello</html>",
        b'{"choices": [{"message": {"content": "\xff\xfe"}}]}',
        b'"a text"',
        b"null",
        b'{"choices": null}',
        b'{"choices": []}',
        b'{"choices": [null]}',
        b'{"choices": [{"message": null}]}',
        b'{"choices": [{"message": {"content": "half"}, "finish_reason": "error"}]}',
        b'{"error": {"message": "overloaded"}}',
        b'{"error": "overloaded"}',
        b'{"choices": [{"error": {"message": "upstream"}, "message": {"content": ""}}]}',
    ],
)
def test_a_200_that_is_no_completion_is_malformed_and_kept(content: bytes) -> None:
    result = read_response(200, {"content-type": "text/html"}, content)
    assert isinstance(result, Failure)
    assert FailureKind.MALFORMED is result.trouble
    assert content[:20].decode("utf-8", "replace") == result.body[:20]
    assert len(result.body) <= 4096


@pytest.mark.parametrize(
    ("code", "trouble"),
    [
        (503, FailureKind.SERVER),
        ("429", FailureKind.CROWDED),
        (401, FailureKind.ACCOUNT),
        ("insufficient_quota", FailureKind.ACCOUNT),
        (12, FailureKind.MALFORMED),
    ],
)
def test_an_error_in_a_200_is_taken_by_its_code(code: object, trouble: FailureKind) -> None:
    assert trouble is failure(200, {"error": {"message": "x", "code": code}}).trouble


@pytest.mark.parametrize(
    ("status", "error", "trouble"),
    [
        (400, {"message": "too long", "code": "context_length_exceeded"}, FailureKind.TOO_LONG),
        (422, {"message": "bad"}, FailureKind.REJECTED),
        (413, {"message": "large"}, FailureKind.TOO_LONG),
        (400, {"message": "x/y is not a valid model ID"}, FailureKind.ACCOUNT),
        (400, {"message": "The model `gpt-9` does not exist"}, FailureKind.ACCOUNT),
        (401, {"message": "Incorrect API key"}, FailureKind.ACCOUNT),
        (402, {"message": "Insufficient Balance"}, FailureKind.ACCOUNT),
        (403, {"message": "no"}, FailureKind.ACCOUNT),
        (404, {"message": "no such deployment"}, FailureKind.ACCOUNT),
        (429, {"message": "slow down", "type": "requests"}, FailureKind.CROWDED),
        (429, {"message": "pay", "code": "insufficient_quota"}, FailureKind.ACCOUNT),
        (429, {"message": "pay", "type": "billing_not_active"}, FailureKind.ACCOUNT),
        (400, {"message": "pay", "code": "billing_hard_limit_reached"}, FailureKind.ACCOUNT),
        (408, {}, FailureKind.SERVER),
        (409, {}, FailureKind.SERVER),
        (425, {}, FailureKind.SERVER),
        (500, {}, FailureKind.SERVER),
        (529, {}, FailureKind.SERVER),
    ],
)
def test_a_status_decides_whether_a_call_is_tried_again(
    status: int, error: dict[str, str], trouble: FailureKind
) -> None:
    found = failure(status, {"error": error})
    assert trouble is found.trouble
    lasting = {FailureKind.ACCOUNT, FailureKind.REJECTED, FailureKind.TOO_LONG}
    assert (trouble not in lasting) is found.trouble.passes


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, {"message": "filtered", "code": "content_filter"}),
        (400, {"message": "x", "innererror": {}, "code": "ResponsibleAIPolicyViolation"}),
        (403, {"message": "This model requires moderation and your input was flagged for x"}),
        (200, {"message": "x", "code": "content_filter"}),
    ],
)
def test_a_content_filter_is_an_answer_in_its_own_words_also_as_an_error(
    status: int, error: dict[str, object]
) -> None:
    result = read_response(status, {}, json.dumps({"error": error}).encode())
    finish = f"{status}: {error['message']}"
    assert ModelAnswer("", finish, ModelFault.FILTERED, Usage()) == result


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"error": {"message": "a\nb"}}, "500: a b"),
        ([{"error": {"message": "google's"}}], "500: google's"),
        ({"error": "ollama's"}, "500: ollama's"),
        ({"detail": "fastapi's"}, "500: fastapi's"),
        ({"detail": [{"loc": ["body", 0], "msg": "odd"}]}, "500: body.0: odd"),
        ({"object": "error", "message": "vllm's"}, "500: vllm's"),
        ({"code": 7}, '500: {"code": 7}'),
        ({"detail": [{"loc": ["body"]}]}, '500: {"detail": [{"loc": ["body"]}]}'),
    ],
)
def test_the_endpoints_own_words_are_found(data: object, message: str) -> None:
    assert message == failure(500, data).message


def test_an_error_page_is_cut_to_a_line() -> None:
    result = read_response(502, {}, b"<html>\n" + b"x" * 10_000)
    assert isinstance(result, Failure)
    assert FailureKind.SERVER is result.trouble
    assert len(result.message) < 320
    assert "\n" not in result.message
    assert 4096 == len(result.body)


@pytest.mark.parametrize(
    ("usage", "counted"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 2}, Usage(9, 2)),
        (
            {
                "prompt_tokens": 9,
                "completion_tokens": 2,
                "prompt_tokens_details": {"cached_tokens": 4},
            },
            Usage(9, 2, 4),
        ),
        ({"prompt_tokens": 9, "prompt_cache_hit_tokens": 20}, Usage(9, 0, 9)),
        (
            {  # xAI's, whose total alone holds the thoughts; Gemini's tells no details
                "prompt_tokens": 9,
                "completion_tokens": 2,
                "total_tokens": 111,
                "completion_tokens_details": {"reasoning_tokens": 100},
            },
            Usage(9, 102, 0, 100),
        ),
        ({"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 51}, Usage(9, 42, 0, 40)),
        ({"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 3}, Usage(9, 2)),
        ({"prompt_tokens": -1, "completion_tokens": "7"}, Usage(0, 7)),
        ({"prompt_tokens": 1e300, "completion_tokens": None}, Usage(10**9, 0)),
        ({}, None),
        ([], None),
    ],
)
def test_usage_is_believed_only_where_it_makes_sense(
    usage: dict[str, Any], counted: Usage | None
) -> None:
    result = read_response(200, {}, body(Says("x", usage=usage)))
    assert isinstance(result, ModelAnswer)
    assert counted == result.usage


@pytest.mark.parametrize(
    ("message", "reasoned"),
    [
        ({"content": "x", "reasoning_content": "hm"}, True),
        ({"content": "x", "reasoning": "hm"}, True),
        ({"content": [{"type": "thinking", "thinking": []}, {"type": "text", "text": "x"}]}, True),
        ({"content": [{"type": "text", "text": "x"}]}, False),
        ({"content": "x", "reasoning_content": None, "reasoning": ""}, False),
    ],
)
def test_thoughts_beside_the_words_are_noticed(message: dict[str, Any], reasoned: bool) -> None:
    data = {"choices": [{"message": message, "finish_reason": "stop"}]}
    result = read_response(200, {}, json.dumps(data).encode())
    assert isinstance(result, ModelAnswer)
    assert ("x", reasoned) == (result.text, result.reasoned)


def test_a_redirect_names_the_address_to_write() -> None:
    failure = read_response(307, {"location": "https://gateway.example/v1"}, b"")
    assert isinstance(failure, Failure)
    assert FailureKind.ACCOUNT is failure.trouble
    assert "https://gateway.example/v1" in failure.message
