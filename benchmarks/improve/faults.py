"""Clients with one known fault each in what the bot reads, and changes that mend nothing.

`data/*.yaml` says what is asked of three FAQs, what a person answers, and how an entry reads that
nobody finds, or that says the contrary. A seed only draws which fault goes where.
"""

import csv
import difflib
import io
import json
import random
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

import yaml

from benchmarks.improve import faqs
from simulator.text.tokens import sentences

HERE = Path(__file__).parent
NAMES = ("demo", "demo-en", "pool.ja")
PERSONAS = ("calm", "hurried", "angry")
OF_ENTRIES = ("removed", "unfindable", "merged", "over_refusal")
OF_NUMBERS = ("contradictory", "outdated")
MISSING = "missing_guideline"
SHAMS = ("random_words", "neighbour", "wrong_entry", "nothing", "guideline", "duplicate")
KNOWLEDGE, GUIDELINES, HELD_OUT = "knowledge/faq.csv", "guidelines.md", "held-out.yaml"
_UNTOUCHED = 2  # of eight questions
Row = dict[str, str]


@dataclass(frozen=True)
class Fault:
    """A fault of one FAQ, planted in an entry or a topic; no kind: the FAQ as it should be."""

    kind: str
    faq: str
    subject: str

    @property
    def said(self) -> Mapping[str, Any]:
        """What the data say of its subject: of an entry, or of a number in it."""
        known = data(self.faq)
        found = next(s for s in (*known["entries"], *known["topics"]) if s["id"] == self.subject)
        return {**found, **found["number"]} if self.kind in OF_NUMBERS else found

    @property
    def scenario(self) -> str:
        """The id of the scenario that shows it."""
        return f"seen-{self.subject}"

    def __str__(self) -> str:
        return f"{self.faq}/{self.kind}/{self.subject}"


@dataclass(frozen=True)
class Sham:
    """A change that mends nothing, of a client with a fault."""

    kind: str
    fault: Fault
    seed: int


@lru_cache
def data(name: str) -> Mapping[str, Any]:
    return yaml.safe_load((HERE / "data" / f"{name}.yaml").read_text("utf-8"))  # type: ignore[no-any-return]


def faults(count: int, seed: int) -> list[Fault]:
    """So many faults, the kinds in turn, drawn without putting back."""
    rng = random.Random(seed)
    drawn: dict[str, list[Fault]] = {}
    for name in NAMES:
        subjects = [(kind, e["id"]) for kind in OF_ENTRIES for e in data(name)["entries"]]
        subjects = [each for each in subjects if _shows(Fault(each[0], name, each[1]))]
        subjects += [
            (kind, e["id"]) for kind in OF_NUMBERS for e in data(name)["entries"] if "number" in e
        ]
        subjects += [(MISSING, topic["id"]) for topic in data(name)["topics"]]
        for kind, subject in subjects:
            drawn.setdefault(kind, []).append(Fault(kind, name, subject))
    for some in drawn.values():
        rng.shuffle(some)
    turns = zip_longest(*drawn.values())
    return [fault for turn in turns for fault in turn if fault is not None][:count]


