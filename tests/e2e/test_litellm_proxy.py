"""LiteLLM's own proxy between mogi and its models: runs, and what it says when it refuses."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tests.e2e.conftest import JUDGEMENT, SAYS, Mogi, is_judge
from tests.e2e.real_servers import litellm, needs_servers
from tests.loopback.replies import Status
from tests.loopback.server import ChatServer
from tests.loopback.threaded import served

pytestmark = [pytest.mark.slow, needs_servers]

KEY = "sk-of-the-gateway"
KEYS = {"GATEWAY_KEY": KEY, "WRONG_KEY": "sk-wrong"}
CONFIG = """\
model_list:
  - model_name: sound
    litellm_params: {{model: openai/mock, api_base: "{url}", api_key: sk-upstream}}
  - model_name: refused
    litellm_params: {{model: openai/refused, api_base: "{url}", api_key: sk-upstream}}
  - model_name: keyless
    litellm_params: {{model: openai/mock, api_base: "{url}"}}
  - model_name: spent
    litellm_params:
      {{model: openai/mock, api_base: "{url}", api_key: sk-upstream, max_budget: 1.0e-9,
        budget_duration: 1d, input_cost_per_token: 0.01, output_cost_per_token: 0.01}}
litellm_settings: {{num_retries: 0}}
general_settings: {{master_key: {key}}}
"""


@dataclass(frozen=True)
class Gateway:
    """The proxy and the model behind it."""

    base_url: str
    model: ChatServer

    def refusal(self, model: str, key: str) -> tuple[int, str]:
        """The status and the words with which the proxy refuses a request."""
        body = {"model": model, "messages": [{"role": "user", "content": "hello"}]}
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        asked = Request(f"{self.base_url}/chat/completions", json.dumps(body).encode(), headers)
        try:
            with urlopen(asked):
                return 200, ""
        except HTTPError as error:
            return error.code, str(json.loads(error.read())["error"]["message"])


def answer(body: dict[str, Any]) -> Any:
    if body["model"] == "refused":
        return Status(401, {"message": "Incorrect API key provided", "code": "invalid_api_key"})
    return JUDGEMENT if is_judge(body) else SAYS


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with served(answer) as model:
        config = CONFIG.format(url=model.base_url, key=KEY)
        with litellm(tmp_path_factory.mktemp("litellm"), config) as base_url:
            yield Gateway(base_url, model)


@pytest.fixture
def client(
    acme: Path, model: ChatServer, gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """The client `acme` whose models are behind the gateway."""
    path = acme / "client.yaml"
    text = path.read_text("utf-8").replace("model: mock", "model: sound, api_key_env: GATEWAY_KEY")
    path.write_text(text.replace(model.base_url, gateway.base_url), "utf-8")
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    gateway.model.requests.clear()
    return path


def test_a_judged_run_through_it_scores_every_turn(
    mogi: Mogi, client: Path, gateway: Gateway
) -> None:
    done = mogi("run", "acme", "--json")
    assert (0, {}, 8) == (done.status, done.json["unscored"], done.json["scored"]), done.err
    assert [] == done.json["notes"]
    assert 0 < done.json["tokens"]["output"]
    asked = gateway.model.requests
    assert len(asked) == sum(done.json["calls"][role] for role in ("user", "judge"))
    assert {"json_schema"} == {one.body["response_format"]["type"] for one in asked}
    assert {"Bearer sk-upstream"} == {one.headers["Authorization"] for one in asked}


def test_its_models_are_tried(mogi: Mogi, client: Path, gateway: Gateway) -> None:
    done = mogi("models", "try", "acme", "--json")
    assert 0 == done.status, done.err
    assert [("user", True, "json_schema"), ("judge", True, "json_schema")] == [
        (one["role"], one["usable"], one["form"]) for one in done.json["models"]
    ]


@pytest.mark.parametrize(
    ("named", "key_env", "advice"),
    [
        ("sound", "WRONG_KEY", "check WRONG_KEY (is it set, and is it the key of this base_url?)"),
        ("nowhere", "GATEWAY_KEY", "check the model's name"),
        ("refused", "GATEWAY_KEY", "check the gateway's own key"),
        ("keyless", "GATEWAY_KEY", "check the gateway's own key"),
        ("spent", "GATEWAY_KEY", "check the credit and limits of the account behind"),
    ],
)
def test_what_it_refuses_stops_the_run_in_its_own_words(
    named: str, key_env: str, advice: str, mogi: Mogi, client: Path, gateway: Gateway
) -> None:
    if named == "spent":
        gateway.refusal(named, KEY)  # the first one is answered, and spends the budget
    status, said = gateway.refusal(named, KEYS[key_env])
    gateway.model.requests.clear()
    text = client.read_text("utf-8").replace("model: sound", f"model: {named}")
    client.write_text(text.replace("GATEWAY_KEY", key_env), "utf-8")
    done = mogi("run", "acme", "--json")
    assert (3, 4) == (done.status, done.json["unfinished"])
    assert f"{status}: {' '.join(said.split())[:200].rstrip('.')}" in done.err
    assert advice in done.err
    assert {"target": 0, "user": 0, "judge": 0} == {
        who: done.json["failures"][who] for who in ("target", "user", "judge")
    }
    assert (1 if named == "refused" else 0) == len(gateway.model.requests)
