"""`mogi score`: answers that exist already, from the command line to the file that comes out."""

import csv
import json
import re
from pathlib import Path

import pytest

from tests.e2e.conftest import JUDGEMENT, Mogi
from tests.e2e.process import process
from tests.loopback.server import ChatServer
from tests.waiting import PATIENCE_S

FILE = (
    "質問,回答,正解,要素,判定,備考\n"
    "送料はいくらですか,送料は500円です,500円です,500円,○,至急\n"
    "返品できますか,できません,30日以内にできます,30日,×,\n"
    "営業時間は,10時からです,10時から18時までです,10時|18時,,\n"
)


def put(cwd: Path, content: str = FILE, name: str = "answers.csv") -> Path:
    (cwd / name).write_text(content, "utf-8")
    return cwd / name


def test_it_is_a_run_like_any_other(mogi: Mogi, tmp_path: Path) -> None:
    put(tmp_path)
    done = mogi("score", "answers.csv", "--json", "--report", "junit=out.xml")
    found = done.json
    assert 0 == done.status, done.err
    assert ("score", "answers.csv", 3, 3) == (
        found["kind"],
        found["of"],
        found["conversations"],
        found["turns"],
    )
    assert ("lexical", True) == (found["score_by"], found["offline"])
    assert {"lexical", "elements_lexical", "refusal", "sudachi_f1"} <= found["metrics"].keys()
    assert 'tests="3"' in (tmp_path / "out.xml").read_text("utf-8")
    listed = mogi("runs").out.splitlines()[1]
    assert listed.startswith(found["run"])
    assert "answers.csv" in listed


def test_the_same_figures_come_back_from_the_store(mogi: Mogi, tmp_path: Path) -> None:
    put(tmp_path)
    first = mogi("score", "answers.csv", "--json").json
    again = mogi("score", "--resume", first["run"], "--json").json
    changing = {"finished", "wall_s"}
    assert {k: v for k, v in first.items() if k not in changing} == {
        k: v for k, v in again.items() if k not in changing
    }


def test_the_terminal_shows_rows_and_no_heat_map(mogi: Mogi, tmp_path: Path) -> None:
    put(tmp_path)
    shown = mogi("score", "answers.csv").out
    assert "answers.csv の回答 3 件（SHA-256 " in shown
    assert shown.replace("\n", "") == mogi("show", "latest").out.replace("\n", "")
    whole = mogi("show", "latest", "--all").out
    assert "OK 1・NG 1" in whole
    assert "AUC" in whole
    assert "シナリオ × ペルソナ" not in whole


def test_without_a_threshold_the_lowest_rows_are_shown(mogi: Mogi, tmp_path: Path) -> None:
    rows = "500 yen,500 yen\nIt is 500 yen,500 yen\nFrom 10 to 18,From 10 to 18\n"
    put(tmp_path, f"回答,正解\n{rows}")  # all of them right: what fails is flagged, and shown first
    first = mogi("score", "answers.csv", "--metric", "sudachi_f1", "--language", "en").out
    assert re.search(r"\nLowest first\n [01]\.\d\d  row-\d  bot: “", first)
    shown = mogi("report", "latest").out
    assert re.search(r"Lowest sudachi_f1 \(bottom \d of 3 answers\)\n\n 1  row-\d", shown)
    (key,) = set(re.findall(r"mogi show \w+ (row-\d/-/1)", shown))
    assert "row-" in mogi("show", "latest", key).out


def test_no_gate_passes_on_a_log_without_expectations(mogi: Mogi, tmp_path: Path) -> None:
    put(tmp_path, "question,answer\nIs tea here?,Bananas are purple.\n")
    done = mogi("score", "answers.csv", "--fail-under", "0.5", "--json")
    assert (3, None) == (done.status, done.json["gate"]["passed"])


def test_a_row_is_shown_by_its_number(mogi: Mogi, tmp_path: Path) -> None:
    rows = "".join(f"answer {n},answer\n" for n in range(20))
    put(tmp_path, f"answer,ground_truth\n{rows}")
    mogi("score", "answers.csv", "--quiet")
    assert "answer 0" in mogi("show", "latest", "row-2").out
    assert "answer 18" in mogi("show", "latest", "row-20").out


