"""llama.cpp's own server, with a model of random weights: noise, but held to the form."""

from collections.abc import Iterator

import pytest

from tests.e2e.conftest import Mogi
from tests.e2e.real_servers import needs_servers, random_llama

pytestmark = [pytest.mark.slow, needs_servers]


@pytest.fixture
def llama(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """Its base URL; the demo's models are looked for there."""
    with random_llama(tmp_path_factory.mktemp("llama")) as base_url:
        monkeypatch.setenv("OPENAI_BASE_URL", base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        yield base_url


@pytest.mark.parametrize("client", ["demo", "demo-en"])
def test_noise_in_the_right_form_plays_and_judges_the_demo(
    client: str, llama: str, mogi: Mogi
) -> None:
    done = mogi("run", client, "--model", "random", "--limit", "3", "--max-turns", "2", "--json")
    found = done.json
    gaps = sum(found["unscored"].values())
    assert (0, 3, 0) == (done.status, found["conversations"], found["unfinished"]), done.err
    assert found["turns"] == found["scored"] + gaps
    assert found["scored"] > 0
    assert {"judge_unparsable"} >= found["unscored"].keys()
    assert not any("JSON" in note for note in found["notes"])  # the schema was borne


def test_it_is_told_as_it_is_when_it_is_tried(llama: str, mogi: Mogi) -> None:
    done = mogi("models", "try", "demo-en", "--model", "random", "--json")
    user, judge, wording = done.json["models"]
    assert ("json_schema", "json_schema", None) == tuple(
        one["form"] for one in (user, judge, wording)
    )
    assert "exceeds the available context size (" in user["context"]["refused"]
