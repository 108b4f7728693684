"""Models that write and check questions, as functions of a request's body: good ones and bad."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tests.loopback.replies import Body

_NUMBER = re.compile(r"(?:(?:質問|文)を(?:、あと)?|あと|to write: )(\d+)")
_ENTRY = re.compile(r"^(?:【[^】]+】|\[[^\]]+\] )(.+)$", re.MULTILINE)
_LINE = re.compile(r"^(\d+)\. (.+)$", re.MULTILINE)
_SENTENCE = re.compile(r"[^。\n]*\d[^。\n]*。")

_KINDS = {
    "別の言い方で": "題名",
    "in other words": "title",
    "lacking": "範囲外",
    "an exam": "plain",
}

Answer = Callable[[Body], Any]


def last(body: Body) -> str:
    """The last message of a request."""
    return str(body["messages"][-1]["content"])


def is_check(body: Body) -> bool:
    """Whether a request asks to check questions."""
    return "- viewpoint" in last(body)


def is_japanese(body: Body) -> bool:
    """Whether a request is in Japanese."""
    return "あなた" in body["messages"][0]["content"]


def wanted(body: Body) -> int:
    """How many questions a request asks for."""
    return int(_NUMBER.findall(last(body))[-1])


def titles(body: Body) -> list[str]:
    """The titles of the entries in the task."""
    return _ENTRY.findall(body["messages"][1]["content"])


def attempt(body: Body) -> int:
    """Which attempt at its unit a request is, from 1."""
    return (len(body["messages"]) - 1 + 1) // 2


def questions(body: Body) -> list[str]:
    """As many questions as are asked for, other ones in each attempt."""
    end = "（{}の{}件目）について知りたい" if is_japanese(body) else ", my {} case {}, what now"
    matter = "と".join(titles(body)) if is_japanese(body) else " and ".join(titles(body))
    first = 10 * attempt(body)
    return [matter + end.format(_kind(body), first + n) for n in range(wanted(body))]


def _kind(body: Body) -> str:
    """A word that stands for the method, and the persona, of a task."""
    task = str(body["messages"][1]["content"])
    persona = re.search(r"^(?:人物：|The person: )(\S+?)[（ ]", task, re.MULTILINE)
    if persona:
        return persona[1]
    return next((word for mark, word in _KINDS.items() if mark in task), "質問")


def drafts(questions: Iterable[str], *quotes: str) -> dict[str, Any]:
    """Questions in the form that is asked for; each quote is a fact of its own."""
    facts = [{"quote": quote, "text": quote, "alternatives": []} for quote in quotes]
    rest = {"facts": facts, "must_not": [], "hand_over": False}
    return {"questions": [{"question": question, **rest} for question in questions]}


def written(body: Body) -> dict[str, Any]:
    """The questions that a task asks for, with up to two sentences of the entries as facts."""
    entries = body["messages"][1]["content"].split("<data-")[1]
    return drafts(questions(body), *_SENTENCE.findall(entries)[:2])


def verdicts(body: Body, **faulty: Callable[[str], bool]) -> dict[str, Any]:
    """A check of what is asked; a fault is found where its function says so of the question."""
    names = re.findall(r"^- (\w+)[:：]", last(body), re.MULTILINE)
    found = []
    for number, question in _LINE.findall(last(body)):
        said: dict[str, Any] = {name: name in faulty and faulty[name](question) for name in names}
        if "wrong" in said:
            said["wrong"] = []
        found.append({"number": int(number), "reason": "as it reads", **said})
    return {"questions": found}


def good(body: Body) -> Any:
    """Writes what is wanted, and finds no fault."""
    return verdicts(body) if is_check(body) else written(body)


def in_bullets(body: Body) -> Any:
    """Bears no form: answers in bullets with labels."""
    if is_check(body):
        return verdicts(body)
    mark = "質問" if is_japanese(body) else "Question "
    return "\n".join(f"- {mark}{n}: {q}" for n, q in enumerate(questions(body), 1))


def in_english(body: Body) -> Any:
    """Writes English at first, whatever it is asked; mends it when it is told."""
    if is_check(body) or attempt(body) > 1:
        return good(body)
    found = [f"How do I do this, case {n}?" for n in range(wanted(body))]
    return drafts(found)


def formless(body: Body) -> Any:
    """Never answers in the form, nor in any list."""
    return '{"answer": "sure'


def operator(body: Body) -> Any:
    """Writes its first questions in the desk's voice; its check says so."""
    if is_check(body):
        return verdicts(body, viewpoint=lambda q: "ですか？" in q)
    if attempt(body) == 1:
        found = [f"{titles(body)[0]}の件はお済みですか？{n}" for n in range(wanted(body))]
        return drafts(found)
    return written(body)


def one_by_one(answers: list[Any]) -> Answer:
    """Answers from a list, in its order."""
    left: Iterator[Any] = iter(answers)
    return lambda _: next(left)
