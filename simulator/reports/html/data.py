"""What the page shows, as data: one JSON object, and the compressed text of it in the file."""

import base64
import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from simulator.core.clean import cut
from simulator.core.outcome import Score, Unscored
from simulator.core.persona import Language
from simulator.core.result import Finding, Result
from simulator.core.run import Episode, Run, RunHeader, Turn
from simulator.core.scenario import Element, Expected, element_name
from simulator.core.talk import Document, Reply, StopReason, TargetFailure
from simulator.core.verdict import Sampled, Verdict, latest
from simulator.figures.results import why_text
from simulator.figures.worst import UNDETERMINED, failure_text, flag_reason
from simulator.judging.result import GROUNDED
from simulator.reports._figures import rating
from simulator.text.expectations import answer_state, element_state
from simulator.text.normal import normal_form
from simulator.text.sentences import sentences
from simulator.words import Words, table

FORMAT = 1
"""The version of the data contract: changed where a page of another version could not read it."""
_TEXT = 20_000  # characters of a text that a page shows
_IN_MEMORY = 8_000_000  # bytes
_SECTIONS = ("page", "report", "result")
_KINDS = ("result.", "fault.", "stop.", "tag.", "said.", "gap.")


def answer_hash(text: str) -> str:
    """By which a verdict of the page is held against the answer it was given on: 16 hex digits."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def packed(run: Run, beside: "Beside | None" = None) -> Iterator[str]:
    """The data as gzip in base64, a piece at a time; never all of a run is in memory."""
    with SpooledTemporaryFile(max_size=_IN_MEMORY) as file:
        write_json(run, file, beside)
        file.seek(0)
        while part := file.read(3 * 65_536):
            yield base64.b64encode(part).decode("ascii")


def write_json(run: Run, file: IO[bytes], beside: "Beside | None" = None) -> None:
    """Write the data, compressed, to a file of bytes; of two runs the later one is `run`."""
    with gzip.GzipFile(fileobj=file, mode="wb", compresslevel=9, mtime=0) as out:
        for part in _parts(run, beside):
            out.write(part.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Beside:
    """The run that another one is compared with, and by cell (scenario/persona) what changed.

    `changes`: failing or passing, of the cells that newly do.
    """

    run: Run
    changes: Mapping[str, str]


def _parts(run: Run, beside: Beside | None) -> Iterator[str]:
    """The object's text; what the talks refer to stands behind them."""
    header = run.header
    tables = _Tables()
    first = {"format": FORMAT, "run": _run(header), "words": _words(header.language)}
    if header.review_plan:  # which turns the review shows, in this order
        first["queue"] = list(header.review_plan.shown)
    earlier: dict[str, dict[str, Any]] = {}
    if beside is not None:
        first["before"] = _run(beside.run.header)
        told = beside.run.reviewed()
        earlier = {e.cell.key: _talk(beside.run.header, e, v, tables) for e, v in told}
    yield _dumps(first)[:-1] + ',"talks":['
    for number, (episode, verdicts) in enumerate(run.reviewed()):
        talk = _talk(header, episode, verdicts, tables)
        if beside is not None:
            cell = f"{episode.cell.scenario}/{episode.cell.persona}"
            talk["change"] = beside.changes.get(cell, "")
            talk["before"] = earlier.get(episode.cell.key)
        yield ("," if number else "") + _dumps(talk)
    yield "]," + _dumps(tables.data())[1:]


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _run(header: RunHeader) -> dict[str, Any]:
    metrics = [info.name for info in header.metrics if info.scope == "turn"]
    return {
        "id": header.id,
        "client": header.client,
        "language": header.language,
        "started": header.started,
        "score_by": header.score_by,
        "metrics": metrics,
        "rows": header.is_of_rows,
    }


def _words(language: Language) -> dict[str, str]:
    own = dict(table(language, "page"))
    for section in _SECTIONS[1:]:
        own |= {k: v for k, v in table(language, section).items() if k.startswith(_KINDS)}
    return own


class _Tables:
    """What many talks share, each once: documents by their texts, scenarios, personas."""

    def __init__(self) -> None:
        self._documents: dict[Document, int] = {}
        self._scenarios: dict[str, dict[str, Any]] = {}

    def document(self, document: Document) -> int:
        return self._documents.setdefault(document, len(self._documents))

    def scenario(self, episode: Episode) -> None:
        found = episode.scenario
        if found is None or found.id in self._scenarios:
            return
        self._scenarios[found.id] = {
            "query": found.query,
            "goal": found.goal,
            "tags": found.tags,
            "documents": found.expected.documents,
            "answers": found.expected.answers,
            "escalate": found.expected.escalate,
            "answerable": found.expected.answerable,
        }

    def data(self) -> dict[str, Any]:
        return {
            "documents": [[d.id or "", d.title, cut(d.text, _TEXT)] for d in self._documents],
            "scenarios": self._scenarios,
        }


