"""`mogi improve`: the list, proposals and their proof, on a shop whose entry on parking is lost."""

import re
import shutil
from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook  # type: ignore[import-untyped]

from simulator.core.verdict import Verdict, Word
from simulator.formats.own_files import unified
from simulator.store.store import Store
from tests.e2e.conftest import Mogi
from tests.e2e.process import ROOT
from tests.expecting import as_its_schema_says

KNOWLEDGE = """\
id,title,content
q1,How much is delivery?,Delivery costs 5 euros and is free from 50 euros.
q2,When are you open?,We are open from 9 to 18 on weekdays.
q3,Can I return shoes?,Shoes can be returned within 30 days with the receipt.
q4,Do you repair shoes?,Repairs of soles take four days and cost 20 euros.
"""
SCENARIOS = """\
- {id: delivery, query: How much is delivery?, expected: {elements: [5 euros]}}
- {id: hours, query: Are you open on weekdays?, expected: {elements: [9 to 18]}}
- {id: returns, query: Can I return shoes?, expected: {elements: [30 days]}}
- {id: repairs, query: Do you repair shoes?, expected: {elements: [four days]}}
- {id: parking, query: Where can I park my car?, expected: {elements: [behind the shop]}}
"""
CORRECTED = "You can park your car behind the shop; parking is free for two hours."
UNSEEN = [
    "Is there parking for a car?",
    "Can I park my car at the shop?",
    "How long can I park for free?",
    "Parking for two hours, where?",
    "Where is free parking?",
    "I want to park behind the shop, is that free?",
    "Do I pay for parking my car?",
    "Car park: where is it?",
]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "scenarios" / "shop"
    folder.mkdir(parents=True)
    (folder / "faq.csv").write_text(KNOWLEDGE, "utf-8")
    (folder / "scenarios.yaml").write_text(SCENARIOS, "utf-8")
    (folder / "client.yaml").write_text(
        "language: en\ntarget: {kind: demo}\nknowledge: faq.csv\nmax_turns: 2\n"
        "personas: [calm, hurried, business]\ngate: {must_pass: [delivery]}\n",
        "utf-8",
    )
    lines = (
        f"- {{id: unseen{n}, query: '{query}', expected: {{elements: [behind the shop]}}}}\n"
        for n, query in enumerate(UNSEEN)
    )
    (tmp_path / "unseen.yaml").write_text("".join(lines), "utf-8")
    return folder


@pytest.fixture
def run(mogi: Mogi, shop: Path, tmp_path: Path) -> str:
    """A run on which a person wrote what is right."""
    name: str = mogi("run", "shop", "--persona", "calm", "--json").json["run"]
    said = Verdict(
        "parking/calm/1", 1, Word.NG, "Mori", "sheet", "2026-11-01T00:00:00+00:00",
        corrected=CORRECTED,
    )  # fmt: skip
    with Store.create(f"sqlite:///{tmp_path / 'mogi.db'}") as store:
        store.add_verdicts(name, [said])
    return name


def test_what_would_mend_is_listed_with_what_users_said(mogi: Mogi, run: str) -> None:
    shown = mogi("improve", "latest")
    assert 0 == shown.status, shown.err
    assert "1 of 5 conversations failed" in shown.out
    assert "Where can I park my car?" in shown.out
    assert "parking/calm/1" in shown.out
    assert f"mogi improve {run} --fix" in shown.out
    [fault] = mogi("improve", "latest", "--json").json["faults"]
    assert (["parking"], ["parking/calm/1"]) == (fault["scenarios"], fault["conversations"])


def test_the_list_is_written_for_people(mogi: Mogi, run: str) -> None:
    assert 0 == mogi("improve", "latest", "--list", "mend.md").status
    text = Path("mend.md").read_text("utf-8")
    assert "| 1 | add the missing entry |" in text
    assert f"mogi show {run} parking/calm/1 |" in text
    assert 0 == mogi("improve", "latest", "--list", "mend.xlsx").status
    sheet = load_workbook("mend.xlsx")["To fix"]
    assert [1, "add the missing entry"] == [cell.value for cell in sheet[2]][:2]
    wrong = mogi("improve", "latest", "--list", "mend.pdf")
    assert (2, True) == (wrong.status, "ends in .md or .xlsx" in wrong.err)


