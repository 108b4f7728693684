"""A FAQ bot by rules, standing for a model that keeps to its prompt; the standard library only.

It answers with the entry that covers most of the question, weighed by how rare the words are, and
says so where none covers enough. `guidelines.md` is its prompt: a line that quotes examples and
says to hand over is followed where a question is near to an example, and so is one that says that
such questions are answered; of several the nearest counts.
"""

import csv
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent
COVERED = 0.25  # of a question's weight, for an entry to answer it
NEAR = 0.3  # of the lighter of two questions' weights, for them to be about the same
_LEAST = 3  # a question weighs at least as much as so many rare terms
# Examples, and what is to be done with such questions; what is to be said instead is neither.
_LINE = re.compile("((?:(?:「[^」]+」|“[^”]+”)(?:[、や,]| and | or )? ?)+)([^:：]*)")
_QUOTED = re.compile("「([^」]+)」|“([^”]+)”")
_ANSWERED = re.compile("答え|answer")
_HANDED = re.compile(
    "hand(?:s|ed)? |refer |not answer|never answer"
    "|つな[ぎぐ]|引き継|案内す|答えない|答えず|答えしない|答えせず|答えできない"
)
# Users' words beside an entry are there to be found, and nobody reads them out.
_ALSO_ASKED = re.compile("\\s*[(（][^(（]*[「“].*[)）]\\s*$")
_CONTACT = re.compile(r"^[-*\s]*(?:連絡先|Contact)[:：]\s*(.+)$", re.MULTILINE)
_JAPANESE = re.compile("[ぁ-んァ-ヶ一-龠]")
_RUN = re.compile("[一-龠々]+|[ァ-ヶー]+|[a-z0-9]+")
_END = re.compile("[。！？!?]|[.](?= )")
_SMALL = frozenset(
    re.findall(
        "[a-z]+",
        "a about all am an and any are as at be been but by can could did do does for from get "
        "had has have hello hey hi how i if in is it its just like me my no not of on one or "
        "our out please so some sorry tell thank thanks that the them then there these they "
        "this to up us was we what when where which who why will with would yes you your need "
        "want know got im ive id time times today every now again may cant dont wont only like",
    )
)
_SMALL_KANJI = frozenset("何知教聞言思願方件話今私分事時困")


class Entry(NamedTuple):
    id: str
    title: str
    content: str


class Rule(NamedTuple):
    example: frozenset[str]
    hands_over: bool


class Prompt(NamedTuple):
    rules: tuple[Rule, ...]
    contact: str


def answer(question: str, history: list[tuple[str, str]]) -> dict[str, Any]:
    """Answer from the knowledge, hand over, or say that nothing is known."""
    entries, weights = _knowledge(*_state("knowledge/faq.csv"))
    prompt = _prompt(*_state("guidelines.md"))
    asked = terms(question)
    first = terms(history[0][0]) if history else frozenset[str]()
    asked |= first  # a question that follows up leans on the first one
    language = 0 if _JAPANESE.search(question) else 1
    share, best = _best_part(question, asked, first, entries, weights)
    found = sorted(entries, key=lambda e: -_score(best, e, weights))[:3]
    documents = [{"id": e.id, "title": e.title, "text": e.content} for e in found]
    if _hands_over(asked, prompt, weights):
        said = (
            "申し訳ございませんが、こちらではお答えできません。{}までお電話ください。",
            "I'm sorry, I cannot answer that here. Please call {}.",
        )
        return {"answer": said[language].format(prompt.contact), "documents": documents}
    if share < COVERED:
        said = (
            "申し訳ございませんが、その件については分かりかねます。",
            "I'm sorry, I don't know that.",
        )
        return {"answer": said[language], "documents": documents}
    return {"answer": _ALSO_ASKED.sub("", found[0].content), "documents": documents}