def _talk(
    header: RunHeader, episode: Episode, verdicts: Sequence[Verdict], tables: _Tables
) -> dict[str, Any]:
    tables.scenario(episode)
    cell, found = episode.cell, episode.finding
    shown = _shown(found, episode)
    return {
        "key": cell.key,
        "scenario": cell.scenario,
        "persona": cell.persona,
        "repeat": cell.repeat,
        "result": found.result if found else Result.UNCHECKED,
        "why": why_text(found, header.language) if found else "",
        "shown": shown,
        "group": _group(episode, shown),
        "stop": episode.stop.reason,
        "elements": _elements(episode, header.language),
        "turns": [_turn(header, episode, t, verdicts, tables) for t in episode.turns],
    }


def _shown(found: Finding | None, episode: Episode) -> int:
    """Which turn shows why; the last where it is no single one; 0 without turns."""
    return (found.turn if found and found.turn else 0) or len(episode.turns)


def _group(episode: Episode, shown: int) -> list[str]:
    """What failures alike have in common: blame, expected entry (or scenario), and the answer."""
    if not shown:
        return [UNDETERMINED, episode.cell.scenario, ""]
    turn = episode.turns[shown - 1]
    documents = episode.scenario.expected.documents if episode.scenario else ()
    entry = documents[0] if documents else episode.cell.scenario
    said = normal_form(turn.exchange.assistant)
    return [turn.blame or UNDETERMINED, entry, answer_hash(said)]


def _elements(episode: Episode, language: Language) -> list[list[str]]:
    """Each expected element, or sentence of a single expected answer, and whether it was said."""
    if episode.scenario is None:
        return []
    replies = tuple(turn.exchange.assistant for turn in episode.turns)
    return [list(each) for each in _states(episode.scenario.expected, replies, language)]


@cache
def _states(
    expected: Expected, replies: tuple[str, ...], language: Language
) -> tuple[tuple[str, str], ...]:
    if expected.elements:
        return tuple((element_name(e), _state(e, replies, language)) for e in expected.elements)
    if len(expected.answers) != 1 or expected.answerable is False:
        return ()
    return tuple(
        (sentence, answer_state((sentence,), replies, language).state)
        for sentence in sentences(expected.answers[0], language)
    )


@cache
def _state(element: Element, replies: tuple[str, ...], language: Language) -> str:
    return element_state(element, replies, language)


def _turn(
    header: RunHeader,
    episode: Episode,
    turn: Turn,
    verdicts: Sequence[Verdict],
    tables: _Tables,
) -> dict[str, Any]:
    """One turn; what is empty is left out."""
    exchange = turn.exchange
    failure = exchange.reply if isinstance(exchange.reply, TargetFailure) else None
    outcome = turn.outcomes.get(header.score_by)
    score = outcome if isinstance(outcome, Score) else None
    info = next((i for i in header.metrics if i.name == header.score_by), None)
    sampled = header.sampled(episode, turn)
    grounded = turn.outcomes.get(GROUNDED) if GROUNDED in turn.flags else None
    told = {
        "user": cut(exchange.user, _TEXT),
        "bot": cut(exchange.assistant, _TEXT),
        "failure": failure_text(failure, header.language) if failure else "",
        "documents": [tables.document(document) for document in exchange.documents],
        "score": None if score is None else round(score.value, 4),
        "raw": rating(info, score.raw) if info and score else "",
        "comment": flag_reason(header, turn) or (score.comment if score else ""),
        "gap": outcome.reason if isinstance(outcome, Unscored) else "",
        "values": _values(header, turn),
        "flagged": int(turn.flagged),
        "blames": turn.blames,
        "unsupported": grounded.named if isinstance(grounded, Score) else (),
        "soundness": turn.soundness,
        "hash": answer_hash(exchange.assistant) if isinstance(exchange.reply, Reply) else "",
        "review": 0 if sampled is None else 2 if sampled is Sampled.AUDIT else 1,
        "people": _people(verdicts, exchange.turn),
    }
    if episode.stop.reason is StopReason.USER_INVALID:
        told["review"] = 0
    return {name: value for name, value in told.items() if value not in ("", (), [], 0, None)}


def _values(header: RunHeader, turn: Turn) -> list[float | None]:
    """Every metric's value, in the order of `run.metrics`."""
    outcomes = (turn.outcomes.get(i.name) for i in header.metrics if i.scope == "turn")
    return [round(o.value, 4) if isinstance(o, Score) else None for o in outcomes]


def _people(verdicts: Sequence[Verdict], turn: int) -> list[dict[str, str]]:
    """What each person says by now of one turn."""
    return [
        {
            "who": verdict.reviewer or verdict.source,
            "word": verdict.word.value if verdict.word else "",
            "error_type": verdict.error_type,
            "corrected": verdict.corrected,
            "comment": verdict.comment,
            "at": verdict.at[:10],
            "run": verdict.run,
        }
        for verdict in latest(v for v in verdicts if v.turn == turn).values()
    ]


def client_words(language: Language) -> Words:
    """The words of the page and of what it shows of a run."""
    return Words(language, *_SECTIONS)
