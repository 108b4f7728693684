"""Each test is found by the room that it belongs to, and a room's tests are not all tests."""

from tests.__main__ import CODE, TESTS, files_of, rooms


def test_every_test_belongs_to_a_room() -> None:
    found = set().union(*map(files_of, rooms()))
    assert set(TESTS.rglob("test_*.py")) == found


def test_every_folder_of_the_code_is_a_room() -> None:
    assert {p.parent.name for p in CODE.glob("*/__init__.py")} <= set(rooms())


def test_a_room_is_checked_by_what_imports_it_and_by_its_commands() -> None:
    names = {str(p.relative_to(TESTS)) for p in files_of("compare")}
    assert {"compare/test_rows.py", "e2e/test_compare.py"} <= names
    assert all("/cli/" not in name for name in names)


def test_the_ground_that_all_stand_on_is_checked_by_its_own_tests() -> None:
    assert {TESTS / "core"} == {p.parent for p in files_of("core")}