def test_a_corrected_answer_becomes_an_entry_that_unseen_questions_prove(
    mogi: Mogi, run: str, shop: Path
) -> None:
    proposed = mogi("improve", "latest", "--propose", "-o", "fixes")
    assert 0 == proposed.status, proposed.err
    [file] = Path("fixes").glob("*.diff")
    diff = file.read_text("utf-8")
    assert f"+q5,Where can I park my car,{CORRECTED}\n" in diff
    assert "based on what Mori wrote or approved" in diff
    prove = ("improve", "latest", "--prove", "fixes", "--on", "unseen.yaml")
    done = mogi(*prove, "--json", "--quiet")
    [proof] = done.json["proofs"]
    assert (0, "accepted", []) == (done.status, proof["proven"], proof["newly_failing"]), proof
    assert proof["better"] >= 6
    assert KNOWLEDGE == (shop / "faq.csv").read_text("utf-8")
    assert done.json["calls"]["target"] > 0
    assert done.json["full_rerun_calls"] > 0
    assert set(UNSEEN) <= {cell["scenario"] for cell in proof["cells"] if cell["unseen"]}
    accepted = mogi(*prove, "--accept", "--quiet")
    assert 0 == accepted.status, accepted.err
    assert "changed: faq.csv" in accepted.err
    assert "added as a scenario: parking-regression" in accepted.err
    assert (shop / "faq.csv").read_text("utf-8").startswith(KNOWLEDGE)
    assert "- regression" in (shop / "scenarios.yaml").read_text("utf-8")


def test_two_commands_fix_a_bot(mogi: Mogi, run: str, shop: Path) -> None:
    before = (shop / "faq.csv").read_text("utf-8")
    done = mogi("improve", "latest", "--fix", "--on", "unseen.yaml", "--quiet")
    assert 0 == done.status, done.out + done.err
    assert "accepted" in done.out
    assert "none worse" in done.out
    assert "p = " not in done.out
    assert f"mogi improve {run} --accept" in done.out
    assert before == (shop / "faq.csv").read_text("utf-8")
    again = mogi("improve", "latest", "--fix", "--on", "unseen.yaml", "--quiet", "--json")
    as_its_schema_says("improve", again.json)
    [fix] = again.json["fixes"]
    assert ("accepted", False) == (fix["proven"], fix["code"])
    accepted = mogi("improve", "latest", "--accept", "--json")
    assert 0 == accepted.status, accepted.err
    as_its_schema_says("improve", accepted.json)
    assert ([fix["file"]], ["faq.csv"]) == (accepted.json["accepted"], accepted.json["changed"])
    assert "changed: faq.csv" in accepted.err
    words = accepted.err.partition("commit message:")[2]
    assert "  after: " in words
    assert "behind the shop" in words
    assert "p = " not in words
    assert CORRECTED in (shop / "faq.csv").read_text("utf-8")
    twice = mogi("improve", "latest", "--accept", "--json")
    assert (0, True) == (twice.status, "already in the files" in twice.err)
    assert ([], []) == (twice.json["accepted"], twice.json["changed"])


