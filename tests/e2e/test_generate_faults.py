"""`mogi generate` when things go wrong: bad models, refused accounts, kills, wrong input."""

import json
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from simulator.files.scenarios.loading import load_scenarios
from tests.e2e.conftest import Mogi
from tests.e2e.shop import FILE, faults, queries, report, shop
from tests.e2e.test_interrupts import started, wait_until_called
from tests.generate import writers
from tests.loopback.replies import Status
from tests.loopback.server import ChatServer
from tests.waiting import PATIENCE_S


@pytest.fixture
def folder(tmp_path: Path, model: ChatServer) -> Path:
    model.answer = writers.good
    return shop(tmp_path, model)


def test_bullets_with_labels_are_as_good_as_the_form(
    mogi: Mogi, folder: Path, model: ChatServer
) -> None:
    model.forms = set()
    model.answer = writers.in_bullets
    done = mogi("generate", "shop", "--per-entry", "2", "--json")
    assert (0, 6) == (done.status, done.json["new"])
    assert "送料はいくらですか（質問の10件目）について知りたい" in queries(folder)
    assert all("質問1" not in query for query in queries(folder))
    expected = [s.expected for s in load_scenarios(folder, file=folder / FILE).values()]
    assert all(e.answers and not e.elements for e in expected)


def test_english_questions_for_a_japanese_faq_are_asked_for_again(
    mogi: Mogi, folder: Path, model: ChatServer
) -> None:
    model.answer = writers.in_english
    done = mogi("generate", "shop", "--json")
    assert (0, 3, ["language"] * 3) == (done.status, done.json["new"], faults(folder))
    assert "日本語で書かれていない" in next(
        r.said for r in model.requests if len(r.body["messages"]) == 4
    )
    assert 0.5 == done.json["methods"]["questions"]["drop_rate"]["rate"]


def test_the_desks_voice_is_caught_by_the_check_and_dropped_with_its_reason(
    mogi: Mogi, folder: Path, model: ChatServer
) -> None:
    model.answer = writers.operator
    done = mogi("generate", "shop", "--per-entry", "2")
    assert 0 == done.status
    assert "不採用の理由: 窓口側の質問 6 件" in done.out
    dropped = [line for line in report(folder) if line["status"] == "dropped"]
    assert {"as it reads"} == {line["detail"] for line in dropped}
    assert all("お済みですか" not in query for query in queries(folder))


def test_a_model_without_any_form_leaves_nothing_but_the_reasons(
    mogi: Mogi, folder: Path, model: ChatServer
) -> None:
    model.answer = writers.formless
    done = mogi("generate", "shop", "--retries", "1")
    assert 3 == done.status
    assert "使えなかったモデルの出力: 読み取れない 6 件" in done.out
    assert "no usable questions" in done.err
    assert "使えるモデルの出力がない質問が 3 件あります（読み取れない 3 件）" in done.err
    assert "作り直すコマンド:  mogi generate shop --retries 1" in done.err
    assert not (folder / FILE).exists()
    assert ["unfilled"] * 3 == [n["status"] for n in report(folder) if n["status"] != "dropped"]


def test_duplicates_between_entries_are_asked_for_again(
    mogi: Mogi, folder: Path, model: ChatServer
) -> None:
    def same(body: dict[str, object]) -> object:
        if writers.is_check(body) or writers.attempt(body) > 1:
            return writers.good(body)
        return {"questions": [{"question": "手数料はいくらかかりますか", "elements": []}]}

    model.answer = same  # type: ignore[assignment]
    done = mogi("generate", "shop", "--json").json
    assert (3, ["duplicate", "duplicate"]) == (done["new"], faults(folder))
    kept = next(line for line in report(folder) if line["query"] == "手数料はいくらかかりますか")
    assert ("kept", "faq-1-questions-1") == (kept["status"], kept["id"])


@pytest.mark.slow
def test_crowded_endpoints_are_waited_for(mogi: Mogi, folder: Path, model: ChatServer) -> None:
    model.script(*[Status(429, "slow down", {"Retry-After": "0"})] * 3)
    done = mogi("generate", "shop", "--json")
    assert (0, 3, 9) == (done.status, done.json["new"], model.count)