def _best_part(
    question: str,
    asked: frozenset[str],
    first: frozenset[str],
    entries: tuple[Entry, ...],
    weights: Mapping[str, int],
) -> tuple[float, frozenset[str]]:
    """What the question is about stands in one of its sentences, maybe; the rest is chatter."""
    least = 2 * _idf("(unknown)", weights)
    parts = [p for p in map(terms, _END.split(question)) if _weight(p, weights) >= least]
    parts = [asked, *(part | first for part in parts), *([first] if first else ())]
    tops = [max((_score(part, e, weights), e) for e in entries)[1] for part in parts]
    shares = [_share(part, top, weights) for part, top in zip(parts, tops, strict=True)]
    return max(shares), parts[shares.index(max(shares))]


@lru_cache(maxsize=4096)
def terms(text: str) -> frozenset[str]:
    """Pairs of characters and single kanji in Japanese, threes of letters of words in English."""
    text = unicodedata.normalize("NFKC", text).lower()
    found: set[str] = set()
    for run in _RUN.findall(text.replace("'", "")):
        if _JAPANESE.match(run):
            found.update(run[i : i + 2] for i in range(len(run) - 1) if run[i] != "何")
            found.update(() if "ァ" <= run[0] <= "ー" else set(run) - _SMALL_KANJI)
        elif run not in _SMALL:
            padded = f"_{run}_"
            found.update(padded[i : i + 3] for i in range(max(1, len(padded) - 2)))
    return frozenset(found)


def _score(asked: frozenset[str], entry: Entry, weights: Mapping[str, int]) -> float:
    """What entry and question share; what stands in the title counts twice."""
    title, whole = terms(entry.title), terms(entry.title + "\n" + entry.content)
    shared = sum(_idf(t, weights) * (1 + (t in title)) for t in asked & whole)
    return shared / (10 + math.sqrt(len(whole)))


def _share(asked: frozenset[str], entry: Entry, weights: Mapping[str, int]) -> float:
    there = terms(entry.title + "\n" + entry.content)
    whole = max(_weight(asked, weights), _LEAST * _idf("(unknown)", weights))
    return _weight(asked & there, weights) / whole


def _hands_over(asked: frozenset[str], prompt: Prompt, weights: Mapping[str, int]) -> bool:
    shared = {rule: _weight(asked & rule.example, weights) for rule in prompt.rules}
    nearest = max(shared, key=lambda rule: (shared[rule], not rule.hands_over), default=None)
    if nearest is None or not nearest.hands_over:
        return False
    lighter = min(_weight(asked, weights), _weight(nearest.example, weights))
    return shared[nearest] >= NEAR * max(lighter, _LEAST * _idf("(unknown)", weights))


def _weight(some: frozenset[str], weights: Mapping[str, int]) -> float:
    return sum(_idf(term, weights) for term in some)


def _idf(term: str, weights: Mapping[str, int]) -> float:
    """As in BM25: ln(1 + (N - n + 0.5) / (n + 0.5)), N under no name; one kanji says less."""
    n = weights.get(term, 0)
    return math.log(1 + (weights[""] - n + 0.5) / (n + 0.5)) / (2 if len(term) == 1 else 1)


def _state(name: str) -> tuple[Path, int, int]:
    """A file and when it changed: what is read is kept until then."""
    found = (FOLDER / name).stat()
    return FOLDER / name, found.st_mtime_ns, found.st_size


@lru_cache(maxsize=8)
def _knowledge(file: Path, *_state: int) -> tuple[tuple[Entry, ...], Counter[str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        entries = tuple(Entry(r["id"], r["title"], r["content"]) for r in csv.DictReader(lines))
    weights = Counter(t for e in entries for t in terms(e.title + "\n" + e.content))
    weights[""] = len(entries)
    return entries, weights


@lru_cache(maxsize=8)
def _prompt(file: Path, *_state: int) -> Prompt:
    text = file.read_text("utf-8")
    rules = []
    for line in text.splitlines():
        found = _LINE.search(line)
        examples = [terms(a or b) for a, b in _QUOTED.findall(found[1])] if found else []
        hands_over = bool(
            found and (_HANDED.search(found[2]) or _HANDED.search(line[: found.start()]))
        )
        if found and (hands_over or _ANSWERED.search(found[2])):
            rules += [Rule(example, hands_over) for example in examples]
    contact = _CONTACT.search(text)
    return Prompt(tuple(rules), contact[1].strip() if contact else "")
