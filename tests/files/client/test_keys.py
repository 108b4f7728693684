from pathlib import Path

import pytest

from tests.files.client.acme import LEAST, acme_complaints
from tests.files.client.rooms import rooms

__all__ = ["rooms"]
pytestmark = pytest.mark.usefixtures("rooms")


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        (
            "max_turns: 2\nmin_turns: 3",
            ("4: min_turns: 3 is more than max_turns (2); write 2 or less"),
        ),
        (
            "timezone: Asia/Tokio",
            ('3: timezone isn\'t a time zone: "Asia/Tokio"; did you mean Asia/Tokyo? there are '),
        ),
        ("timezone: ../x", '3: timezone isn\'t a time zone: "../x"; '),
        (
            "user: {kind: agnda}",
            ('3: user.kind: no user "agnda"; did you mean agenda? choose from: agenda, persona'),
        ),
        (
            "user: {base_url: 'http://x'}",
            ("3: user has base_url, but no model to call; add user.model"),
        ),
        (
            "user: {timeout_s: 9}",
            ("3: user has timeout_s, but no model to call; add user.model"),
        ),
        (
            "judge: {model: m, timeout_s: 60, deadline_s: 30}",
            ("3: judge has a deadline_s (for all attempts) that is shorter than its timeout_s"),
        ),
        (
            "judge: {model: m, timeout_s: 0}",
            ("3: judge.timeout_s: 0 is too small; write a number of seconds above 0"),
        ),
        (
            "judge: {model: m, reasoning_effort: hgh}",
            ('3: judge.reasoning_effort: no "hgh"; did you mean high?'),
        ),
        (
            "judge: {model: m, headers: {X-Key: canary0123456789abcdef}}",
            ("3: judge.headers: X-Key contains a key (not shown here); keep it in the environment"),
        ),
        (
            'judge: {model: m, headers: {X-Key: "${OPEN"}}',
            ("3: judge.headers: X-Key has a ${ without a variable name; use ${NAME}"),
        ),
        (
            "judge: {model: m, headers: {X Key: a}}",
            ('3: judge.headers: "X Key" isn\'t a header name'),
        ),
        (
            "judge: {model: m, extra_body: {temperature: 1}}",
            ("3: judge.extra_body: temperature is a separate key; write it next to extra_body"),
        ),
        (
            "judge: {model: m, extra_body: {messages: []}}",
            ("3: judge.extra_body: messages is set by mogi; remove it"),
        ),
        (
            "embedding: {model: m, max_tokens: 5}",
            ("3: embedding has max_tokens, which doesn't apply to an embedding; remove it"),
        ),
        ("judge: {votes: 3}", "3: judge.model is missing; write the name of a model"),
        (
            "thresholds: {overall: high}",
            ('3: thresholds.overall: "high" is not a number; write a number from 0 to 1'),
        ),
        (
            "thresholds: {overall: {value: 2}}",
            ("3: thresholds.overall.value: 2 is too large; write a number from 0 to 1"),
        ),
        ("thresholds: {overal: 0.5}", '3: thresholds: no metric "overal"; did you mean overall? '),
        (
            "gate: 0.9",
            (
                '3: gate: 0.9 is not a mapping ("key: value"); write {score: a number from 0 to '
                "1}, pass_rate, must_pass, sure"
            ),
        ),
        ("judge: {model: m, client: httpx}", '3: judge.client: no "httpx"; choose from: sdk'),
        (
            "limits: {budget_usd: 0}",
            ("3: limits.budget_usd: 0 is too small; write an amount in USD above 0"),
        ),
        ("knowledge: kb.csv", '3: knowledge: no file or folder "kb.csv"; there are none'),
        ("metrics: []", "3: metrics: a list is too short; write a list of metrics"),
        ("gardening: {like: m}", '3: unknown key "gardening"; choose from: language, target, '),
    ],
)
def test_a_wrong_line_is_explained(tmp_path: Path, lines: str, complaint: str) -> None:
    [found] = acme_complaints(tmp_path, {"client.yaml": LEAST + lines})
    assert found.startswith(f"client.yaml:{complaint}")


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    assert [
        "client.yaml:1: language is missing; write ja or en",
        "client.yaml:1: target is missing; write the bot under test, such as {kind: demo}",
    ] == acme_complaints(tmp_path, {"client.yaml": "seed: 1"})


def test_a_pasted_key_is_repeated_nowhere(tmp_path: Path) -> None:
    text = LEAST + "judge: {model: j, api_key_env: sk-proj-canary0123456789}\n"
    text += 'user: {model: m, base_url: "https://u:canary@x/v1", api_key_env: canary}\n'
    found = acme_complaints(tmp_path, {"client.yaml": text})
    assert 3 == len(found)
    assert "canary" not in "".join(found)


def test_a_cause_that_holds_a_pasted_key_is_not_kept(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"client.yaml": LEAST + "judge: sk-proj-canary0123456789"}
    [found] = acme_complaints(tmp_path, files)
    assert "canary" not in found
