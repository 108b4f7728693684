"""What `mogi review` shows, at the width of a terminal."""

from collections import Counter
from dataclasses import replace
from typing import get_args

import pytest
from rich.cells import cell_len
from rich.console import Console, RenderableType

from simulator.cli.contracts.review import pulled_json
from simulator.cli.screens.review import plan_view, pulled_view, status_view
from simulator.console.output import as_json
from simulator.core.persona import Language
from simulator.core.verdict import PlannedAnswer, ReviewPlan, Sampled, Verdict, Word
from simulator.review.plan import Bought, Outlook
from simulator.review.pull import Pulled, Revision
from simulator.review.status import Coverage, ReviewStatus, Split
from simulator.worksheets.reading import Odd, Oddity, RowPlace
from tests.execution.scored import header


def printed(parts: "list[RenderableType]", width: int) -> list[str]:
    console = Console(width=width, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    for part in parts:
        console.print(part)
    text = console.export_text()
    console.file.close()
    return text.splitlines()


def pulled() -> Pulled:
    words = ("たぶん大丈夫だと思いますがよく分からないので誰か見てください", "maybe")
    return Pulled(
        rows=40,
        new=[Verdict("a/b/1", 1, Word.OK, "佐藤 花子"), Verdict("a/b/1", 2, None)],
        changes=[
            Revision(
                Verdict("a/b/1", n, Word.OK, "佐藤 花子"),
                Verdict("a/b/1", n, Word.NG, "佐藤 花子", corrected="はい。\n" * 40),
            )
            for n in range(3, 27)
        ],
        unchanged=Counter({"Suzuki": 1200}),
        oddities=[
            *(Oddity(Odd.UNKNOWN_WORD, RowPlace(n), {"text": words[n % 2]}) for n in range(2, 6)),
            *(
                Oddity(Odd.BROKEN_KEY, RowPlace(n), {"key": str(n), "typed": "NG"})
                for n in range(30)
            ),
        ],
    )


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("language", get_args(Language))
def test_what_was_pulled_fits_and_lists_the_first_of_each_kind(
    width: int, language: Language
) -> None:
    head = header(language=language)
    lines = printed(list(pulled_view(head, "a.xlsx", pulled(), width)), width)
    assert [] == [line for line in lines if cell_len(line) > width]
    text = "\n".join(lines)
    assert "1,200" in text
    said = {"en": "and 10 more of this kind (--json lists all)", "ja": "同じ種類がほか 10 件"}
    assert said[language] in text
    change = {
        "en": ("Changed (24)", "a/b/1 turn 3 (佐藤 花子): verdict: OK → NG;", "and 4 more ("),
        "ja": (
            "変更した判定（24 件）",
            "a/b/1 3 往復目（佐藤 花子）: 判定: OK → NG。",
            "ほか 4 件（",
        ),
    }
    assert [] == [said for said in change[language] if said not in text]
    rows = {"en": '  - rows 3, 5: "maybe" isn\'t a verdict', "ja": "  - 3、5 行目: 「maybe」は判定"}
    assert rows[language] in text


def test_an_empty_table_is_said_to_be_empty() -> None:
    lines = printed(list(pulled_view(header(), "a.xlsx", Pulled(rows=7), 80)), 80)
    told = "nobody has filled in a.xlsx yet (run 3f9ab2c1, 7 rows)"
    assert [told] == [line.rstrip() for line in lines]
    nothing = printed(list(pulled_view(header(), "a.xlsx", Pulled(), 80)), 80)
    assert "mogi couldn't read anything in a.xlsx (run 3f9ab2c1, 0 rows)" == nothing[0].rstrip()


def _headline(found: Pulled) -> str:
    return printed(list(pulled_view(header(), "a.xlsx", found, 120)), 120)[0].rstrip()


def test_words_that_nobody_can_read_are_no_verdicts() -> None:
    odd = [Oddity(Odd.UNKNOWN_WORD, RowPlace(n), {"text": "so so"}) for n in range(3)]
    remarks = [Verdict("a/b/1", n, None, comment="so so") for n in range(1, 4)]
    only = Pulled(rows=9, new=remarks, oddities=odd)
    told = "no verdicts in a.xlsx: saved 3 comments (run 3f9ab2c1)"
    assert (told, True) == (_headline(only), only.is_wordless)
    both = Pulled(rows=9, new=[*remarks, Verdict("a/b/1", 5, Word.OK)], oddities=odd)
    assert (
        (
            "Read 9 rows from a.xlsx (run 3f9ab2c1): added 1 verdict; added 3 comments "
            "without a verdict"
        ),
        False,
    ) == (_headline(both), both.is_wordless)


def test_a_cell_that_was_cleared_and_a_row_that_was_emptied_are_told_at_once() -> None:
    cleared = Pulled(
        rows=9, oddities=[Oddity(Odd.CLEARED, RowPlace(2), {"column": "verdict", "text": "OK"})]
    )
    told = "no new verdicts in a.xlsx (run 3f9ab2c1); 1 cell was cleared; mogi"
    assert _headline(cleared).startswith(told)
    back = Pulled(
        rows=9,
        taken_back=[Verdict("a/b/1", 1, None)],
        oddities=[Oddity(Odd.TAKEN_BACK, None, {"reviewer": "Ann", "text": "OK"})],
    )
    assert "withdrew 1 verdict, because its row is now empty" in _headline(back)


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("language", get_args(Language))
def test_the_status_fits_and_counts_what_it_does_not_list(width: int, language: Language) -> None:
    scenarios = {f"とても長い名前のシナリオその{n:03}": Coverage(4, n % 21) for n in range(42)}
    found = ReviewStatus(
        sampled={Sampled.FLAGGED: Coverage(1200, 800), Sampled.AUDIT: Coverage(10, 0)},
        personas={"angry": Coverage(10, 0), "calm": Coverage(1200, 800)},
        scenarios=scenarios,
        words={"佐藤": Counter({Word.OK: 3}), "": Counter({Word.NG: 1})},
        splits={
            (f"{n}",): Split(f"a/b/{n}", 1, (("佐藤", Word.OK), ("x.xlsx", Word.NG)), n)
            for n in range(20)
        },
        others=1,
        comments=2,
        ok=3,
        ng=1,
    )
    lines = printed(list(status_view(header(language=language), found, width)), width)
    assert [] == [line for line in lines if cell_len(line) > width]
    text = "\n".join(lines)
    more = {"en": ("and 25 more (", "and 2 more without", "and 5 more ("),
            "ja": ("ほか 25 件（", "ほか 2 件はすべて判定済み", "ほか 5 件（")}  # fmt: skip
    assert [] == [said for said in more[language] if said not in text]
    need = {
        "en": "26 more verdicts, including at least 2 OK and 4 NG",
        "ja": "あと 26 件以上（うち OK 2 件以上、NG 4 件以上）の判定が必要です",
    }
    assert need[language] in " ".join(text.split())


def test_a_finished_review_lists_nothing_that_is_open() -> None:
    found = ReviewStatus(sampled={Sampled.FLAGGED: Coverage(3, 0)}, ok=20, ng=20)
    lines = printed(list(status_view(header(), found, 80)), 80)
    assert [
        "Review of run 3f9ab2c1 (acme)", "Every answer has a verdict (3 distinct answers).", "",
        "All runs of acme: 20 OK, 20 NG.", "That's enough for mogi tune acme.",
    ] == [line.rstrip() for line in lines]  # fmt: skip


def test_a_review_that_nobody_began_says_so() -> None:
    found = ReviewStatus(sampled={Sampled.FLAGGED: Coverage(45, 45)})
    lines = printed(list(status_view(header(language="ja"), found, 80)), 80)
    text = "".join(line.rstrip() for line in lines[1:3])
    assert "うち 45 件に、まだ判定がありません。" in text


def test_changes_are_all_in_the_json_with_what_was_said_before() -> None:
    changes = as_json(pulled_json(header(), "a.xlsx", pulled()).changes)
    assert 24 == len(changes)
    assert ("a/b/1", 3, "佐藤 花子", "OK", "NG", "はい。\n" * 40) == (
        changes[0]["episode"], changes[0]["turn"], changes[0]["reviewer"],
        changes[0]["before"]["verdict"], changes[0]["after"]["verdict"],
        changes[0]["after"]["corrected"],
    )  # fmt: skip


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("language", get_args(Language))
def test_a_plan_fits_and_says_what_it_buys_and_what_the_lead_decides(
    width: int, language: Language
) -> None:
    head, words = header(language=language), (("佐藤 花子", Word.OK), ("Suzuki", Word.NG))
    rows = [PlannedAnswer(why, 1.0, ((f"a/{why}/1", 1),)) for why in Sampled if why != "known"] * 30
    plan = ReviewPlan(tuple(rows))
    found = Outlook(plan, 1234, 81, 150, 5400.0, 9e4, Bought(0.123, 0.34), 60, Bought(0.09, None))
    status = ReviewStatus(splits={("a",): Split("a/b/1", 1, words)})
    lines = printed(list(plan_view(head, found, status, width)), width)
    assert [] == [line for line in lines if cell_len(line) > width]
    text = "\n".join(lines)
    assert "±0.06" in text
    assert "±0.17" in text
    assert "佐藤 花子 OK" in text
    few = replace(found, buys=Bought(None, None), buys_more=None)
    shown = " ".join(printed(list(plan_view(head, few, status, width)), width))
    assert "30" in shown
    assert "±" not in shown


def test_status_shows_each_reviewers_progress_where_there_is_a_plan() -> None:
    head = replace(header(), review_plan=ReviewPlan(()))
    status = ReviewStatus(
        sampled={Sampled.AUDIT: Coverage(150, 110)},
        words={"Sato": Counter({Word.OK: 44})},
        progress=Counter({"Sato": 40}),
    )
    assert any("40 of 150" in line for line in printed(list(status_view(head, status, 80)), 80))
    plain = replace(head, review_plan=None)
    assert not any(
        "of 150" in line for line in printed(list(status_view(plain, status, 80)), 80)[4:]
    )
