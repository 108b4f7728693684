"""`mogi compare`: two runs of the same thing, from the command line."""

from pathlib import Path

import pytest

from tests.e2e.conftest import JUDGEMENT, Mogi
from tests.e2e.process import process
from tests.e2e.small_client import KNOWLEDGE, SEARCH, small_client
from tests.loopback.server import ChatServer

BOT = f"""{SEARCH}

def answer(question, history):
    global ROWS
    ROWS = list(csv.DictReader(FILE.read_text("utf-8").splitlines()))  # as they are now
    return search(question)["content"]
"""
TARGET = '{kind: function, function: "bot:answer"}'
ROWS = "".join(f"q{n},Is {n} even?,It is {n} euros.,It is {n} euros.\n" for n in range(12))
FILE = f"id,question,answer,ground_truth\n{ROWS}"


def two_runs(mogi: Mogi, folder: Path) -> tuple[str, str]:
    """A run, and one after the knowledge base has lost what was asked for."""
    client = small_client(folder, TARGET, bot=BOT)
    with (client / "client.yaml").open("a", encoding="utf-8") as file:
        file.write("thresholds: {lexical: 0.6}\n")
    first = mogi("run", "shop", "--json").json["run"]
    knowledge = KNOWLEDGE.replace("5 euros and", "some money and").replace("9 to 18", "day to day")
    (client / "knowledge" / "faq.csv").write_text(knowledge, "utf-8")
    return first, mogi("run", "shop", "--json").json["run"]


def test_what_newly_fails_is_shown_with_both_answers(mogi: Mogi, tmp_path: Path) -> None:
    first, second = two_runs(mogi, tmp_path)
    shown = mogi("compare", first, second)
    assert 0 == shown.status, shown.err
    assert "2 new failures in 3 conversations compared (2" in shown.out
    assert "Got worse: 2, most severe first" in shown.out
    assert "Delivery costs 5 euros and is free" in shown.out
    assert "Delivery costs some money and is free" in shown.out
    assert "knowledge base  changed" in shown.out
    assert shown.out == mogi("compare", "previous", "latest").out


def test_github_annotates_what_newly_fails_where_its_scenario_is(
    mogi: Mogi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = small_client(tmp_path, TARGET, bot=BOT)
    first = mogi("run", "shop", "--json").json["run"]
    trap = KNOWLEDGE.replace("5 euros and is", "100% more%0A::error::us so")
    (client / "knowledge" / "faq.csv").write_text(trap, "utf-8")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / "scenarios"))
    assert "::" not in mogi("compare", first, "latest", "--fail-on", "worse").err
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    run = mogi("run", "shop", "--json", "--fail-on", "worse")
    assert ("::" in run.out, 1) == (False, run.status)
    (note,) = [line for line in run.err.splitlines() if "::" in line]
    place = "::error file=shop/scenarios.yaml,line=1,title="
    assert note.startswith(f"{place}delivery · calm · 1 — passed → failed::")
    assert "%0A→ Delivery costs 100%25 more%250A::error::us so free above 50 euros." in note
    assert note in mogi("compare", first, "latest", "--fail-on", "newly-failing").err
    assert "::" not in mogi("compare", first, "latest").err
    (client / "scenarios.yaml").rename(client / "q,1:a.yaml")
    err = mogi("compare", first, "latest", "--fail-on", "newly-failing").err
    assert "::error title=delivery" in err  # the file has gone
    with (client / "client.yaml").open("a", encoding="utf-8") as file:
        file.write('scenarios: "q,1:a.yaml"\n')
    err = mogi("compare", first, "latest", "--fail-on", "newly-failing").err
    assert "::error file=shop/q%2C1%3Aa.yaml,line=1,title=delivery" in err


def test_so_few_conversations_decide_nothing_for_ci(mogi: Mogi, tmp_path: Path) -> None:
    first, second = two_runs(mogi, tmp_path)
    done = mogi("compare", first, second, "--fail-on", "regression")
    assert (3, True) == (done.status, "undecided: there are too few pairs" in done.err)


def test_ci_is_told_of_a_regression_and_of_nothing_else(mogi: Mogi, tmp_path: Path) -> None:
    runs = []
    for name, answers in {"good": FILE, "bad": FILE.replace("euros.,", "pounds or so,")}.items():
        (tmp_path / f"{name}.csv").write_text(answers, "utf-8")
        done = mogi("score", f"{name}.csv", "--language", "en", "--metric", "sudachi_f1", "--json")
        runs.append(done.json["run"])
    worse = mogi("compare", *runs, "--fail-on", "regression", "--json")
    assert (1, "regressed", 11) == (worse.status, worse.json["change"], worse.json["fell"]["n"])
    assert f"sudachi_f1 regressed since run {runs[0]}" in worse.err
    assert 0 == mogi("compare", *runs).status
    better = mogi("compare", *reversed(runs), "--fail-on", "regression", "--json")
    assert (0, "improved") == (better.status, better.json["change"])


def test_the_same_bot_shows_no_difference(mogi: Mogi) -> None:
    for _ in range(2):
        mogi("run", "demo-en", "--assign", "round_robin", "--limit", "12", "--quiet")
    done = mogi("compare", "previous", "latest", "--fail-on", "regression", "--json")
    # Not all answers could be scored by words, and what is missing might differ.
    assert (3, "undecided", 0, {}) == (
        done.status,
        done.json["change"],
        done.json["score"]["difference"],
        done.json["differs"],
    )


