"""Workbooks as Excel writes them, part by part, for the tests of this room."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import escape

from simulator.formats.sources import Source
from simulator.formats.tables import Table
from simulator.formats.xlsx.workbook import read_workbook

_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"


def text(value: str) -> str:
    """The inside of a cell that holds a text."""
    return f't="inlineStr"><is><t>{escape(value)}</t></is>'


def number(value: str, style: int = 0) -> str:
    """The inside of a cell that holds a number."""
    return f's="{style}"><v>{value}</v>'


def row(at: int, *cells: str) -> str:
    """A row of cells from column A on; an empty one is left out."""
    inside = (f'<c r="{chr(65 + n)}{at}" {cell}</c>' for n, cell in enumerate(cells) if cell)
    return f'<row r="{at}">{"".join(inside)}</row>'


def worksheet(*rows: str, behind: str = "", head: str = "") -> str:
    """A worksheet of these rows."""
    rows_xml = "".join(rows)
    return (
        f'{_HEAD}{head}<worksheet xmlns="{_MAIN}"><sheetData>{rows_xml}</sheetData>'
        f"{behind}</worksheet>"
    )


def workbook(
    sheets: Mapping[str, str],
    *,
    strings: str = "",
    formats: tuple[str, ...] = (),
    hidden: tuple[str, ...] = (),
    from_1904: bool = False,
) -> bytes:
    """An xlsx file; cells of style N have the N-th of `formats`, 0 being General."""
    listed, related, parts = [], [], {}
    for n, (name, xml) in enumerate(sheets.items(), start=1):
        state = ' state="hidden"' if name in hidden else ""
        listed.append(f'<sheet name="{escape(name)}" sheetId="{n}"{state} r:id="rId{n}"/>')
        related.append(_related(f"rId{n}", "worksheet", f"worksheets/sheet{n}.xml"))
        parts[f"xl/worksheets/sheet{n}.xml"] = xml
    related.append(_related("s", "styles", "styles.xml"))
    related.append(_related("t", "sharedStrings", "sharedStrings.xml"))
    properties = '<workbookPr date1904="1"/>' if from_1904 else ""
    parts["xl/sharedStrings.xml"] = f'{_HEAD}<sst xmlns="{_MAIN}">{strings}</sst>'
    parts["xl/styles.xml"] = _styles(formats)
    parts["xl/workbook.xml"] = (
        f'{_HEAD}<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">{properties}'
        f"<sheets>{''.join(listed)}</sheets></workbook>"
    )
    parts["xl/_rels/workbook.xml.rels"] = _relationships(*related)
    parts["_rels/.rels"] = _relationships(_related("a", "officeDocument", "xl/workbook.xml"))
    return zipped(parts)


def zipped(parts: Mapping[str, str]) -> bytes:
    """A zip of these files."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return data.getvalue()


def read(folder: Path, content: bytes, sheet: str | None = None, name: str = "a.xlsx") -> Table:
    """The table in a file of this content."""
    path = folder / name
    path.write_bytes(content)
    return read_workbook(Source.of(path, folder), sheet)


def _styles(formats: tuple[str, ...]) -> str:
    codes = "".join(
        f'<numFmt numFmtId="{163 + n}" formatCode="{escape(code, {chr(34): "&quot;"})}"/>'
        for n, code in enumerate(formats, start=1)
    )
    used = "".join(f'<xf numFmtId="{163 + n}"/>' for n in range(1, len(formats) + 1))
    return (
        f'{_HEAD}<styleSheet xmlns="{_MAIN}"><numFmts>{codes}</numFmts>'
        f'<cellStyleXfs><xf numFmtId="9"/></cellStyleXfs>'
        f'<cellXfs><xf numFmtId="0"/>{used}</cellXfs></styleSheet>'
    )


def _relationships(*related: str) -> str:
    return f'{_HEAD}<Relationships xmlns="{_PACKAGE}">{"".join(related)}</Relationships>'


def _related(id_: str, kind: str, target: str) -> str:
    return f'<Relationship Id="{id_}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
