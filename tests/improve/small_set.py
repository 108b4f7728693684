"""A small set of planted faults: a pottery studio (ja) and a bike shop (en) with their own bot.

`write` makes the folders that `python -m benchmarks improve blind FOLDER` reads. The bot reads
`faq.csv` and `guidelines.md` and words its answers in sentences of its own.
"""

import csv
import difflib
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
_HEAD = ("id", "title", "content")
Rows = dict[str, tuple[str, str]]


def write(folder: Path, languages: tuple[str, ...] = ("ja", "en"), name: str = "small_set") -> Path:
    """Write a set below `folder`: the small one, or the `other_set` with another bot."""
    for language in languages:
        _business(folder / language, language, name)
    folder.joinpath("eval.py").write_text((HERE / "small_set_eval.py").read_text("utf-8"), "utf-8")
    return folder


def _business(folder: Path, language: str, name: str) -> None:
    data: Any = yaml.safe_load((HERE / f"{name}.{language}.yaml").read_text("utf-8"))
    rows: Rows = {
        key: (title, text)
        for key, title, text in (line.split("|") for line in data["faq"].splitlines())
    }
    folder.mkdir(parents=True)
    client = {
        "language": language,
        "target": {"kind": "function", "function": "bot:answer", **data.get("target", {})},
        "knowledge": "faq.csv",
        "scenarios": "scenarios.yaml",
        "max_turns": 2,
    }
    _yaml(folder / "client.yaml", client)
    _yaml(folder / "scenarios.yaml", data["scenarios"])
    _yaml(folder / "untouched.yaml", data["untouched"])
    bot = (
        (HERE / f"{name}_bot.py")
        .read_text("utf-8")
        .replace('LANGUAGE = "ja"', f'LANGUAGE = "{language}"')
    )
    (folder / "bot.py").write_text(bot, "utf-8")
    (folder / "faq.csv").write_text(_csv(rows), "utf-8", newline="")
    (folder / data.get("rules", "guidelines.md")).write_text(data["guidelines"], "utf-8")
    for number, (kind, fault) in enumerate(data["faults"].items(), 1):
        _fault(folder, f"{number:02d}-{kind}", {"kind": kind, **fault}, rows, data)


def _fault(folder: Path, name: str, fault: Any, rows: Rows, data: Any) -> None:
    place = folder / "faults" / name
    overlay = place / "overlay"
    overlay.mkdir(parents=True)
    if changed := fault.get("faq"):
        entries = {k: v for k, v in {**rows, **changed}.items() if v}
        (overlay / "faq.csv").write_text(_csv(entries), "utf-8", newline="")
        _yaml(overlay / "scenarios.yaml", [_without_lost(s, entries) for s in data["scenarios"]])
    if "guidelines" in fault:
        name_of_rules = data.get("rules", "guidelines.md")
        (overlay / name_of_rules).write_text(fault["guidelines"], "utf-8")
    if "code" in fault:
        bot = (folder / "bot.py").read_text("utf-8")
        (overlay / "bot.py").write_text(bot.replace(*fault["code"]), "utf-8")
    about = {name: fault[name] for name in ("kind", "scenario", "corrected")}
    _yaml(place / "fault.yaml", {**about, "is_code": "code" in fault})
    _yaml(place / "hidden.yaml", fault["hidden"])
    for sham, edits in fault.get("shams", {}).items():
        _diff(folder, "mixtures" if sham.startswith("mix") else "shams", place, sham, edits)


def _diff(
    folder: Path, below: str, fault: Path, name: str, edits: Mapping[str, list[list[str]]]
) -> None:
    text = f"# for: {fault.name}\n"
    for file, pairs in edits.items():
        overlaid = fault / "overlay" / file
        path = overlaid if overlaid.exists() else folder / file
        before = path.read_text("utf-8")
        after = before
        for old, new in pairs:
            assert old in after, (name, old)
            after = after.replace(old, new)
        lines = difflib.unified_diff(
            before.splitlines(keepends=True), after.splitlines(keepends=True), file, file
        )
        text += "".join(lines)
    place = folder / below
    place.mkdir(exist_ok=True)
    (place / f"{fault.name}-{name}.diff").write_text(text, "utf-8", newline="")


def _without_lost(scenario: Any, entries: Rows) -> Any:
    expected = scenario["expected"]
    documents = [d for d in expected.get("documents", ()) if d in entries]
    kept = {k: v for k, v in expected.items() if k != "documents"}
    return {**scenario, "expected": {**kept, "documents": documents} if documents else kept}


def _csv(rows: Rows) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_HEAD)
    writer.writerows((key, *entry) for key, entry in rows.items())
    return out.getvalue()


def _yaml(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1), "utf-8")
