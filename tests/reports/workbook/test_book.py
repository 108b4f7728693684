"""A run as a workbook: which worksheets there are, and that a long run is never held whole."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from simulator.core.persona import Language
from simulator.core.run import Episode
from simulator.core.verdict import Verdict, VerdictSummary, Word
from simulator.reports._workbook import book_of
from tests.execution.scored import episode, header, run
from tests.reports.printed import WEAK, mixed
from tests.reports.workbook.made import titled, values


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
    assert ("Summary 3f9ab2c1", "Review 3f9ab2c1") == (book.opens_at, book.read_back)


def test_the_program_knows_the_file_again() -> None:
    assert {"mogi.run": "3f9ab2c1", "mogi.client": "acme"} == book_of(mixed()).properties


def test_each_conversation_is_read_once_whatever_people_say() -> None:
    read = 0

    def reviewed() -> Iterator[tuple[Episode, tuple[Verdict, ...]]]:
        nonlocal read
        for n in range(5):
            read += 1
            talk = episode(WEAK, scenario=f"s{n}")
            yield talk, tuple(Verdict(talk.cell.key, 1, word, word) for word in (Word.OK, Word.NG))

    of_calm = run(header(), *(episode(WEAK, scenario=f"s{n}") for n in range(5)))
    said = VerdictSummary(1, 1, 0, {})
    made = replace(of_calm, reviewed=reviewed, summary=replace(of_calm.summary, verdicts=said))
    book = titled(book_of(made))
    sizes = [len(list(book[name].rows())) for name in ("Review", "Log", "Review", "Log")]
    assert [10, 5, 10, 5] == sizes
    assert 5 == read


def test_rows_of_a_long_run_wait_on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    made = run(header(), *(episode(WEAK, scenario=f"s{n}") for n in range(5)))
    before = [[*map(values, sheet.rows())] for sheet in book_of(made).worksheets]
    monkeypatch.setattr("simulator.reports._workbook.turns._IN_MEMORY", 1_000)
    assert before == [[*map(values, sheet.rows())] for sheet in book_of(made).worksheets]
