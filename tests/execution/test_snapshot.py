from pathlib import Path
from typing import Any

import pytest

from simulator.core.errors import InputError
from simulator.execution.plan import Options, make_plan
from simulator.execution.snapshot import check_same, differences, snapshot, usual
from tests.execution.clients import LEAST, SCENARIOS, client

ROOT = Path(__file__).parents[2]
MODELS = 'user: {model: u, base_url: "http://a/v1"}\njudge: {model: j, base_url: "http://a/v1"}\n'


def taken(cwd: Path, lines: str = "", *, said: Options | None = None, **more: Any) -> Any:
    loaded = client(cwd, lines, **more)
    return snapshot(make_plan(loaded, said or Options()), loaded)


def changed(before: Any, now: Any) -> set[str]:
    return {line.partition(":")[0] for line in differences(before, now)}


def own_prompt(cwd: Path, name: str) -> dict[str, str]:
    """A prompt of the client's own: the shipped one, worded a little differently."""
    text = (ROOT / "prompts" / "ja" / f"{name}.md").read_text("utf-8")
    return {f"prompts/{name}.md": text.replace("。", "。 ", 1)}


def test_the_same_client_is_the_same_run(tmp_path: Path) -> None:
    assert taken(tmp_path, MODELS) == taken(tmp_path, MODELS)


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        ("max_turns: 2\n", {"client.max_turns"}),
        ("guidelines: [短く]\n", {"client.guidelines"}),
        ("thresholds: {overall: 0.8}\n", {"client.thresholds.overall"}),
        ("seed: 7\n", {"client.seed"}),
    ],
)
def test_what_changes_results_is_named(tmp_path: Path, lines: str, names: set[str]) -> None:
    assert names == changed(taken(tmp_path, MODELS), taken(tmp_path, MODELS + lines))


@pytest.mark.parametrize(
    "lines",
    [
        "gate: {score: 0.9}\n",
        "limits: {budget_usd: 3, calls: 5, target: {concurrency: 1}}\n",
        "prices: {u: {input: 1, output: 1}}\n",
        "timezone: UTC\n",
    ],
)
def test_what_only_says_where_a_run_stops_or_how_it_is_shown_may_change(
    tmp_path: Path, lines: str
) -> None:
    assert taken(tmp_path, MODELS) == taken(tmp_path, MODELS + lines)


def test_how_long_a_model_is_waited_for_and_what_calls_it_may_change(tmp_path: Path) -> None:
    judged = 'judge: {{model: j, base_url: "http://a/v1"{}}}\n'
    before = taken(tmp_path, judged.format(""))
    assert before == taken(tmp_path, judged.format(", timeout_s: 9, client: sdk"))
    extra = {"client.judge.chat.extra_body.client"}
    sent = taken(tmp_path, judged.format(", extra_body: {client: a}"))
    assert extra == changed(before, sent)


METRIC = """
from simulator.core.outcome import MetricInfo, Score

class Brevity:
    INFOS = (MetricInfo("brevity", "Brevity"),)
    infos = INFOS

    @classmethod
    def open(cls, context):
        return cls()

    async def score(self, evidence):
        return {"brevity": Score(1.0, 1.0)}
"""
OWN = "metrics: [my_brevity:Brevity]\nscore_by: brevity\n"


def test_a_metric_of_the_clients_own_counts_with_its_code(tmp_path: Path) -> None:
    before = taken(tmp_path, OWN, files={"my_brevity.py": METRIC})
    assert before == taken(tmp_path, OWN, files={"my_brevity.py": METRIC})
    now = taken(tmp_path, OWN, files={"my_brevity.py": METRIC.replace("1.0, 1.0", "0.5, 0.5")})
    assert {"metric_files.my_brevity"} == changed(before, now)


def test_a_metric_that_a_file_only_passes_on_counts_with_both_files(tmp_path: Path) -> None:
    files = {"my_passing.py": "from my_passed import Brevity\n", "my_passed.py": METRIC}
    lines = "metrics: [my_passing:Brevity]\nscore_by: brevity\n"
    before = taken(tmp_path, lines, files=files)
    now = taken(tmp_path, lines, files={**files, "my_passed.py": METRIC + "# other\n"})
    assert {"metric_files.my_passed"} == changed(before, now)


def test_a_metric_of_a_package_counts_with_the_packages_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, about = tmp_path / "acme_brevity", tmp_path / "acme_metrics-1.2.dist-info"
    for folder in (package, about):
        folder.mkdir()
    (package / "__init__.py").write_text(METRIC, "utf-8")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-metrics\nVersion: 1.2\n")
    (about / "top_level.txt").write_text("acme_brevity\n")
    monkeypatch.syspath_prepend(tmp_path)
    found = taken(tmp_path, "metrics: [acme_brevity:Brevity]\nscore_by: brevity\n")
    assert "1.2" == found["metric_packages.acme-metrics"]
    assert "metric_files.acme_brevity" in found


def test_another_model_is_another_run(tmp_path: Path) -> None:
    before = taken(tmp_path, MODELS)
    now = taken(tmp_path, MODELS, said=Options(judge_model="k"))
    assert {"client.judge.chat.model"} == changed(before, now)