def test_a_refused_account_ends_it_at_once_and_the_same_command_goes_on(
    mogi: Mogi, folder: Path, model: ChatServer
) -> None:
    model.answer = lambda body: writers.good(body) if model.count <= 3 else Status(401, "no")
    typed = ("generate", "shop", "--per-entry", "2", "--concurrency", "1")
    broken = mogi(*typed)
    assert 3 == broken.status
    assert "OPENAI_API_KEY" in broken.err
    assert "to resume:  mogi generate shop --per-entry 2 --concurrency 1" in broken.err
    assert 1 == len({name.split("-questions")[0] for name in _ids(folder)})
    refused, model.answer = model.count - 3, writers.good
    whole = mogi(*typed, "--json")
    assert (0, 6) == (whole.status, whole.json["scenarios"])
    assert 6 + refused == model.count


@pytest.mark.parametrize(("per_entry", "saved"), [("1", 0), ("2", 2)])
def test_who_was_stopped_between_two_attempts_goes_on_with_the_next(
    mogi: Mogi, folder: Path, model: ChatServer, per_entry: str, saved: int
) -> None:
    """The first entry is stopped in its second attempt, the others before theirs."""

    def half(body: dict[str, Any]) -> Any:
        if writers.is_check(body):
            return writers.verdicts(body, viewpoint=lambda q: "（質問の10件目）" in q)
        return writers.written(body)

    model.answer = lambda body: half(body) if model.count <= 7 else Status(401, "no")
    typed = ("generate", "shop", "--per-entry", per_entry, "--concurrency", "1", "--json")
    broken = mogi(*typed)
    assert (3, "account", 3) == (broken.status, broken.json["status"], broken.json["unfinished"])
    assert saved == broken.json["new"]
    model.answer = half
    whole = mogi(*typed)
    assert (0, 3 * int(per_entry), 0) == (
        whole.status,
        whole.json["scenarios"],
        whole.json["unfinished"],
    )
    assert {"viewpoint"} == set(faults(folder))
    assert len(report(folder)) == len({str(line) for line in report(folder)})


def test_a_budget_is_kept_over_sessions(mogi: Mogi, folder: Path, model: ChatServer) -> None:
    priced = (folder / "client.yaml").read_text("utf-8") + "prices: {mock: {input: 1, output: 1}}\n"
    (folder / "client.yaml").write_text(priced, "utf-8")
    typed = ("generate", "shop", "--concurrency", "1", "--json")
    first = mogi(*typed, "--budget", "0.007")
    assert (3, "budget") == (first.status, first.json["status"])
    assert first.json["cost_usd"] <= 0.007
    again = mogi(*typed, "--budget", "0.007")
    assert (3, 0) == (again.status, again.json["calls"])
    whole = mogi(*typed, "--budget", "1")
    assert (0, 3) == (whole.status, whole.json["scenarios"])


def test_an_endpoint_that_fails_now_and_then_leaves_units_for_the_next_time(
    mogi: Mogi, folder: Path, model: ChatServer
) -> None:
    model.answer = lambda body: (
        Status(400, "no such thing") if "返品" in str(body["messages"][1]) else writers.good(body)
    )
    done = mogi("generate", "shop", "--json")
    assert (0, 2, ["rejected"]) == (done.status, done.json["new"], faults(folder))


