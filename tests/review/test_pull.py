import itertools
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from simulator.core.clean import cut
from simulator.core.errors import InputError, StoreError
from simulator.core.plan import Cell
from simulator.core.run import Episode, RunHeader
from simulator.core.scenario import Expected, Scenario
from simulator.core.verdict import Word
from simulator.reports._workbook.turns import review
from simulator.review.pull import check_run, pull, withdraw
from simulator.store.store import Store
from simulator.worksheets.book import SheetCell
from simulator.worksheets.columns import HEADS
from simulator.worksheets.reading import Odd, ReviewTable, grid_of, read_review
from tests.execution.scored import run
from tests.review.labelled import kept, run_of, talk
from tests.store.conftest import path, store, url
from tests.worksheets.review_grids import heads

__all__ = ["path", "store", "url"]
TALKS = [talk("parcel", [0.2, 0.9]), talk("refund", [0.8])]


def table(
    header: RunHeader, *people: dict[str, Any], talks: Sequence[Episode] = TALKS
) -> ReviewTable:
    """What a report writes of this run, with what people put in its rows."""
    names = list(heads("en"))
    rows: list[list[object]] = [list(names)]
    made = review(run(header, *talks)).rows()
    plain: list[list[object]] = [
        [c.value if isinstance(c, SheetCell) else c for c in cells] for cells in made
    ]
    rows += sorted(plain, key=lambda cells: str(cells[0]))
    for line, more in zip(rows[1:], people, strict=False):
        for name, value in more.items():
            line[names.index(name)] = value
    return read_review([grid_of("Review", rows)], "a.xlsx", "en")


async def test_what_people_wrote_is_added_with_who_when_and_from_where(store: Store) -> None:
    header = await kept(store, run_of("run1"), TALKS)
    before = datetime.now(UTC).replace(microsecond=0)
    written = table(
        header, {"verdict": "NG", "reviewer": "Sato", "comment": "no"}, {}, {"verdict": "OK"}
    )
    found = pull(store, header, written, source="a.xlsx")
    assert (3, 2, 0, []) == (found.rows, len(found.new), len(found.changed), found.oddities)
    first, second = store.verdicts("run1")
    assert ("parcel/calm/1", 1, Word.NG, "Sato", "a.xlsx", "no") == (
        first.episode, first.turn, first.word, first.reviewer, first.source, first.comment,
    )  # fmt: skip
    assert ("refund/calm/1", 1, Word.OK, "", "a.xlsx") == (
        second.episode, second.turn, second.word, second.reviewer, second.source,
    )  # fmt: skip
    at = datetime.fromisoformat(first.at)
    assert before <= at <= datetime.now(UTC)
    assert (first.at, 0) == (second.at, at.microsecond)
    assert [] == pull(store, header, written, source="a.xlsx").verdicts


async def test_what_is_changed_within_the_same_second_is_kept_as_well(store: Store) -> None:
    header = await kept(store, run_of("run1"), TALKS)
    for word in ("NG", "OK", "unsure", "NG"):
        pull(store, header, table(header, {"verdict": word, "reviewer": "Sato"}), source="a.xlsx")
    given = list(store.verdicts("run1"))
    assert ["NG", "OK", "unsure", "NG"] == [v.word for v in given]
    times = [datetime.fromisoformat(v.at) for v in given]
    assert all(
        after - before >= timedelta(seconds=1) for before, after in itertools.pairwise(times)
    )


async def test_edited_machine_cells_are_told_by_what_the_run_holds(store: Store) -> None:
    header = await kept(store, run_of("run1"), TALKS)
    edited = table(header, {"verdict": "NG", "answer": "Better."}, {"reason": "?"})
    found = pull(store, header, edited, source="a.xlsx")
    assert [(Odd.DOUBTFUL, "assistant"), (Odd.EDITED, "reason")] == [
        (o.kind, o.values["columns"]) for o in found.oddities
    ]


async def test_a_result_in_the_words_of_an_earlier_version_is_nobodys_edit(store: Store) -> None:
    header = await kept(store, run_of("run1"), TALKS)
    result = "as said of the same answer in this run: Sato, 2026-11-21"
    worded = {HEADS["sampled"]["en"]: "undecided conversation"}
    edited = table(header, {"result": result, "reason": "?", **worded})
    (odd,) = pull(store, header, edited, source="a.xlsx").oddities
    assert (Odd.EDITED, "reason") == (odd.kind, odd.values["columns"])


SOURCED = replace(
    talk("parcel", [0.2]),
    scenario=Scenario("parcel", "How much?", expected=Expected(documents=("f1",))),
)
SOURCE = "It is 500 yen. " * 20
EARLIER = f"◎ f1 Price: {cut(SOURCE.strip(), 120)}"
"""The source as earlier versions wrote it: shorter, behind another mark."""


@pytest.mark.parametrize(
    ("documents", "told"),
    [
        (EARLIER, None),
        (EARLIER.replace("◎", "★"), None),
        (f"{EARLIER} It is out of date.", Odd.EDITED),
        (EARLIER.replace("500 yen", "600 yen"), Odd.EDITED),
        ("It is out of date.", Odd.EDITED),
        ("NG", Odd.MISPLACED),
    ],
)
async def test_sources_as_some_version_wrote_them_are_nobodys_edit_and_all_else_is(
    store: Store, documents: str, told: Odd | None
) -> None:
    header = await kept(store, run_of("run1", references={"f1": ("Price", SOURCE)}), [SOURCED])
    edited = table(header, {"documents": documents, "reason": "?"}, talks=[SOURCED])
    odd = {o.values["columns"]: o.kind for o in pull(store, header, edited, source="a").oddities}
    assert told is next((kind for columns, kind in odd.items() if "documents" in columns), None)
    assert any("reason" in columns for columns in odd)


