"""Which runs call an embedding model, and what is said where one is lacking."""

from pathlib import Path

import pytest

from simulator.core.errors import InputError
from simulator.core.plan import ModelSpec, Plan, Price
from simulator.core.ports import Role
from simulator.execution.estimate import RoleEstimate, estimate
from simulator.execution.plan import LEXICAL, Options, make_plan
from simulator.execution.snapshot import snapshot
from simulator.llm.prices import Bounds
from tests.execution.clients import client

MODEL = "embedding: {model: e, base_url: http://127.0.0.1:1/v1}\n"
NAMED = f"metrics: [ada_cosine_similarity]\nscore_by: ada_cosine_similarity\n{MODEL}"
SCENARIOS = (
    "- {id: shipping, query: 送料はいくらですか, expected: {answer: 500円です。}}\n"
    "- {id: fee, query: 料金はいくらですか, expected: {answer: 500円です。}}\n"
    "- {id: returns, query: 返品できますか}\n"
)


def plan(cwd: Path, lines: str, **said: object) -> Plan:
    return make_plan(client(cwd, lines), Options(**said))  # type: ignore[arg-type]


def test_a_metric_that_needs_one_calls_it(tmp_path: Path) -> None:
    made = plan(tmp_path, NAMED)
    assert ModelSpec("e", None, "http://127.0.0.1:1/v1") == made.client.embedding
    assert "ada_cosine_similarity" == made.client.metrics[0]
    assert not made.offline


def test_without_such_a_metric_none_is_called(tmp_path: Path) -> None:
    made = plan(tmp_path, f"metrics: [lexical]\nscore_by: lexical\n{MODEL}")
    assert made.client.embedding is None
    assert made.offline


def test_it_does_not_take_the_judges_place(tmp_path: Path) -> None:
    made = plan(tmp_path, f"metrics: [overall, ada_cosine_similarity]\n{MODEL}")
    assert made.client.judge is None
    assert (*LEXICAL, "ada_cosine_similarity") == made.client.metrics
    assert ("lexical", False) == (made.client.score_by, made.offline)


def test_offline_leaves_the_metric_out(tmp_path: Path) -> None:
    made = plan(tmp_path, NAMED, offline=True)
    assert (LEXICAL, "lexical") == (made.client.metrics, made.client.score_by)
    assert made.client.embedding is None
    assert made.offline


def test_a_metric_without_a_model_is_complained_of_where_it_stands(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        client(tmp_path, "metrics: [overall, ada_cosine_similarity]\n")
    assert (
        "scenarios/acme/client.yaml:4: ada_cosine_similarity needs an embedding model; "
        "write embedding: {model: …} in client.yaml"
    ) == str(caught.value)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("embedding: {modle: e}", "modle"),
        ("embedding: {model: e, temperature: 0}", "temperature"),
        ("embedding: {base_url: http://a/v1}", "model"),
        ("embedding: {model: e, base_url: nonsense}", "base_url"),
        ("embedding: e", "{model: …}"),
    ],
)
def test_a_wrong_entry_is_complained_of(tmp_path: Path, line: str, complaint: str) -> None:
    with pytest.raises(InputError, match=r"client\.yaml:4: embedding") as caught:
        client(tmp_path, f"{line}\nmetrics: [overall, ada_cosine_similarity]\n")
    assert complaint in str(caught.value)
    assert "needs an embedding model" not in str(caught.value)


def test_the_model_is_part_of_what_a_resume_must_not_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = client(tmp_path, NAMED)
    found = snapshot(make_plan(loaded, Options()), loaded)
    assert "e" == found["client.embedding.model"]
    assert "OPENAI_BASE_URL" not in found
    loaded = client(tmp_path, NAMED.replace(", base_url: http://127.0.0.1:1/v1", ""))
    monkeypatch.setenv("OPENAI_BASE_URL", "http://elsewhere/v1")
    found = snapshot(make_plan(loaded, Options()), loaded)
    assert "http://elsewhere/v1" == found["OPENAI_BASE_URL"]


def test_an_estimate_counts_its_calls_and_tokens(tmp_path: Path) -> None:
    loaded = client(tmp_path, f"max_turns: 3\n{NAMED}", scenarios=SCENARIOS)
    found = estimate(make_plan(loaded, Options()), loaded, lambda _: Price(1.0, 99.0))
    (role,) = found.roles
    # Two of the three scenarios expect an answer, both the same; two personas.
    assert (Role.EMBEDDING, "e", Bounds(1, 6, 24)) == (role.role, role.model, role.calls)
    assert Bounds(0, 0, 0) == role.output_tokens
    assert role.input_tokens.lowest < role.input_tokens.likely < role.input_tokens.highest
    assert role.cost_usd is not None
    assert role.input_tokens.likely / 1e6 == pytest.approx(role.cost_usd.likely)
    assert isinstance(role, RoleEstimate)
