"""`mogi targets try`: a bot alone, as a person sees it."""

from pathlib import Path

import pytest

from simulator.core.persona import Language
from simulator.words import Words
from tests.e2e.conftest import Mogi
from tests.loopback.bot import Heard, Sent, serving
from tests.loopback.memory_bots import Dify
from tests.loopback.server import ChatServer


def test_the_answer_is_shown_with_documents_ids_and_time(mogi: Mogi) -> None:
    done = mogi("targets", "try", "demo", "パスワードを忘れました")
    assert 0 == done.status
    assert "パスワードをお忘れの方" in done.out
    assert "faq-" in done.out
    assert " ms" in done.out


def test_nothing_is_stored(mogi: Mogi, tmp_path: Path) -> None:
    mogi("targets", "try", "demo", "パスワードを忘れました")
    assert [] == list(tmp_path.iterdir())


def test_several_questions_are_one_talk(mogi: Mogi, acme: Path) -> None:
    _bot(acme, "    print('noise')\n    return f'{len(history)} {history}'\n")
    done = mogi("targets", "try", "acme", "一つ目", "二つ目", "--json")
    turns = done.json["turns"]
    assert (0, ["一つ目", "二つ目"]) == (done.status, [t["question"] for t in turns])
    assert ["0 []", "1 [('一つ目', '0 []')]"] == [t["answer"] for t in turns]
    assert not turns[0]["reports_documents"]
    assert "noise" in done.err


def test_a_bot_that_reports_no_documents_is_not_one_that_found_none(mogi: Mogi, acme: Path) -> None:
    _bot(acme, "    return 'text'\n")
    assert "ボットは資料を返していません" in mogi("targets", "try", "acme", "問い").out
    _bot(acme, "    return 'text', []\n", "bot2")
    assert "見つからず" in mogi("targets", "try", "acme", "問い").out


def test_labels_are_in_the_clients_language(mogi: Mogi) -> None:
    shown = mogi("targets", "try", "demo", "パスワードを忘れました").out
    assert ["質問", "回答", "資料", "時間"] == [
        line.split()[0]
        for line in shown.splitlines()
        if line.startswith("    ") and not line.startswith("     ")
    ]
    shown = mogi("targets", "try", "demo-en", "I forgot my password").out
    assert "    question  I forgot my password" in shown
    assert "    time " in shown


def test_a_failing_bot_ends_the_talk_with_its_own_words_and_status_1(
    mogi: Mogi, acme: Path
) -> None:
    _bot(acme, "    raise ValueError('out of order')\n")
    done = mogi("targets", "try", "acme", "一つ目", "二つ目")
    assert 1 == done.status
    assert "ValueError: out of order" in done.out
    assert "二つ目" not in done.out
    (turn,) = mogi("targets", "try", "acme", "一つ目", "二つ目", "--json").json["turns"]
    assert "raised" == turn["failure"]["fault"]


def test_a_bot_that_cannot_be_opened_is_wrong_input(mogi: Mogi, acme: Path) -> None:
    _bot(acme, "", "absent")
    (acme / "absent.py").unlink()
    done = mogi("targets", "try", "acme", "問い")
    assert (2, "") == (done.status, done.out)
    assert "scenarios/acme/client.yaml" in done.err


def test_a_bot_is_needed_and_a_question_says_something(mogi: Mogi) -> None:
    for words in ((), ("demo", " ")):
        assert 2 == mogi("targets", "try", *words).status


