import json
from pathlib import Path
from typing import Any

import pytest

from simulator.core.errors import ModelFault
from simulator.llm.caller import advice
from simulator.llm.replies import Failure, ModelAnswer, read_chat


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("401: Incorrect API key provided", "check OPENAI_API_KEY (is it set"),
        ("402: Insufficient Balance", "check the credit and limits of the account behind"),
        ("429: You exceeded your current quota", "check the credit and limits"),
        (
            "401: litellm.AuthenticationError: OpenAIException - no",
            "OPENAI_API_KEY was accepted: check",
        ),
        (
            "500: Missing credentials. Please pass an `api_key`",
            "OPENAI_API_KEY was accepted: check",
        ),
        ("429: No deployments available - crossed budget: 1 >= 1", "check the credit"),
        ("422: Budget has been exceeded! Current cost: 2", "check the credit"),
        ("400: No connected db.", "check OPENAI_API_KEY"),
        ("404: no message", "check base_url, which usually ends in /v1"),
        ('404: {"detail": "Not Found"}', "check base_url, which usually ends in /v1"),
        ("405: Method Not Allowed", "check base_url, which usually ends in /v1"),
        ("400: maximum context length is 4096 tokens", "the prompt is longer than the model"),
        ("500: model requires more system memory", "the server can't load this model"),
        ("404: 404 Not Found - nginx/1.25", "check base_url, which usually ends in /v1"),
        ("404: no Route matched with those values", "check base_url, which usually ends in /v1"),
        ("an error in a 200: Unexpected endpoint or method", "check base_url, which usually"),
        ("not a JSON body (text/html; a web page: Sign in)", "check base_url, which usually ends"),
        ("404: Pipeline 'x' not found or not a pipeline wrapper", "for hayhooks, the model's name"),
        ("404: model 'x' not found, try pulling it first", "check the model's name, base_url"),
        ("404: No models loaded. Please load a model", "no model is loaded on the server"),
        ("413: Request too large for model x on tokens per minute", "the request is larger than"),
        ("429: Too many tokens per day, please wait", "check the credit and limits"),
        ("429: Your account is suspended", "check the credit and limits"),
        ("400: The decoder prompt is longer than the maximum model length", "the prompt is longer"),
        ("400: the moon", "check the model's name, base_url and OPENAI_API_KEY; `mogi check`"),
    ],
)
def test_what_to_check_follows_from_what_is_said(said: str, told: str) -> None:
    assert advice(said, "OPENAI_API_KEY").startswith(told)


PUBLISHED = [
    json.loads(line)
    for line in Path(__file__).with_name("published_errors.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("said", PUBLISHED, ids=lambda said: said["endpoint"])
def test_what_providers_publish_is_told_with_the_key_to_set(said: dict[str, Any]) -> None:
    read = read_chat(said["status"], {}, json.dumps(said["body"]).encode())
    assert isinstance(read, Failure)
    assert said["trouble"] == read.trouble.value
    assert said["advice"] in advice(read.message, "OPENAI_API_KEY")


def test_a_key_of_extra_body_that_is_named_is_told() -> None:
    told = advice("400: top_k: must be at least 1", "OPENAI_API_KEY", ("top_k", "min_p"))
    assert told.startswith("`top_k` is in extra_body: remove it there")


BLIND = [
    json.loads(line)
    for line in Path(__file__).with_name("blind_errors.jsonl").read_text("utf-8").splitlines()
]
"""Written by somebody who had not seen what mogi looks for."""
KINDS = {
    "rate limit": {"crowded"},
    "credit": {"account"},
    "infrastructure": {"server", "malformed"},
    "request too long": {"too_long"},
    "configuration": {"account", "rejected"},
}


@pytest.mark.parametrize("said", BLIND, ids=lambda said: said["situation"])
def test_what_was_written_blind_blames_whom_it_should(said: dict[str, Any]) -> None:
    read = read_chat(said["status"], said["headers"], said["body"].encode())
    if said["blame"] == "content filter":
        assert isinstance(read, ModelAnswer)
        assert ModelFault.FILTERED is read.fault
        assert said["own_words"] in read.finish
        return
    assert isinstance(read, Failure)
    assert read.trouble.value in KINDS[said["blame"]]
    assert said["retry"] == read.trouble.passes
    if said["status"] != 302:  # which says where it leads
        assert said["own_words"] in read.message
    told = advice(read.message, "OPENAI_API_KEY")
    if said["retry"]:
        assert "OPENAI_API_KEY" not in told
    assert ("credit" in told) == (said["blame"] == "credit")
