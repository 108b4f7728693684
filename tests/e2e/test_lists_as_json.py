"""What there is, and what is in the store, as JSON: the commands that list something."""

import json
from pathlib import Path

import pytest

from simulator import plugins
from tests.e2e.conftest import Mogi
from tests.e2e.small_client import small_client

BOT = "def answer(question, history):\n    return 'It costs 5 euros.'\n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return small_client(tmp_path, '{kind: function, function: "my_bot:answer"}', my_bot=BOT)


@pytest.mark.parametrize("room", ["targets", "reports"])
def test_what_there_is(mogi: Mogi, room: str) -> None:
    found = mogi(room, "--json").json[room]
    name = "kind" if room == "targets" else "name"
    assert list(plugins.names(room)) == [each[name] for each in found]
    assert all(each["about"] for each in found)
    if room == "targets":
        settings = {each["kind"]: each["settings"] for each in found}
        assert {"url", "body"} <= settings["http"]["properties"].keys()
    else:
        assert {"json": True, "terminal": False}.items() <= {
            each["name"]: each["needs_path"] for each in found
        }.items()


def test_metrics_with_what_they_cost_and_need(mogi: Mogi, shop: Path) -> None:
    found = {
        each["name"]: each for each in mogi("metrics", "--json", "--client", "shop").json["metrics"]
    }
    assert ("judge", "turn", "1-5") == (
        *(found["overall"][key] for key in ("costs", "scope")),
        found["overall"]["scale"],
    )
    assert ("nothing", ["elements"]) == (
        found["elements_lexical"]["costs"],
        found["elements_lexical"]["needs"],
    )
    one = mogi("metrics", "grounded", "--json").json["metrics"]
    assert ["grounded"] == [each["name"] for each in one]
    wrong = mogi("metrics", "groundet", "--json")
    assert (2, True) == (wrong.status, "did you mean grounded" in wrong.err)


def test_runs_of_the_store(mogi: Mogi, shop: Path) -> None:
    figures = mogi("run", "shop", "--json").json
    (row,) = mogi("runs", "--json").json["runs"]
    shared = row.keys() & figures.keys()
    assert {"run", "kind", "client", "status", "passed", "failed", "conversations"} <= shared
    assert {key: figures[key] for key in shared} == {key: row[key] for key in shared}


def test_what_a_run_shows(mogi: Mogi, shop: Path) -> None:
    run = mogi("run", "shop", "--json").json["run"]
    lines = [json.loads(line) for line in mogi("export", "latest").out.splitlines()]
    failed = mogi("show", "latest", "--failed", "--json").json
    ends = [line for line in lines if line["result"] == "failed"]
    told = ("episode", "scenario", "persona", "repeat", "result", "why")
    assert {"run": run, "conversations": [{k: line[k] for k in told} for line in ends]} == failed
    assert 2 == len(ends)
    one = mogi("show", "latest", "returns", "--json").json
    assert (run, "returns/calm/1", True) == (one["run"], one["episode"], one["finished"])
    assert one["turns"] == [line for line in lines if line["scenario"] == "returns"]
    assert {"run": run, "judge_health": None} == mogi("show", "latest", "--judge", "--json").json
    calls = mogi("show", "latest", "--calls", "--json").json["calls"]
    assert [("target", len(lines))] == [(each["role"], each["calls"]) for each in calls]