def test_a_model_may_word_the_demos_answer(
    mogi: Mogi, model: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("OPENAI_BASE_URL", model.base_url)
    done = mogi("targets", "try", "demo", "パスワードを忘れました", "--model", "m")
    assert 0 == done.status
    assert "もう少し詳しく教えて" in done.out  # what this model says to everything
    assert ["m"] == [asked.body["model"] for asked in model.requests]


def _bot(folder: Path, body: str, module: str = "bot") -> None:
    (folder / f"{module}.py").write_text(f"def answer(question, history):\n{body}", "utf-8")
    client = folder / "client.yaml"
    lines = client.read_text("utf-8").splitlines()
    lines[1] = f'target: {{kind: function, function: "{module}:answer"}}'
    client.write_text("\n".join(lines) + "\n", "utf-8")


def _dify(folder: Path, url: str, more: str = "preset: dify") -> None:
    (folder / "client.yaml").write_text(
        f'language: ja\ntarget: {{kind: http, url: "{url}/v1/chat-messages", {more}}}\n'
        "personas: [calm]\nuser: {kind: scripted}\nmax_turns: 2\n"
        "limits: {target: {concurrency: 4, per_minute: null}}\n",
        "utf-8",
    )


def test_it_says_that_the_bot_remembers_and_what_was_read_from_where(
    mogi: Mogi, acme: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIFY_API_KEY", "app-0123456789")
    with serving(Dify()) as bot:
        _dify(acme, bot.url)
        done = mogi("targets", "try", "acme", "送料はいくらですか")
        told = mogi("targets", "try", "acme", "送料はいくらですか", "--json").json
    assert 0 == done.status, done.err
    for shown in ("ed599c7f", "答えました", "conversation_id ***", "carry.conversation_id: "):
        assert shown in done.out
    assert told["memory"]["remembered"]
    assert "送料はいくらですか" in told["memory"]["turns"][0]["question"]
    assert "conversation_id" == told["read"]["carry.conversation_id"]


def test_a_bot_that_is_not_sent_its_id_is_told_of(
    mogi: Mogi, acme: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIFY_API_KEY", "app-0123456789")
    with serving(Dify()) as bot:
        _dify(acme, bot.url, "preset: dify, carry: null")
        done = mogi("targets", "try", "acme", "送料はいくらですか")
        assert 2 == done.status
        forgetful = FORGETFUL.replace("URL", f"{bot.url}/v1/chat-messages")
        (acme / "client.yaml").write_text(forgetful, "utf-8")
        done = mogi("targets", "try", "acme", "送料はいくらですか")
        told = mogi("targets", "try", "acme", "送料はいくらですか", "--json").json
    assert 0 == done.status, done.err
    assert "前の発言で伝えた番号を、ボットは答えませんでした" in "".join(
        done.out.split("\n              ")
    )
    assert "carry: {KEY: conversation_id}" in done.out.replace("\n              ", "")
    assert (False, "conversation_id") == (told["memory"]["remembered"], told["unsent"])


FORGETFUL = """\
language: ja
target:
  kind: http
  url: "URL"
  headers: {Authorization: "Bearer ${DIFY_API_KEY}"}
  body: {inputs: {}, query: "{{ question }}", user: x, response_mode: blocking}
user: {kind: scripted}
personas: [calm]
max_turns: 2
"""


def test_a_run_notes_once_that_an_id_was_never_sent_back_also_when_it_is_resumed(
    mogi: Mogi, acme: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIFY_API_KEY", "app-0123456789")
    for old in (*acme.glob("scenarios.*"),):
        old.unlink()
    (acme / "scenarios.yaml").write_text(
        "- {id: a, query: 送料は, turns: [返品は]}\n- {id: b, query: 返品は, turns: [送料は]}\n",
        "utf-8",
    )
    with serving(Dify()) as bot:
        forgetful = FORGETFUL.replace("URL", f"{bot.url}/v1/chat-messages")
        (acme / "client.yaml").write_text(forgetful, "utf-8")
        done = mogi("run", "acme", "--json")
        again = mogi("run", "--resume", done.json["run"], "--json")
        _dify(acme, bot.url)
        sound = mogi("run", "acme", "--json")
    for told in (done.json, again.json):
        assert 1 == len([note for note in told["notes"] if "`conversation_id`" in note])
    assert [] == sound.json["notes"]


def test_without_a_question_the_first_of_the_knowledge_base_is_asked(
    mogi: Mogi, acme: Path
) -> None:
    (acme / "scenarios.yaml").unlink()
    _bot(acme, "    return '無料です。'\n")
    done = mogi("targets", "try", "acme")
    assert 0 == done.status
    assert "どんなことを聞けますか" in done.out
    (acme / "faq.csv").write_text("質問,回答\n送料はいくらですか,無料です。\n", "utf-8")
    client = acme / "client.yaml"
    client.write_text(client.read_text("utf-8") + "knowledge: faq.csv\n", "utf-8")
    assert "送料はいくらですか" in mogi("targets", "try", "acme").out


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_finding_is_one_sentence(language: Language) -> None:
    words = Words(language, "trial")
    ends = "。" if language == "ja" else ". "
    for key in ("remembered", "not_remembered", "memory_failed"):
        told = words(key, failure="?")
        assert told.count(ends) <= 1, told
        assert len(told) < 160, told


@pytest.mark.parametrize(("language", "label"), [("en", "requests"), ("ja", "通信")])
def test_each_request_is_shown_and_what_it_brought_is_not(
    language: str, label: str, mogi: Mogi, acme: Path
) -> None:
    def act(heard: Heard) -> Sent:
        return {"token": "granted-0123456789"} if heard.path == "/token" else {"answer": "hello"}

    with serving(act) as bot:
        (acme / "client.yaml").write_text(
            f"language: {language}\ntarget:\n  kind: http\n  url: {bot.url}/chat\n"
            '  headers: {Authorization: "Bearer {{ token }}"}\n'
            f"  session: [{{url: {bot.url}/token, take: {{token: token}}}}]\npersonas: [calm]\n",
            "utf-8",
        )
        shown = mogi("targets", "try", "acme", "hi").out
        found = mogi("targets", "try", "acme", "hi", "--json")
    [line] = [each for each in shown.splitlines() if each.startswith(f"    {label}")]
    assert "1. POST /token 200 token: ***" in " ".join(line.split())
    assert "granted" not in shown + found.out
    steps = [(step["request"], step["status"], step["took"]) for step in found.json["steps"]]
    assert [("POST /token", 200, ["token"]), ("POST /chat", 200, [])] == steps
