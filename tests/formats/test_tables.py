import pytest

from simulator.formats.tables import Record, Row, same_name, table_of
from tests.formats.written import SOURCE, complaints


def test_cells_stand_under_the_names_of_their_columns() -> None:
    table = table_of(SOURCE, [Record(1, {0: "id", 2: "v"}), Record(3, {0: "a", 1: "note", 2: "b"})])
    assert ("id", "", "v") == table.columns
    assert (Row(3, {"id": "a", "v": "b"}),) == table.rows


def test_a_remark_beside_the_table_is_no_row() -> None:
    assert () == table_of(SOURCE, [Record(1, {0: "id"}), Record(2, {5: "remark"}, {6: "!"})]).rows


def test_cells_that_cannot_be_read_are_told_of_the_columns_that_matter() -> None:
    table = table_of(SOURCE, [Record(1, {0: "id", 1: "v"}), Record(2, {}, {0: "bad", 1: "worse"})])
    assert ["x.yaml:2: v: worse"] == [str(c) for c in table.broken(["v"])]


def test_every_name_that_stands_there_twice_is_told() -> None:
    header = Record(1, dict(enumerate(["id", "a", "ＩＤ", "A ", "id"])))
    assert [
        'x.yaml:1: the column "a" appears twice; keep one of them',
        'x.yaml:1: the column "id" appears twice; keep one of them',
    ] == complaints(lambda: table_of(SOURCE, [header]))


def test_a_header_that_cannot_be_read_is_a_complaint() -> None:
    header = Record(1, {0: "id"}, {1: "the cell holds the error #N/A; mend it"})
    assert ["x.yaml:1: the cell holds the error #N/A; mend it"] == complaints(
        lambda: table_of(SOURCE, [header])
    )


@pytest.mark.parametrize(
    "name", ["expected answer", " Expected\nAnswer", "ＥＸＰＥＣＴＥＤ　answer "]
)
def test_names_are_the_same_whatever_their_case_width_and_space(name: str) -> None:
    assert "expected answer" == same_name(name)