@pytest.mark.slow
def test_kills_at_random_moments_pay_no_committed_call_twice(
    mogi: Mogi, folder: Path, model: ChatServer, tmp_path: Path
) -> None:
    """The file equals that of a session that nobody killed."""
    rows = [f"faq-{n},質問{n}番の件,{n}番の答えは{n}日です。" for n in range(1, 31)]
    (folder / "faq.csv").write_text("\n".join(["id,title,content", *rows]) + "\n", "utf-8")
    model.answer = writers.operator
    typed = ("generate", "shop", "--per-entry", "2", "--concurrency", "4")
    mogi(*typed, "--store", "sqlite:///whole.db")
    whole = (folder / FILE).read_text("utf-8")
    for path in folder.glob("scenarios.generated.*"):
        path.unlink()
    seen: list[str] = []

    def counted(body: dict[str, object]) -> object:
        seen.append(json.dumps(body, sort_keys=True))
        return writers.operator(body)

    model.answer = counted  # type: ignore[assignment]
    model.latency_s = 0.02
    model.count = 0
    dice = random.Random(7)
    for _ in range(5):
        with started(tmp_path, *typed) as session:
            wait_until_called(model, model.count)
            time.sleep(dice.uniform(0.0, 0.3))
            session.send_signal(signal.SIGKILL)
            session.wait()
    assert 0 == mogi(*typed).status
    assert whole == (folder / FILE).read_text("utf-8")
    twice = len(seen) - len(set(seen))
    assert twice <= 5 * 4  # those in flight when a process died


@pytest.mark.slow
def test_ctrl_c_saves_what_is_done_and_says_how_to_go_on(
    mogi: Mogi, folder: Path, model: ChatServer, tmp_path: Path
) -> None:
    model.latency_s = 0.3
    with started(tmp_path, "generate", "shop", "--concurrency", "1") as session:
        wait_until_called(model, 2)
        session.send_signal(signal.SIGINT)
        out, err = session.communicate(timeout=PATIENCE_S)
    assert 130 == session.returncode, err
    assert "to resume:  mogi generate shop --concurrency 1" in err
    assert "Traceback" not in out + err
    assert ["faq-1-questions-1"] == _ids(folder)
    model.latency_s = 0
    assert 0 == mogi("generate", "shop").status
    assert (3, 6) == (len(_ids(folder)), model.count)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("--model", ""), "it is empty"),
        (("--method", "titles"), "did you mean title?"),
        (("--faq", "no.csv"), "no.csv: file not found"),
        (("--persona", "calm"), "--persona requires --method persona"),
        (("--method", "persona", "--persona", "clam"), "did you mean calm?"),
        (("--method", "persona", "--persona", "chatty"), "the client has no persona"),
        (("-o", "x.json"), "must end in .yaml"),
        (("-o", "no/x.yaml"), "its folder doesn't exis"),
        (("--export-retrieval", "no/x"), "the folder no doesn't exis"),
        (("--checks", "0"), "0 is not in the range"),
        (("-o", "scenarios/shop/client.yaml"), "wasn't created by `mogi generate`"),
    ],
)
def test_wrong_input_is_said_before_anything_is_paid_for(
    mogi: Mogi, folder: Path, model: ChatServer, typed: tuple[str, ...], said: str
) -> None:
    done = mogi("generate", "shop", *typed)
    assert (2, 0) == (done.status, model.count)
    assert said in done.err
    assert "Traceback" not in done.err


def test_without_a_model_only_titles_can_be_made(mogi: Mogi) -> None:
    refused = mogi("generate", "demo", "--method", "questions")
    assert 2 == refused.status
    assert "--method questions needs a model" in refused.err
    made = mogi("generate", "demo", "--limit", "2", "--json")
    assert (0, ["title"]) == (made.status, list(made.json["methods"]))
    assert Path(FILE).is_file()  # a client that ships is not written into


def test_a_missing_key_leaves_nothing_behind(mogi: Mogi, tmp_path: Path) -> None:
    refused = mogi("generate", "demo", "-o", "x.yaml", "--model", "m")
    assert 2 == refused.status
    assert "OPENAI_API_KEY" in refused.err
    assert [] == list(tmp_path.iterdir())


def test_a_damaged_file_of_ours_is_complained_of_and_left(
    mogi: Mogi, folder: Path, model: ChatServer
) -> None:
    mogi("generate", "shop", "--method", "title")
    path = folder / FILE
    damaged = path.read_text("utf-8").replace("  query: ", "  qeury: ", 1)
    path.write_text(damaged, "utf-8")
    again = mogi("generate", "shop", "--method", "title")
    assert 2 == again.status
    assert 'unknown key "qeury"; did you mean query?' in again.err
    assert damaged == path.read_text("utf-8")


def _ids(folder: Path) -> list[str]:
    return list(load_scenarios(folder, file=folder / FILE))
