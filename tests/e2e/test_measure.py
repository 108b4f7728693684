"""`mogi personas --measure`: how the users of a run write, beside a log of real talks."""

import json
from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.e2e.conftest import Mogi

SCRIPT = """\
- id: a
  query: 送料はいくらですか
  turns: [早く教えて, まだ来ない, はい]
- id: b
  query: 返品できますか
  turns: [伺いたく存じます。, 期限を教えてください]
- {id: c, query: 在庫は}
"""
TALK = {
    "turns": [
        {"role": "customer", "text": "宿を探しています。"},
        {"role": "agent", "text": "何名様ですか。"},
        {"role": "customer", "text": "2名です。"},
        {"role": "customer", "text": "さっさと探せ。"},
    ]
}


@pytest.fixture
def measured(mogi: Mogi, tmp_path: Path) -> Mogi:
    """A run of a script by two personas, and a log."""
    folder = tmp_path / "scenarios" / "acme"
    folder.mkdir(parents=True)
    (folder / "client.yaml").write_text(
        'language: ja\ntarget: {kind: function, function: "bot:answer"}\n'
        "personas: [calm, angry]\nuser: {kind: scripted}\nmax_turns: 5\n",
        "utf-8",
    )
    (folder / "scenarios.yaml").write_text(SCRIPT, "utf-8")
    (folder / "bot.py").write_text("def answer(q, history):\n    return '500円です。'\n", "utf-8")
    (tmp_path / "log.jsonl").write_text(json.dumps(TALK, ensure_ascii=False), "utf-8")
    mogi("run", "acme", "--quiet")
    return mogi


def test_the_figures_of_each_persona_and_of_real_customers(measured: Mogi) -> None:
    found = measured("personas", "--measure", "log.jsonl", "--json").json
    assert ["angry", "calm"] == list(found["personas"])
    calm = found["personas"]["calm"]
    # 早く教えて まだ来ない はい | 伺いたく存じます。 期限を教えてください
    assert (3, 5, 1, 0) == (calm["talks"], calm["turns"], calm["neither"], calm["orders"])
    assert pytest.approx(((5 + 5 + 2) / 3 + (9 + 10) / 2) / 2) == calm["length"]["mean"]
    assert (0.5, 0.25, 0.25) == tuple(calm[k]["mean"] for k in ("plain", "polite", "formal"))
    real = found["beside"]
    assert (1, 1, 9.0, 13) == (real["talks"], real["turns"], real["first"], real["median"])
    assert 1 == real["orders"]
    assert {"kind": "scripted", "model": None} == found["user"]
    assert "characters" == found["unit"]
    assert found["style"] == calm["style"]
    assert (None, []) == (calm["style"]["chance"], calm["style"]["differences"])


@pytest.mark.parametrize("width", [80, 120])
def test_the_table_fits_the_screen_and_stands_in_columns(
    measured: Mogi, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    out = measured("personas", "--measure", "log.jsonl").out
    lines = out.splitlines()
    assert max(map(cell_len, lines)) <= width
    head = next(at for at, line in enumerate(lines) if line.startswith("ペルソナ"))
    rows = lines[head : head + 4]
    assert ["ペルソナ", "angry", "calm", "実際のお客さま"] == [row.split()[0] for row in rows]
    assert 1 == len({cell_len(row) for row in rows})  # right-aligned, wide characters and all
    assert ("会話" in rows[0]) is (width == 120)


def test_a_model_that_spoke_is_named(
    mogi: Mogi, acme: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    (tmp_path / "log.jsonl").write_text(json.dumps(TALK, ensure_ascii=False), "utf-8")
    assert 0 == mogi("run", acme.name, "--quiet").status
    assert "利用者役のモデル: mock" in mogi("personas", "--measure", "log.jsonl").out
    found = mogi("personas", "--measure", "log.jsonl", "--json").json
    assert "mock" == found["user"]["model"]


def test_a_run_of_first_turns_only_says_so(measured: Mogi) -> None:
    measured("run", "acme", "--scenario", "c", "--quiet")
    assert "測れません" in measured("personas", "--measure", "log.jsonl").out


def test_another_run_than_the_latest_can_be_named(measured: Mogi) -> None:
    measured("run", "acme", "--scenario", "c", "--quiet")
    found = measured("personas", "--measure", "log.jsonl", "--run", "previous", "--json").json
    assert 5 == found["personas"]["calm"]["turns"]


def test_style_is_compared_from_ten_conversations_on(measured: Mogi, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    assert "見分けられるかを調べるには" in measured("personas", "--measure", "log.jsonl").out
    log.write_text("\n".join([json.dumps(TALK, ensure_ascii=False)] * 10), "utf-8")
    measured("run", "acme", "--repeat", "5", "--quiet")
    found = measured("personas", "--measure", "log.jsonl", "--json").json
    assert ["kind", "form"] == list(found["style"]["differences"][0]["feature"])
    assert 1.0 == found["style"]["auc"]["mean"]
    assert "angry" in (out := measured("personas", "--measure", "log.jsonl").out)
    assert "1.00（" in out


def test_a_log_in_another_language_is_refused(measured: Mogi, tmp_path: Path) -> None:
    talk = {"turns": [{"role": "user", "text": "Is there a room?"}]}
    (tmp_path / "en.jsonl").write_text(json.dumps(talk), "utf-8")
    done = measured("personas", "--measure", "en.jsonl")
    assert (2, "") == (done.status, done.out)
    assert "en.jsonl: its conversations are in English" in done.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--user", "x"], "require --measure LOG"),
        (["--run", "latest"], "require --measure LOG"),
        (["--json"], "require --measure LOG"),
        (["--measure", "log.jsonl", "--run", "nope"], "no run 'nope'"),
        (["--measure", "no.jsonl"], "no.jsonl: file not found"),
        (["--measure", "log.jsonl", "--user", "x"], 'no speaker "x"'),
    ],
)
def test_what_is_wrong_is_told(measured: Mogi, options: list[str], said: str) -> None:
    done = measured("personas", *options)
    assert (2, "") == (done.status, done.out)
    assert said in done.err