def test_a_folder_of_texts_gets_a_file_more(mogi: Mogi, run: str, shop: Path) -> None:
    texts = shop / "texts"
    texts.mkdir()
    for row in KNOWLEDGE.splitlines()[1:]:
        name, title, content = row.split(",", 2)
        (texts / f"{name}.md").write_text(f"# {title}\n\n{content}\n", "utf-8")
    client = (shop / "client.yaml").read_text("utf-8").replace("faq.csv", "texts")
    (shop / "client.yaml").write_text(client, "utf-8")
    before = {path.name: path.read_text("utf-8") for path in texts.iterdir()}
    done = mogi("improve", "latest", "--fix", "--on", "unseen.yaml", "--quiet")
    assert 0 == done.status, done.out + done.err
    accepted = mogi("improve", "latest", "--accept")
    assert "changed: texts/where-can-i-park-my-car.md" in accepted.err, accepted.err
    after = {path.name: path.read_text("utf-8") for path in texts.iterdir()}
    new = f"# Where can I park my car\n\n{CORRECTED}\n"
    assert before | {"where-can-i-park-my-car.md": new} == after


OBEYS = """\
import csv, pathlib, re
HERE = pathlib.Path(__file__).parent
WORDS = re.compile("[a-z]{4,}")
def answer(question, history):
    asked = question.lower()
    for line in (HERE / "guidelines.md").read_text("utf-8").splitlines():
        if line.startswith("- Decline: ") and line[11:] in asked:
            return "I'm sorry, I can't answer that. Please ask the vet.", []
    rows = list(csv.DictReader((HERE / "faq.csv").read_text("utf-8").splitlines()))
    words = set(WORDS.findall(asked))
    best = max(rows, key=lambda r: len(words & set(WORDS.findall(" ".join(r.values()).lower()))))
    return best["content"], [best]
"""
MITES = "q5,Mites and inspections,Use two mite strips for a box. An inspection costs 18 euros.\n"


@pytest.mark.parametrize(("declined", "status"), [("mite", 3), ("strips", 0)])
def test_a_guideline_may_decline_no_more_than_a_person_did(
    mogi: Mogi, shop: Path, tmp_path: Path, declined: str, status: int
) -> None:
    query = "How many mite strips do I need?"
    (shop / "faq.csv").write_text(KNOWLEDGE + MITES, "utf-8")
    (shop / "guidelines.md").write_text("- Be kind.\n", "utf-8")
    (shop / "bot.py").write_text(OBEYS, "utf-8")
    client = (shop / "client.yaml").read_text("utf-8")
    bot = '{kind: function, function: "bot:answer"}'
    (shop / "client.yaml").write_text(client.replace("{kind: demo}", bot), "utf-8")
    strips = f"- {{id: strips, query: '{query}', expected: {{answerable: false}}}}\n"
    (shop / "scenarios.yaml").write_text(SCENARIOS + strips, "utf-8")
    run = mogi("run", "shop", "--persona", "calm", "--json").json["run"]
    said = Verdict(
        "strips/calm/1", 1, Word.NG, "Mori", "sheet", "2026-11-01T00:00:00+00:00",
        corrected="I'm sorry, I can't say how many mite strips you need. Please ask the vet.",
    )  # fmt: skip
    with Store.create(f"sqlite:///{tmp_path / 'mogi.db'}") as store:
        store.add_verdicts(run, [said])
    line = f"- Be kind.\n- Decline: {declined}\n"
    Path("a.diff").write_text(unified("guidelines.md", "- Be kind.\n", line), "utf-8")
    done = mogi("improve", "latest", "--prove", "a.diff", "--quiet")
    assert status == done.status, done.out + done.err


def test_a_workbook_of_knowledge_is_left_to_people(mogi: Mogi, run: str, shop: Path) -> None:
    book = Workbook()
    for row in KNOWLEDGE.splitlines():
        book.active.append(row.split(",", 2))
    book.save(shop / "faq.xlsx")
    client = (shop / "client.yaml").read_text("utf-8").replace("faq.csv", "faq.xlsx")
    (shop / "client.yaml").write_text(client, "utf-8")
    done = mogi("improve", "latest", "--fix", "--quiet")
    assert "mogi can't change this knowledge base" in " ".join(done.out.split()), done.out


