"""Small Review tables for the tests: rows of cells as people have them before them."""

from collections.abc import Sequence
from typing import Any

from simulator.core.persona import Language
from simulator.worksheets.columns import COLUMNS, row_hash, turn_key
from simulator.worksheets.reading import ReviewGrid, ReviewTable, grid_of, read_review

RUN = "1a2b3c4d"
Cells = dict[Any, Any]
"""By the ids of the columns."""
IDS = tuple(column.id for column in COLUMNS)


def heads(language: Language) -> list[str]:
    """The first row, in a language."""
    return [column.heads[language] for column in COLUMNS]


def row(episode: str = "parcel/calm/1", turn: int = 1, **people: Any) -> Cells:
    """One row as the program writes it, with what people put in their cells."""
    cells: Cells = {
        "key": turn_key(RUN, episode, turn),
        "sampled": "flagged",
        "persona": episode.split("/")[1],
        "scenario": episode.split("/", maxsplit=1)[0],
        "turn": turn,
        "user": "Where is my parcel?",
        "assistant": f"It is on its way ({episode}, {turn}).",
        "before": "",
        "expected": f"Tomorrow ({episode.split('/', maxsplit=1)[0]}).",
        "documents": "◎ faq-001 Parcels",
        "result": "failed",
        "metric": "overall",
        "score": 0.4,
        "reason": "overall 0.40 < 0.70",
        "threshold": 0.7,
        "flag": "flag",
    }
    cells["hash"] = row_hash(cells)
    return cells | people


def cells_of(*rows: Cells, language: Language = "en") -> list[list[object]]:
    """The table as a list of rows, the head first."""
    body = [[cells.get(name) for name in IDS] for cells in rows]
    return [[*heads(language)], *body]


def grid(*rows: Cells, language: Language = "en") -> ReviewGrid:
    """The same as a worksheet."""
    return grid_of("Review", cells_of(*rows, language=language))


def table(rows: Sequence[Sequence[object]], language: Language = "en") -> ReviewTable:
    """What is read of such rows."""
    return read_review([grid_of("Review", rows)], "a.xlsx", language)
