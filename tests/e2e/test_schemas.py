"""What commands print is as the schemas say that `mogi export --schema` prints."""

import json
from typing import get_args

import pytest

from simulator.cli.report import SCHEMAS
from simulator.figures.as_json import Schema
from tests.e2e.conftest import Mogi


def test_what_is_printed_is_as_the_schemas_say(mogi: Mogi) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schemas = {name: mogi("export", "--schema", name).json for name in ("run", "turn")}
    checks = {name: jsonschema.Draft202012Validator(schema) for name, schema in schemas.items()}
    first = mogi("run", "demo-en", "--limit", "12", "--json", "--fail-under", "0.1").json
    again = mogi("run", "demo-en", "--limit", "12", "--json", "--fail-on", "newly-failing").json
    assert again["fail_on"]["before"] == first["run"]
    shown = mogi("show", first["run"], "--json").json
    assert first == {**shown, "fail_on": None}
    for figures in (first, again, shown):
        checks["run"].validate(figures)
    lines = [json.loads(line) for line in mogi("export", "latest").out.splitlines()]
    assert 12 == len([line for line in lines if line["stop"]])
    for line in lines:
        checks["turn"].validate(line)


def test_what_lists_something_prints_what_its_schema_says(mogi: Mogi) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    for limit in ("1", "12"):
        assert mogi("run", "demo-en", "--limit", limit, "--quiet").status == 0
    episode = mogi("show", "latest", "--all", "--json").json["conversations"][0]["episode"]
    assert set(SCHEMAS) == set(get_args(Schema))
    calls: dict[str, list[tuple[str, ...]]] = {
        "check": [("check", "demo-en"), ("check", "demo")],
        "runs": [("runs",)],
        "metrics": [("metrics",), ("metrics", "--client", "demo"), ("metrics", "grounded")],
        "targets": [("targets",)],
        "reports": [("reports",)],
        "conversations": [("show", "latest", "--all"), ("show", "latest", "--failed")],
        "conversation": [("show", "latest", episode)],
        "calls": [("show", "latest", "--calls")],
        "judge": [("show", "latest", "--judge")],
    }
    assert calls.keys() | {"run", "turn", "improve"} == set(SCHEMAS)
    for name, several in calls.items():
        schema = mogi("export", "--schema", name).json
        jsonschema.Draft202012Validator.check_schema(schema)
        for call in several:
            jsonschema.Draft202012Validator(schema).validate(mogi(*call, "--json").json)


def test_a_schema_is_asked_for_by_itself(mogi: Mogi) -> None:
    for args in ((), ("latest", "--schema", "turn")):
        done = mogi("export", *args)
        assert (2, "") == (done.status, done.out)
        assert "which run?" in done.err
