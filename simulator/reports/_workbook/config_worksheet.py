"""The Config worksheet: the thresholds, in cells that recolour the others when they are edited."""

from collections.abc import Iterator, Sequence

from simulator.core.run import RunHeader
from simulator.formats.tables import Record, same_name
from simulator.sheet.book import CellValue, Colour, Column, SheetCell, Worksheet, quoted_title
from simulator.words import Words

AnyCell = CellValue | SheetCell
CONFIG = "Config"
_KEYS = ("metric", "threshold", "in_run")
BAD, FAIR, GOOD = Colour(240, 150, 147), Colour(252, 246, 214), Colour(200, 230, 200)
LOW = Colour(250, 219, 218)  # of what is under a threshold
OK, NG = Colour(214, 236, 214), Colour(244, 190, 188)  # of what people call so
HAIR = "0.000000001"  # that of judging.thresholds, as spreadsheets write it


def config(header: RunHeader, suffix: str = "") -> Worksheet:
    """One row for each metric, `score_by` first; the row's key is the metric's name.

    What the threshold was in the run stands beside the cell that people edit.
    """
    words = Words(header.language, "sheet")

    rows = []
    for name in _metrics(header):
        limit = header.thresholds.get(name)
        # Where it comes from or, where there is none, what a number there would do.
        none = "source.none_score" if name == header.score_by else "source.none"
        source = words(none if limit is None else "source.run", id=header.id)
        rows.append((name, limit, limit, source))

    columns = (
        Column(words("metric"), 28),
        Column(words("threshold"), 12, people=True, note=words("threshold_note")),
        Column(words("in_run"), 12),
        Column(words("source"), 60),
    )
    return Worksheet(CONFIG + suffix, columns, lambda: rows, grows=True, warning=words("warning"))


def threshold(
    header: RunHeader, metric: str, suffix: str = "", *, blank: bool = False
) -> SheetCell:
    """A metric's threshold as a cell that follows the Config worksheet.

    Where Config has none it is 0, or with `blank` nothing.
    """
    if metric not in _metrics(header):
        return SheetCell(header.thresholds.get(metric))
    row = _metrics(header).index(metric) + 2
    there = f"{quoted_title(CONFIG + suffix)}!$B${row}"
    formula = f'=IF(ISNUMBER({there}),{there},"")' if blank else f"={there}"
    return SheetCell(header.thresholds.get(metric), formula)


def edited(records: Sequence[Record]) -> Iterator[str]:
    """The thresholds that somebody changed in a Config worksheet: `lexical 0.6`."""
    if not records:
        return
    at = {same_name(text): place for place, text in records[0].cells.items()}
    heads = [(Words("ja", "sheet")(key), Words("en", "sheet")(key)) for key in _KEYS]
    places = [next((at[h] for h in map(same_name, named) if h in at), -1) for named in heads]
    for record in records[1:]:
        metric, now, then = (record.cells.get(place, "") for place in places)
        if now != then:
            yield f"{metric} {now}".rstrip()


def _metrics(header: RunHeader) -> list[str]:
    return list(dict.fromkeys((header.score_by, *(info.name for info in header.metrics))))
