"""`mogi coverage`, and its line in the report of a run."""

from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.e2e.conftest import Mogi
from tests.e2e.small_client import small_client

ENTRIES = "faq-4,Gift wrapping,We wrap gifts for 2 euros.\n"
SCENARIO = "- id: nothing\n  query: I am not happy\n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = small_client(tmp_path, "{kind: demo}")
    for file, more in (("knowledge/faq.csv", ENTRIES), ("scenarios.yaml", SCENARIO)):
        path = folder / file
        path.write_text(path.read_text("utf-8") + more, "utf-8")
    return folder


def test_before_any_run_it_says_what_scenarios_leave_out(mogi: Mogi, shop: Path) -> None:
    done = mogi("coverage", "shop")
    assert (0, "") == (done.status, done.err)
    assert "shop  4 scenarios, 4 knowledge base entries" in done.out
    assert "1 of 4 entries has no scenario\n  faq-4  Gift wrapping\n" in done.out
    assert "The store has no run of this client" in done.out
    assert "1 of 4 scenarios has no expectations, so it can't fail\n  nothing\n" in done.out
    assert "mogi coverage shop --log FILE.csv" in done.out


def _proposed(mogi: Mogi) -> str:
    told = mogi("coverage", "shop").out.split("\nNext steps\n")[1]
    return " ".join(told.replace("#", "").split())


def test_it_proposes_what_closes_the_gap_that_is_left(mogi: Mogi, shop: Path) -> None:
    asked = _proposed(mogi)
    assert "mogi generate shop --method title" in asked
    assert "mogi run shop" in asked
    assert "the scenario without expectations" in asked
    mogi("generate", "shop", "--method", "title")
    made = _proposed(mogi)
    assert "scenarios: scenarios.generated.yaml" in made
    assert "mogi generate" not in made
    mine = (shop / "scenarios.yaml").read_text("utf-8")
    (shop / "scenarios.yaml").unlink()
    generated = shop / "scenarios.generated.yaml"
    kept, _, _ = generated.read_text("utf-8").partition("- id: faq-4-title-1")
    generated.write_text(f"{kept}\n{mine}", "utf-8")
    client = shop / "client.yaml"
    client.write_text(f"{client.read_text('utf-8')}scenarios: {generated.name}\n", "utf-8")
    mogi("run", "shop", "--offline", "--quiet")
    left = _proposed(mogi)
    assert "mogi generate shop --method questions --model M" in left
    assert "--method title" not in left
    assert "mogi run" not in left
    generated.write_text(
        f"{kept}\n- {{id: gift, query: Gift?, expected: {{documents: [faq-4]}}}}\n"
    )
    assert "mogi generate" not in _proposed(mogi)


def test_a_run_says_it_in_a_line_and_by_name(mogi: Mogi, shop: Path) -> None:
    ran = mogi("run", "shop", "--offline", "--scenario", "hours", "--json")
    assert {"entries": 4, "unexpected": 1, "scenarios": 4, "silent": 1, "never_found": 3} == (
        ran.json["coverage"]
    )
    shown = " ".join(mogi("report", "latest").out.split())
    # What was never found counts only where all scenarios were played.
    assert (
        "Coverage 1 of 4 entries is untested, 1 of 4 scenarios has no expectations; "
        "see mogi coverage shop"
    ) in shown
    done = mogi("coverage", "shop")
    assert f"The bot never retrieved 3 of 4 entries in run {ran.json['run']}" in done.out
    found = mogi("coverage", "shop", "--json", "--run", ran.json["run"]).json
    assert ["faq-1", "faq-2", "faq-4"] == [entry["id"] for entry in found["never_found"]]
    assert [{"id": "faq-4", "title": "Gift wrapping"}] == found["unexpected"]
    assert (ran.json["run"], 4, 4, ["nothing"], None) == tuple(
        found[name] for name in ("run", "entries", "scenarios", "silent", "log")
    )


def test_what_a_run_never_came_to_ask_is_told(mogi: Mogi, shop: Path) -> None:
    goal = "  goal: I am not happy. I want to know who reads complaints.\n"
    file = shop / "scenarios.yaml"
    file.write_text(file.read_text("utf-8") + goal, "utf-8")
    mogi("run", "shop", "--offline", "--scenario", "nothing", "--max-turns", "1")
    told = "users never asked 1 question of their goals"
    assert told in mogi("show", "latest").out
    done = mogi("coverage", "shop")
    assert (0, True) == (done.status, f", {told}" in done.out), done.err
    assert "mogi run shop --max-turns " in done.out
    assert 1 == mogi("coverage", "shop", "--json").json["unasked"]
    shown = " ".join(mogi("show", "latest", "nothing").out.split())
    assert "not asked I want to know who reads complaints." in shown


def test_a_log_is_compared_with_the_scenarios(mogi: Mogi, shop: Path, tmp_path: Path) -> None:
    asked = [*["What does delivery cost?"] * 3, *["Do you ship to Peru?"] * 2, "Can you?"]
    (tmp_path / "log.csv").write_text("\n".join(["question", *asked]) + "\n", "utf-8")
    done = mogi("coverage", "shop", "--log", "log.csv")
    assert 0 == done.status, done.err
    assert "2 of 6 real questions (1 distinct) have no similar scenario" in done.out
    assert "  2×  Do you ship to Peru?\n" in done.out
    log = mogi("coverage", "shop", "--log", "log.csv", "--json").json["log"]
    assert (6, 3, 2, 1) == (log["asked"], log["near"], log["far"], log["empty"])
    assert ["Do you ship to Peru?"] == [group["question"] for group in log["groups"]]


