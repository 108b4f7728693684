"""Which three things to fix first: the same on every report, under the same heading."""

import importlib
import re
from pathlib import Path

import pytest

from simulator.core.persona import Language
from simulator.core.run import Run
from simulator.reports.html import Html
from simulator.reports.markdown import Markdown
from simulator.reports.xlsx import Xlsx
from simulator.view.first_screen import first_screen
from tests.execution.scored import episode, header, rated, run, turn
from tests.reports.printed import Printed

HEADS = {
    "en": "Fix these 3 first (9 of 10 failures)",
    "ja": "まず直すところ 3 か所（不合格 10 件のうち 9 件の原因）",
}


def five_causes(language: Language) -> Run:
    """Conversations that fail: four about e4, three about e3, two about e2, one unexplained."""
    talks = [
        episode(turn(rated(1), blames=("unused",)), scenario=f"e{n}", persona=str(persona))
        for n in (4, 3, 2)
        for persona in range(n)
    ]
    return run(header(language=language), *talks, episode(turn(rated(1)), scenario="unknown"))


def spoken(path: Path) -> str:
    """What a lead reads of a report without scripts, styles and lists of turns."""
    if path.suffix == ".xlsx":
        pages = importlib.import_module("openpyxl").load_workbook(path).worksheets
        return "\n".join(str(cell.value) for page in pages for row in page for cell in row)
    return path.read_text("utf-8").partition("</style>")[2 if path.suffix == ".html" else 0]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_report_names_the_same_three(
    language: Language, printed: Printed, tmp_path: Path
) -> None:
    made = five_causes(language)
    screen = first_screen(made, None, None)
    assert (HEADS[language], 3) == (screen.fix_head, len(screen.fixes))
    texts = [printed(made)]
    for report, name in ((Html(), "r.html"), (Markdown(), "r.md"), (Xlsx(), "r.xlsx")):
        report.write(made, str(tmp_path / name))
        texts.append(spoken(tmp_path / name))
    for text in texts:
        listed = text.partition(HEADS[language])[2]
        assert listed, text
        assert ["e4", "e3", "e2"] == list(dict.fromkeys(re.findall(r"\be[1-5]\b", listed)))[:3]
