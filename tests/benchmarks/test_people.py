"""`python -m benchmarks people` on a tiny folder of made-up answers."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.people import main
from benchmarks.people.data import rows
from benchmarks.people.table import decide
from simulator.core.result import Result


def _own(kind: str, reply: str, label: str, claims: list[str], whole: str) -> dict[str, Any]:
    return {
        "id": f"{kind}-1",
        "business": "shop",
        "entry": "shipping",
        "language": "en",
        "question": "What does shipping cost?",
        "document": "Shipping costs $5. It takes two days.",
        "answer": "Shipping costs $5 and takes two days.",
        "elements": ["$5", ["two days", "48 hours"]],
        "reply": reply,
        "label": label,
        "kind": kind,
        "claims": claims,
        "answer_claim": whole,
    }


OWN = [
    _own("rewording", "You pay $5, and it takes 2 days.", "right", ["said", "said"], "said"),
    _own("amount", "It costs $7 and takes 2 days.", "wrong", ["contradicted", "said"], "missing"),
    _own("invention", "$5, two days, and a free mug.", "wrong", ["said", "said"], "said"),
]
MTRAG = [
    {
        "question": "Who?",
        "answer": "It was Ada.",
        "ground_truth": "Ada did.",
        "model": "one",
        "good": True,
    },
    {"question": "Who?", "answer": "Ada did.", "model": "reference", "good": True},
]
EVOUNA = [
    {
        "question": "Who?",
        "golden_answer": "Ada/Ada Lovelace",
        "answer_fid": "Ada",
        "judge_fid": True,
        "answer_gpt4": "Grace Hopper",
        "judge_gpt4": False,
        "answer_gpt35": "Nobody",
        "judge_gpt35": None,
        "improper": False,
    },
    {"question": "What?", "golden_answer": "x", "answer_fid": "x", "improper": True},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, some in (("own/en_set.jsonl", OWN), ("notes.jsonl", OWN)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("\n".join(map(json.dumps, some)), "utf-8")
    lines = [{**row, "context": ["Ada."], "people": {"faithfulness": [4]}} for row in MTRAG]
    (tmp_path / "own" / "rows.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    (tmp_path / "own" / "TQ.json").write_text(json.dumps(EVOUNA), "utf-8")
    return tmp_path


def test_every_known_file_is_read_and_references_take_the_answer_of_their_question(
    folder: Path,
) -> None:
    tables: dict[str, list[Any]] = {}
    for row in rows(folder):
        tables.setdefault(row.table, []).append(row)
    assert {
        "own: TQ": 2,
        "set en: answer": 3,
        "set en: elements": 3,
        "own: models": 1,
        "own: references": 1,
    } == {name: len(some) for name, some in tables.items()}
    assert ("Ada did.",) == tables["own: references"][0].expected.answers


def test_a_truthful_judge_says_what_people_said(folder: Path) -> None:
    found = [decide(row) for row in rows(folder) if row.table == "set en: elements"]
    assert [Result.PASSED, Result.FAILED, Result.PASSED] == [one.alone for one in found]
    assert [Result.PASSED, Result.FAILED, Result.FAILED] == [one.judged for one in found]


def test_halves_part_the_entries_and_only_one_is_shown(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.people.table.grounded.show", lambda _: None)
    halves = {row.entry: row.half for row in rows(folder)}
    assert set(halves.values()) <= {"look", "count"}
    main([str(folder), "--errors", "--undecided"])
    shown = capsys.readouterr().out
    assert "**set en: elements** | 1 / 0 / 0 | 1 / 1 / 0" in shown
    own = [half for entry, half in halves.items() if entry.startswith("shop")]
    assert ("reply: $5, two days" in shown) is (own == ["look"])
