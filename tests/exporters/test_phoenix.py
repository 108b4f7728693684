"""A run sent to Arize Phoenix, by a stand-in that knows its published schema."""

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from tests.e2e.conftest import Mogi
from tests.e2e.small_client import small_client
from tests.exporters.phoenix_server import PhoenixServer, phoenix

BOT = """\
from search import search


def answer(question, history):
    if "open" in question:
        raise ConnectionError("the bot is down")
    return search(question)["content"]
"""


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PhoenixServer]:
    """Phoenix, and the client `shop`, whose bot fails one question."""
    small_client(tmp_path, '{kind: function, function: "bot:answer"}', bot=BOT)
    with phoenix() as (server, http):
        monkeypatch.setenv("PHOENIX_COLLECTOR_ENDPOINT", f"{http.url}/v1/traces")
        monkeypatch.setenv("PHOENIX_API_KEY", "k3y-of-phoenix")
        yield server


def test_a_run_is_an_experiment_on_the_scenarios(mogi: Mogi, server: PhoenixServer) -> None:
    done = mogi("run", "shop", "--repeat", "2", "--export", "phoenix", "--json")
    assert "phoenix" not in done.err
    assert server.keys == {"Bearer k3y-of-phoenix"}
    (version,) = server.datasets["mogi shop"]
    assert version["delivery/calm"] == (
        {"query": "What does delivery cost?", "persona": "calm"},
        {"elements": [["5 euros"]], "documents": ["faq-1"]},
        {"scenario": "delivery", "persona": "calm", "tags": []},
    )
    (experiment,) = server.experiments
    assert (experiment["metadata"]["mogi_run"], experiment["repetitions"]) == (done.json["run"], 2)
    assert len(server.runs) == 6
    delivery = server.runs[experiment["id"], "E:delivery/calm", 2]
    assert delivery["output"]["messages"][:2] == [
        {"role": "user", "content": "What does delivery cost?"},
        {"role": "assistant", "content": "Delivery costs 5 euros and is free above 50 euros."},
    ]
    start, end = (datetime.fromisoformat(delivery[f"{at}_time"]) for at in ("start", "end"))
    assert (delivery["error"], start < end) == (None, True)
    failed = server.runs[experiment["id"], "E:hours/calm", 1]
    assert "the bot is down" in failed["error"]
    result = server.evaluations[delivery["id"], "result"]
    assert (result["result"]["score"], result["result"]["label"]) == (1.0, "passed")
    assert server.evaluations[failed["id"], "result"]["result"]["score"] == 0.0
    assert server.evaluations[delivery["id"], "lexical"]["annotator_kind"] == "CODE"


def test_a_repeated_export_changes_nothing(mogi: Mogi, server: PhoenixServer) -> None:
    run = mogi("run", "shop", "--export", "phoenix", "--json").json["run"]
    before = server.changes
    done = mogi("export", "latest", "--to", "phoenix")
    assert (0, before) == (done.status, server.changes), done.err
    assert done.err == f"run {run} was sent to phoenix: 3 conversations\n"
    mogi("run", "shop", "--limit", "1", "--export", "phoenix", "--json")
    changed = server.changes
    assert mogi("export", run, "--to", "phoenix").status == 0
    assert changed == server.changes
    assert [len(version) for version in server.datasets["mogi shop"]] == [3, 1]


def test_an_export_that_broke_off_goes_on(mogi: Mogi, server: PhoenixServer) -> None:
    server.fails_after = 1
    run = mogi("run", "shop", "--export", "phoenix", "--json")
    trouble = "mogi: --export phoenix failed: http://127.0.0.1:"
    assert trouble in run.err
    assert run.err.endswith(f"send it again:  mogi export {run.json['run']} --to phoenix\n")
    assert "k3y-of-phoenix" not in run.err
    assert len(server.runs) == 1
    server.fails_after = None
    assert mogi("export", "latest", "--to", "phoenix").status == 0
    assert (len(server.experiments), len(server.runs)) == (1, 3)
    kept = {run for run, _ in server.evaluations}
    assert kept == {run["id"] for run in server.runs.values()}


def test_what_people_say_later_is_added(mogi: Mogi, server: PhoenixServer, tmp_path: Path) -> None:
    run = mogi("run", "shop", "--export", "phoenix", "--json").json["run"]
    lines = mogi("export", run).out.splitlines()
    (line,) = [line for line in lines if '"delivery"' in line]
    verdict = json.dumps({**json.loads(line), "verdict": "NG"})
    (tmp_path / "said.jsonl").write_text(verdict, "utf-8")
    assert mogi("review", "pull", run, "--from", "said.jsonl", "--reviewer", "Ann").status == 0
    assert mogi("export", run, "--to", "phoenix").status == 0
    said = [e for (_, name), e in server.evaluations.items() if name == "verdict"]
    assert [(e["annotator_kind"], e["result"]["score"]) for e in said] == [("HUMAN", 0.0)]
    assert "Ann" not in str(server.evaluations)


def test_an_unfinished_run_is_not_sent(mogi: Mogi, server: PhoenixServer) -> None:
    part = mogi("run", "shop", "--shard", "1/2", "--run-key", "k", "--json")
    run = part.json["run"]
    done = mogi("export", run, "--to", "phoenix")
    assert (3, 0) == (done.status, server.changes)
    assert f"phoenix only accepts finished runs, but run {run} is unfinished; finish it" in done.err


def test_settings_are_checked_before_anything_runs(
    mogi: Mogi, acme: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = mogi("run", "acme", "--export", "phoenix")
    assert (2, "phoenix: set PHOENIX_COLLECTOR_ENDPOINT") == (done.status, done.err[:39])
    monkeypatch.setenv("PHOENIX_BASE_URL", "localhost:6006")
    done = mogi("run", "acme", "--export", "phoenix")
    assert (2, "PHOENIX_BASE_URL is not a URL") == (done.status, done.err[:29])
