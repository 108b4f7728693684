import sys
from pathlib import Path

import pytest

from simulator.core.errors import InputError
from simulator.core.plan import ModelSpec, Plan
from simulator.execution.plan import LEXICAL, Options, is_judged, make_plan
from simulator.results.verdict import CHECKS
from tests.execution.clients import LEAST, client

DEMO = "language: ja\ntarget: {kind: demo}\nknowledge: faq.csv\n"
FAQ = {"faq.csv": "id,title,content\n1,送料,送料は500円です。\n"}


def plan(cwd: Path, lines: str = "", **said: object) -> Plan:
    return make_plan(client(cwd, lines), Options(**said))  # type: ignore[arg-type]


def models(made: Plan) -> tuple[str | None, ModelSpec | None, ModelSpec | None]:
    """Kind of user, its model, the judge's model."""
    user, judge = made.client.user, made.client.judge
    return user.kind, user.chat, judge.chat if judge else None


def test_no_model_named_anywhere_means_agenda_users_and_lexical_metrics(tmp_path: Path) -> None:
    made = plan(tmp_path)
    assert ("agenda", None, None) == models(made)
    assert (True, "lexical", LEXICAL) == (
        made.offline, made.client.score_by, made.client.metrics,
    )  # fmt: skip
    assert 0.5 == made.client.thresholds["lexical"]


def test_the_model_plays_the_users_and_judges_at_their_temperatures(tmp_path: Path) -> None:
    made = plan(tmp_path, model="m")
    assert ("persona_llm", ModelSpec("m", 0.7), ModelSpec("m", 0.0)) == models(made)
    assert (False, "overall", ("overall", *CHECKS)) == (
        made.offline, made.client.score_by, made.client.metrics,
    )  # fmt: skip
    assert made.target_model is None


def test_the_judge_lives_where_the_users_model_does_unless_it_is_named(tmp_path: Path) -> None:
    user = 'user: {model: u, base_url: "http://a/v1", api_key_env: KEY, temperature: 1}\n'
    made = plan(tmp_path, user)
    asked = ModelSpec("u", 1.0, "http://a/v1", "KEY")
    judged = ModelSpec("u", 0.0, "http://a/v1", "KEY")
    assert ("persona_llm", asked, judged) == models(made)
    made = plan(tmp_path, user, judge_model="j")
    assert ModelSpec("j", 0.0, "http://a/v1", "KEY") == models(made)[2]


def test_a_model_named_on_the_command_line_keeps_the_files_address(tmp_path: Path) -> None:
    user = 'user: {model: u, base_url: "http://a/v1", api_key_env: KEY}\n'
    made = plan(tmp_path, user, model="m")
    assert ModelSpec("m", 0.7, "http://a/v1", "KEY") == models(made)[1]
    assert ModelSpec("m", 0.0, "http://a/v1", "KEY") == models(made)[2]


def test_the_files_judge_stays_whoever_plays_the_users(tmp_path: Path) -> None:
    """Thresholds were found with that judge, and it may live where the other model does not."""
    lines = (
        "user: {model: u}\n"
        'judge: {model: j, base_url: "http://b/v1", temperature: 0.3, votes: 3, calls: apart}\n'
    )
    made = plan(tmp_path, lines, model="m")
    assert ModelSpec("m", 0.7) == models(made)[1]
    assert ModelSpec("j", 0.3, "http://b/v1") == models(made)[2]
    assert made.client.judge is not None
    assert (3, "apart") == (made.client.judge.votes, made.client.judge.calls)
    made = plan(tmp_path, lines, judge_model="other")
    assert ModelSpec("other", 0.3, "http://b/v1") == models(made)[2]


def test_a_judge_alone_leaves_the_users_to_their_agenda(tmp_path: Path) -> None:
    for made in (plan(tmp_path, "judge: {model: j}\n"), plan(tmp_path, judge_model="j")):
        assert ("agenda", None, ModelSpec("j", 0.0)) == models(made)
        assert (False, "overall") == (made.offline, made.client.score_by)


@pytest.mark.parametrize("kind", ["agenda", "scripted"])
def test_users_that_need_no_model_get_none(tmp_path: Path, kind: str) -> None:
    made = plan(tmp_path, f"user: {{kind: {kind}}}\n", model="m")
    assert (kind, None, ModelSpec("m", 0.0)) == models(made)