def test_what_was_proved_passes_in_the_next_run(mogi: Mogi, shop: Path, tmp_path: Path) -> None:
    scenarios = SCENARIOS.replace("elements: [behind the shop]", "answer: 'At the back, free.'")
    (shop / "scenarios.yaml").write_text(scenarios, "utf-8")
    run = mogi("run", "shop", "--persona", "calm", "--json").json["run"]
    said = Verdict(
        "parking/calm/1", 1, Word.NG, "Mori", "sheet", "2026-11-01T00:00:00+00:00",
        corrected=CORRECTED,
    )  # fmt: skip
    with Store.create(f"sqlite:///{tmp_path / 'mogi.db'}") as store:
        store.add_verdicts(run, [said])
    mogi("improve", "latest", "--fix", "--on", "unseen.yaml", "--quiet")
    accepted = mogi("improve", "latest", "--accept")
    command = "mogi review apply shop --write"
    assert f"answer: parking; to make them expect the corrected one: {command}" in accepted.err
    assert "undecided" in mogi("run", "shop", "--persona", "calm").out
    assert 0 == mogi(*command.split()[1:]).status
    after = mogi("run", "shop", "--persona", "calm", "--json").json
    assert (6, 0) == (after["passed"], after["undecided"]), after["why"]


def test_what_was_changed_since_it_was_proved_is_not_written(
    mogi: Mogi, run: str, shop: Path
) -> None:
    mogi("improve", "latest", "--fix", "--on", "unseen.yaml", "--quiet")
    changed = KNOWLEDGE.replace("5 euros", "6 euros")
    (shop / "faq.csv").write_text(changed, "utf-8")
    done = mogi("improve", "latest", "--accept")
    assert (2, True) == (done.status, "faq.csv: changed after" in done.err), done.err
    assert changed == (shop / "faq.csv").read_text("utf-8")


CUTS = """\
import csv, pathlib
FAQ = pathlib.Path(__file__).parent / "faq.csv"
ROWS = list(csv.DictReader(FAQ.read_text("utf-8").splitlines()))
def answer(question, history):
    words = set(question.lower().strip("?!. ").split())
    best = max(ROWS, key=lambda r: len(words & set(r["title"].lower().strip("?").split())))
    return best["content"][:45], [best]
"""


def test_a_cut_is_one_cause_that_asking_again_confirms(mogi: Mogi, shop: Path) -> None:
    things = ["boots", "sandals", "belts", "bags", "socks", "laces", "gloves", "hats"]
    rows = (
        f"e{n},What do {thing} cost?,Our {thing} are made in the village and cost {n + 20} euros.\n"
        for n, thing in enumerate(things)
    )
    asked = (
        f"- {{id: e{n}, query: What do {thing} cost?, expected: {{elements: [{n + 20} euros]}}}}\n"
        for n, thing in enumerate(things)
    )
    (shop / "faq.csv").write_text("id,title,content\n" + "".join(rows), "utf-8")
    (shop / "scenarios.yaml").write_text("".join(asked), "utf-8")
    (shop / "bot.py").write_text(CUTS, "utf-8")
    (shop / "client.yaml").write_text(
        'language: en\ntarget: {kind: function, function: "bot:answer"}\nknowledge: faq.csv\n'
        "personas: [calm, hurried, business]\nmax_turns: 1\n",
        "utf-8",
    )
    mogi("run", "shop", "--quiet")
    shown = mogi("improve", "latest")
    assert "may be one cause: truncated answers (at about 45 characters)" in shown.out
    done = mogi("improve", "latest", "--fix", "--quiet")
    assert 1 == done.status, done.out + done.err  # all is decided: it is the bot's code
    assert "asking 8 questions again" in done.err
    assert "one cause: truncated answers" in done.out
    assert "8 of 8 answers support it" in done.out
    assert "for an engineer" in done.out
    figures = mogi("improve", "latest", "--fix", "--quiet", "--json")
    as_its_schema_says("improve", figures.json)
    [suspect] = figures.json["suspects"]
    assert ("cut", "confirmed", True) == (suspect["cause"], suspect["standing"], suspect["code"])