def test_statements_that_no_scenario_checks_are_counted_and_listed(mogi: Mogi, shop: Path) -> None:
    faq = shop / "knowledge" / "faq.csv"
    text = faq.read_text("utf-8").replace("30 days.", "30 days. Please keep the old box.")
    faq.write_text(text, "utf-8")
    shown = mogi("coverage", "shop").out
    assert "shop  4 scenarios, 4 knowledge base entries, 3 of 5 statements untested\n" in shown
    assert "untested, 2 of them in entries that have a scenario" in " ".join(shown.split())
    assert "  faq-2  Please keep the old box.\n" in shown
    figures = mogi("coverage", "shop", "--json").json
    assert (5, 3) == (figures["statements"], figures["unchecked"])
    assert [
        ["Delivery costs 5 euros and is free above 50 euros."],
        ["Please keep the old box."],
        ["We wrap gifts for 2 euros."],
    ] == [entry["statements"] for entry in figures["unchecked_statements"]]


@pytest.mark.parametrize(
    ("gate", "question", "last", "done"),
    [
        ("pass_rate: 0.1", "What does delivery cost?", "(1 conversation without exp", False),
        ("pass_rate: 0.1", "Do you ship to Peru?", "1 frequent question (asked 3 times)", False),
        ("pass_rate: 0.1", "I am not happy", "1 frequent question", False),  # it expects nothing
        (
            "pass_rate: 0.9, sure: true",
            "What does delivery cost?",
            "Not done: the gate of run ",
            False,
        ),
        ("", "What does delivery cost?", "mogi generate", None),
    ],
)
def test_the_last_line_says_whether_testing_is_done(
    mogi: Mogi, shop: Path, gate: str, question: str, last: str, done: bool | None
) -> None:
    client = shop / "client.yaml"
    if gate:
        client.write_text(f"{client.read_text('utf-8')}gate: {{{gate}}}\n", "utf-8")
    mogi("run", "shop", "--offline", "--quiet")
    (shop.parents[1] / "log.csv").write_text("\n".join(["question", *[question] * 3]), "utf-8")
    shown = " ".join(mogi("coverage", "shop", "--log", "log.csv").out.split("\n\n")[-1].split())
    assert last in shown
    assert done == mogi("coverage", "shop", "--log", "log.csv", "--json").json["done"]


@pytest.mark.parametrize(
    ("expected", "last"),
    [
        ("elements: [30 days]", "Done: run "),
        ("answerable: false", "Done by your gate: "),
        ("answerable: false", "1 of 3 conversations failed"),
    ],
)
def test_done_stands_never_alone_beside_failures(
    mogi: Mogi, shop: Path, expected: str, last: str
) -> None:
    client, scenarios = shop / "client.yaml", shop / "scenarios.yaml"
    client.write_text(f"{client.read_text('utf-8')}gate: {{pass_rate: 0.1}}\n", "utf-8")
    texts = scenarios.read_text("utf-8").replace("elements: [30 days]", expected)
    scenarios.write_text(texts.partition("- id: nothing")[0], "utf-8")
    mogi("run", "shop", "--offline", "--quiet")
    question = "What does delivery cost?"
    (shop.parents[1] / "log.csv").write_text("\n".join(["question", *[question] * 3]), "utf-8")
    done = mogi("coverage", "shop", "--log", "log.csv")
    assert last in " ".join(done.out.split("\n\n")[-1].split())
    assert mogi("coverage", "shop", "--log", "log.csv", "--json").json["done"]


@pytest.mark.parametrize("width", ["80", "120"])
@pytest.mark.parametrize("client", ["demo", "demo-en"])
def test_it_fits_the_screen_in_the_clients_language(
    mogi: Mogi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, client: str, width: str
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    long = "祖父母に写真を送りたいので、注文のしかたと届くまでの日数を詳しく教えてください" * 4
    (tmp_path / "log.csv").write_text(f"question\n{long}\nIs it open on Sunday?\n", "utf-8")
    out = mogi("coverage", client, "--log", "log.csv", "--most", "3").out
    assert ("シナリオ" in out) == (client == "demo")
    lines = [line for line in out.splitlines() if "mogi " not in line]
    assert [] == [line for line in lines if cell_len(line) > int(width)]


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["coverage", "nobody"], 'no client "nobody"'),
        (["coverage", "shop", "--log", "none.csv"], "none.csv"),
        (["coverage", "shop", "--log", "scenarios/shop/knowledge/faq.csv"], "no column contains"),
        (["coverage", "shop", "--run", "zzz"], "no store"),
        (["coverage", "shop", "--user", "Bob"], "--log FILE"),
    ],
)
def test_wrong_input_is_said_and_ends_with_2(
    mogi: Mogi, shop: Path, args: list[str], told: str
) -> None:
    done = mogi(*args)
    assert 2 == done.status
    assert told in done.err


def test_another_clients_run_is_refused(mogi: Mogi, shop: Path) -> None:
    mogi("run", "demo-en", "--offline", "--limit", "1", "--quiet")
    done = mogi("coverage", "shop", "--run", "latest")
    assert 2 == done.status
    assert "isn't a run of shop but of demo-en" in done.err
