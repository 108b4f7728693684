"""The JSON schemas of what commands print."""

import json
from pathlib import Path
from typing import Any, Literal

from simulator.formats.json_contracts import json_schema
from simulator.view.run_json import JudgeFigures, RunFigures
from simulator.view.turn_json import TurnLine

Schema = Literal[
    "run", "turn", "check", "runs", "metrics", "targets", "reports",
    "conversations", "conversation", "calls", "judge",
    "compare", "coverage", "retrieval", "dry-run", "models", "targets-try", "tune", "agreement",
    "review-plan", "review-status", "review-pull", "review-apply", "review-promote", "improve",
]  # fmt: skip


def schema_of(what: Schema) -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of what a command prints with --json, or of a line of export.

    `run` is that of `run_json`, `turn` of `turn_json`; `conversations`, `conversation`, `calls` and
    `judge` are of `mogi show`, `dry-run` of `mogi run --dry-run`, `models` of `mogi models try`;
    the others of the commands of these names, such as `review-plan` of `mogi review plan`.
    """
    if what == "run":
        return json_schema(RunFigures)
    if what == "judge":
        return json_schema(JudgeFigures)
    if what == "turn":
        return json_schema(TurnLine)
    schema: dict[str, Any] = (_schema("shown") | _schema("review") | _schema("improve"))[what]
    if what == "dry-run":
        schema["properties"]["reach"] = _schema("shown")["check"]["properties"]["reach"]
    if what == "conversation":
        schema["properties"]["turns"]["items"] = {"$id": "turn", **json_schema(TurnLine)}
    return schema


def _schema(file: str) -> dict[str, Any]:
    text = Path(__file__).with_name(f"{file}.schema.json").read_text("utf-8")
    schemas: dict[str, Any] = json.loads(text)
    return schemas
