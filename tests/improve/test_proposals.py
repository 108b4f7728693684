"""What rules propose, and from whose words; a client's files beside a list of faults."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from simulator.core.result import Finding, Result, Why
from simulator.core.run import Episode, Run
from simulator.core.verdict import Verdict, Word
from simulator.files.client.folder import load_client
from simulator.files.knowledge import load_knowledge
from simulator.improve.candidates import Candidates
from simulator.improve.diffs import Diff, write
from simulator.improve.proposals import Written, written_by_people
from simulator.store.store import Store
from simulator.view.faults import Failure, FaultList, Remedy, faults_of
from tests.execution.scored import episode, header, rated, run, turn

REFUSED = "I am sorry, I cannot answer that."
FAQ = "id,title,content\nq1,Delivery,Delivery costs 5 euros.\nq2,Hours,We open at 9.\n"


def shop(tmp_path: Path, **said: str) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "faq.csv").write_text(FAQ, "utf-8")
    client = {"language": "en", "target": "{kind: demo}", "knowledge": "faq.csv"} | said
    lines = "".join(f"{name}: {value}\n" for name, value in client.items())
    (folder / "client.yaml").write_text(lines, "utf-8")
    (folder / "scenarios.yaml").write_text("- {id: a, query: Where is it?}\n", "utf-8")
    return folder


def fault(*scenarios: str, answered: str = "told") -> FaultList:
    failures = tuple(Failure(f"{s}/calm/1", s, 2, "asked", answered, "", ()) for s in scenarios)
    return FaultList(Remedy.ADD, "knowledge_gap", scenarios[0], True, "title", failures, ())


def proposed(folder: Path, written: Mapping[str, Written], *faults: FaultList) -> list[Diff]:
    proposer = Candidates(load_client(str(folder), cwd=folder.parent), written)
    return proposer.diffs("r", proposer.proposals(faults))


def test_what_two_people_wrote_can_both_be_put_in(tmp_path: Path) -> None:
    folder = shop(tmp_path)
    written = {
        "a": Written("Parking is behind the shop.", "Where do I park?", "Ann"),
        "b": Written("Bikes stand at the door.", "Where are bikes?", "Bob"),
    }
    diffs = proposed(folder, written, fault("a"), fault("b"))
    write(diffs, folder)
    entries = load_knowledge(folder / "faq.csv").documents()
    assert {"q1", "q2", "q3", "q4"} == {entry.id for entry in entries}


def test_an_entry_that_was_not_found_needs_no_answer_by_a_person(tmp_path: Path) -> None:
    folder = shop(tmp_path)
    words = ("How much is shipping to me?",)
    missed = replace(fault("a"), remedy=Remedy.FIND, entry="q1", words=words)
    [diff] = proposed(folder, {}, missed)
    write([diff], folder)
    [entry, _] = load_knowledge(folder / "faq.csv").documents()
    assert "How much is shipping to me?" in entry.text
    assert [] == proposed(folder, {}, replace(missed, remedy=Remedy.ADD))


def test_one_answer_makes_one_entry_however_it_was_asked_for(tmp_path: Path) -> None:
    answer = "Parking is behind the shop."
    written = {"a": Written(answer, "Where do I park?", "Ann"), "b": Written(answer, "Cars?", "Bo")}
    [diff] = proposed(shop(tmp_path), written, fault("a"), fault("b"))
    assert ("a/calm/1", "b/calm/1") == diff.listed("conversations")


@pytest.mark.parametrize("named", [{"knowledge": "../faq.csv"}, {"knowledge": "faq.json"}])
def test_what_lies_elsewhere_or_is_no_table_is_left_to_people(
    tmp_path: Path, named: dict[str, str]
) -> None:
    folder = shop(tmp_path, **named)
    (tmp_path / "faq.csv").write_text(FAQ, "utf-8")
    (folder / "faq.json").write_text('[{"id": "q1", "title": "a", "content": "b"}]', "utf-8")
    written = {"a": Written("Parking is behind the shop.", "Where do I park?", "Ann")}
    assert not proposed(folder, written, fault("a"), fault("b"))


def judged(*said: tuple[Episode, Word]) -> Run:
    made = run(header())
    both = [
        (each, (Verdict(each.cell.key, 1, word, "Ann", "sheet", "2026-11-21T00:00:00Z"),))
        for each, word in said
    ]
    return replace(made, reviewed=lambda: iter(both))


def test_an_answer_that_is_right_beside_one_that_fails_mends_nothing(tmp_path: Path) -> None:
    """What failed was asked on another turn; only a conversation that passed was answered right."""
    talk = episode(turn(rated(5)))
    failing = replace(talk, finding=Finding(Result.FAILED, Why.NEVER_SAID))
    passing = replace(
        episode(turn(rated(5)), scenario="other"), finding=Finding(Result.PASSED, Why.SAID)
    )
    with Store.create(f"sqlite:///{tmp_path / 'mogi.db'}") as store:
        found = written_by_people(store, judged((failing, Word.OK), (passing, Word.OK)))
    assert {"other"} == found.keys()


def test_what_users_said_comes_in_the_order_in_which_it_was_said() -> None:
    """Where all was said as often; the order of a set is another one in each process."""
    said = [f"My parcel, number {n}, where?" for n in "abcdefgh"]
    asked = turn(rated(1)).exchange
    talk = episode(*(turn(rated(1), exchange=replace(asked, user=text)) for text in said))
    failing = replace(talk, finding=Finding(Result.FAILED, Why.NEVER_SAID))
    [found] = faults_of(replace(run(header()), episodes=lambda: iter([failing])))
    assert tuple(said) == found.words


STALE = (
    "id,title,content\n"
    "q1,How do I pay at a store?,Type the number into the machine. The fee of 110 yen is yours.\n"
    "q2,How do I pay by transfer?,The fee of 330 yen is yours.\n"
)


def test_a_stale_number_is_corrected_in_the_entry_that_was_found(tmp_path: Path) -> None:
    folder = shop(tmp_path)
    (folder / "faq.csv").write_text(STALE, "utf-8")
    failure = fault("a").failures[0]
    documents = tuple(load_knowledge(folder / "faq.csv").documents()[:1])
    failure = replace(failure, documents=documents, answered=documents[0].text)
    found = replace(fault("a"), failures=(failure,))
    written = {"a": Written("The fee at a store is 220 yen.", "How much is it at a store?", "Ann")}
    write(proposed(folder, written, found), folder)
    text = (folder / "faq.csv").read_text("utf-8")
    assert STALE.replace("110", "220") == text


GUIDELINES = """\
- Answer from the articles only.
- Do not answer questions such as “Where do I park?”, “How do I get to you by bus?”, “Will you \
marry me?”; hand them over to the desk.
- Questions such as “May I park?” are answered from the knowledge base: yes.
"""


def test_a_guideline_on_something_else_is_left_alone(tmp_path: Path) -> None:
    folder = shop(tmp_path)
    (folder / "guidelines.md").write_text(GUIDELINES, "utf-8")
    written = {"a": Written("Soles take four days.", "How long do soles take?", "Ann")}
    write(proposed(folder, written, fault("a", answered=REFUSED)), folder)
    assert (folder / "guidelines.md").read_text("utf-8").startswith(GUIDELINES)


LOCKERS = "id,title,content\nq1,Lockers,The coin is returned to you. A lost key costs 15 euros.\n"


def test_an_entry_on_something_else_is_not_corrected(tmp_path: Path) -> None:
    """Its coin is returned; the price of a ticket is not."""
    folder = shop(tmp_path)
    (folder / "faq.csv").write_text(LOCKERS, "utf-8")
    answer = "Tickets are valid for 6 months. The price is not returned to you."
    written = {"a": Written(answer, "How long is a ticket valid?", "Ann")}
    [diff] = proposed(folder, written, fault("a"))
    assert "01-added-a.diff" == diff.name
