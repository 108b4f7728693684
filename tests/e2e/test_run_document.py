"""`mogi run` with a text and test cases: a model answers from the text, and is judged by it."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Mogi
from tests.loopback.replies import Body, Status
from tests.loopback.server import Answer, ChatServer
from tests.loopback.threaded import served

TEXT = """\
図書館の利用案内

開館時間は九時から十七時まで、月曜日は休館である。
利用カードの発行には三百円がかかる。
一度に借りられる本は五冊まで、期間は二週間である。
"""
CASES = [
    {"question": "開館時間を教えてください", "expected": ["九時", "十七時"]},
    {"question": "カードはいくらですか", "expected": ["三百円"]},
    {"question": "何冊借りられますか", "expected": ["五冊"]},
]
ANSWERS = {
    "開館時間を教えてください": "開館時間は九時から十七時までです。",
    "カードはいくらですか": "利用カードの発行には三百円がかかります。",
    "何冊借りられますか": "一度に五冊まで借りられます。",
}
OF_CLAIMS = ("claims", "user_in_role")
_LISTED = re.compile(r"^(\d+)\. (.+)$", re.MULTILINE)


def _is_list(body: Body) -> bool:
    return "response_format" in body and "answers" in json.dumps(body["response_format"])


def _answers(body: Body) -> Answer:
    last = body["messages"][-1]["content"]
    if not _is_list(body):
        return f"ひとつずつ：{ANSWERS.get(last, '資料には書かれていません。')}"
    items = [
        {"number": int(n), "question": q, "answer": ANSWERS[q]} for n, q in _LISTED.findall(last)
    ]
    return {"answers": items}


@pytest.fixture
def model() -> Iterator[ChatServer]:
    with served(_answers) as server:
        yield server


@pytest.fixture
def library(tmp_path: Path, model: ChatServer) -> Path:
    return client(tmp_path, f'model: m, base_url: "{model.base_url}", together: true')


def client(folder: Path, target: str, more: str = "") -> Path:
    written = folder / "scenarios" / "library"
    written.mkdir(parents=True)
    (written / "input.txt").write_text(TEXT, "utf-8")
    (written / "test_cases.json").write_text(json.dumps(CASES, ensure_ascii=False), "utf-8")
    (written / "client.yaml").write_text(
        f"language: ja\ntarget: {{kind: document, text: input.txt, {target}}}\n"
        f"personas: [calm, angry]\nmax_turns: 1\n{more}",
        "utf-8",
    )
    return written


def lists(model: ChatServer) -> int:
    return sum(1 for asked in model.requests if _is_list(asked.body))


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")


def test_all_questions_are_answered_in_one_call_and_scored(
    mogi: Mogi, library: Path, model: ChatServer
) -> None:
    done = mogi("run", "library", "--json")
    assert 0 == done.status, done.err
    found = done.json
    assert (6, 1) == (found["conversations"], model.count)
    assert 1.0 == found["metrics"]["elements_lexical"]["mean"]
    assert {"user": 0, "judge": 0, "reader": 0, "embedding": 0, "target": 6} == found["calls"]
    (asked,) = model.requests
    assert TEXT.strip() in asked.body["messages"][0]["content"]
    turns = [json.loads(line) for line in mogi("export", "latest").out.splitlines()]
    assert {"input.txt"} == {d["id"] for turn in turns for d in turn["documents"]}


def test_only_questions_that_are_played_are_asked(
    mogi: Mogi, library: Path, model: ChatServer
) -> None:
    assert 0 == mogi("run", "library", "--limit", "2", "--quiet").status
    (asked,) = model.requests
    assert 1 == len(_LISTED.findall(asked.said))


def test_one_by_one_each_question_is_a_call(mogi: Mogi, library: Path, model: ChatServer) -> None:
    edit(library / "client.yaml", "together: true", "together: false")
    done = mogi("run", "library", "--json")
    assert (0, 6, 0) == (done.status, model.count, lists(model))
    assert 1.0 == done.json["metrics"]["elements_lexical"]["mean"]


def test_follow_up_questions_are_asked_with_the_talk_so_far(
    mogi: Mogi, library: Path, model: ChatServer
) -> None:
    edit(library / "client.yaml", "max_turns: 1", "max_turns: 2\nmin_turns: 2")
    assert 0 == mogi("run", "library", "--persona", "calm", "--quiet").status
    assert 1 == lists(model)
    later = [a.body["messages"] for a in model.requests if not _is_list(a.body)]
    assert later
    assert {("system", "user", "assistant", "user")} == {
        tuple(m["role"] for m in messages) for messages in later
    }


def test_a_run_that_broke_off_does_not_pay_for_the_list_again(
    mogi: Mogi, library: Path, model: ChatServer
) -> None:
    edit(library / "client.yaml", "max_turns: 1", "max_turns: 2\nmin_turns: 2")
    model.answer = lambda body: _answers(body) if _is_list(body) else Status(401, "no more")
    broken = mogi("run", "library", "--concurrency", "1", "--json")
    assert (3, 1, 6) == (broken.status, lists(model), broken.json["unfinished"])
    assert {"target": 1} == {k: n for k, n in broken.json["calls"].items() if n}
    model.answer = _answers
    resumed = mogi("run", "--resume", "latest", "--json")
    assert (0, 0) == (resumed.status, resumed.json["unfinished"])
    assert 1 == lists(model)
    assert 6 == len(mogi("export", "latest").out.splitlines()) / 2


def test_the_shared_call_counts_for_the_limit_and_the_ledger(
    mogi: Mogi, library: Path, model: ChatServer
) -> None:
    with (library / "client.yaml").open("a", encoding="utf-8") as file:
        file.write("prices: {m: {input: 1, output: 1}}\nlimits: {calls: 1}\n")
    found = mogi("run", "library", "--json").json
    asked = model.requests[0].body
    assert (1, 6) == (model.count, found["conversations"])
    assert found["cost_usd"] > len(json.dumps(asked["messages"])) / 4e6 / 10


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("input.txt", "三百円", "五百円", "target_files.input.txt"),
        ("client.yaml", "together: true", "together: false", "client.target.settings.together"),
        ("client.yaml", "model: m", "model: other", '"m" -> "other"'),
        ("prompts/document_answer.md", "簡潔に", "ごく簡潔に", "prompts.document_answer"),
    ],
)
def test_a_resume_with_another_text_prompt_or_model_is_refused(
    mogi: Mogi, library: Path, model: ChatServer, *, name: str, old: str, new: str, told: str
) -> None:
    model.answer = lambda body: Status(401, "no")
    mogi("run", "library", "--quiet")
    if name.startswith("prompts"):
        shipped = Path(__file__).parents[2] / "prompts" / "ja" / "document_answer.md"
        (library / "prompts").mkdir()
        (library / name).write_text(shipped.read_text("utf-8"), "utf-8")
    edit(library / name, old, new)
    refused = mogi("run", "--resume", "latest")
    assert 2 == refused.status
    assert told in refused.err


def test_the_judge_has_the_text_in_sight(mogi: Mogi, tmp_path: Path, model: ChatServer) -> None:
    def act(body: Body) -> Answer:
        if "評価" not in body["messages"][0]["content"]:
            return _answers(body)
        names = body["response_format"]["json_schema"]["schema"]["properties"]
        rated = {name: kind for name, kind in names.items() if name not in OF_CLAIMS}
        return {name: "よい。" if "enum" not in kind else 5 for name, kind in rated.items()}

    model.answer = act
    place = f'model: m, base_url: "{model.base_url}"'
    client(tmp_path, f"{place}, together: true", f"judge: {{{place}}}\n")
    done = mogi("run", "library", "--persona", "calm", "--json")
    assert 0 == done.status, done.err
    judged = [a.said for a in model.requests if "評価" in a.body["messages"][0]["content"]]
    assert 3 == len(judged)
    assert all("[input.txt]" in said and TEXT.strip() in said for said in judged)


def test_the_model_of_the_users_answers_where_the_bot_has_none(
    mogi: Mogi, tmp_path: Path, model: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", model.base_url)
    client(tmp_path, "together: true", "user: {kind: agenda}\n")
    for said in ((), ("--offline",)):
        refused = mogi("run", "library", *said)
        assert 2 == refused.status
        assert "set target.model" in refused.err
        assert "--model M" in refused.err
    assert 0 == model.count
    tried = mogi("targets", "try", "library", "カードはいくらですか", "--model", "m")
    assert 0 == tried.status
    assert "三百円" in tried.out


def test_offline_the_bots_own_model_is_still_asked(
    mogi: Mogi, library: Path, model: ChatServer
) -> None:
    done = mogi("run", "library", "--offline", "--json")
    assert (0, 1) == (done.status, model.count)


def test_a_dry_run_counts_its_calls_and_makes_none(
    mogi: Mogi, library: Path, model: ChatServer
) -> None:
    found: Any = mogi("run", "library", "--dry-run", "--json").json
    (bot,) = found["roles"]
    assert {"lowest": 1, "likely": 1, "highest": 8} == bot["calls"]
    assert 0 == model.count


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, 'no file "input.txt" in the client\'s folder'),
        ("", "input.txt: empty file; write the text"),
    ],
)
def test_a_text_that_is_not_there_is_wrong_input(
    mogi: Mogi, library: Path, model: ChatServer, text: str | None, told: str
) -> None:
    (library / "input.txt").unlink()
    if text is not None:
        (library / "input.txt").write_text(text, "utf-8")
    done = mogi("run", "library")
    assert (2, 0) == (done.status, model.count)
    assert told in done.err
