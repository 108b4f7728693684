"""In a Japanese locale help and messages are Japanese; elsewhere they are English."""

import ast
import inspect
import json
import re
from pathlib import Path

import click
import pytest
from rich.cells import cell_len

from simulator.cli import exits, usage
from simulator.cli.app import app, run
from simulator.formats import yaml
from simulator.targets import http
from simulator.words import document
from tests.sources import trees

CONTEXTS = {context.command_path: context for context in usage.contexts(app)}
COMPOSED = {  # of parts, by click or by mogi
    "requires an argument",
    "does not take a value",
    "is not a valid integer range",
    "is not a valid integer",
    "is not a valid float range",
    "has no runs yet",
    "such as `mogi compare previous",
    "has no scenario",
    "is not true or false",
}
PRESETS = Path(http.__file__).parent.glob("presets/*.yaml")
PARSER = json.loads(Path(yaml.__file__).with_name("parser_errors.json").read_text("utf-8"))
CLICK = [inspect.getsource(module) for module in (click.core, click.types, click.exceptions)]


@pytest.fixture(autouse=True)
def in_japan(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "ja_JP.UTF-8")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("path", CONTEXTS)
def test_japanese_help_has_every_option_and_example_and_fits_a_terminal(path: str) -> None:
    context, shown = CONTEXTS[path], exits.help_text(path)
    assert shown is not None
    assert [] == [line for line in shown.splitlines() if cell_len(line) > 80]
    calls, demo = usage.examples(context.command), shown.replace("demo-en", "demo")
    english = {call.partition("  ")[0].strip().replace("demo-en", "demo") for call in calls}
    assert [] == [call for call in english if call.partition('"')[0] not in demo]
    for param in context.command.get_params(context):
        names = param.opts if isinstance(param, click.Option) else [param.human_readable_name]
        assert [] == [n for n in names if not re.search(rf"{re.escape(n)}(?![\w-])", shown)]


def test_there_is_no_help_of_commands_that_are_gone() -> None:
    helps = {name for name in document("ja", "help") if not name.startswith("shared.")}
    assert set(CONTEXTS) == helps


def literals() -> str:
    nodes = (node for tree in trees().values() for node in ast.walk(tree))
    texts = (node.value for node in nodes if isinstance(node, ast.Constant))
    presets = (preset.read_text("utf-8") for preset in PRESETS)
    own = (text for text in texts if isinstance(text, str))
    return "\n".join([*own, *presets, *PARSER.values(), *CLICK])


def test_every_message_that_is_translated_is_one_that_mogi_says() -> None:
    sources, gone = literals(), []
    for message in document("ja", "messages"):
        for piece in re.split(r"\{\w+\}|; |: |, |\(", message):
            part = piece.strip("'\" ").removeprefix("mogi: ")
            gone += [part] if len(part) > 12 and part not in sources else []
    assert set(gone) == COMPOSED


def test_a_translation_names_what_its_message_names() -> None:
    for english, japanese in document("ja", "messages").items():
        names = set(re.findall(r"\{(\w+)\}", english))
        assert set(re.findall(r"\{(\w+)\}", japanese)) <= names, english
        assert not re.search(r"[ぁ-んァ-ヶ一-龠],", japanese), english


def test_wrong_calls_are_answered_in_japanese(capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == run(["show", "latest", "--fail"])
    assert 2 == run(["report", "x", "--report", "nosuch"])
    shown = capsys.readouterr().err
    assert "オプション「--fail」はありません。もしかして: --failed" in shown
    assert "使い方:  mogi show [OPTIONS] RUN [CONVERSATION]" in shown
    assert "--report nosuch: レポート「nosuch」はありません。選べるもの: csv" in shown


def test_wrong_files_are_answered_in_japanese(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = "language: jp\ntarget: {kind: demo}\npersona: [calm]\nrepeat: 0\n"
    (tmp_path / "client.yaml").write_text(wrong)
    assert 2 == run(["check", "."])
    shown = capsys.readouterr().err
    assert "client.yaml:1: language に「jp」は書けません。選べるもの: ja、en" in shown
    assert "client.yaml:3: キー「persona」はありません。もしかして: personas（選べるもの: " in shown
    assert "client.yaml:4: repeat: 0 は小さすぎます。指定できる値: 1 以上の整数" in shown


def test_every_error_of_the_yaml_parser_is_told_in_japanese() -> None:
    assert [] == [each for each in PARSER.values() if exits.translated(f"f: {each}").isascii()]


def test_what_was_typed_is_quoted_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == run(["run", "demo", "--persona", "nobody"])
    shown = capsys.readouterr().err
    assert "ペルソナ「nobody」はありません" in shown
    assert "例:      mogi run demo --persona angry" in shown


def test_bounds_of_numbers_are_told_in_japanese(capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == run(["run", "demo", "--limit", "0"])
    assert 2 == run(["run", "demo", "--fail-under", "1.5"])
    shown = capsys.readouterr().err
    assert "「--limit」の値が正しくありません: 0（指定できる値: 1 以上）" in shown
    assert "「--fail-under」の値が正しくありません: 1.5（指定できる値: 0〜1）" in shown


def test_kinds_of_bots_are_listed_in_japanese(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == run(["targets"])
    shown = capsys.readouterr().out
    assert "クライアントの `knowledge` を検索するサンプルの FAQ ボット。" in shown
    assert "設定: top_k、floor、service" in shown
    assert "description" not in shown


def test_elsewhere_all_is_english(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("en_US.UTF-8", "C", ""):
        monkeypatch.setenv("LANG", name)
        assert 2 == run(["show", "latest", "--fail"])
        assert exits.help_text("mogi show") is None
    assert capsys.readouterr().err.count("did you mean --failed?") == 3
