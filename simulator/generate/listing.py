"""A model's answer in words, read as a list of questions: marks, numbers and labels are taken off.

Endpoints that are held to no schema answer in bullets, in a list parted by commas, or in JSON of
another form than was asked for.
"""

import json
import re
from collections.abc import Iterator, Mapping

from simulator.core.clean import clean
from simulator.core.persona import Language
from simulator.llm.structured import after_reasoning
from simulator.text.phrases import alternatives
from simulator.text.refusals import is_refusal

_BULLET = r"[-*+•・●○■□◆◇▪‣▶►–—](?:\s+|(?=[^\s\d\-]))"
_CIRCLED = "[①-⑳⑴-⒇⒈-⒛❶-❿]\\s*"
_NUMBER = r"(?:[(（]\d{1,3}[)）]|\d{1,3}[.．、)）:：])(?!\d)\s*"
_NAMES = "質問|設問|問い|問|利用者|ユーザー|お客[様さま]{1,2}|FAQ|Question|Query|User|Customer|Q"
_LABEL = rf"(?:{_NAMES})\s*[(（]?\d{{0,3}}[)）]?\s*[.．:：、)）]\s*"
_NUMBERED_LABEL = r"(?:質問|設問|問|FAQ|Question|Q)\s*\d{1,3}\s+"
_LEADING = re.compile(
    f"(?:{_BULLET}|{_CIRCLED}|{_NUMBER}|{_LABEL}|{_NUMBERED_LABEL})", re.IGNORECASE
)
_ANSWER = re.compile(
    rf"(?:{_BULLET}|{_NUMBER})?{alternatives('A|Ans|Answer|回答|答え?')}\s*\d{{0,3}}\s*[.．:：]",
    re.IGNORECASE,
)
_RULE = re.compile(r"[-=*_`~\s]*(?:```\w*)?\s*")
_INLINE = re.compile(r"(?:(?<=\s)|(?<=[。？！?!,、，]))(?=(?:\(?\d{1,2}[.)．]|[①-⑳])\s*\D)")
_QUOTES = ("「」", "『』", '""', "“”", "''", "‘’", "``")
_QUOTED = re.compile('「([^「」]+)」|"([^"]+)"|“([^“”]+)”')
_BETWEEN_QUOTES = re.compile(r"[\s,，、;；/・。]*(?:と|and)?[\s,，、]*")
_AFTER_A_MARK = re.compile(r"(?<=[?？。!！])\s*[,，、;；]\s*")
_COMMA = re.compile(r"\s*[,，;；]\s*(?!\d{3}\b)")
_TEXTS = ("question", "query", "text", "質問", "q")
_LONGEST_LINE = 2_000


def questions_in(text: str, wanted: int, language: Language) -> list[str]:
    """The questions that an answer lists, cleaned, each once; empty where it is no list.

    JSON of any form that holds texts; else the lines with a mark, or all lines but headings; else
    one line that is cut at its numbers, quotation marks or commas. Commas part questions where
    they follow a final mark; in Japanese everywhere, in English where they make as many as were
    `wanted` or more; 、 only where it makes just as many. Answers given with the questions are
    passed over; a refusal is no question.
    """
    text = after_reasoning(clean(text)).strip()
    lines = [line.strip() for line in text.split("\n") if not _RULE.fullmatch(line)]
    if not lines or is_refusal(text, language):
        return []
    bare = "\n".join(lines)
    if bare[0] in "[{":
        found = list(_of_json(bare))
    elif len(lines) == 1:
        found = _of_line(lines[0], wanted, language)
    else:
        found = _of_lines(lines)
    questions = (without_marks(item) for item in found)
    return list(dict.fromkeys(q for q in questions if any(c.isalnum() for c in q)))


def without_marks(item: str) -> str:
    """One item of a list without its mark, number, label and quotation marks; idempotent.

    `1.`, `質問1:`, `FAQ:`, `-`, `Q.` and `Q1.` go, one after the other (`- 質問1: …`); 1.5GB and
    10:00 are no numbers of a list.
    """
    before = None
    while item != before:
        before = item
        item = item.replace("**", "").strip().rstrip(",，、;；").strip()
        item = _LEADING.sub("", item, count=1) if _LEADING.match(item) else item
        item = _unquoted(item)
    return item


def _unquoted(text: str) -> str:
    for pair in _QUOTES:
        inner = text[1:-1]
        if len(text) > 2 and text[0] == pair[0] and text[-1] == pair[1]:
            return text if pair[0] in inner or pair[1] in inner else inner.strip()
    return text


def _of_json(text: str) -> Iterator[str]:
    """The texts of a JSON value; nothing of one that is broken off."""
    try:
        data = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return
    if isinstance(data, dict):
        data = next((value for value in data.values() if isinstance(value, list)), [])
    for item in data if isinstance(data, list) else []:
        found = _text_of(item) if isinstance(item, dict) else item
        if isinstance(found, str):
            yield " ".join(clean(found).split())


def _text_of(item: Mapping[str, object]) -> object:
    known = {key.casefold(): value for key, value in item.items()}
    return next((known[name] for name in _TEXTS if name in known), None)


def _of_lines(lines: list[str]) -> list[str]:
    asked = [line for line in lines if not _ANSWER.match(line)]
    marked = [line for line in asked if _LEADING.match(line.replace("**", ""))]
    return marked or [line for line in asked if line[-1] not in ":："]


def _of_line(line: str, wanted: int, language: Language) -> list[str]:
    if len(line) > _LONGEST_LINE:
        return []
    numbered = [part for part in _INLINE.split(line) if part.strip()]
    if len(numbered) > 1:
        return [part for part in numbered if _LEADING.match(part)] or numbered
    return _quoted(line) or _parted(line, wanted, language)


def _quoted(line: str) -> list[str]:
    """The questions in quotation marks, where nothing else stands between these."""
    found = [next(filter(None, groups)) for groups in _QUOTED.findall(line)]
    rest = _QUOTED.sub("", line)
    return found if len(found) > 1 and _BETWEEN_QUOTES.fullmatch(rest) else []


def _parted(line: str, wanted: int, language: Language) -> list[str]:
    by_marks = _AFTER_A_MARK.split(line)
    if len(by_marks) > 1:
        return by_marks
    parts = [part for part in _COMMA.split(line) if part.strip()]
    if len(parts) > 1 and (language == "ja" or len(parts) >= wanted > 1):
        return parts
    parts = [part for part in line.split("、") if part.strip()]
    return parts if len(parts) == wanted else [line]
