"""FAQs with scenarios, in Japanese and English: the shipped demos, a real FAQ and invented ones."""

import csv
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, cast

import yaml

ROOT = Path(__file__).parent.parent.parent
DATA = Path(__file__).parent / "faq_data"
Language = Literal["ja", "en"]


@dataclass(frozen=True)
class Entry:
    id: str
    title: str
    content: str


@dataclass(frozen=True)
class Case:
    """A scenario as its file says it, and the same facts in other words where somebody wrote it."""

    id: str
    said: Mapping[str, Any]
    again: str = ""

    @property
    def query(self) -> str:
        return str(self.said["query"])

    @property
    def expected(self) -> Mapping[str, Any]:
        return cast("Mapping[str, Any]", self.said.get("expected") or {})

    @property
    def elements(self) -> tuple[tuple[str, ...], ...]:
        """Each a tuple of alternatives."""
        said = self.expected.get("elements", ())
        return tuple((e,) if isinstance(e, str) else tuple(e) for e in said)

    @property
    def documents(self) -> tuple[str, ...]:
        return tuple(self.expected.get("documents", ()))

    @property
    def answerable(self) -> bool | None:
        return cast("bool | None", self.expected.get("answerable"))

    def without(self, ids: frozenset[str]) -> "Case":
        """As somebody writes it who does not find the entries that should be there."""
        kept = [document for document in self.documents if document not in ids]
        expected = {k: v for k, v in self.expected.items() if k != "documents"}
        expected = {**expected, "documents": kept} if kept else expected
        return replace(self, said={**self.said, "expected": expected})


@dataclass(frozen=True)
class Faq:
    """A knowledge base and what is asked of it. `stray` are entries about something else that
    hold the words of others."""

    name: str
    language: Language
    entries: tuple[Entry, ...]
    cases: tuple[Case, ...]
    personas: tuple[str, ...] = ("calm",)
    stray: tuple[Entry, ...] = ()

    def without(self, ids: Iterable[str]) -> "Faq":
        """The FAQ without these entries, with the stray ones in their place."""
        gone = frozenset(ids)
        kept = (e for e in self.entries if e.id not in gone)
        cases = tuple(c.without(gone) for c in self.cases)
        return replace(self, entries=(*kept, *self.stray), cases=cases)

    def write(self, folder: Path) -> Path:
        """A client's folder; nothing that decides a result is set."""
        folder.mkdir(parents=True)
        client = {
            "language": self.language,
            "target": {"kind": "demo"},
            "knowledge": "faq.csv",
            "personas": list(self.personas),
            "assign": "round_robin",
        }
        scenarios = [dict(c.said) for c in self.cases]
        # JSON is YAML, and much quicker to write and read.
        (folder / "client.yaml").write_text(json.dumps(client), "utf-8")
        (folder / "scenarios.yaml").write_text(json.dumps(scenarios, ensure_ascii=False), "utf-8")
        with (folder / "faq.csv").open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["id", "title", "content"])
            rows.writerows((e.id, e.title, e.content) for e in self.entries)
        return folder


@lru_cache
def faq(name: str) -> Faq:
    """One of NAMES."""
    if name.startswith("demo"):
        return _shipped(name)
    stem, language = name.rsplit(".", 1)
    lang = cast("Language", language)
    return _real(lang) if stem == "coding" else _invented(name, lang)


NAMES = (
    *("demo", "pool.ja", "rent.ja", "coding.ja"),
    *("demo-en", "books.en", "dental.en", "coding.en"),
)


def _shipped(name: str) -> Faq:
    folder = ROOT / "scenarios" / name
    language: Language = "en" if name.endswith("-en") else "ja"
    again = _yaml(DATA / "again.yaml")[name]
    cases = (Case(s["id"], s, again.get(s["id"], "")) for s in _yaml(folder / "scenarios.yaml"))
    entries = _entries(folder / "knowledge" / "faq.csv")
    return Faq(name, language, entries, tuple(cases), ("angry", "calm", "beginner"))


def _real(language: Language) -> Faq:
    folder = DATA / "coding"
    said = _yaml(folder / "scenarios.yaml")
    unanswerable = said.pop("unanswerable")
    cases = [
        _case(id_, s[language], s["elements"][language], documents=[id_]) for id_, s in said.items()
    ]
    cases += [_unanswerable(f"u{n}", s[language]) for n, s in enumerate(unanswerable, 1)]
    return Faq(f"coding.{language}", language, _entries(folder / f"faq.{language}.csv"), (*cases,))


def _invented(name: str, language: Language) -> Faq:
    said = _yaml(DATA / f"{name}.yaml")
    entries = tuple(Entry(e["id"], e["title"], e["content"]) for e in said["entries"])
    cases = [
        _case(
            e["id"],
            e["query"],
            e["elements"],
            documents=[e["id"]],
            again=e["again"],
            escalate=e.get("escalate", False),
        )
        for e in said["entries"]
    ]
    cases += [_unanswerable(s["id"], s["query"]) for s in said["unanswerable"]]
    stray = tuple(Entry(e["id"], e["title"], e["content"]) for e in said["stray"])
    return Faq(name, language, entries, tuple(cases), stray=stray)


def _case(
    id_: str,
    query: str,
    elements: list[Any],
    *,
    documents: list[str],
    again: str = "",
    escalate: bool = False,
) -> Case:
    expected = {
        "elements": elements,
        "documents": documents,
        "answerable": True,
        "escalate": escalate,
    }
    return Case(id_, {"id": id_, "query": query, "expected": expected}, again)


def _unanswerable(id_: str, query: str) -> Case:
    return Case(id_, {"id": id_, "query": query, "expected": {"answerable": False}})


def _entries(file: Path) -> tuple[Entry, ...]:
    with file.open(encoding="utf-8", newline="") as lines:
        return tuple(Entry(r["id"], r["title"], r["content"]) for r in csv.DictReader(lines))


def _yaml(file: Path) -> Any:
    return yaml.safe_load(file.read_text("utf-8"))
