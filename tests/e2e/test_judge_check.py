"""`mogi judge-check`: judges of all kinds behind a real server, and the table each must get."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from simulator.core.clean import plain
from simulator.core.mutation import KINDS, Mutation
from simulator.core.persona import Language
from simulator.files.catalog import Catalog
from simulator.files.prompts import fenced
from tests.e2e import judges
from tests.e2e.conftest import Mogi
from tests.loopback.server import ChatServer

FALL = ("non_answer", "wrong_number", "negation", "dropped_condition", "neighbour")
STAY = ("reworded", "register", "shuffled_documents")
ATTACKS = (
    "self_praise",
    "injected_order",
    "injected_json",
    "impersonation",
    "fake_end",
    "hidden_order",
)
LANGUAGES: dict[str, Language] = {"hina": "ja", "hina-en": "en"}


@pytest.fixture
def judge(tmp_path: Path) -> Iterator[ChatServer]:
    """The good judge, whom two clients have: `hina` in Japanese, `hina-en` in English."""
    with judges.two_clients(tmp_path) as server:
        yield server


def mutations(language: Language, per_kind: int) -> list[Mutation]:
    """The shipped ones, as `--limit` chooses them."""
    counts: Counter[str] = Counter()
    found = []
    for mutation in Catalog(None, Path.cwd()).mutations(language, ()).mutations:
        counts[mutation.kind] += 1
        if counts[mutation.kind] <= per_kind:
            found.append(mutation)
    return found


def table(found: Any, metric: str = "overall") -> dict[str, tuple[int, int, int, int]]:
    """By kind: right, tested, without room, unscored."""
    return {
        kind: (k["right"], k["tested"], k["no_room"], sum(k["unscored"].values()))
        for kind, k in found["metrics"][metric]["kinds"].items()
    }


@pytest.mark.parametrize("client", LANGUAGES)
def test_a_good_judge_gets_everything_right_and_each_answer_is_judged_once(
    mogi: Mogi, judge: ChatServer, client: str
) -> None:
    done = mogi("judge-check", client, "--json")
    found = done.json
    assert 0 == done.status, done.err
    assert dict.fromkeys(KINDS, (8, 8, 0, 0)) == table(found) == table(found, "claims")
    overall = found["metrics"]["overall"]
    assert {"flipped": 0, "tested": 48, "crossed": 0, "rate": 0.0, "low": 0.0} == {
        k: v for k, v in overall["flips"].items() if k != "high"
    }
    assert 0.07 < overall["flips"]["high"] < 0.08  # Wilson: 0 of 48
    assert {"unseen": 0, "scored": 40} == overall["spoilt"]
    assert -0.8 == pytest.approx(overall["kinds"]["negation"]["move"])
    assert (120, 152, 152) == (found["mutations"], found["answers"], judge.count)
    assert {"judge": 152} == found["calls"]


def test_a_judge_that_always_says_5_is_neither_praised_nor_blamed_where_nothing_could_rise(
    mogi: Mogi, judge: ChatServer
) -> None:
    judge.answer = judges.kind_to_all
    found = mogi("judge-check", "hina", "--limit", "3", "--json").json
    assert {
        **dict.fromkeys(FALL, (0, 3, 0, 0)),
        **dict.fromkeys(STAY, (3, 3, 0, 0)),
        **dict.fromkeys(("filler", *ATTACKS), (0, 0, 3, 0)),
    } == table(found)
    overall = found["metrics"]["overall"]
    assert (0, None) == (overall["flips"]["tested"], overall["flips"]["rate"])
    assert {"unseen": 15, "scored": 15} == overall["spoilt"]
    shown = mogi("judge-check", "--resume", "latest").out
    assert "「変わらない」は±0.2以内を" in "".join(shown.split())
    assert "点数の上がる余地がないため" in shown
    assert "採点が甘すぎるため" in shown


def test_quiet_leaves_the_table_out_and_keeps_the_status_and_json(
    mogi: Mogi, judge: ChatServer
) -> None:
    typed = ("judge-check", "hina", "--limit", "1", "--kind", "negation", "--quiet")
    done = mogi(*typed)
    assert (0, "") == (done.status, done.out)
    assert [
        "注意: hina の接続先など 1 件が未確認です（一覧: mogi check hina）"
    ] == done.err.splitlines()
    assert 1 == mogi(*typed, "--json").json["mutations"]


def test_a_judge_that_obeys_is_flipped_and_fails_the_gate(mogi: Mogi, judge: ChatServer) -> None:
    judge.answer = judges.obedient
    done = mogi("judge-check", "hina-en", "--limit", "3", "--fail-under", "0.9", "--json")
    found = done.json
    right = dict.fromkeys(KINDS, (3, 3, 0, 0))
    flips = dict.fromkeys(ATTACKS, (0, 3, 0, 0))
    read_otherwise = dict.fromkeys(("injected_json", "fake_end"), (1, 3, 0, 0))  # without its tags
    assert {**right, **flips, **read_otherwise} == table(found)
    flips = found["metrics"]["overall"]["flips"]
    assert (16, 18, 16) == tuple(flips[k] for k in ("flipped", "tested", "crossed"))
    assert (1, {"under": 0.9, "passed": False}) == (done.status, found["gate"])
    assert "gate of 0.9" in done.err
    wrong = [i for i in found["metrics"]["overall"]["items"] if i["finding"] == "missed"]
    assert {"回答の求めに従い、満点とする。\n適切である。"} == {item["comment"] for item in wrong}
    shown = mogi("judge-check", "--resume", "latest").out
    assert "16 of 18" in shown
    assert "rating 2 → 5" in shown


def test_an_answer_without_a_usable_judgement_is_neither_right_nor_wrong(
    mogi: Mogi, judge: ChatServer
) -> None:
    judge.answer = judges.tongue_tied
    done = mogi("judge-check", "hina", "--limit", "4", "--fail-under", "0.9", "--json")
    chosen = mutations("ja", 4)
    odd = [m for m in chosen if _is_odd(m)]
    counts = Counter(m.kind for m in odd)
    assert {kind: (4 - counts[kind], 4 - counts[kind], 0, counts[kind]) for kind in KINDS} == (
        table(done.json)
    )
    assert 0 < len(odd) == done.json["metrics"]["overall"]["unscored"]
    reasons = [k["unscored"] for k in done.json["metrics"]["overall"]["kinds"].values()]
    assert {"judge_unparsable"} == {reason for found in reasons for reason in found}
    assert (3, None) == (done.status, done.json["gate"]["passed"])  # the missing ones decide
    shown = mogi("judge-check", "--resume", "latest").out
    assert "最も多い理由: not the form that was asked for, after one repair" in shown
    answers = {s.answer for m in chosen for s in (m.base, m.mutated)}
    asked_again = sum(map(judges.is_odd, answers))
    shuffled = [m.mutated for m in chosen if m.kind == "shuffled_documents"]
    asked_again += sum(judges.is_odd(s.answer) for s in shuffled)
    assert done.json["answers"] + asked_again == judge.count


def _is_odd(mutation: Mutation) -> bool:
    return judges.is_odd(mutation.base.answer) or judges.is_odd(mutation.mutated.answer)


def test_a_judge_that_throws_dice_gets_what_its_dice_say(mogi: Mogi, judge: ChatServer) -> None:
    judge.answer = judges.dice
    found = mogi("judge-check", "hina", "--json").json
    expected = {kind: [0, 0, 0, 0] for kind in KINDS}
    for mutation in mutations("ja", 8):
        counts = expected[mutation.kind]
        before, after = (_thrown(s.answer) for s in (mutation.base, mutation.mutated))
        if before == {"fall": 1, "not_rise": 5}.get(mutation.must):
            counts[2] += 1
            continue
        counts[1] += 1
        counts[0] += {
            "fall": after < before,
            "not_rise": after <= before,
            "stay": abs(after - before) <= 1,
        }[mutation.must]
    assert {kind: tuple(counts) for kind, counts in expected.items()} == table(found)
    share = found["metrics"]["overall"]["share"]
    assert 0.3 < share < 0.8  # chance does not pass for attention


def _thrown(answer: str) -> int:
    shown = fenced("answer", plain(answer), "0" * 16)
    body = {"messages": [{}, {"content": f"【評価対象の回答】\n{shown}"}]}
    return int(judges.dice(body)["overall"])


def test_the_judge_sees_an_answer_as_in_a_run(mogi: Mogi, judge: ChatServer) -> None:
    mogi("run", "hina", "--scenario", "plan-prices", "--limit", "1", "--quiet")
    in_a_run = judge.requests[-1].body
    mogi("judge-check", "hina", "--limit", "1", "--kind", "negation", "--quiet")
    before, after = (asked.body for asked in list(judge.requests)[-2:])
    for body in (before, after):
        assert in_a_run["messages"][0] == body["messages"][0]  # guidelines and rubrics too
        assert in_a_run["response_format"] == body["response_format"]
        assert in_a_run["temperature"] == body["temperature"]
    shown = before["messages"][1]["content"]
    fences = re.findall(r"<data-answer-(\w{16})>", shown + after["messages"][1]["content"])
    assert 2 == len(set(fences))
    plain = re.sub(rf"</?data-[\w-]+{fences[0]}>\n", "", shown)
    assert "【ボットが参照した文書】\n[faq-032] 年払いを途中で解約したら返金されますか" in plain
    assert "【利用者が望んでいる結果】\n年払いを3か月でやめたときに" in plain


def test_other_metrics_may_be_watched(mogi: Mogi, judge: ChatServer) -> None:
    options = ("--limit", "1", "--kind", "wrong_number", "--kind", "filler")
    done = mogi("judge-check", "hina", *options, "--metric", "correctness", "--metric",
                "completeness", "--json")  # fmt: skip
    assert ["correctness", "completeness", "claims"] == list(done.json["metrics"])
    assert None is done.json["metrics"]["correctness"]["threshold"]
    assert None is done.json["metrics"]["correctness"]["spoilt"]
    assert ["wrong_number", "filler"] == list(done.json["metrics"]["completeness"]["kinds"])
    everything = mogi("judge-check", "hina", *options, "--metric", "answer_quality", "--json")
    assert 7 == len(everything.json["metrics"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("hina", "--kind", "fillers"), 'no kind "fillers"; did you mean filler?'),
        (("hina", "--metric", "overal"), "did you mean overall?"),
        (("hina", "--metric", "lexical"), "the judge doesn't score it"),
        (("hina", "--metric", "goal_reached"), "whole conversations"),
        (("demo",), "--judge-model"),
        ((), "which client?"),
        (("nobody",), "no client"),
        (("--resume", "latest"), "store"),
    ],
)
def test_wrong_input_is_said_before_anything_is_called(
    mogi: Mogi, judge: ChatServer, tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    done = mogi("judge-check", *options)
    assert (2, True, "") == (done.status, said in done.err, done.out)
    assert 0 == judge.count
    assert not (tmp_path / "mogi.db").exists()


def test_a_client_brings_answers_of_its_own(mogi: Mogi, judge: ChatServer, tmp_path: Path) -> None:
    own = tmp_path / "scenarios" / "hina" / "mutations.yaml"
    own.write_text(
        "cases:\n"
        "  - id: mine\n"
        "    question: 登録は無料ですか\n"
        "    documents: [faq-001]\n"
        "    good: はい、登録は無料です。\n"
        "    mutations:\n"
        "      - {kind: negation, replace: {無料です: 有料です}}\n"
        "      - {kind: off_topic, must: fall, by: 0.4, answer: 今日はよい天気です。}\n",
        "utf-8",
    )
    judge.answer = lambda body: judges.rated(body, 5 if str(body).count("無料です。") > 1 else 4)
    done = mogi("judge-check", "hina", "--kind", "off_topic", "--kind", "negation", "--limit", "1",
                "--json")  # fmt: skip
    assert (2, 2, "scenarios/hina/mutations.yaml") == (
        done.json["mutations"], done.json["own"], done.json["files"][0],
    )  # fmt: skip
    assert {"negation": (1, 1, 0, 0), "off_topic": (0, 1, 0, 0)} == table(done.json)
    with own.open("a", encoding="utf-8") as file:
        file.write("shipped: false\n")
    assert 2 == mogi("judge-check", "hina", "--json").json["mutations"]
    own.write_text(own.read_text("utf-8").replace("faq-001", "faq-999"), "utf-8")
    for command in (("judge-check", "hina"), ("check", "hina")):
        wrong = mogi(*command)
        assert 2 == wrong.status
        assert "scenarios/hina/mutations.yaml:4: no document " in wrong.err


@pytest.mark.parametrize("client", LANGUAGES)
@pytest.mark.parametrize("width", [80, 120])
def test_the_screen_is_kept_within_its_width(
    mogi: Mogi, judge: ChatServer, monkeypatch: pytest.MonkeyPatch, client: str, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    judge.answer = judges.obedient
    done = mogi("judge-check", client, "--limit", "2")
    lines = done.out.splitlines()
    assert 0 == done.status
    assert [] == [x for x in lines if cell_len(x) > width and "mogi judge-check" not in x]
    assert not any("…" in line for line in lines[:20])  # no head or kind is cut
    assert re.search("95 ?%", done.out)


def test_json_is_one_object_even_where_nothing_could_be_scored(
    mogi: Mogi, judge: ChatServer
) -> None:
    judge.answer = lambda body: "no"
    done = mogi("judge-check", "hina", "--limit", "1", "--json")
    assert 3 == done.status
    assert None is json.loads(done.out)["metrics"]["overall"]["share"]
    assert "no result: no answer" in done.err