@pytest.mark.parametrize(
    ("prompt", "lines", "counts"),
    [
        ("user", MODELS, True),
        ("judge", MODELS, True),
        ("form", MODELS, True),
        ("user", "judge: {model: j}\n", False),
        ("user", "user: {kind: scripted}\n", False),
        ("form", "judge: {model: j}\n", True),
        ("judge", "metrics: [refusal]\nscore_by: refusal\nuser: {model: u}\n", False),
        ("form", "", False),
        ("demo_answer", MODELS, False),
    ],
)
def test_a_prompt_counts_where_it_is_used(
    tmp_path: Path, prompt: str, lines: str, *, counts: bool
) -> None:
    before = taken(tmp_path, lines)
    now = taken(tmp_path, lines, files=own_prompt(tmp_path, prompt))
    assert ({f"prompts.{prompt}"} if counts else set()) == changed(before, now)


def test_the_demo_bots_prompt_and_knowledge_count(tmp_path: Path) -> None:
    least = "language: ja\ntarget: {kind: demo}\nknowledge: faq.csv\n"
    faq = {"faq.csv": "id,title,content\n1,送料,送料は500円です。\n"}
    before = taken(tmp_path, least=least, files=faq)
    now = taken(tmp_path, least=least, files=faq | own_prompt(tmp_path, "demo_answer"))
    assert {"prompts.demo_answer"} == changed(before, now)
    faq["faq.csv"] = faq["faq.csv"].replace("500", "600")
    assert {"knowledge"} == changed(now, taken(tmp_path, least=least, files=faq))


def test_the_prompt_file_of_the_bot_itself_counts(tmp_path: Path) -> None:
    least = LEAST.replace('"bot:answer"', '"bot:rag", prompt: rag.txt')
    before = taken(tmp_path, least=least, files={"rag.txt": "answer briefly"})
    now = taken(tmp_path, least=least, files={"rag.txt": "answer at length"})
    assert {"target_files.rag.txt"} == changed(before, now)


def test_rubrics_count_only_where_a_judge_reads_them(tmp_path: Path) -> None:
    shipped = (ROOT / "prompts" / "ja" / "rubrics" / "answer_quality.yaml").read_text("utf-8")
    own = {"rubrics/answer_quality.yaml": shipped + "# mine\n"}
    judged = taken(tmp_path, MODELS)
    assert {"rubrics.answer_quality"} == changed(judged, taken(tmp_path, MODELS, files=own))
    offline = taken(tmp_path, files=own)
    (tmp_path / "scenarios/acme/rubrics/answer_quality.yaml").unlink()
    assert set() == changed(offline, taken(tmp_path))


def test_other_conversations_are_another_run_and_another_order_is_not(tmp_path: Path) -> None:
    turned = "".join(reversed(SCENARIOS.splitlines(keepends=True)))
    assert set() == changed(taken(tmp_path), taken(tmp_path, scenarios=turned))
    for said in (Options(limit=2), Options(assign="round_robin")):
        before = taken(tmp_path, said=said)
        assert {"conversations"} == changed(before, taken(tmp_path, said=said, scenarios=turned))


def test_japanese_runs_record_what_cuts_their_words(tmp_path: Path) -> None:
    found = taken(tmp_path)
    assert {"sudachi.sudachipy", "sudachi.sudachidict"} <= found.keys()
    english = taken(tmp_path, least=LEAST.replace("language: ja", "language: en"))
    assert not any(name.startswith("sudachi") for name in english)
    metric = "metrics: [sudachi_f1]\nscore_by: sudachi_f1\n"
    words = taken(tmp_path, metric, least=LEAST.replace("language: ja", "language: en"))
    assert found["sudachi.sudachidict"] == words["sudachi.sudachidict"]


def test_the_address_from_the_environment_counts_where_it_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere, default = taken(tmp_path, MODELS), taken(tmp_path, "user: {model: u}\n")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://b/v1")
    assert set() == changed(elsewhere, taken(tmp_path, MODELS))
    assert {"OPENAI_BASE_URL"} == changed(default, taken(tmp_path, "user: {model: u}\n"))


def test_what_an_older_run_lacks_is_the_usual(tmp_path: Path) -> None:
    loaded = client(tmp_path, MODELS + "max_turns: 3\n")
    plan = make_plan(loaded, Options())
    now = snapshot(plan, loaded)
    newer = {"client.fail_on", "client.left_out", "client.judge.votes", "client.target.version"}
    assert newer < now.keys()
    before = {key: value for key, value in now.items() if key not in newer}
    before["client.user.open"] = "exact"  # as every first message was, once
    check_same("r1", before, now, usual(plan))
    for key, other in (("client.fail_on", ["late"]), ("client.user.open", "styled")):
        assert {key} == {
            line.partition(":")[0] for line in differences(before, {**now, key: other}, usual(plan))
        }


def test_a_first_message_that_is_worded_otherwise_now_is_a_change(tmp_path: Path) -> None:
    loaded = client(tmp_path, "", least=LEAST.replace("calm", "typos"))
    plan = make_plan(loaded, Options())
    now = snapshot(plan, loaded)
    assert "typos" in plan.personas
    before = {**now, "client.user.open": "exact"}
    assert ['client.user.open: "exact" -> null'] == differences(before, now, usual(plan))


def test_a_difference_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        check_same("r1", {"a.b": 1, "c": "x" * 100}, {"a.b": 2, "d": None})
    said = [c.message for c in raised.value.complaints]
    assert "run r1 can't resume: 3 things changed" in said[0]
    assert "--force" in said[0]
    assert ["  a.b: 1 -> 2", f'  c: "{"x" * 56}... -> (not there)', "  d: (not there) -> null"] == (
        said[1:]
    )
    check_same("r1", {"a": 1}, {"a": 1})
