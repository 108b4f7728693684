import pytest

from simulator.core.errors import InputError
from simulator.core.plan import ModelSpec
from simulator.llm.account import Account, account_of

LOCAL = "http://127.0.0.1:11434/v1"
AZURE = {
    "AZURE_OPENAI_API_KEY": "az",
    "AZURE_OPENAI_ENDPOINT": "https://x.openai.azure.com",
    "OPENAI_API_VERSION": "2024-10-21",
}


@pytest.mark.parametrize(
    ("spec", "environment", "account"),
    [
        (ModelSpec("m"), {"OPENAI_API_KEY": "sk"}, Account(None, "sk")),
        (
            ModelSpec("m"),
            {"OPENAI_API_KEY": "sk", "OPENAI_BASE_URL": "https://gate.example/v1"},
            Account("https://gate.example/v1", "sk"),
        ),
        (
            ModelSpec("m", base_url="https://own.example/v1", api_key_env="BOT_KEY"),
            {"OPENAI_API_KEY": "sk", "BOT_KEY": "bot"},
            Account("https://own.example/v1", "bot", "BOT_KEY"),
        ),
        (ModelSpec("m", base_url=LOCAL), {}, Account(LOCAL, "")),
        (
            ModelSpec("m", base_url="https://own.example/v1"),
            {},
            Account("https://own.example/v1", ""),
        ),
        (
            ModelSpec("m"),
            AZURE,
            Account(
                "https://x.openai.azure.com",
                "az",
                "AZURE_OPENAI_API_KEY",
                azure=True,
                api_version="2024-10-21",
            ),
        ),
        (ModelSpec("m"), AZURE | {"OPENAI_API_KEY": "sk"}, Account(None, "sk")),
    ],
)
def test_where_a_model_lives_and_which_key_opens_it(
    spec: ModelSpec,
    environment: dict[str, str],
    account: Account,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert account == account_of(spec)


@pytest.mark.parametrize(
    ("spec", "named"),
    [
        (ModelSpec("m"), "OPENAI_API_KEY"),
        (ModelSpec("m", api_key_env="BOT_KEY"), "BOT_KEY"),
        (ModelSpec("m", base_url="https://own.example/v1", api_key_env="BOT_KEY"), "BOT_KEY"),
        (ModelSpec("m", base_url=LOCAL, api_key_env="BOT_KEY"), "BOT_KEY"),
    ],
)
def test_a_missing_key_is_named_and_the_way_without_one_too(spec: ModelSpec, named: str) -> None:
    with pytest.raises(InputError, match=f"set {named} in .*--offline"):
        account_of(spec)


def test_azure_does_not_stand_in_for_a_key_that_was_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in AZURE.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(InputError, match="BOT_KEY"):
        account_of(ModelSpec("m", api_key_env="BOT_KEY"))


@pytest.mark.parametrize(
    "base_url",
    ["localhost:11434/v1", "127.0.0.1", "ftp://x/v1", "http://", "http://x:99999/v1", "http://[x"],
)
def test_a_base_url_that_is_none_is_refused(base_url: str) -> None:
    with pytest.raises(InputError, match="a URL"):
        account_of(ModelSpec("m", base_url=base_url))


@pytest.mark.parametrize(
    "base_url",
    ["https://canary@x.example/v1", "https://u:canary@x.example/v1", "https://x.example/?k=canary"],
)
def test_a_key_in_a_url_is_refused_and_not_repeated(base_url: str) -> None:
    with pytest.raises(InputError, match="environment") as caught:
        account_of(ModelSpec("m", base_url=base_url))
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize("key", ["sk-canary two", "sk-canary\nx", "sk-canary…", "sk-canary\x00"])
def test_a_key_that_no_header_can_carry_is_refused_and_not_repeated(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simulator.config.model_key", lambda name: key)
    with pytest.raises(InputError, match="OPENAI_API_KEY") as caught:
        account_of(ModelSpec("m"))
    assert "canary" not in str(caught.value)


def test_a_key_is_not_shown() -> None:
    assert "canary" not in repr(Account(None, "canary"))
