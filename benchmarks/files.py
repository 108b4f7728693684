"""How long files of 10,000 rows take to load: every format of scenarios and of knowledge."""

import csv
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from simulator.files.knowledge import load_knowledge
from simulator.files.scenarios.loading import load_scenarios
from tests.formats.xlsx.written import row, text, workbook, worksheet

ROWS = 10_000
_FACTS = "昨日から|大阪に住んでいる"
_ELEMENTS = "500円|3,000円以上"
_ANSWER = "送料は全国一律500円です。3,000円以上のご注文では無料です。"
_COLUMNS = ("id", "質問", "知っていること", "期待する回答", "期待する要素", "回答可能", "タグ")


def main(rounds: int) -> None:
    """Print the median for each format: CPU seconds, since one thread does it all."""
    print(f"\nfiles: {ROWS:,} rows, 200 texts; CPU seconds, medians")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for what, count, load in (*_scenarios(folder), *_knowledge(folder)):
            assert count <= len(load()), what
            print(f"  {what:28} {_seconds(load, rounds):5.2f} s")


def _seconds(load: Callable[[], object], rounds: int) -> float:
    taken = []
    for _ in range(rounds):
        began = time.process_time()
        load()
        taken.append(time.process_time() - began)
    return statistics.median(taken)


Contender = tuple[str, int, Callable[[], Any]]


def _scenarios(folder: Path) -> list[Contender]:
    rows = [
        (f"s{n}", f"注文 {n} の送料はいくらですか", _FACTS, _ANSWER, _ELEMENTS, "○", "料金")
        for n in range(ROWS)
    ]
    entry = (
        "- id: {}\n  query: {}\n  known: [昨日から, 大阪に住んでいる]\n  expected:\n"
        '    answer: {}\n    elements: [500円, "3,000円以上"]\n    answerable: true\n'
        "  tags: [料金]\n"
    )
    _save_csv(folder / "a.csv", (_COLUMNS, *rows), "cp932")
    _save_xlsx(folder / "a.xlsx", (_COLUMNS, *rows))
    (folder / "a.yaml").write_text("".join(entry.format(*r[:2], r[3]) for r in rows), "utf-8")
    cases = [{"question": r[1], "expected": r[4].split("|")} for r in rows]
    (folder / "a.json").write_text(json.dumps(cases, ensure_ascii=False, indent=1), "utf-8")

    def loads(file: Path) -> Callable[[], Any]:
        return lambda: load_scenarios(folder, file=file)

    return [
        (f"scenarios.{kind}, {columns} columns", ROWS, loads(folder / f"a.{kind}"))
        for kind, columns in (("csv", 7), ("xlsx", 7), ("yaml", 7), ("json", 2))
    ]


def _knowledge(folder: Path) -> list[Contender]:
    rows = [("id", "質問", "回答"), *((f"faq-{n}", f"質問 {n}", _ANSWER) for n in range(ROWS))]
    _save_csv(folder / "k.csv", rows, "utf-8-sig")
    _save_xlsx(folder / "k.xlsx", rows)
    texts = folder / "texts"
    texts.mkdir()
    section = f"## 送料 {{}}\n\n{_ANSWER * 8}\n\n- {_ANSWER}\n- {_ANSWER}\n\n"
    for n in range(200):
        body = "".join(section.format(number) for number in range(10))
        (texts / f"{n:03}.md").write_text(f"# ご利用ガイド {n}\n\n{body}", "utf-8")

    def loads(file: Path) -> Callable[[], Any]:
        return lambda: load_knowledge(file)

    return [
        ("knowledge.csv, 3 columns", ROWS, loads(folder / "k.csv")),
        ("knowledge.xlsx, 3 columns", ROWS, loads(folder / "k.xlsx")),
        ("knowledge, 200 .md files", 2_000, loads(texts)),
    ]


def _save_csv(path: Path, rows: Any, encoding: str) -> None:
    with path.open("w", encoding=encoding, newline="") as file:
        csv.writer(file).writerows(rows)


def _save_xlsx(path: Path, rows: Any) -> None:
    written = (row(n, *map(text, cells)) for n, cells in enumerate(rows, start=1))
    path.write_bytes(workbook({"x": worksheet(*written)}))
