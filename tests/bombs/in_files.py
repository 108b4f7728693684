"""Bombs in the files of a client's folder, and in what people send back."""

import json
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from simulator.files.answers import read_answers
from simulator.files.client.folder import load_client
from simulator.files.dialogs import read_dialogs
from simulator.files.knowledge import load_knowledge
from simulator.formats.fields import read_json_list
from simulator.formats.row_files import open_raw
from simulator.formats.sources import Source
from simulator.formats.table_files import read_table
from simulator.formats.yaml.reading import read_yaml
from simulator.improve.diffs import read_diffs
from simulator.worksheets.review_files import read_review_file
from tests.bombs import Bomb
from tests.formats.xlsx.written import number, row, text, workbook, worksheet

MB = 10**6
_Read = Callable[[Source], object]


def _bomb(said: str, read: _Read, name: str, make: Callable[[], bytes | str]) -> Bomb:
    """A file of this name, and what reads it."""

    def write(folder: Path) -> None:
        content = make()
        data = content if isinstance(content, bytes) else content.encode()
        (folder / name).write_bytes(data)

    return Bomb(said, lambda folder: read(Source.of(folder / name, folder)), write)


def _filled(part: str, size: int) -> str:
    return part * (size // len(part))


def _rows(source: Source) -> object:
    problems = [row.problem for row in open_raw(source).rows() if row.problem]
    return problems[0] if problems else None


def _review(source: Source) -> object:
    return read_review_file(source, "ja")


def _of_rows(*rows: Iterable[str], behind: str = "") -> bytes:
    return workbook({"a": worksheet(*("".join(r) for r in rows), behind=behind)})


def _many_cells(count: int) -> bytes:
    cells = '<c t="b"><v>1</v></c>' * 20
    return workbook({"a": worksheet(row(1, text("q")), f"<row>{cells}</row>" * (count // 20))})


def _styled(code: str) -> bytes:
    rows = [row(1, text("question")), *(row(n, number("45000", 1)) for n in range(2, 40))]
    return workbook({"a": worksheet(*rows)}, formats=(code,))


def _with(book: bytes, part: str, old: str, new: str) -> bytes:
    """A workbook with one of its parts changed."""
    import io
    import zipfile

    data = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book)) as read, zipfile.ZipFile(data, "w", 8) as file:
        for name in read.namelist():
            content = read.read(name).decode()
            file.writestr(name, content.replace(old, new) if name == part else content)
    return data.getvalue()


def _no_id() -> bytes:
    return _with(_of_rows([row(1, text("q"))]), "xl/workbook.xml", ' r:id="rId1"', "")


def _many_styles() -> bytes:
    return _with(
        _styled("0"), "xl/styles.xml", "</cellXfs>", '<xf numFmtId="0"/>' * 9 * MB + "</cellXfs>"
    )


def _shared(count: int, one: str = "<si><t>a</t></si>") -> bytes:
    cells = (row(n, 't="s"><v>0</v>') for n in range(1, 30))
    return workbook({"a": worksheet(*cells)}, strings=one * count)


def _far_reference() -> bytes:
    cell = f'<row><c r="{"Z" * 300_000}1" t="inlineStr"><is><t>x</t></is></c></row>'
    return workbook({"a": worksheet(cell * 2)})


def _repeated_text() -> bytes:
    """One text of a megabyte in many cells: small in the file, large as rows."""
    cells = (row(n, 't="s"><v>0</v>') for n in range(2, 20_000))
    one = f"<si><t>{'a' * MB}</t></si>"
    return workbook({"a": worksheet(row(1, text("question")), *cells)}, strings=one)


def _client(said: str, text: str) -> Bomb:
    """A client's folder with this client.yaml, which `mogi check` reads."""

    def make(folder: Path) -> None:
        (folder / "client.yaml").write_text(f"language: en\n{text}", "utf-8")
        (folder / "scenarios.yaml").write_text("- {id: a, query: q}\n", "utf-8")

    return Bomb(said, lambda folder: load_client(str(folder), cwd=folder), make)


_DEMO, _BOT = "target: {kind: demo}\n", "target: {kind: http, url: 'http://127.0.0.1:1', carry: "
_PATHS = ", ".join(f"h{n}: '" + '"\\' * 300 + "'" for n in range(500))
_ALIASES = ", ".join(f"h{n}: *a" for n in range(20_000))
_aliases = "a: &a " + "x" * MB + "\nb: [" + "*a, " * 100_000 + "]\n"
_Table = partial(_bomb, "is larger", read_table)

BOMBS = {
    "client-zone": _client("isn't a time zone", f"{_DEMO}timezone: {'A/' * 160_000}\n"),
    "client-metrics": _client(
        "more than 2,000 values", f"{_DEMO}metrics: [{', '.join(f'o{n}' for n in range(30_000))}]\n"
    ),
    "client-paths": _client("isn't a JMESPa", _BOT + "{" + _PATHS + "}}\n"),
    "client-aliases": _client(
        "more than 2,000 values", "x: &a '" + '"\\' * 400 + "'\n" + _BOT + "{" + _ALIASES + "}}\n"
    ),
    "yaml-aliases": _bomb("without limit", read_yaml, "a.yaml", lambda: _aliases),
    "yaml-laughs": _bomb(
        "without limit",
        read_yaml,
        "a.yaml",
        lambda: (
            "a0: &a0 [x]\n"
            + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30))
        ),
    ),
    "yaml-nodes": _bomb(
        "is too large from here", read_yaml, "a.yaml", lambda: "[" + _filled("[],", 30 * MB) + "]"
    ),
    "yaml-depth": _bomb("nested more than", read_yaml, "a.yaml", lambda: "[" * 30 * MB),
    "json-nodes": _bomb(
        "is too large:",
        lambda source: read_json_list(source, "scenarios"),
        "a.json",
        lambda: "[" + _filled("[],", 30 * MB) + "[]]",
    ),
    "json-depth": _bomb(
        "is too large:",
        lambda source: read_json_list(source, "scenarios"),
        "a.json",
        lambda: "[" * 30 * MB,
    ),
    "csv-cells": _bomb("is too large:", read_table, "a.csv", lambda: "a,b\n" + "1,2\n" * 7 * MB),
    "csv-columns": _bomb("is too large:", read_table, "a.csv", lambda: "," * 30 * MB),
    "csv-quote": _bomb("is too large:", read_table, "a.csv", lambda: 'a,b\n"' + '1,""' * 7 * MB),
    "answers-columns": _bomb("is too large:", _rows, "a.csv", lambda: "a\n" + "," * 30 * MB),
    "jsonl-nodes": _bomb(
        "is too large:", _rows, "a.jsonl", lambda: '{"a": [' + _filled("[],", 30 * MB) + "[]]}"
    ),
    "jsonl-line": _bomb("is too large:", _rows, "a.jsonl", lambda: "[" * 60 * MB),
    "dialogs-nodes": _bomb(
        "is too large:",
        read_dialogs,
        "a.json",
        lambda: '[{"messages": [' + _filled("{},", 30 * MB) + "{}]}]",
    ),
    "dialogs-speaker": _bomb(
        "who the customer is",
        read_dialogs,
        "a.json",
        lambda: json.dumps([{"messages": [{"role": " \n" * MB + "x", "content": "a"}] * 4}]),
    ),
    "review-lines": _bomb("is too large:", _review, "a.jsonl", lambda: "{}\n" * 10 * MB),
    "review-cells": _bomb("is too large:", _review, "a.csv", lambda: "a,b\n" + "1,2\n" * 7 * MB),
    "xlsx-cells": _Table("a.xlsx", lambda: _many_cells(9 * MB)),
    "xlsx-date-format": _Table("a.xlsx", lambda: _styled("m\\-" * 20_000)),
    "xlsx-number-format": _Table("a.xlsx", lambda: _styled("0 " * 20_000)),
    "xlsx-reference": _bomb("damaged", read_table, "a.xlsx", _far_reference),
    "xlsx-styles": _Table("a.xlsx", _many_styles),
    "xlsx-strings": _Table("a.xlsx", lambda: _shared(11 * MB)),
    "xlsx-long-text": _Table("a.xlsx", lambda: _shared(1, f"<si><t>{'あ' * 60 * MB}</t></si>")),
    "xlsx-repeated-text": _Table("a.xlsx", _repeated_text),
    "xlsx-no-id": _bomb("damaged", read_table, "a.xlsx", _no_id),
    "knowledge-comments": _bomb(
        " documents",
        lambda source: f"{len(load_knowledge(source.path).documents())} documents",
        "a.md",
        lambda: _filled("<!--a ", 2 * MB),
    ),
    "diff-lines": _bomb(
        "more than 100,000 lines",
        lambda source: read_diffs(source.path),
        "a.diff",
        lambda: "--- a\n+++ a\n@@ -1 +1 @@\n-a\n+b\n" + _filled("+x\n", 30 * MB),
    ),
    "knowledge-headings": _bomb(
        "is too large:",
        lambda source: load_knowledge(source.path),
        "a.md",
        lambda: "# a\n\nb\n\n" * 3 * MB,
    ),
    "answers-objects": _bomb(
        "nested too deep",
        read_answers,
        "a.jsonl",
        lambda: '{"question": "q", "answer": ' + '{"a":' * 900 + "1" + "}" * 900 + "}\n",
    ),
}
