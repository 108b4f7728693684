"""What is said in the benchmarks, and the forms that the bare loops ask for."""

from typing import Any

QUERY = "ログインできません"
ANSWER = (
    "パスワードをお忘れの場合は、ログイン画面の「パスワードの再設定」からお手続きください。" * 3
)

_STRING: dict[str, Any] = {"type": "string"}
_RATING: dict[str, Any] = {"type": "integer", "enum": [1, 2, 3, 4, 5]}


def _form(name: str, properties: dict[str, Any]) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    return {"name": name, "strict": True, "schema": schema}


USER_FORM = _form(
    "user_turn",
    {
        "thought": _STRING,
        "message": _STRING,
        "stop": {"type": "string", "enum": ["none", "done", "gave_up", "escalated"]},
        "reason": _STRING,
    },
)
JUDGEMENT_FORM = _form(
    "judgement",
    {
        "comment": _STRING,
        "conclusion": _STRING,
        "understanding": _RATING,
        "relevance": _RATING,
        "completeness": _RATING,
        "correctness": _RATING,
        "coherence": _RATING,
        "overall": _RATING,
    },
)