def test_what_is_listed_proposed_and_proved_is_as_its_schema_says(mogi: Mogi, run: str) -> None:
    prove = ("--prove", "fixes", "--quiet")
    for said in ((), ("--propose",), prove, (*prove, "--on", "unseen.yaml")):
        done = mogi("improve", "latest", *said, "--json")
        as_its_schema_says("improve", done.json)


def test_a_proof_needs_no_questions_written_by_hand(mogi: Mogi, run: str) -> None:
    mogi("improve", "latest", "--propose")
    done = mogi("improve", "latest", "--prove", "fixes", "--quiet")
    assert 0 == done.status, done.out
    assert "accepted" in done.out
    assert "none worse" in done.out


BICYCLES = [
    "Where can I put a bicycle?",
    "My bicycle: where can I put it?",
    "Where do bicycles stand?",
    "Can bicycles stand in front of the shop?",
    "Bicycle: where can I put mine?",
    "Where can I put my daughter's bicycle?",
]


@pytest.mark.parametrize(
    ("about", "answer", "proven"),
    [
        ("conversations: parking/calm/1\n", ", answer: Bicycles stand in front.", "rejected"),
        ("", ", answer: Bicycles stand in front.", "accepted"),
        ("", "", "undecided"),
    ],
)
def test_a_change_for_another_topic_needs_no_fault_and_a_persons_answer(
    mogi: Mogi, run: str, about: str, answer: str, proven: str
) -> None:
    entry = "q6,Where can I put my bicycle?,The bicycle stand is in front of the shop.\n"
    diff = f"reason: bicycles\n{about}\n" + unified("faq.csv", KNOWLEDGE, KNOWLEDGE + entry)
    Path("a.diff").write_text(diff, "utf-8")
    lines = (
        f'- {{id: b{n}, query: "{query}", expected: {{elements: [in front]{answer}}}}}\n'
        for n, query in enumerate(BICYCLES)
    )
    Path("on.yaml").write_text("".join(lines), "utf-8")
    done = mogi("improve", "latest", "--prove", "a.diff", "--on", "on.yaml", "--quiet", "--json")
    assert proven == done.json["proofs"][0]["proven"], done.out


def test_a_diff_shows_its_own_questions_and_not_what_an_earlier_one_fixed(
    mogi: Mogi, shop: Path, run: str
) -> None:
    fixed = f"{KNOWLEDGE}q5,Where can I park my car,{CORRECTED}\n"
    (shop / "faq.csv").write_text(fixed, "utf-8")
    entry = "q6,Where can I put my bicycle?,The bicycle stand is in front of the shop.\n"
    Path("a.diff").write_text(unified("faq.csv", fixed, fixed + entry), "utf-8")
    lines = (
        f'- {{id: b{n}, query: "{query}", expected: {{elements: [in front]}}}}\n'
        for n, query in enumerate(BICYCLES)
    )
    Path("on.yaml").write_text("".join(lines), "utf-8")
    done = mogi("improve", "latest", "--prove", "a.diff", "--on", "on.yaml", "--quiet")
    assert re.findall(r"question +(.+)", done.out)[0] in BICYCLES, done.out


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("at the station", {"How much is delivery to the station?": "5 euros"}),
        (
            "at the harbour station tunnel",
            {"Where is it?": "harbour", "Where do I pay?": "station", "Is it far?": "tunnel"},
        ),
    ],
)
def test_questions_and_several_answers_together_bear_nothing_out(
    mogi: Mogi, run: str, place: str, expected: dict[str, str]
) -> None:
    entry = f'q5,Where can I park my car,"You can park {place}, free for two hours."\n'
    Path("a.diff").write_text(unified("faq.csv", KNOWLEDGE, KNOWLEDGE + entry), "utf-8")
    lines = (
        f"- {{id: b{n}, query: {query}, expected: {{elements: [{element}]}}}}\n"
        for n, (query, element) in enumerate(expected.items())
    )
    Path("on.yaml").write_text("".join(lines), "utf-8")
    done = mogi("improve", "latest", "--prove", "a.diff", "--on", "on.yaml", "--quiet", "--json")
    assert "undecided" == done.json["proofs"][0]["proven"], done.out