async def test_what_is_typed_over_the_kind_of_sample_is_told(store: Store) -> None:
    header = await kept(store, run_of("run1"), TALKS)
    edited = table(header, {HEADS["sampled"]["en"]: "ask the shop"})
    (odd,) = pull(store, header, edited, source="a.xlsx").oddities
    assert (Odd.EDITED, "sampled") == (odd.kind, odd.values["columns"])


async def test_a_row_of_an_earlier_version_is_known_by_its_shorter_sources(store: Store) -> None:
    other = Scenario("refund", "How much?", expected=Expected(documents=("f2",)))
    same = replace(SOURCED, cell=Cell("refund", "calm"), scenario=other)
    talks = [SOURCED, same, talk("tour", [0.2])]
    references = {"f1": ("Price", SOURCE), "f2": ("Refund", SOURCE)}
    header = await kept(store, run_of("run1", references=references), talks)
    cells = {"key": "run1|tour/calm/1|1", "scenario": "?", "documents": EARLIER, "verdict": "NG"}
    pull(store, header, table(header, cells, talks=talks), source="a.xlsx")
    assert ["parcel/calm/1"] == [verdict.episode for verdict in store.verdicts("run1")]


async def test_of_a_run_that_is_at_work_nothing_is_pulled(store: Store, url: str) -> None:
    header = await kept(store, run_of("run1"), TALKS)
    with Store.create(url) as other, other.lock("run1"), pytest.raises(StoreError, match="run1"):
        pull(store, header, table(header, {"verdict": "NG"}), source="a.xlsx")
    assert [] == list(store.verdicts("run1"))


async def test_a_table_of_another_run_alone_names_the_command_that_fits(store: Store) -> None:
    first = await kept(store, run_of("run1"), TALKS)
    second = await kept(store, run_of("run2"), TALKS)
    written = table(first, {"verdict": "NG"})
    message = "run1, but none of run run2; import them with: mogi review pull run1 --from a.xlsx"
    with pytest.raises(InputError, match=message):
        check_run(store, second, written, "a.xlsx")
    check_run(store, first, written, "a.xlsx")
    check_run(store, second, table(second), "a.xlsx")
    check_run(store, second, table(run_of("unknown")), "a.xlsx")


async def test_what_was_withdrawn_stays_so_until_its_cell_says_something_else(store: Store) -> None:
    header = await kept(store, run_of("run1"), TALKS)
    ng = table(header, {"verdict": "NG", "reviewer": "Sato", "comment": "no"})
    pull(store, header, ng, source="a.xlsx")
    assert 1 == withdraw(store, header, "Sato")
    again = pull(store, header, ng, source="a.xlsx")
    assert ([], [Odd.WITHDRAWN]) == (again.verdicts, [odd.kind for odd in again.oddities])
    assert 1 == len(pull(store, header, ng, source="b.xlsx").verdicts)  # another file says it
    assert 1 == withdraw(store, header, "Sato")
    changed = table(header, {"verdict": "OK", "reviewer": "Sato", "comment": "no"})
    assert [Word.OK] == [v.word for v in pull(store, header, changed, source="a.xlsx").verdicts]


async def test_what_was_withdrawn_is_said_anew_after_its_cell_was_empty(store: Store) -> None:
    header = await kept(store, run_of("run1"), TALKS)
    ng = table(header, {"verdict": "NG", "reviewer": "Sato"})
    pull(store, header, ng, source="a.xlsx")
    withdraw(store, header, "Sato")
    for _ in range(2):
        pull(store, header, table(header, {"reviewer": "Sato"}), source="a.xlsx")
    assert [Word.NG] == [v.word for v in pull(store, header, ng, source="a.xlsx").verdicts]


@pytest.mark.parametrize(
    ("typed", "kept_"),
    [
        ("It is free.\nmust say:\n1. free\n2. now\nmust not say:\n3. soon", "It is free."),
        # as earlier versions wrote them
        ("It is free.\nhas to say:\n1. free\n2. now\nmust not say:\n3. soon", "It is free."),
        ("I can't say.\n(there's no answer: saying so is correct)", "I can't say."),
        ("I can't say.\n(handing over to a person is right)", "I can't say."),
        ("Do this:\n1. open it\n2. close it", "Do this:\n1. open it\n2. close it"),
        ('It is free.\nhas to say: "free"', "It is free."),
        ("無料です。\n必ず入れること: 「無料」", "無料です。"),
        ("必ず入れること: 「無料」", ""),
        ("分かりません。\n（担当者につなぐのが正解）", "分かりません。"),
        ("It has to say: free, and\nso on.", "It has to say: free, and\nso on."),
    ],
)
async def test_who_copies_the_whole_right_answer_copies_no_guide_with_it(
    store: Store, typed: str, kept_: str
) -> None:
    header = await kept(store, run_of("run1"), TALKS)
    cells = {"verdict": "NG", "reviewer": "Sato", "corrected answer": typed}
    (verdict,) = pull(store, header, table(header, cells), source="a.xlsx").verdicts
    assert kept_ == verdict.corrected
