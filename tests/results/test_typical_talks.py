"""The table of typical conversations in docs/*/results.md, each row decided as in a run."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import pytest

from simulator import plugins
from simulator.core.claim import Reader, Reading, State
from simulator.core.outcome import MetricInfo, Outcomes
from simulator.core.persona import Language
from simulator.core.plan import Cell
from simulator.core.ports import Evidence
from simulator.core.run import Episode
from simulator.core.scenario import Expected, Scenario
from simulator.core.talk import Document, Exchange, Reply, Stop, StopReason, Talk
from simulator.execution.scoring import Readers, Scorer
from simulator.files.client.keys import DEFAULT_THRESHOLDS
from simulator.results.verdict import CHECKS
from simulator.view.worst import why_text
from simulator.words import Words
from tests.execution.scored import persona, rated
from tests.metrics.turns import context
from tests.pages import ROOT

_ROW = re.compile(r"^\| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$", re.MULTILINE)
_HEADING = {"en": "## When a conversation passes", "ja": "## 会話が合格になるとき"}
_RATED = re.compile(r" \[(\d)\]$")
_READ = re.compile(r" \{(\w+)\}$")
_ENDS = {"en": " (the user gives up)", "ja": "（利用者があきらめる）"}
_SILENT = {"en": " (no documents)", "ja": "（文書なし）"}
_KINDS = {"elements": "elements", "answer": "answers", "must not": "must_not"}
_KINDS |= {"要素": "elements", "回答": "answers", "言ってはいけない": "must_not"}
_DUE = {"no answer": "none", "答えなし": "none", "a person": "person", "担当者": "person"}
_QUERY = {
    "en": "How long does my account stay locked?",
    "ja": "アカウントのロックはいつまで続きますか",
}
_AND = {"en": "I see. And then?", "ja": "そうですか。それでどうなりますか。"}


@dataclass(frozen=True)
class Row:
    """One row as it is written."""

    name: str
    expects: str
    said: str
    result: str


def rows(language: Language) -> list[Row]:
    text = (ROOT / "docs" / language / "results.md").read_text("utf-8")
    part = text.split(_HEADING[language])[1].split("\n## ")[0]
    return [Row(*found) for found in _ROW.findall(part)][1:]  # below the head


def document(language: Language) -> Document:
    """The one that the bot found, as the page quotes it."""
    text = (ROOT / "docs" / language / "results.md").read_text("utf-8")
    part = text.split(_HEADING[language])[1]
    return Document("faq-1", "", " ".join(re.findall(r"^> (.+)$", part, re.MULTILINE)))


def expected(text: str) -> Expected:
    made = Expected()
    for part in text.split("<br>"):
        kind, _, value = part.partition(": ")
        if kind in _KINDS:
            texts = tuple(value.split("; "))
            given = tuple((text,) for text in texts) if _KINDS[kind] == "elements" else texts
            of_kind: dict[str, Any] = {_KINDS[kind]: given}
            made = replace(made, **of_kind)
        elif _DUE.get(part) == "none":
            made = replace(made, answerable=False)
        elif _DUE.get(part) == "person":
            made = replace(made, escalate=True)
    return made


@dataclass(frozen=True)
class Judge:
    """Rates each answer as the table says."""

    ratings: tuple[int, ...]
    infos = (MetricInfo("overall", "Overall", low=0.2, needs=("judge",), rated=True),)

    async def score(self, evidence: Evidence) -> Outcomes:
        return {"overall": rated(self.ratings[evidence.exchange.turn - 1])}


@dataclass(frozen=True)
class Model:
    """Reads the first claim of each answer as the table says."""

    states: Sequence[str]

    async def read(self, evidence: Evidence) -> tuple[Reading, ...]:
        state = State(self.states[evidence.exchange.turn - 1])
        return (Reading(evidence.claims[0].id, state, Reader.MODEL),)


async def played(row: Row, language: Language) -> Episode:
    """The talk of a row, judged turn by turn by what every run is checked by."""
    is_silent, gives_up = _SILENT[language] in row.said, _ENDS[language] in row.said
    said = row.said.replace(_SILENT[language], "").replace(_ENDS[language], "")
    answers = said.split(" → ")
    ratings = tuple(int(found[1]) for text in answers if (found := _RATED.search(text)))
    states = [found[1] if (found := _READ.search(text)) else "" for text in answers]
    metrics = [plugins.find("metrics", name).open(context(language)) for name in CHECKS]
    judged = [*metrics, *([Judge(ratings)] if ratings else [])]
    model = Model(states) if any(states) else None
    scorer = Scorer(judged, DEFAULT_THRESHOLDS, "x", readers=Readers(model=model))
    documents = () if is_silent else (document(language),)
    evidence = Evidence(
        language,
        persona(language),
        Scenario("s", _QUERY[language], expected=expected(row.expects)),
        Talk("s/calm/1"),
        scripted="script" in row.name or "台本" in row.name,
    )
    turns = []
    for number, text in enumerate(answers, 1):
        reply = Reply(
            _READ.sub("", _RATED.sub("", text)), documents, reports_documents=not is_silent
        )
        asked = _QUERY[language] if number == 1 else _AND[language]
        exchanges = (*evidence.talk.exchanges, Exchange(number, asked, reply))
        evidence = replace(evidence, talk=Talk("s/calm/1", exchanges))
        turns.append(await scorer.score(evidence))
    stop = Stop(StopReason.GAVE_UP if gives_up else StopReason.DONE)
    episode = Episode(Cell("s", "calm"), tuple(turns), stop)
    return await scorer.as_whole(episode, evidence)


def every() -> Iterator[tuple[Language, Row]]:
    for language in get_args(Language):
        yield from ((language, row) for row in rows(language))


@pytest.mark.parametrize(("language", "row"), [*every()], ids=lambda v: getattr(v, "name", v))
async def test_a_typical_talk_ends_as_the_page_says(language: Language, row: Row) -> None:
    found = (await played(row, language)).finding
    assert found
    result = Words(language, "result").name("result", found.result)
    assert row.result == f"{result}: {why_text(found, language)}"


def test_both_pages_have_the_same_talks() -> None:
    assert 14 <= len(rows("en")) == len(rows("ja"))