def test_a_diff_fixes_all_the_conversations_that_it_names(
    mogi: Mogi, shop: Path, tmp_path: Path
) -> None:
    more = "- {id: pets, query: Are dogs allowed?, expected: {elements: [on a leash]}}\n"
    scenarios = SCENARIOS.replace("[behind the shop]", f"[behind the shop], answer: {CORRECTED}")
    (shop / "scenarios.yaml").write_text(scenarios + more, "utf-8")
    mogi("run", "shop", "--persona", "calm", "--quiet")
    knowledge = f"{KNOWLEDGE}q5,Where can I park my car,{CORRECTED}\n"
    change = unified("faq.csv", KNOWLEDGE, knowledge)
    for named, proven in (
        ("parking/calm/1", "accepted"),
        ("parking/calm/1, pets/calm/1", "rejected"),
    ):
        Path("a.diff").write_text(f"reason: x\nconversations: {named}\n\n{change}", "utf-8")
        prove = ("improve", "latest", "--prove", "a.diff", "--on", "unseen.yaml")
        done = mogi(*prove, "--quiet", "--json")
        assert proven == done.json["proofs"][0]["proven"], done.out


def test_a_file_that_is_no_diff_is_told_before_who_would_ask(mogi: Mogi, shop: Path) -> None:
    mogi("run", "shop", "--offline", "--quiet")
    done = mogi("improve", "latest", "--prove", "scenarios/shop/client.yaml")
    assert 2 == done.status
    assert "scenarios/shop/client.yaml: isn't a diff; use a unified diff" in done.err
    assert "personas" not in done.err


def test_a_change_that_breaks_what_must_pass_is_rejected(
    mogi: Mogi, run: str, tmp_path: Path
) -> None:
    harm = tmp_path / "harm.diff"
    harm.write_text(
        "--- faq.csv\n+++ faq.csv\n@@ -1,3 +1,3 @@\n id,title,content\n"
        "-q1,How much is delivery?,Delivery costs 5 euros and is free from 50 euros.\n"
        "+q1,How much is delivery?,Delivery costs 7 euros and is free from 50 euros.\n"
        " q2,When are you open?,We are open from 9 to 18 on weekdays.\n",
        "utf-8",
    )
    done = mogi("improve", "latest", "--prove", "harm.diff", "--quiet", "--accept")
    assert (1, True) == (done.status, "must pass newly fails: “How much is delivery?”" in done.out)
    assert "changed:" not in done.err


def test_a_diff_that_deletes_an_expected_entry_is_proved(mogi: Mogi, shop: Path) -> None:
    twin = "q5,Soles,Repairs of soles take four days and cost 20 euros.\n"
    (shop / "faq.csv").write_text(KNOWLEDGE + twin, "utf-8")
    expecting = SCENARIOS.replace("[four days]", "[four days], documents: [q5]")
    (shop / "scenarios.yaml").write_text(expecting, "utf-8")
    mogi("run", "shop", "--persona", "calm", "--quiet")
    Path("a.diff").write_text(unified("faq.csv", KNOWLEDGE + twin, KNOWLEDGE), "utf-8")
    done = mogi("improve", "latest", "--prove", "a.diff", "--quiet")
    assert done.status in (1, 3), done.err
    assert "a.diff" in done.out


def test_plays_of_a_proof_are_no_runs_of_the_client(mogi: Mogi, run: str) -> None:
    mogi("improve", "latest", "--propose")
    mogi("improve", "latest", "--prove", "fixes", "--quiet")
    assert [run] == [each["run"] for each in mogi("runs", "--json").json["runs"]]


