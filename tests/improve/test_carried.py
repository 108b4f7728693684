"""A diff that takes an entry away takes along what scenarios expect of it."""

from dataclasses import replace
from pathlib import Path

import pytest

from simulator.files.client.folder import LoadedClient, load_client
from simulator.formats.own_files import unified
from simulator.improve.carried import carried
from simulator.improve.diffs import Diff, by_hand, copy_with
from simulator.improve.search import together

FAQ = """\
id,title,content
q1,Delivery,Delivery costs 5 euros within the country.
q2,What does delivery cost?,Delivery costs 7 euros within the country.
q3,Hours,We open at 9 on weekdays.
"""
YAML = """\
- {id: a, query: What does delivery cost?, expected: {elements: [5 euros], documents: [q2]}}
- id: b
  query: When are you open?
  expected:
    documents: [q3]
"""
CSV = "id,query,expected.elements,expected.documents\na,Cost?,5 euros,q2\nb,Open?,,q3\n"


def shop(tmp_path: Path, name: str, text: str) -> LoadedClient:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "faq.csv").write_text(FAQ, "utf-8")
    (folder / name).write_text(text, "utf-8")
    (folder / "client.yaml").write_text(
        f"language: en\ntarget: {{kind: demo}}\nknowledge: faq.csv\nscenarios: {name}\n", "utf-8"
    )
    return load_client(str(folder), cwd=tmp_path)


def after(diff: Diff, loaded: LoadedClient, tmp_path: Path) -> LoadedClient:
    copy = copy_with([diff], Path(loaded.client.folder), tmp_path / "copy")
    return load_client(str(copy), cwd=tmp_path)


def changed(old: str, new: str) -> Diff:
    return Diff("a.diff", unified("faq.csv", FAQ, FAQ.replace(old, new)))


TWIN = "q2,What does delivery cost?,Delivery costs 7 euros within the country.\n"


@pytest.mark.parametrize(("name", "text"), [("scenarios.yaml", YAML), ("scenarios.csv", CSV)])
def test_who_expected_a_deleted_entry_expects_the_twin_that_remains(
    tmp_path: Path, name: str, text: str
) -> None:
    loaded = shop(tmp_path, name, text)
    diff = carried(changed(TWIN, ""), loaded)
    assert f"+++ {name}" in diff.text
    assert () == by_hand(diff, loaded)
    scenarios = after(diff, loaded, tmp_path).scenarios
    assert (("q1",), ("q3",)) == tuple(s.expected.documents for s in scenarios.values())
    assert (("5 euros",),) == scenarios["a"].expected.elements


def test_a_new_id_is_expected_in_the_place_of_the_old_one(tmp_path: Path) -> None:
    loaded = shop(tmp_path, "scenarios.yaml", YAML)
    scenarios = after(carried(changed("q3,", "hours,"), loaded), loaded, tmp_path).scenarios
    assert ("hours",) == scenarios["b"].expected.documents


@pytest.mark.parametrize(("name", "text"), [("scenarios.yaml", YAML), ("scenarios.csv", CSV)])
def test_attack_a_deletion_without_a_twin_still_has_to_be_answered(
    tmp_path: Path, name: str, text: str
) -> None:
    loaded = shop(tmp_path, name, text)
    diff = carried(changed("q3,Hours,We open at 9 on weekdays.\n", ""), loaded)
    expected = after(diff, loaded, tmp_path).scenarios["b"].expected
    assert ((), True) == (expected.documents, expected.can_be_answered)


def test_other_diffs_stay_as_they_are(tmp_path: Path) -> None:
    loaded = shop(tmp_path, "scenarios.yaml", YAML)
    for diff in (
        changed("7 euros", "5 euros"),
        Diff("b.diff", unified("scenarios.yaml", YAML, YAML.replace("[q2]", "[q1]"))),
    ):
        assert diff is carried(diff, loaded)


def test_two_entries_of_one_id_are_not_made_together(tmp_path: Path) -> None:
    loaded = shop(tmp_path, "scenarios.yaml", YAML)
    folder, added = Path(loaded.client.folder), "q4,Parking,Behind the shop.\n"
    first = changed(FAQ, FAQ + added)
    second = replace(changed(FAQ, FAQ + "q4,Pets,Dogs are welcome.\n"), name="b.diff")
    assert ([first], [second]) == together([first, second], folder)