def test_another_judge_is_no_regression_of_the_bot(
    mogi: Mogi, acme: Path, model: ChatServer
) -> None:
    mogi("run", "acme", "--json")
    model.answer = lambda _: {**JUDGEMENT, "overall": 1}
    mogi("rejudge", "latest", "--judge-model", "stricter", "--quiet")
    listed = [line.split()[0] for line in mogi("runs").out.splitlines()[1:]]
    done = mogi("compare", listed[1], listed[0], "--json")
    assert {"judge": ['client.judge.chat.model: "mock" -> "stricter"']} == done.json["differs"]
    assert "judge" == done.json["doubts"][0]["doubt"]
    assert "undecided" == done.json["change"]


def test_scores_of_another_metric_are_refused_with_a_way_out(mogi: Mogi, acme: Path) -> None:
    mogi("run", "acme", "--quiet")
    mogi("run", "acme", "--offline", "--quiet")
    done = mogi("compare", "previous", "latest")
    assert (2, "") == (done.status, done.out)
    assert "is scored by overall" in done.err
    assert "--metric lexical" in done.err


def test_nothing_in_common_is_refused(mogi: Mogi) -> None:
    first = mogi("run", "demo", "--scenario", "change-email", "--json").json["run"]
    mogi("run", "demo", "--scenario", "plan-prices", "--quiet")
    done = mogi("compare", first, "latest")
    assert (2, True) == (done.status, "no conversation in common" in done.err)
    done = mogi("compare", "previous", "latest")
    assert (2, True) == (done.status, "shares scenarios" in done.err)


def test_a_run_is_compared_with_the_one_before_it(mogi: Mogi, tmp_path: Path) -> None:
    client = small_client(tmp_path, TARGET, bot=BOT)
    none = mogi("run", "shop", "--quiet", "--fail-on", "newly-failing")
    assert (3, True) == (none.status, "there is no finished run of shop before" in none.err)
    same = mogi("run", "shop", "--json", "--fail-on", "newly-failing")
    assert 0 == same.status, same.err
    worse_than = same.json["run"]
    assert "0 new failures, 0 fixed" in same.err
    text = KNOWLEDGE.replace("5 euros and", "some money and").replace("9 to 18", "day to day")
    (client / "knowledge" / "faq.csv").write_text(text, "utf-8")
    worse = mogi("run", "shop", "--quiet", "--fail-on", "newly-failing=2")
    assert 1 == worse.status, worse.err
    assert "new failures since run" in worse.err
    again = mogi("run", "shop", "--json", "--fail-on", "newly-failing")
    told = again.json["fail_on"]
    assert (0, 0, "newly-failing", 0) == (
        again.status, told["status"], told["what"], told["newly_failing"]
    )  # fmt: skip
    assert told["before"]
    shown = mogi("compare", worse_than, "latest", "--fail-on", "newly-failing=3", "--json")
    assert (0, 2) == (shown.status, len(shown.json["newly_failing"])), shown.err
    assert "same_bot" == shown.json["expected_by_chance"]["measured_by"]


def test_what_must_pass_is_repeated_before_it_fails(mogi: Mogi, tmp_path: Path) -> None:
    client = small_client(tmp_path, TARGET, bot=BOT)
    wrong = mogi("run", "shop", "--quiet", "--fail-on", "must-pass")
    assert (2, True) == (wrong.status, "gate: {must_pass" in wrong.err)
    first = mogi("run", "shop", "--json").json["run"]
    with (client / "client.yaml").open("a", encoding="utf-8") as file:
        file.write("gate: {must_pass: [delivery]}\n")
    text = KNOWLEDGE.replace("5 euros and", "some money and")
    (client / "knowledge" / "faq.csv").write_text(text, "utf-8")
    second = mogi("run", "shop", "--json").json["run"]
    once = mogi("compare", first, second, "--fail-on", "must-pass")
    assert 3 == once.status, once.err
    (again,) = [line.split(":  mogi ")[1] for line in once.err.splitlines() if "--repeat" in line]
    assert 1 == mogi(*again.split(), "--quiet").status  # the gate
    assert 1 == mogi("compare", first, "latest", "--fail-on", "must-pass").status


@pytest.mark.parametrize(
    "wrong", [("latest",), ("none", "latest"), ("latest", "latest", "--alpha", "2")]
)
def test_what_is_typed_wrong_is_said(wrong: tuple[str, ...], mogi: Mogi) -> None:
    mogi("run", "demo", "--limit", "1", "--quiet")
    done = mogi("compare", *wrong)
    assert (2, "") == (done.status, done.out)
    assert done.err


@pytest.mark.slow
def test_ten_times_the_rows_take_little_more_memory(tmp_path: Path) -> None:
    start = (
        "import resource, sys; from simulator.cli.app import run; status = run(sys.argv[1:]); "
        "print('\\n', resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024); sys.exit(status)"
    )
    peaks = []
    for rows in (2_000, 20_000):
        for name in ("a", "b"):
            lines = (f"row {n},{name} {n} euros.,It is {n} euros.\n" for n in range(rows))
            file = tmp_path / f"{rows}{name}.csv"
            file.write_text("question,answer,ground_truth\n" + "".join(lines), "utf-8")
            done = process(tmp_path, "score", file.name, "--metric", "refusal", "--quiet")
            assert 0 == done.returncode, done.stderr
        done = process(tmp_path, "compare", "previous", "latest", start=start)
        assert 0 == done.returncode, done.stderr
        peaks.append(int(done.stdout.split()[-1]))
    assert peaks[1] - peaks[0] < 60, peaks
