"""A run that broke off goes on where it stopped, and ends as if nothing had happened."""

from pathlib import Path

from tests.e2e.conftest import Mogi
from tests.loopback.replies import Status
from tests.loopback.server import ChatServer

_VARIES = {"run", "started", "finished", "wall_s", "metrics_ms"}


def _broken_off(mogi: Mogi, model: ChatServer, after: int) -> str:
    """A run whose account is refused after so many calls; its id."""
    kind = model.answer
    model.answer = lambda body: kind(body) if model.count <= after else Status(401, "no")
    run: str = mogi("run", "acme", "--concurrency", "2", "--json").json["run"]
    model.answer = kind
    return run


def test_a_resumed_run_ends_like_an_unbroken_one_and_pays_nothing_twice(
    mogi: Mogi, acme: Path, model: ChatServer
) -> None:
    whole = mogi("run", "acme", "--json").json
    model.count = 0
    run = _broken_off(mogi, model, after=5)
    refused = model.count - 5
    resumed = mogi("run", "--resume", run, "--json").json
    assert 12 == model.count - refused
    assert {k: v for k, v in whole.items() if k not in _VARIES} == {
        k: v for k, v in resumed.items() if k not in _VARIES
    }


def test_a_changed_config_is_refused_with_the_difference(
    mogi: Mogi, acme: Path, model: ChatServer
) -> None:
    run = _broken_off(mogi, model, after=3)
    path = acme / "client.yaml"
    path.write_text(path.read_text("utf-8").replace("max_turns: 2", "max_turns: 3"), "utf-8")
    refused = mogi("run", "--resume", run)
    assert 2 == refused.status
    assert "client.max_turns: 2 -> 3" in refused.err
    assert "--force" in refused.err
    forced = mogi("run", "--resume", run, "--force", "--json")
    assert (0, 0) == (forced.status, forced.json["unfinished"])


def test_a_changed_prompt_is_refused(mogi: Mogi, acme: Path, model: ChatServer) -> None:
    run = _broken_off(mogi, model, after=3)
    shipped = Path(__file__).parents[2] / "prompts" / "ja" / "judge.md"
    (acme / "prompts").mkdir()
    text = shipped.read_text("utf-8").replace("厳しく", "とても厳しく")
    (acme / "prompts" / "judge.md").write_text(text, "utf-8")
    refused = mogi("run", "--resume", run)
    assert 2 == refused.status
    assert "prompts.judge" in refused.err


def test_another_model_is_refused(mogi: Mogi, acme: Path, model: ChatServer) -> None:
    run = _broken_off(mogi, model, after=3)
    refused = mogi("run", "--resume", run, "--judge-model", "other")
    assert 2 == refused.status
    assert '"mock" -> "other"' in refused.err


def test_a_finished_run_resumed_changes_nothing(mogi: Mogi, acme: Path, model: ChatServer) -> None:
    first = mogi("run", "acme", "--json").json
    calls = model.count
    again = mogi("run", "--resume", "latest", "--json")
    assert (0, calls, first["score"]) == (again.status, model.count, again.json["score"])


def test_an_unfinished_conversation_can_be_looked_at(
    mogi: Mogi, acme: Path, model: ChatServer
) -> None:
    run = _broken_off(mogi, model, after=1)
    shown = mogi("show", run, "shipping/angry/1")
    assert 0 == shown.status
    assert "送料はいくらですか" in shown.out
    assert "unfinished" in shown.out
