"""What goes over the rows when they are there: drop-downs, the filter, conditional colours."""

from collections.abc import Callable, Mapping
from typing import Any

from simulator.google_sheets import requests
from simulator.google_sheets.layout import Layout
from simulator.google_sheets.requests import Unit
from simulator.sheet.book import Rule

Moved = Callable[[str, Layout, int], str]


def finish(layout: Layout, end: int, grid: int, moved: Moved) -> Unit:
    """Drop-downs, filter and rules of a worksheet whose rows end at `end`, its grid at `grid`."""
    unit = drop_downs(layout, end)
    unit += _filter(layout, end)
    return unit + rules(layout, grid, moved)


def drop_downs(layout: Layout, end: int) -> Unit:
    """The words that people choose from."""
    rows = (layout.head_row + 1, max(end, layout.head_row + 2))
    return [
        requests.drop_down(requests.area(layout.sheet, rows, (at, at + 1)), column.choices)
        for at, column in zip(layout.columns, layout.worksheet.columns, strict=True)
        if column.choices
    ]


def _filter(layout: Layout, end: int) -> Unit:
    """The filter over all rows; what people filter and sort by stays."""
    if not layout.worksheet.filtered:
        return []
    wanted = requests.area(
        layout.sheet,
        (layout.head_row, max(end, layout.head_row + 1)),
        (min(layout.columns), max(layout.columns) + 1),
    )
    before = layout.there.filter if layout.there else None
    if before is None:
        return [requests.set_filter({"range": wanted})]
    now = _joined(before.get("range", {}), wanted)
    if now == _with_id(before.get("range", {}), layout.sheet):
        return []
    kept = {name: before[name] for name in ("sortSpecs", "filterSpecs") if name in before}
    if "filterSpecs" not in kept and "criteria" in before:
        kept["criteria"] = before["criteria"]
    return [requests.set_filter({"range": now, **kept})]


def _joined(before: Mapping[str, int], wanted: Mapping[str, int]) -> dict[str, int]:
    """The smallest area that holds both; an end that is not there means: as far as it goes."""
    found = {"sheetId": wanted["sheetId"]}
    for name in ("startRowIndex", "startColumnIndex"):
        found[name] = min(before.get(name, 0), wanted[name])
    for name in ("endRowIndex", "endColumnIndex"):
        if name in before:
            found[name] = max(before[name], wanted[name])
    return found


def _with_id(where: Mapping[str, int], sheet: int) -> dict[str, int]:
    start = {"sheetId": sheet, "startRowIndex": 0, "startColumnIndex": 0}
    return start | dict(where)


def rules(layout: Layout, grid: int, moved: Moved) -> Unit:
    """The rules of a worksheet: one that is there, by its formula, is stretched and not doubled."""
    there = list(layout.there.rules) if layout.there else []
    known = {_formula(found): index for index, found in reversed(list(enumerate(there)))}
    unit: Unit = []
    count = len(there)
    for wanted in layout.worksheet.rules:
        formula = moved(wanted.formula, layout, layout.head_row)
        where = _area(layout, wanted, grid)
        index = known.get(_plain(formula))
        if index is None:
            made = requests.rule(where, formula, wanted.fill)
            unit.append(requests.add_rule(count, made))
            count += 1
        elif [_with_id(found, layout.sheet) for found in there[index]["ranges"]] != [where]:
            # Its colour stays: people may like another one better.
            now = {**there[index], "ranges": [where]}
            unit.append(requests.set_rule(layout.sheet, index, now))
    return unit


def _area(layout: Layout, rule: Rule, grid: int) -> dict[str, int]:
    first = rule.first_row + layout.head_row
    end = grid if rule.last_row is None else rule.last_row + layout.head_row + 1
    columns = range(rule.first_column, rule.last_column + 1)
    places = [layout.column(column) for column in columns]
    return requests.area(layout.sheet, (first, max(end, first + 1)), (min(places), max(places) + 1))


def _formula(rule: Mapping[str, Any]) -> str:
    values = rule.get("booleanRule", {}).get("condition", {}).get("values", ())
    return _plain(str(values[0].get("userEnteredValue", ""))) if values else ""


def _plain(formula: str) -> str:
    return "".join(formula.split())
