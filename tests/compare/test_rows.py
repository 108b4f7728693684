"""Answers of two files, compared row by row."""

from pathlib import Path
from typing import Any

from simulator.compare.fail_on import FailOn, conclusion
from simulator.core.comparison import Comparison, Doubt
from simulator.core.run import Episode
from tests.compare.stored import beside, talk
from tests.execution.scored import rated

FILE = {"kind": "score", "thresholds": {}}


def row(name: str, rating: float, asked: str = "", answer: str = "a") -> Episode:
    return talk(name, rated(rating), persona="-", user=asked or f"q {name}", assistant=answer)


def compared(folder: Path, before: list[Episode], after: list[Episode]) -> Comparison:
    a, b = ({"client": f, "of": f, "options": {"file": f"/x/{f}"}, **FILE} for f in ("a", "b"))
    return beside(folder, before, after, a=dict[str, Any](a), b=dict[str, Any](b))


def test_rows_with_other_answers_are_pairs(tmp_path: Path) -> None:
    found = compared(tmp_path, [row("r1", 5, answer="x")], [row("r1", 2, answer="y")])
    (moved,) = found.fell.shown
    assert ((), 1, "x", "y") == (
        found.doubts,
        found.paired,
        moved.before.assistant,
        moved.after.assistant,
    )


def test_a_row_that_asks_something_else_is_no_pair(tmp_path: Path) -> None:
    after = [row("r1", 5, asked="q  r1"), row("r2", 1, asked="another")]
    found = compared(tmp_path, [row("r1", 5), row("r2", 5)], after)
    assert (1, ("r2/-/1",)) == (found.paired, found.apart.questions)
    assert [Doubt.QUESTIONS] == [d.doubt for d in found.doubts]


def test_files_of_which_every_row_asks_something_else_have_nothing_to_compare(
    tmp_path: Path,
) -> None:
    found = compared(tmp_path, [row("r1", 5)], [row("r1", 5, asked="another")])
    assert (0, "nothing") == (found.paired, found.why)


def test_what_fails_is_named_by_its_row(tmp_path: Path) -> None:
    file = {"kind": "score", "options": {"file": "/x/a"}}
    before, after = [row("a", 5), row("b", 5)], [row("a", 1), row("b", 5)]
    found = beside(tmp_path, before, after, a=dict[str, Any](file), b=dict[str, Any](file))
    (line,) = conclusion(found, FailOn.of("newly-failing")).lines
    assert line.endswith("1 case (a)")
