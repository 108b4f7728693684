"""A run that broke off goes on where it stopped, and ends as if nothing had happened."""

from pathlib import Path

from tests.e2e.conftest import Mogi
from tests.loopback.replies import Status
from tests.loopback.server import ChatServer

_VARIES = {"run", "started", "finished", "wall_s", "metrics_ms", "waits"}


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
    assert "unfinished, so without scores; to resume: `mogi run --resume" in shown.out


def test_the_conversations_that_are_open_are_named_where_none_has_ended(
    mogi: Mogi, acme: Path, model: ChatServer
) -> None:
    run = _broken_off(mogi, model, after=1)
    shown = mogi("show", run).out
    assert "読むためのコマンド:" in shown
    assert f"  mogi show {run} shipping/angry/1\n" in shown
    mogi("run", "--resume", run, "--quiet")
    assert "読むためのコマンド:" not in mogi("show", run).out


def test_a_budget_holds_for_the_resume_too_unless_it_is_raised(
    mogi: Mogi, acme: Path, model: ChatServer
) -> None:
    priced = (acme / "client.yaml").read_text("utf-8") + "prices: {mock: {input: 1, output: 1}}\n"
    (acme / "client.yaml").write_text(priced, "utf-8")
    first = mogi("run", "acme", "--budget", "0.008", "--json")
    again = mogi("run", "--resume", "latest", "--json")
    assert (3, 3) == (first.status, again.status)
    assert again.json["cost_usd"] <= 0.008
    raised = mogi("run", "--resume", "latest", "--budget", "1", "--json")
    assert (0, 0) == (raised.status, raised.json["unfinished"])


def test_the_number_of_calls_holds_for_the_resume_too(
    mogi: Mogi, acme: Path, model: ChatServer
) -> None:
    path = acme / "client.yaml"
    text = path.read_text("utf-8").replace("limits: {", "limits: {calls: 5, ")
    path.write_text(text.replace('function, function: "bot:answer"', "demo"), "utf-8")
    (acme / "faq.csv").write_text("id,title,content\n1,送料,送料は500円です。\n", "utf-8")
    path.write_text(path.read_text("utf-8") + "knowledge: faq.csv\n", "utf-8")
    kind = model.answer
    model.answer = lambda body: kind(body) if "response_format" in body else "500円です。"
    first = mogi("run", "acme", "--json")
    assert (3, 5) == (first.status, model.count)
    assert 3 == mogi("run", "--resume", "latest", "--json").status
    assert 5 == model.count
    path.write_text(path.read_text("utf-8").replace("calls: 5", "calls: 100"), "utf-8")
    whole = mogi("run", "--resume", "latest", "--json")
    assert 0 == whole.status
    found = whole.json
    # 8 answers that the model words, 8 judgements, 4 messages of users
    assert (20, 8) == (model.count, found["turns"])
    assert {"user": 4, "judge": 8, "reader": 0, "embedding": 0, "target": 8} == found["calls"]


def test_a_gate_that_was_asked_for_holds_for_the_resume(
    mogi: Mogi, acme: Path, model: ChatServer
) -> None:
    kind = model.answer
    model.answer = lambda body: Status(401, "no")
    mogi("run", "acme", "--fail-under", "0.9", "--json")
    model.answer = kind
    missed = mogi("run", "--resume", "latest", "--json")
    assert (1, {"under": 0.9, "passed": False}) == (missed.status, missed.json["gate"])
    lower = mogi("run", "--resume", "latest", "--fail-under", "0.5", "--json")
    # Its judge has one word for everything, so no gate passes on it.
    assert (3, {"under": 0.5, "passed": None}) == (lower.status, lower.json["gate"])


def test_a_dry_run_of_a_resume_counts_what_is_left(
    mogi: Mogi, acme: Path, model: ChatServer
) -> None:
    run = _broken_off(mogi, model, after=5)
    left = mogi("runs").out
    done = mogi("run", "--resume", run, "--dry-run", "--json")
    assert 0 == done.status, done.err
    found = done.json
    unfinished = mogi("run", "--resume", run, "--dry-run", "--json").json["conversations"]
    assert found["conversations"] == unfinished < 4
    assert left == mogi("runs").out  # nothing was written
    refused = mogi("run", "--resume", run, "--dry-run", "--max-turns", "3")
    assert 2 == refused.status


def test_a_run_begun_offline_takes_no_model_on(mogi: Mogi, acme: Path, model: ChatServer) -> None:
    mogi("run", "acme", "--offline", "--quiet")
    refused = mogi("run", "--resume", "latest", "--model", "m")
    assert 2 == refused.status
    assert "--offline" in refused.err