def test_the_gate_of_a_client_speaks_of_its_own_score(mogi: Mogi, acme: Path) -> None:
    put(acme.parents[1])
    with (acme / "client.yaml").open("a", encoding="utf-8") as file:
        file.write("gate: {score: 0.99}\n")
    done = mogi("score", "answers.csv", "--client", "acme", "--metric", "refusal", "--json")
    assert (0, {"under": None, "passed": None}) == (done.status, done.json["gate"])
    (note,) = done.json["notes"]
    assert note.startswith("client.yaml の gate は overall を基準にしていますが、")
    assert 1 == mogi("score", "answers.csv", "--client", "acme", "--quiet").status


def test_every_row_is_exported_with_its_verdict(mogi: Mogi, tmp_path: Path) -> None:
    put(tmp_path)
    mogi("score", "answers.csv", "--quiet")
    lines = [json.loads(line) for line in mogi("export", "latest").out.splitlines()]
    assert ["row-2", "row-3", "row-4"] == [line["scenario"] for line in lines]
    assert ["OK", "NG", None] == [line["verdict"] for line in lines]
    assert ["送料は500円です", "-"] == [lines[0]["assistant"], lines[0]["persona"]]


def test_the_scores_stand_beside_the_rows(mogi: Mogi, tmp_path: Path) -> None:
    put(tmp_path)
    done = mogi("score", "answers.csv", "--metric", "sudachi_f1", "-o", "out.csv")
    assert (0, True) == (done.status, "wrote out.csv" in done.err)
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert ["至急", "", ""] == [row["備考"] for row in rows]
    assert all(0 <= float(row["sudachi_f1"]) <= 1 for row in rows)
    assert "質問,回答,正解,要素,判定,備考,result,why,sudachi_f1,sudachi_f1.precision" == ",".join(
        list(rows[0])[:10]
    )


def test_scores_that_stand_there_already_are_not_written_over(mogi: Mogi, tmp_path: Path) -> None:
    put(tmp_path)
    mogi("score", "answers.csv", "-o", "out.csv", "--quiet")
    done = mogi("score", "out.csv", "--metric", "lexical", "-o", "again.csv", "--quiet")
    assert 0 == done.status, done.err
    assert (
        "the file has result, why, lexical already, so the scores are in mogi.result, mogi.why, "
        in (done.err)
    )
    first = (tmp_path / "out.csv").read_text("utf-8").splitlines()[0]
    again = (tmp_path / "again.csv").read_text("utf-8").splitlines()[0]
    parts = ("met", "unmet", "violated", "unknown", "unscored")
    told = ",".join(f"mogi.lexical.{part}" for part in parts)
    assert f"{first},mogi.result,mogi.why,mogi.lexical,{told}" == again


def test_a_judge_scores_each_row_once(mogi: Mogi, acme: Path, model: ChatServer) -> None:
    put(acme.parents[1])
    done = mogi("score", "answers.csv", "--client", "acme", "--json", "-o", "out.csv")
    assert 0 == done.status, done.err
    assert (0.8, "overall", 3) == (done.json["score"], done.json["score_by"], model.count)
    assert {"user": 0, "judge": 3, "reader": 0, "embedding": 0, "target": 0} == done.json["calls"]
    first = (acme.parents[1] / "out.csv").read_text("utf-8").splitlines()[0]
    assert "overall,overall.raw,overall.unscored" in first