def shams(count: int, planted: Sequence[Fault], seed: int) -> list[Sham]:
    """So many changes, their kinds and the faults that they do not mend in turn; each needs one."""
    if not planted:
        return []
    each = [(n, SHAMS[(n + n // len(planted)) % len(SHAMS)]) for n in range(count)]
    return [Sham(kind, planted[n % len(planted)], seed + n) for n, kind in each]


def plant(folder: Path, fault: Fault) -> Path:
    """Write a client's whole folder, and beside its scenarios the held-out ones of the fault."""
    known, faq = data(fault.faq), faqs.faq(fault.faq)
    (folder / "knowledge").mkdir(parents=True)
    rows = [{"id": e.id, "title": e.title, "content": e.content} for e in faq.entries]
    ids = {e["id"]: [e["id"]] for e in known["entries"]}
    if fault.kind in _EDITS:
        rows = _EDITS[fault.kind](rows, fault)
        stands = fault.said["neighbour"] if fault.kind == "merged" else fault.subject
        ids[fault.subject] = [stands] if any(row["id"] == stands for row in rows) else []
    _write(folder / KNOWLEDGE, table(rows))
    _write(folder / GUIDELINES, "".join(f"- {line}\n" for line in _guidelines(known, fault)))
    left_out = {*known["left_out"], *(c.id for c in faq.cases if set(c.documents) & ids.keys())}
    others = [c.said for c in faq.cases if c.id not in left_out]
    subjects = [s for s in (*known["entries"], *known["topics"]) if s["id"] != fault.subject]
    seen = [_asked(f"seen-{s['id']}", s, ids) for s in (*subjects, fault.said)]
    held_out = fault.said.get("held_out", ()) if fault.kind else _all_held_out(known)
    asked = [_held_out(n, s, fault.subject, ids) for n, s in enumerate(held_out, 1)]
    for name, scenarios in (("scenarios.yaml", [*others, *seen]), (HELD_OUT, asked)):
        # JSON is YAML, and much quicker to write and read.
        _write(folder / name, json.dumps(scenarios, ensure_ascii=False, indent=1))
    client = {
        "language": faq.language,
        "target": {"kind": "function", "function": "bot:answer"},
        "knowledge": KNOWLEDGE,
        "scenarios": "scenarios.yaml",
        "personas": list(PERSONAS),
        "gate": {"must_pass": known["must_pass"]},
    }
    _write(folder / "client.yaml", yaml.safe_dump(client, allow_unicode=True, sort_keys=False))
    shutil.copy(HERE / "bot.py", folder / "bot.py")
    return folder


def sham_diff(folder: Path, sham: Sham) -> str:
    """The sham as a diff of the client in `folder`, in which its fault was planted."""
    rng = random.Random(sham.seed)
    if sham.kind == "guideline":
        before = (folder / GUIDELINES).read_text("utf-8")
        name, after = GUIDELINES, before + _harmful(sham.fault, rng)
    else:
        before = (folder / KNOWLEDGE).read_text("utf-8")
        rows = [dict(row) for row in csv.DictReader(io.StringIO(before))]
        _spoil(rows, sham, rng)
        name, after = KNOWLEDGE, table(rows)
    lines = difflib.unified_diff(before.splitlines(True), after.splitlines(True), name, name)
    return f"reason: {sham.kind}\n\n" + "".join(lines)


def table(rows: Sequence[Row]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, ["id", "title", "content"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _write(path: Path, text: str) -> None:
    path.write_text(text, "utf-8", newline="")


def _guidelines(known: Mapping[str, Any], fault: Fault) -> Iterator[str]:
    yield from known["guidelines"]
    yield ("連絡先: " if known["hand_over"].count("案内") else "Contact: ") + known["contact"]
    for topic in known["topics"]:
        if fault.kind != MISSING or topic["id"] != fault.subject:
            yield _handing_over(known, topic["examples"])
    if fault.kind == "over_refusal":
        yield _handing_over(known, fault.said["broad"])


def _handing_over(known: Mapping[str, Any], examples: Sequence[str]) -> str:
    form = "「{}」" if "案内" in known["hand_over"] else "“{}”"
    quoted = "".join if form[0] == "「" else ", ".join
    text = quoted(form.format(example) for example in examples)
    return str(known["hand_over"].format(examples=text, contact=known["contact"]))


def _asked(name: str, said: Mapping[str, Any], ids: Mapping[str, list[str]]) -> Mapping[str, Any]:
    expected: dict[str, Any] = {"answerable": False, "escalate": True}
    if "elements" in said:
        expected = {"elements": said["elements"], "documents": ids[said["id"]]}
    return {"id": name, "query": said["seen"], "expected": expected}


def _held_out(
    number: int, said: Any, subject: str, ids: Mapping[str, list[str]]
) -> Mapping[str, Any]:
    if isinstance(said, str):
        said = {"id": subject, "seen": said}
    else:
        subject = said.get("id", subject)
        said = {"id": subject, "seen": said["query"], "elements": said["elements"]}
    return _asked(f"held-out-{number}", said, ids)


def _all_held_out(known: Mapping[str, Any]) -> list[Any]:
    entries = [{**h, "id": e["id"]} for e in known["entries"] for h in e["held_out"]]
    return entries + [h for topic in known["topics"] for h in topic["held_out"]]


def _removed(rows: list[Row], fault: Fault) -> list[Row]:
    return [row for row in rows if row["id"] != fault.subject]


def _unfindable(rows: list[Row], fault: Fault) -> list[Row]:
    return [row | fault.said["unfindable"] if row["id"] == fault.subject else row for row in rows]


def _outdated(rows: list[Row], fault: Fault) -> list[Row]:
    row, (right, wrong) = _row(rows, fault.subject), fault.said["was"]
    assert right in row["content"], fault
    row["content"] = row["content"].replace(right, wrong)
    return rows


def _contradictory(rows: list[Row], fault: Fault) -> list[Row]:
    at = rows.index(_row(rows, fault.subject))
    other = {"id": f"{fault.subject}-old", **fault.said["contradiction"]}
    return [*rows[:at], other, *rows[at:]]


def _merged(rows: list[Row], fault: Fault) -> list[Row]:
    """What the neighbour says, and of the entry the half in which the fewest elements stand."""
    lost, kept = _row(rows, fault.subject), _row(rows, fault.said["neighbour"])
    kept["title"] += " / " + lost["title"]
    kept["content"] += " " + min(_halves(lost["content"], fault), key=partial(_told, fault))
    return _removed(rows, fault)


def _halves(text: str, fault: Fault) -> tuple[str, str]:
    parts = sentences(text, faqs.faq(fault.faq).language)
    half = len(parts) // 2
    return "".join(parts[:half]).strip(), "".join(parts[-half:]).strip()


def _told(fault: Fault, text: str) -> int:
    """How many of the held-out questions a text answers."""
    return sum(
        all(
            any(way in text for way in ([e] if isinstance(e, str) else e))
            for e in asked["elements"]
        )
        for asked in fault.said["held_out"]
    )


def _shows(fault: Fault) -> bool:
    """Whether so many of its eight questions fail that a proof can be sure of a change."""
    if fault.kind != "merged":
        return True
    entry = next(e for e in faqs.faq(fault.faq).entries if e.id == fault.subject)
    return min(_told(fault, half) for half in _halves(entry.content, fault)) <= _UNTOUCHED


_EDITS = {
    "removed": _removed,
    "unfindable": _unfindable,
    "contradictory": _contradictory,
    "outdated": _outdated,
    "merged": _merged,
}


def _row(rows: Sequence[Row], name: str) -> Row:
    return next(row for row in rows if row["id"] == name)


def _harmful(fault: Fault, rng: random.Random) -> str:
    """A line that keeps the bot from answering what it should answer."""
    known = data(fault.faq)
    entry = rng.choice([e for e in known["entries"] if e["id"] != fault.subject])
    return f"- {_handing_over(known, [entry['seen'], entry['held_out'][0]['query']])}\n"


def _spoil(rows: list[Row], sham: Sham, rng: random.Random) -> None:
    asked, near = sham.fault.said["seen"], sham.fault.said.get("neighbour", rows[0]["id"])
    own = {sham.fault.subject, near, f"{sham.fault.subject}-old"}
    row = rng.choice([row for row in rows if row["id"] not in own])
    match sham.kind:
        case "random_words":
            words = " ".join(r["content"] for r in rng.sample(rows, 3)).split()
            pieces = words if len(words) > 9 else list("".join(words))
            row["content"] += " " + " ".join(rng.sample(pieces, min(30, len(pieces))))
        case "neighbour":
            _row(rows, near)["content"] += f" {asked}"
        case "wrong_entry":
            row["title"] += f" / {asked}"
        case "nothing":
            row["content"] = row["content"].replace("。", "。 ").replace(". ", ".  ")
        case "duplicate":
            rows.append({**row, "id": f"{row['id']}-again"})
