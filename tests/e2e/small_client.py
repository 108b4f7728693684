"""A client with a little knowledge, for bots of all kinds."""

import csv
import re
from pathlib import Path

KNOWLEDGE = """\
id,title,content
faq-1,Delivery,Delivery costs 5 euros and is free above 50 euros.
faq-2,Returns,You can return an article within 30 days.
faq-3,Opening hours,The shop is open from 9 to 18 on weekdays.
"""
SCENARIOS = """\
- id: delivery
  query: What does delivery cost?
  expected: {elements: [5 euros], documents: [faq-1]}
- id: returns
  query: How long can I return an article?
  expected: {elements: [30 days], documents: [faq-2]}
- id: hours
  query: When is the shop open?
  expected: {elements: [9 to 18], documents: [faq-3]}
"""
# What any of the bots needs to find a passage: the one that shares most words with the question.
SEARCH = """\
import csv
from pathlib import Path

FILE = Path(__file__).parent / "knowledge" / "faq.csv"
ROWS = list(csv.DictReader(FILE.read_text("utf-8").splitlines()))


def words(text):
    return set("".join(c if c.isalnum() else " " for c in text.lower()).split())


def search(question):
    def shared(row):
        return len(words(question) & words(row["title"] + " " + row["content"]))

    return max(ROWS, key=shared)
"""


def found(question: str) -> dict[str, str]:
    """The passage that the bots' own search finds, for a bot that is a server of the test."""
    rows = list(csv.DictReader(KNOWLEDGE.splitlines()))
    return max(rows, key=lambda row: len(_words(question) & _words(" ".join(row.values()))))


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def small_client(folder: Path, target: str, **files: str) -> Path:
    """The client `shop` in `folder`/scenarios; `files` are its own, by name without `.py`."""
    client = folder / "scenarios" / "shop"
    (client / "knowledge").mkdir(parents=True)
    (client / "client.yaml").write_text(
        f"language: en\ntarget: {target}\nknowledge: knowledge/faq.csv\n"
        "personas: [calm]\nmax_turns: 2\n",
        "utf-8",
    )
    (client / "knowledge" / "faq.csv").write_text(KNOWLEDGE, "utf-8")
    (client / "scenarios.yaml").write_text(SCENARIOS, "utf-8")
    (client / "search.py").write_text(SEARCH, "utf-8")
    for name, text in files.items():
        (client / f"{name}.py").write_text(text, "utf-8")
    return client
