"""`mogi import-dialogs` in an empty folder: from a log to a run that replays it."""

import json
from pathlib import Path
from typing import Any

import pytest

from simulator.formats.sources import Source
from simulator.formats.yaml.reading import read_yaml
from tests.e2e.conftest import Mogi

CLIENT = """\
language: ja
target: {kind: function, function: "bot:answer"}
personas: [calm]
user: {kind: scripted}
max_turns: 9
"""
BOT = "def answer(question, history):\n    return '500円です。'\n"
TALKS: list[dict[str, Any]] = [
    {
        "id": "t-1",
        "utterances": [
            {"speaker": "operator", "text": "ご用件をどうぞ。"},
            {"speaker": "customer", "text": "こんにちは。"},
            {"speaker": "customer", "text": "解約したいのですが。"},
            {"speaker": "operator", "text": "お電話番号をお願いします。"},
            {"speaker": "customer", "text": "090-1234-5678です。いつまで使えますか?"},
            {"speaker": "operator", "text": "月末までです。"},
            {"speaker": "customer", "text": "分かりました。"},
        ],
    },
    {"id": "t-2", "utterances": [{"speaker": "customer", "text": "はい。"}]},
    {"id": "t-3", "utterances": [{"speaker": "customer", "text": "送料は?"}]},
]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "talks.jsonl"
    path.write_text("".join(json.dumps(t, ensure_ascii=False) + "\n" for t in TALKS), "utf-8")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A client that has no scenarios yet."""
    folder = tmp_path / "scenarios" / "acme"
    folder.mkdir(parents=True)
    (folder / "client.yaml").write_text(CLIENT, "utf-8")
    (folder / "bot.py").write_text(BOT, "utf-8")
    return folder


@pytest.mark.usefixtures("folder")
def test_talks_are_replayed_word_for_word(mogi: Mogi, log: Path) -> None:
    done = mogi("import-dialogs", log.name, "--client", "acme")
    assert (0, "scenarios/acme/scenarios.yaml\n") == (done.status, done.out), done.err
    assert "masked: 1 phone number" in done.err
    assert "skipped 1 conversation" in done.err
    assert "there's no `expected`" in done.err
    assert 3 == mogi("run", "acme", "--quiet").status  # so there is nothing to score by
    turns = [json.loads(line) for line in mogi("export", "latest").out.splitlines()]
    assert [
        ("t-1", "こんにちは。\n解約したいのですが。"),
        ("t-1", "〔電話番号〕です。いつまで使えますか?"),
        ("t-1", "分かりました。"),
        ("t-3", "送料は?"),
    ] == [(turn["scenario"], turn["user"]) for turn in turns]


def test_a_client_that_has_scenarios_gets_a_second_file(
    mogi: Mogi, log: Path, folder: Path
) -> None:
    (folder / "scenarios.yaml").write_text("- {id: a, query: b}\n", "utf-8")
    done = mogi("import-dialogs", log.name, "--client", "acme")
    assert "scenarios/acme/scenarios.imported.yaml\n" == done.out
    assert "  scenarios: scenarios.imported.yaml\n" in done.err
    assert "- {id: a, query: b}\n" == (folder / "scenarios.yaml").read_text("utf-8")
    (folder / "client.yaml").write_text(f"{CLIENT}scenarios: scenarios.imported.yaml\n", "utf-8")
    assert "シナリオ 2 件、" in mogi("check", "acme").out


def test_nothing_is_overwritten(mogi: Mogi, log: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("mine", "utf-8")
    done = mogi("import-dialogs", log.name, "-o", "mine.yaml")
    assert (2, "") == (done.status, done.out)
    assert "mine.yaml: already exists; use another file with -o" in done.err
    assert "mine" == (tmp_path / "mine.yaml").read_text("utf-8")


def test_json_tells_what_was_done(mogi: Mogi, log: Path) -> None:
    assert {
        "file": "scenarios.imported.yaml",
        "scenarios": 2,
        "turns": 4,
        "longest": 3,
        "goals": 1,
        "facts": 0,  # a number that is masked tells nothing
        "left_out": 1,
        "expecting": 0,
        "personas": [],
        "customers": {"customer": 6},
        "others": {"operator": 3},
        "masked": {"phone": 1},
    } == mogi("import-dialogs", log.name, "--json").json


def test_personal_data_stays_where_that_is_wanted(mogi: Mogi, log: Path, tmp_path: Path) -> None:
    done = mogi("import-dialogs", log.name, "--keep-personal-data")
    assert "nothing was masked" in done.err
    assert "090-1234-5678" in (tmp_path / "scenarios.imported.yaml").read_text("utf-8")


def test_only_the_first_talks(mogi: Mogi, log: Path, tmp_path: Path) -> None:
    assert 0 == mogi("import-dialogs", log.name, "--limit", "1").status
    data = read_yaml(Source.of(tmp_path / "scenarios.imported.yaml")).data
    assert ["t-1"] == [scenario["id"] for scenario in data]


@pytest.mark.parametrize(
    ("lines", "options", "said"),
    [
        ("{\n7\n", [], "talks.jsonl:1: this isn't JSON"),
        ("{\n7\n", [], "talks.jsonl:2: 7 is not an object"),
        ("", [], "talks.jsonl: empty file"),
        ('{"turns": [{"name": "A", "text": "送料は?"}]}', [], "set the name with --user"),
        ('{"turns": [{"role": "user", "text": "はい"}]}', [], "only exchange courtesies"),
        (
            '{"turns": [{"role": "user", "text": "送料は?"}]}',
            ["-o", "no/where.yaml"],
            "no/where.yaml: can't be written (No such file or directory)",
        ),
        ("{}", ["--client", "acmee"], 'no client "acmee"'),
        ("{}", ["--client", "demo", "-o", "x.yaml"], "both set the output file"),
    ],
)
def test_what_is_wrong_is_told_and_nothing_is_written(
    mogi: Mogi, tmp_path: Path, lines: str, options: list[str], said: str
) -> None:
    (tmp_path / "talks.jsonl").write_text(lines, "utf-8")
    done = mogi("import-dialogs", "talks.jsonl", *options)
    assert (2, "") == (done.status, done.out)
    assert said in done.err
    assert ["talks.jsonl"] == [p.name for p in tmp_path.iterdir()]


def test_a_speaker_can_be_named_as_the_customer(mogi: Mogi, tmp_path: Path) -> None:
    rows = "会話,話者,本文\n1,田中,送料は？\n1,佐藤,500円です\n"
    (tmp_path / "talks.csv").write_bytes(rows.encode("cp932"))
    done = mogi("import-dialogs", "talks.csv", "--user", "田中", "--json")
    assert ({"田中": 1}, {"佐藤": 1}) == (done.json["customers"], done.json["others"])


def test_a_golden_becomes_a_scenario_with_its_user_and_what_is_expected(
    mogi: Mogi, tmp_path: Path
) -> None:
    mogi("init", "shop", "--language", "en")
    golden = {
        "scenario": "Somebody wants a refund for a late parcel.",
        "expected_outcome": "The refund is confirmed.",
        "user_description": "Andy, who is impatient",
        "turns": None,
    }
    (tmp_path / "goldens.json").write_text(json.dumps([golden]), "utf-8")
    done = mogi("import-dialogs", "goldens.json", "--client", "shop", "--json")
    (persona,) = done.json["personas"]
    assert 1 == done.json["expecting"]
    folder = tmp_path / "scenarios" / "shop"
    with (folder / "client.yaml").open("a", encoding="utf-8") as file:
        file.write("\nscenarios: scenarios.imported.yaml\n")
    assert 0 == mogi("check", "shop").status
    text = (folder / "scenarios.imported.yaml").read_text("utf-8")
    assert "answer: The refund is confirmed." in text
    assert f"- {persona}" in text
    again = mogi("import-dialogs", "goldens.json", "-o", "again.yaml", "--language", "en")
    assert "1 persona in personas/en" in again.err
    assert (tmp_path / "personas" / "en" / f"{persona}.yaml").exists()
