from pathlib import Path

import pytest

from simulator import config


def test_a_key_is_read_from_the_variable_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOT_KEY", "canary")
    assert "canary" == config.model_key("BOT_KEY")
    assert config.model_key() is None


def test_without_a_name_the_key_is_that_of_openai(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    assert "canary" == config.model_key()


def test_a_blank_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "  ")
    assert config.model_key() is None


def test_azure_needs_all_of_its_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "canary")
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://x.openai.azure.com")
    assert config.azure_resource() is None
    assert ("https://x.openai.azure.com", "v1") == config.azure_resource("v1")
    monkeypatch.setenv("OPENAI_API_VERSION", "2026-01-01")
    assert ("https://x.openai.azure.com", "2026-01-01") == config.azure_resource()


def test_the_store_is_a_file_in_the_working_directory_unless_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "sqlite:///mogi.db" == config.store_url()
    monkeypatch.setenv("MOGI_STORE", "postgresql://db/mogi")
    assert "postgresql://db/mogi" == config.store_url()


def test_the_base_url_is_the_sdks_own_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    assert config.openai_base_url() is None
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    assert "http://127.0.0.1:1/v1" == config.openai_base_url()


def test_a_variable_that_a_person_names_is_read_without_space_around_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert config.secret("BOT_TOKEN") is None
    monkeypatch.setenv("BOT_TOKEN", " canary\n")
    assert "canary" == config.secret("BOT_TOKEN")


def test_a_proxy_is_for_other_hosts_that_no_proxy_does_not_except(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    assert config.proxy_for("https", "bot.example") is None
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("no_proxy", ".intern.example")
    assert "http://proxy.example:3128" == config.proxy_for("https", "bot.example")
    hosts = ("localhost", "127.0.0.1", "127.0.0.2", "::1", "a.intern.example")
    assert [None] * 5 == [config.proxy_for("https", host) for host in hosts]
    assert config.proxy_for("http", "bot.example") is None


def test_google_is_itself_until_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (None, None) == (config.google_credentials(), config.sheets_url())
    monkeypatch.setenv("MOGI_GOOGLE_CREDENTIALS", "key.json")
    monkeypatch.setenv("MOGI_SHEETS_URL", "http://127.0.0.1:1")
    assert ("key.json", "http://127.0.0.1:1") == (config.google_credentials(), config.sheets_url())


@pytest.mark.parametrize(
    ("locale", "language"),
    [
        ({}, "ja"),
        ({"LANG": "C.UTF-8"}, "ja"),
        ({"LANG": "POSIX"}, "ja"),
        ({"LANG": "ja_JP.UTF-8"}, "ja"),
        ({"LANG": "en_US.UTF-8"}, "en"),
        ({"LANG": "de_DE"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "ja_JP.UTF-8"}, "ja"),
        ({"LANG": "ja_JP.UTF-8", "LC_MESSAGES": "ja_JP.UTF-8", "LC_ALL": "en_GB.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_ALL": ""}, "en"),
    ],
)
def test_the_language_is_that_of_the_locale_and_japanese_where_it_names_none(
    monkeypatch: pytest.MonkeyPatch, locale: dict[str, str], language: str
) -> None:
    for name, value in locale.items():
        monkeypatch.setenv(name, value)
    assert language == config.language()


def test_another_mogi_is_told_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MOGI_STORE", "sqlite:///other.db")
    monkeypatch.setenv("MOGI_ALLOW_HOST", "127.0.0.1:1, localhost:2")
    hosts = config.reaching_only(["127.0.0.1:3"])
    with config.untrusting(), config.allowing([str(tmp_path)]), hosts:
        passed_on = config.passed_on("sqlite:///mogi.db")
    assert "sqlite:///mogi.db" == passed_on["MOGI_STORE"]
    assert "127.0.0.1:3,127.0.0.1:1,localhost:2" == passed_on["MOGI_ALLOW_HOST"]
    assert ("1", str(tmp_path.resolve())) == (passed_on["MOGI_UNTRUSTED"], passed_on["MOGI_ALLOW"])
    assert "0" == config.passed_on("sqlite:///mogi.db")["MOGI_UNTRUSTED"]


def test_the_machine_s_time_zone_is_a_known_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    assert "Europe/Berlin" == config.machine_timezone()
    monkeypatch.setenv("TZ", "Etc/UTC")
    assert "UTC" == config.machine_timezone()
    monkeypatch.setenv("TZ", "nowhere")
    assert "UTC" == config.machine_timezone()