def test_model_judges_only_where_no_judge_is_named(
    mogi: Mogi, acme: Path, model: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in `mogi run`: a client's own judge goes before it."""
    put(acme.parents[1])
    monkeypatch.setenv("OPENAI_BASE_URL", model.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    limit = ("--limit", "1", "--json", "--model", "another")
    assert 0 == mogi("score", "answers.csv", "--client", "acme", *limit).status
    own = {asked.body["model"] for asked in model.requests}
    assert "another" not in own
    assert 0 == mogi("score", "answers.csv", *limit, "--metric", "overall").status
    assert {"another"} == {asked.body["model"] for asked in model.requests} - own


def test_a_resume_pays_for_nothing_twice(mogi: Mogi, acme: Path, model: ChatServer) -> None:
    put(acme.parents[1])
    first = mogi("score", "answers.csv", "--client", "acme", "--json").json
    again = mogi("score", "--resume", "latest", "--json", "-o", "out.jsonl")
    assert (3, first["score"]) == (model.count, again.json["score"])
    lines = (acme.parents[1] / "out.jsonl").read_text("utf-8").splitlines()
    assert [0.8, 0.8, 0.8] == [json.loads(line)["overall"] for line in lines]


def test_a_row_that_cannot_be_judged_says_why(mogi: Mogi, acme: Path, model: ChatServer) -> None:
    put(acme.parents[1])
    model.answer = lambda body: JUDGEMENT if "返品" not in str(body) else "no json"
    done = mogi("score", "answers.csv", "--client", "acme", "--json", "-o", "out.csv")
    with (acme.parents[1] / "out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert (0, {"judge_unparsable": 1}) == (done.status, done.json["unscored"])
    assert ["", "judge_unparsable", ""] == [row["overall.unscored"] for row in rows]
    assert ["0.8", "", "0.8"] == [row["overall"] for row in rows]


def test_a_dry_run_calls_nothing(mogi: Mogi, acme: Path, model: ChatServer) -> None:
    put(acme.parents[1])
    done = mogi("score", "answers.csv", "--client", "acme", "--dry-run", "--json")
    (judge,) = done.json["roles"]
    assert (3, 0, 0) == (
        done.json["conversations"],
        done.json["target_calls"]["highest"],
        model.count,
    )
    assert {"lowest": 3, "likely": 3, "highest": 6} == judge["calls"]
    assert not (acme.parents[1] / "mogi.db").exists()


def test_an_unfinished_run_leaves_no_file_with_holes(
    mogi: Mogi, acme: Path, model: ChatServer
) -> None:
    from tests.loopback.replies import Status

    put(acme.parents[1])
    model.answer = lambda _: Status(401, {"message": "no", "code": "invalid_api_key"})
    done = mogi("score", "answers.csv", "--client", "acme", "-o", "out.csv", "--json")
    assert 3 == done.status
    assert "out.csv is written when every row is scored, by --resume as well" in done.err
    assert f"mogi score --resume {done.json['run']}" in done.err
    assert not (acme.parents[1] / "out.csv").exists()
    model.answer = lambda _: JUDGEMENT
    assert 0 == mogi("score", "--resume", done.json["run"], "--quiet").status
    assert (acme.parents[1] / "out.csv").exists()


def test_what_is_wrong_in_the_file_keeps_all_from_running(mogi: Mogi, tmp_path: Path) -> None:
    put(tmp_path, '{"answer": "a"}\n{"answer": NaN}\n{"answer": "b", "verdict": "?!"}\n', "a.jsonl")
    done = mogi("score", "a.jsonl")
    assert (2, "") == (done.status, done.out)
    assert "a.jsonl:2: NaN is not JSON" in done.err
    assert 'a.jsonl:3: verdict: "?!" isn\'t a verdi' in done.err
    assert not (tmp_path / "mogi.db").exists()


def test_the_gate_of_the_command_line_holds(mogi: Mogi, tmp_path: Path) -> None:
    put(tmp_path)
    assert 1 == mogi("score", "answers.csv", "--fail-under", "0.99", "--quiet").status
    assert 0 == mogi("score", "answers.csv", "--fail-under", "0.1", "--quiet").status


def test_the_other_commands_say_which_one_goes_on(mogi: Mogi, tmp_path: Path) -> None:
    put(tmp_path)
    run = mogi("score", "answers.csv", "--json").json["run"]
    done = mogi("run", "--resume", "latest")
    assert 2 == done.status
    assert f"to resume: mogi score --resume {run}" in done.err


@pytest.mark.slow
def test_a_hundred_thousand_rows_take_no_memory(tmp_path: Path) -> None:
    peaks = []
    for rows in (10_000, 100_000):
        lines = (f"row {n},It costs {n} euros.,It costs {n} euros.\n" for n in range(rows))
        put(tmp_path, "question,answer,ground_truth\n" + "".join(lines), f"{rows}.csv")
        start = (
            "import resource, sys; from simulator.cli.app import run; status = run(sys.argv[1:]); "
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024); sys.exit(status)"
        )
        done = process(
            tmp_path,
            *("score", f"{rows}.csv", "--metric", "refusal", "--quiet"),
            start=start,
            timeout=4 * PATIENCE_S,
        )
        assert 0 == done.returncode, done.stderr
        peaks.append(int(done.stdout))
    assert peaks[1] - peaks[0] < 50, peaks


def test_a_conversation_shows_what_was_expected_and_an_empty_answer_is_wrong(
    mogi: Mogi, tmp_path: Path
) -> None:
    put(tmp_path, "質問,回答,正解\n送料は,500円です,500円です\n返品は,,30日以内にできます\n")
    mogi("score", "answers.csv", "--metric", "refusal")
    assert "要確認の往復: 1 件" in mogi("report", "latest").out
    shown = mogi("show", "latest", "row-3").out
    assert re.search(r"正解\n +確認項目 +言っていない（語句）: 30日以内にできます\n", shown)
    assert re.search(r"\[refusal\] ! 0\.00 回答できる質問なのに、回答していな", shown)


def test_escalation_is_scored_where_a_file_has_that_column(mogi: Mogi, tmp_path: Path) -> None:
    put(
        tmp_path,
        "質問,回答,引き継ぎ\n煙が出てます,担当者におつなぎします。,○\n煙が出てます,100円で1ポイントです。,○\n",
    )
    found = mogi("score", "answers.csv", "--json").json
    assert ("lexical", 0.5) == (found["score_by"], found["metrics"]["refusal"]["mean"])


def test_what_must_not_be_said_fails_in_a_file(mogi: Mogi, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        "question,answer,must_not\n"
        "Can I cancel?,You can cancel at any time.,It costs a fee | You can cancel at any time\n",
        "utf-8",
    )
    done = mogi("score", "a.csv", "--json")
    assert 0 == done.status, done.err
    assert (0, 1, 0) == tuple(done.json[name] for name in ("passed", "failed", "undecided"))
    assert "nothing could be scored" not in done.err


def test_a_log_without_expectations_is_scored_by_what_it_gives(mogi: Mogi, tmp_path: Path) -> None:
    put(tmp_path, '{"question": "a?", "answer": "I am sorry, I do not know."}\n', "log.jsonl")
    done = mogi("score", "log.jsonl", "--json", "-o", "scored.jsonl")
    assert 0 == done.status
    assert 0 == done.json["metrics"]["refusal"]["mean"]
    assert "log.jsonl: there are no expectations" not in done.err  # of --json, only what is wrong
    shown = mogi("score", "log.jsonl")
    assert "there are no expectations, so no answer passes or fails" in shown.err
    assert "to see which answers the documents support, add a column context" in shown.err
    assert f"mogi score --resume {done.json['run']}" not in shown.out
    assert "-o scored.jsonl" in shown.out


def test_documents_that_come_as_ids_have_the_texts_of_the_clients_knowledge(
    mogi: Mogi, tmp_path: Path
) -> None:
    mogi("init", "shop", "--language", "en")
    row = '{"question": "Shipping?", "answer": "It is 3 pounds.", "retrieved": ["faq-001"]}\n'
    put(tmp_path, row, "log.jsonl")
    alone = mogi("score", "log.jsonl")
    assert "set the client whose knowledge base has them (--client NAME)" in alone.err
    joined = mogi("score", "log.jsonl", "--client", "shop", "--json")
    assert 1 == joined.json["metrics"]["grounded"]["mean"]