def test_another_bot_is_proved_by_its_folder(
    mogi: Mogi, run: str, shop: Path, tmp_path: Path
) -> None:
    staging = tmp_path / "scenarios" / "staging"
    staging.mkdir()
    for file in ("client.yaml", "scenarios.yaml"):
        (staging / file).write_text((shop / file).read_text("utf-8"), "utf-8")
    (staging / "faq.csv").write_text(f"{KNOWLEDGE}q5,Parking,{CORRECTED}\n", "utf-8")
    done = mogi(
        "improve", "latest", "--after", "staging", "--on", "unseen.yaml", "--quiet", "--json"
    )
    assert (0, "accepted") == (done.status, done.json["proofs"][0]["proven"]), done.json["proofs"]


def test_what_cannot_be_is_told(mogi: Mogi, run: str) -> None:
    cases: list[tuple[tuple[str, ...], str]] = [
        (("--propose", "--prove", "x"), "read the proposals first"),
        (("--prove", "x", "--after", "y"), "use only one of them"),
        (("--before", "y"), "--before requires --after"),
        (
            ("--accept",),
            "has no verified fixes; verify them first: mogi improve",
        ),
        (("--accept", "--after", "y"), "--accept applies what --fix or --prove DIFF"),
        (("--fix", "--accept"), "read the answers first"),
        (("--fix", "--propose"), "--fix proposes and"),
        (("--on", "f.yaml"), "--on requires"),
        (("--prove", "nowhere.diff"), "nowhere.diff"),
        (("--prove", "scenarios"), "--propose -o DIR"),
    ]
    for said, told in cases:
        done = mogi("improve", "latest", *said)
        assert (2, True) == (done.status, told in done.err), done.err


def test_a_knowledge_base_that_no_copy_holds_is_refused(mogi: Mogi, run: str, shop: Path) -> None:
    (shop / "faq.csv").rename(shop.parent / "faq.csv")
    client = (shop / "client.yaml").read_text("utf-8")
    (shop / "client.yaml").write_text(client.replace(": faq.csv", ": ../faq.csv"), "utf-8")
    Path("a.diff").write_text("--- a.md\n+++ a.md\n@@ -1 +1 @@\n-a\n+b\n", "utf-8")
    done = mogi("improve", "latest", "--prove", "a.diff")
    assert (2, True) == (
        done.status,
        "../faq.csv is outside the folder" in done.err,
    ), done.err


def test_a_bot_that_reads_no_copy_is_refused(mogi: Mogi, run: str, shop: Path) -> None:
    client = (shop / "client.yaml").read_text("utf-8")
    target = 'target: {kind: function, function: "elsewhere:answer"}'
    (shop / "client.yaml").write_text(client.replace("target: {kind: demo}", target), "utf-8")
    Path("a.diff").write_text("--- faq.csv\n+++ faq.csv\n@@ -1 +1 @@\n-a\n+b\n", "utf-8")
    done = mogi("improve", "latest", "--prove", "a.diff")
    assert (2, True) == (done.status, "can't run from a copy of its folder" in done.err), done.err


def test_answers_of_a_file_have_a_list_and_no_bot_to_change(mogi: Mogi) -> None:
    rows = "id,question,answer,ground_truth\na,Is it 3?,It is 3.,It is 4.\n"
    Path("answers.csv").write_text(rows, "utf-8")
    mogi("score", "answers.csv", "--language", "en", "--quiet")
    assert 0 == mogi("improve", "latest").status
    done = mogi("improve", "latest", "--propose")
    assert (2, True) == (done.status, "there's no bot to change" in done.err)


def test_a_folder_that_moved_is_named(mogi: Mogi, run: str, shop: Path) -> None:
    shop.rename(shop.with_name("moved"))
    done = mogi("improve", "latest", "--propose")
    assert (2, True) == (done.status, "set its folder with --client" in done.err)
    assert 0 == mogi("improve", "latest", "--propose", "--client", "moved").status


