"""What `mogi improve` shows, at the width of a terminal."""

import pytest
from rich.cells import cell_len

from simulator.cli.screens.improve import fixes_view
from simulator.core.run import Run
from simulator.formats.own_files import unified
from simulator.improve.decision import DecidingRule, Decision, Gain, Proof, Proven
from simulator.improve.diffs import Diff
from simulator.improve.search import Fix, Outcome, Tried
from tests.cli.screens.test_review import printed
from tests.execution.scored import header, run

GAIN = Gain(6, 6, 5, 0, 0.8, 0.01, 0.01)


def shown(before: str, after: str, width: int = 80) -> list[str]:
    proof = Proof("01-figure-q1.diff", Decision(Proven.ACCEPTED, DecidingRule.GAIN, GAIN), ())
    fix = Fix(None, Diff(proof.name, unified("faq.csv", before, after)), proof)
    return printed(list(fixes_view(nothing(), [], [fix], width)), width)


def nothing() -> Run:
    return run(header(planned=0))


@pytest.mark.parametrize("width", [80, 120])
def test_a_fix_shows_what_it_changes_from_where_it_differs(width: int) -> None:
    start = "q1,Delivery," + "We deliver on all days of the week. " * 20
    lines = shown(f"id\n{start}It costs 5 euros.\n", f"id\n{start}It costs 6 euros.\n", width)
    at = lines.index("  faq.csv")
    assert all(cell_len(line) <= width for line in lines)
    assert lines[at + 1].startswith("  - …")
    assert lines[at + 1].endswith("5 euros.")
    assert lines[at + 2].endswith("6 euros.")


def test_a_fix_of_many_lines_says_how_many_more_it_changes() -> None:
    lines = shown("id\n", "id\n" + "".join(f"q{n},new\n" for n in range(20)))
    assert ["    and 12 more lines (--json shows the whole diff)"] == [
        line for line in lines if "more lines" in line
    ]


@pytest.mark.parametrize(
    ("outcomes", "is_told"),
    [
        ((Outcome.UNCHANGED, Outcome.NOT_FOUND), True),
        ((Outcome.UNCHANGED, Outcome.STILL_WRONG), False),
        ((Outcome.UNCHANGED,), False),
        ((Outcome.NOT_FOUND, Outcome.NOT_FOUND), False),
    ],
)
def test_where_no_change_alters_an_answer_the_bot_may_not_read_the_files(
    outcomes: tuple[Outcome, ...], is_told: bool
) -> None:
    fixes = [Fix(None, tried=(Tried("01-words-q1.diff", outcome),)) for outcome in outcomes]
    text = " ".join(" ".join(printed(list(fixes_view(nothing(), [], fixes, 80)), 80)).split())
    assert is_told == ("the bot may not read them" in text)