def test_a_user_of_your_own_gets_the_model_that_it_says_it_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = "class Own:\n    CALLS_MODEL = True\n\n\nclass Quiet:\n    pass\n"
    (tmp_path / "own_users_of_plan.py").write_text(own, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    try:
        for name, chat in (("Own", ModelSpec("m", 0.7)), ("Quiet", None)):
            made = plan(tmp_path, f'user: {{kind: "own_users_of_plan:{name}"}}\n', model="m")
            assert (f"own_users_of_plan:{name}", chat) == models(made)[:2]
        made = plan(tmp_path, 'user: {kind: "own_users_of_plan:Own", model: m}\n', offline=True)
        assert ("agenda", None) == models(made)[:2]
    finally:
        sys.modules.pop("own_users_of_plan", None)


def test_a_user_that_needs_a_model_and_has_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"persona_llm.*--model"):
        plan(tmp_path, "user: {kind: persona_llm}\njudge: {model: j}\n")


def test_offline_takes_every_model_away(tmp_path: Path) -> None:
    lines = "user: {kind: persona_llm, model: u}\njudge: {model: j}\n"
    made = plan(tmp_path, lines, offline=True)
    assert ("agenda", None, None) == models(made)
    assert (True, "lexical") == (made.offline, made.client.score_by)


@pytest.mark.parametrize("said", [{"model": "m"}, {"judge_model": "m"}])
def test_offline_and_a_model_contradict_each_other(tmp_path: Path, said: dict[str, str]) -> None:
    with pytest.raises(InputError, match="--offline"):
        plan(tmp_path, offline=True, **said)


def test_the_model_words_the_demo_bots_answers_steadily(tmp_path: Path) -> None:
    loaded = client(tmp_path, least=DEMO, files=FAQ)
    assert ModelSpec("m", 0.0) == make_plan(loaded, Options(model="m")).target_model
    assert make_plan(loaded, Options(judge_model="m")).target_model is None
    assert make_plan(loaded, Options()).target_model is None
    lines = "user: {model: u, temperature: 1.5}\n"
    loaded = client(tmp_path, lines, least=DEMO, files=FAQ)
    assert ModelSpec("u", 0.0) == make_plan(loaded, Options()).target_model
    assert make_plan(loaded, Options(offline=True)).target_model is None


def test_an_offline_run_of_a_judged_client_keeps_what_needs_no_judge(tmp_path: Path) -> None:
    lines = (
        "metrics: [overall, retrieval_hit]\nscore_by: overall\n"
        "thresholds: {overall: 0.8, retrieval_hit: 1}\n"
    )
    made = plan(tmp_path, lines)
    assert (LEXICAL, "lexical") == (made.client.metrics, made.client.score_by)
    limits = {"lexical": 0.5, "retrieval_hit": 1.0, "refusal": 0.5}
    assert limits == made.client.thresholds


def test_a_check_that_the_client_does_not_want_is_left_out(tmp_path: Path) -> None:
    made = plan(tmp_path, "thresholds: {grounded: null}\n")
    assert "grounded" not in made.client.metrics
    assert "grounded" not in made.client.thresholds
    assert "refusal" in made.client.metrics


def test_metrics_that_need_no_judge_are_taken_as_they_are_named(tmp_path: Path) -> None:
    lines = "metrics: [retrieval_hit]\nscore_by: retrieval_hit\n"
    made = plan(tmp_path, lines)
    assert ("retrieval_hit", "retrieval_hit") == (made.client.metrics[0], made.client.score_by)
    assert {*CHECKS} == {*made.client.metrics}
    made = plan(tmp_path, lines, model="m")
    assert ("persona_llm", ModelSpec("m", 0.7), None) == models(made)  # nothing to judge
    made = plan(tmp_path, lines + "judge: {model: j}\n")
    assert (True, None) == (made.offline, models(made)[2])