def test_a_client_that_comes_with_mogi_is_not_changed(mogi: Mogi) -> None:
    mogi("run", "demo-en", "--limit", "2", "--quiet")
    Path("a.diff").write_text("--- a\n+++ a\n@@ -1 +1 @@\n-a\n+b\n", "utf-8")
    done = mogi("improve", "latest", "--prove", "a.diff", "--accept")
    assert (2, True) == (done.status, "is built in, so mogi never" in done.err)


def test_what_a_diff_would_reach_is_refused_before_it_is_played(mogi: Mogi, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(ROOT / "scenarios" / "demo-en", tmp_path / "mine"))
    ran = mogi("run", "mine", "--untrusted", "--quiet", "--limit", "2")
    assert ran.status in (0, 1), ran.err
    text = (folder / "client.yaml").read_text("utf-8")
    evil = 'judge: {model: m, base_url: "https://evil.example/v1", api_key_env: MY_KEY}\n'
    (tmp_path / "a.diff").write_text(unified("client.yaml", text, text + evil), "utf-8")
    done = mogi("improve", "latest", "--prove", "a.diff", "--untrusted")
    assert 2 == done.status
    assert "--untrusted blocks the host https://evil.example" in done.err
    assert "--untrusted blocks the variable MY_KEY" in done.err


def run_with(bot: str, mogi: Mogi, shop: Path) -> None:
    """Run the shop with a bot of its own, without a gate."""
    (shop / "bot.py").write_text(bot, "utf-8")
    client = (shop / "client.yaml").read_text("utf-8")
    target = 'target: {kind: function, function: "bot:answer"}'
    client = client.replace("target: {kind: demo}", target).partition("gate:")[0]
    (shop / "client.yaml").write_text(client, "utf-8")
    mogi("run", "shop", "--persona", "calm", "--quiet")


def test_attack_an_accepted_diff_of_code_is_not_written(
    mogi: Mogi, shop: Path, tmp_path: Path
) -> None:
    bot = (
        "TEXT = 'No idea.'\ndef answer(question, history):\n"
        "    text = TEXT if 'park' in question.lower() else 'No idea.'\n    return text, [text]\n"
    )
    fixed = bot.replace("No idea.", CORRECTED, 1)
    run_with(bot, mogi, shop)
    (tmp_path / "a.diff").write_text(unified("bot.py", bot, fixed), "utf-8")
    prove = ("improve", "latest", "--prove", "a.diff", "--on", "unseen.yaml", "--accept")
    done = mogi(*prove, "--quiet")
    assert 0 == done.status, done.out + done.err
    assert "a.diff is accepted, but mogi doesn't edit bot.py" in done.err
    assert f"(cd {shop} && git apply -p0 {tmp_path / 'a.diff'})" in done.err
    assert bot == (shop / "bot.py").read_text("utf-8")


def test_attack_code_that_looks_for_the_words_of_one_question(mogi: Mogi, shop: Path) -> None:
    bot = "def answer(question, history):\n    text = 'No idea.'\n    return text, [text]\n"
    special = f"    if 'park' in question.lower():\n        return '{CORRECTED}', []\n"
    run_with(bot, mogi, shop)
    fixed = bot.replace("    text", f"{special}    text", 1)
    diff = f"reason: x\nconversations: parking/calm/1\n\n{unified('bot.py', bot, fixed)}"
    Path("a.diff").write_text(diff, "utf-8")
    done = mogi("improve", "latest", "--prove", "a.diff", "--quiet")
    assert 3 == done.status, done.out + done.err
    assert "only one scenario shows that it helps" in " ".join(done.out.split())


def test_attack_a_diff_plants_code_under_untrusted(mogi: Mogi, run: str, shop: Path) -> None:
    for name, told in (("Makefile", "which changes Makefile"), (".git/config", "a dotfile")):
        Path("a.diff").write_text(f"--- /dev/null\n+++ {name}\n@@ -0,0 +1 @@\n+evil\n", "utf-8")
        done = mogi("improve", "latest", "--prove", "a.diff", "--accept", "--untrusted")
        assert (2, True) == (done.status, told in done.err), done.err
        assert not (shop / name).exists()
