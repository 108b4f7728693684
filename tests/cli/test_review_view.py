"""What `mogi review` shows, at the width of a terminal."""

from collections import Counter
from typing import get_args

import pytest
from rich.cells import cell_len
from rich.console import Console, RenderableType

from simulator.cli.review_status_view import status_view
from simulator.cli.review_view import pulled_view
from simulator.core.audit import Sampled
from simulator.core.persona import Language
from simulator.core.verdict import Verdict, Word
from simulator.review.status import ReviewStatus, Share, Split
from simulator.review.turn_rows import Pulled
from simulator.tables.review_reading import Odd, Oddity, Place
from tests.judging.made import header


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
        changed=[Verdict("a/b/1", 3, Word.NG, "佐藤 花子")],
        unchanged=Counter({"Suzuki": 1200}),
        oddities=[
            *(Oddity(Odd.UNKNOWN_WORD, Place(n), {"text": words[n % 2]}) for n in range(2, 6)),
            *(Oddity(Odd.BROKEN_KEY, Place(n), {"key": str(n), "typed": "NG"}) for n in range(30)),
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
    rows = {"en": '  - rows 3, 5: "maybe" is no verdict', "ja": "  - 3、5 行目: 「maybe」は判定"}
    assert rows[language] in text


def test_an_empty_table_is_said_to_be_empty() -> None:
    lines = printed(list(pulled_view(header(), "a.xlsx", Pulled(rows=7), 80)), 80)
    assert ["Verdicts of a.xlsx in run 3f9ab2c1", "nobody wrote anything there yet (7 rows)"] == [
        line.rstrip() for line in lines
    ]


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("language", get_args(Language))
def test_the_status_fits_and_counts_what_it_does_not_list(width: int, language: Language) -> None:
    scenarios = {f"とても長い名前のシナリオその{n:03}": Share(4, n % 21) for n in range(42)}
    found = ReviewStatus(
        sampled={Sampled.FLAGGED: Share(1200, 800), Sampled.AUDIT: Share(10, 0)},
        personas={"angry": Share(10, 0), "calm": Share(1200, 800)},
        scenarios=scenarios,
        words={"佐藤": Counter({Word.OK: 3}), "": Counter({Word.NG: 1})},
        splits=[Split(f"a/b/{n}", 1, (("佐藤", Word.OK), ("x.xlsx", Word.NG))) for n in range(20)],
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
        "en": "26 more verdicts, 2 more OK, 4 more NG",
        "ja": "判定 26 件、OK 2 件以上、NG 4 件以上",
    }
    assert need[language] in " ".join(text.split())


def test_a_finished_review_lists_nothing_that_is_open() -> None:
    found = ReviewStatus(sampled={Sampled.FLAGGED: Share(3, 0)}, ok=20, ng=20)
    lines = printed(list(status_view(header(), found, 80)), 80)
    assert [
        "Review of run 3f9ab2c1 (acme)", "All 3 turns have a verdict.", "",
        "All runs of acme: 20 OK, 20 NG.", "In number that is enough for mogi tune acme.",
    ] == [line.rstrip() for line in lines]  # fmt: skip