def test_score_by_may_be_the_number_of_a_metric_of_your_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = (
        "from simulator.core.outcome import MetricInfo\n\n\n"
        "class Own:\n    INFOS = (MetricInfo('politeness', 'Politeness'),)\n"
        "    @classmethod\n    def open(cls, context): return cls()\n"
        "    async def score(self, evidence): return {}\n"
    )
    (tmp_path / "own_metric_of_plan.py").write_text(own, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    lines = (
        'metrics: [overall, "own_metric_of_plan:Own"]\n'
        "score_by: politeness\nthresholds: {politeness: 0.6}\n"
    )
    try:
        made = plan(tmp_path, lines)
    finally:
        sys.modules.pop("own_metric_of_plan", None)
    assert ("politeness", 0.6) == (made.client.score_by, made.client.thresholds["politeness"])


def test_a_rubric_may_be_called_as_the_judges_plugin_is(tmp_path: Path) -> None:
    shipped = Path(__file__).parents[2] / "prompts" / "ja" / "rubrics" / "answer_quality.yaml"
    own = shipped.read_text("utf-8").replace("id: answer_quality", "id: rubrics")
    loaded = client(tmp_path, "metrics: [rubrics]\n", files={"rubrics/rubrics.yaml": own})
    made = make_plan(loaded, Options())
    assert (LEXICAL, "lexical") == (made.client.metrics, made.client.score_by)
    assert is_judged("rubrics")


def test_options_lie_over_the_files(tmp_path: Path) -> None:
    lines = "max_turns: 4\nmin_turns: 3\nrepeat: 2\nseed: 1\nlimits: {budget_usd: 3, calls: 9}\n"
    made = plan(tmp_path, lines).client
    assert (4, 3, 2, 1, 3.0) == (
        made.max_turns, made.min_turns, made.repeat, made.seed, made.limits.budget_usd,
    )  # fmt: skip
    made = plan(tmp_path, lines, max_turns=2, repeat=5, seed=0, budget_usd=7.0).client
    assert (2, 2, 5, 0, 7.0, 9) == (
        made.max_turns, made.min_turns, made.repeat, made.seed, made.limits.budget_usd,
        made.limits.calls,
    )  # fmt: skip


def test_a_limit_counts_conversations_and_repeats_come_last(tmp_path: Path) -> None:
    keys = [c.key for c in plan(tmp_path, repeat=2, limit=5).cells()]
    first = ["shipping/angry/1", "shipping/calm/1", "returns/angry/1", "returns/calm/1"]
    assert [*first, "shipping/angry/2"] == keys


def test_personas_scenarios_and_tags_narrow_a_plan(tmp_path: Path) -> None:
    made = plan(tmp_path, personas=("calm",), tags=("after",))
    assert ["returns/calm/1"] == [c.key for c in made.cells()]
    made = plan(tmp_path, scenarios=("shipping",))
    assert ["shipping/angry/1", "shipping/calm/1"] == [c.key for c in made.cells()]


def test_all_that_an_option_names_wrongly_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        plan(tmp_path, personas=("clam",), scenarios=("ship",), tags=("monye",))
    said = [c.message for c in raised.value.complaints]
    assert 3 == len(said)
    for wrong, right in zip(said, ("calm", "shipping", "money"), strict=True):
        assert right in wrong


def test_more_conversations_than_one_run_can_hold_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="conversations, more than the 2,000,000 of one run"):
        plan(tmp_path, repeat=10**9)
    assert 7 == plan(tmp_path, repeat=10**9, limit=7).conversations()


def test_nothing_left_to_play_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing to"):
        plan(tmp_path, scenarios=("shipping",), tags=("after",))


def test_a_persona_that_the_client_does_not_name_may_be_asked_for(tmp_path: Path) -> None:
    made = plan(tmp_path, personas=("beginner", "calm"))
    assert ["beginner", "calm"] == list(made.personas)
    assert "beginner" == made.personas["beginner"].id


def test_one_persona_a_scenario_where_they_are_assigned(tmp_path: Path) -> None:
    for assign in ("random", "round_robin"):
        made = plan(tmp_path, assign=assign)
        assert ["shipping", "returns"] == [c.scenario for c in made.cells()]
        assert list(made.cells()) == list(plan(tmp_path, assign=assign).cells())


def test_a_client_file_needs_no_more_than_this(tmp_path: Path) -> None:
    assert 4 == make_plan(client(tmp_path, least=LEAST), Options()).conversations()
