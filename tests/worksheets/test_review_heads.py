import pytest

from simulator.worksheets.columns import COLUMNS, fault_of, find_heads, parted_word, review_column
from simulator.worksheets.reading import grid_of
from tests.worksheets.review_grids import IDS, cells_of, grid, row

VERDICT = IDS.index("verdict")


@pytest.mark.parametrize("column", COLUMNS, ids=lambda c: c.id)
def test_a_column_is_known_by_its_head_in_either_language(column: object) -> None:
    from simulator.worksheets.columns import ReviewColumn

    assert isinstance(column, ReviewColumn)
    assert {column.id} == {review_column(head) for head in (*column.heads.values(), column.id)}


@pytest.mark.parametrize(
    "head",
    [
        "判定 (OK/NG)",
        "判定（OK か NG）",
        " 判 定 ",
        "判定：必須",
        "判定※",
        "VERDICT",
        "ｖｅｒｄｉｃｔ",
        "正誤",
    ],
)
def test_width_case_space_and_remarks_make_no_difference(head: str) -> None:
    assert "verdict" == review_column(head)


@pytest.mark.parametrize("head", ["", "verdict by the team", "判定日", "メモ", "(判定)"])
def test_any_other_column_is_somebodys_own(head: str) -> None:
    assert review_column(head) is None


def test_the_head_need_not_be_the_first_row() -> None:
    rows: list[list[object]] = [["Reviews of November"], [], *cells_of(row(verdict="OK"))]
    found = find_heads(grid_of("Review", rows).records)
    assert found is not None
    assert 1 == found.at  # of the rows that hold anything
    assert [0] == found.places["key"]


def test_a_table_of_something_else_has_no_such_head() -> None:
    assert (
        find_heads(grid_of("Config", [["metric", "threshold"], ["overall", 0.7]]).records) is None
    )
    assert find_heads([]) is None


def test_renamed_heads_are_known_by_what_stands_below_them() -> None:
    rows = cells_of(row(verdict="OK"), row(turn=2, verdict="×"), row(turn=3))
    rows[0][0], rows[0][VERDICT] = "ID", "どうですか"
    found = find_heads(grid_of("Review", rows).records)
    assert found is not None
    assert {"key", "verdict"} == found.guessed
    assert "どうですか" == found.named("verdict")


@pytest.mark.parametrize("cells", [["OK", "maybe"], ["1", "0"], ["", ""]])
def test_a_column_that_may_hold_anything_is_not_taken_for_the_verdicts(cells: list[str]) -> None:
    rows = cells_of(*(row(turn=n, verdict=cell) for n, cell in enumerate(cells, 1)))
    rows[0][VERDICT] = "mine"
    found = find_heads(grid_of("Review", rows).records)
    assert found is not None
    assert ["verdict"] == list(found.missing())


def test_of_two_columns_that_may_hold_the_verdicts_none_is_taken() -> None:
    rows = cells_of(row(verdict="OK"))
    rows[0][VERDICT] = "mine"
    found = find_heads(
        grid_of(
            "Review", [[*line, more] for line, more in zip(rows, ("b", "NG"), strict=True)]
        ).records
    )
    assert found is not None
    assert "verdict" not in found.places


def test_a_head_that_stands_there_twice_has_two_places() -> None:
    found = find_heads([*grid(row()).records])
    assert found is not None
    rows = [[*line, more] for line, more in zip(cells_of(row()), ("verdict", "NG"), strict=True)]
    found = find_heads(grid_of("Review", rows).records)
    assert found is not None
    assert [VERDICT, len(IDS)] == found.places["verdict"]


@pytest.mark.parametrize(
    ("text", "parted"),
    [
        ("NG（期限がない）", ("NG", "期限がない")),
        ("NG：期限がない", ("NG", "期限がない")),
        ("NG: no limit", ("NG", "no limit")),
        ("○ 期限もある", ("○", "期限もある")),
        ("NGです。期限がない", ("NG", "期限がない")),
        ("OK！", ("OK", "")),
        ("✓", ("✓", "")),
        ("✔\ufe0f", ("✔\ufe0f", "")),
        ("不可", ("不可", "")),
        ("✕", ("✕", "")),
        ("たぶんOK", None),
        ("OK（たぶん）", None),
        ("OK?", None),
        ("OKだが惜しい", None),
        ("1、期限がない", None),
        ("", None),
    ],
)
def test_a_remark_behind_a_word_is_told_from_it(text: str, parted: tuple[str, str] | None) -> None:
    assert parted == parted_word(text)


def test_error_types_are_one_vocabulary_whatever_they_are_called() -> None:
    assert {"検索漏れ", "Not retrieved", "retrieval_miss", "Retrieval miss"} == {
        text
        for text in ("検索漏れ", "Not retrieved", "retrieval_miss", "Retrieval miss", "遅い")
        if fault_of(text) == "retrieval_miss"
    }
    assert ("unsupported", "遅い") == (fault_of("事実と違う"), fault_of("遅い"))
