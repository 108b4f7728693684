"""A run as a workbook: which worksheets there are, and that a long run is never held whole."""

from collections.abc import Iterator
from dataclasses import replace

from simulator.core.persona import Language
from simulator.core.run import Episode
from simulator.reports._workbook import book_of
from tests.execution.scored import episode, header, run
from tests.reports.printed import WEAK, mixed


def test_the_worksheets_have_the_same_names_in_both_languages_but_for_the_guide() -> None:
    named: tuple[tuple[Language, str], ...] = (("ja", "使い方"), ("en", "How to judge"))
    for language, guide in named:
        titles = [sheet.title for sheet in book_of(mixed(language)).worksheets]
        assert [guide, "Review", "Log", "Summary", "Config"] == titles


def test_a_run_in_a_shared_spreadsheet_has_worksheets_of_its_own() -> None:
    book = book_of(mixed(), suffix=" 3f9ab2c1", log_title="会話ログ")
    named = ["How to judge", "Review", "Summary", "Config"]
    titles = [f"{title} 3f9ab2c1" for title in named]
    assert [*titles[:2], "会話ログ", *titles[2:]] == [sheet.title for sheet in book.worksheets]
    assert "Summary 3f9ab2c1" == book.opens_at


def test_the_program_knows_the_file_again() -> None:
    assert {"mogi.run": "3f9ab2c1", "mogi.client": "acme"} == book_of(mixed()).properties


def test_rows_are_read_one_conversation_at_a_time() -> None:
    read = 0

    def episodes() -> Iterator[Episode]:
        nonlocal read
        for n in range(5):
            read += 1
            yield episode(WEAK, scenario=f"s{n}")

    made = replace(run(header()), episodes=episodes, reviewed=lambda: ((e, ()) for e in episodes()))
    _, review, log, *_ = book_of(made).worksheets
    assert 5 == read  # for the longest conversation, and the order of the review
    for sheet, count in ((log, 1), (review, 5)):
        read = 0
        next(iter(sheet.rows()))
        assert count == read
