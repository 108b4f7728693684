"""What the page shows, as data: one JSON object, and the compressed text of it in the file."""

import base64
import gzip
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from os import SEEK_END
from shutil import copyfileobj
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from simulator.core.claim import ClaimKind, Reader, State, counting, kind_of
from simulator.core.clean import cut
from simulator.core.outcome import Score
from simulator.core.persona import Language
from simulator.core.result import Result
from simulator.core.run import Episode, Run, RunHeader, Turn, equal_in_run
from simulator.core.talk import Document, Reply, TargetFailure
from simulator.core.verdict import Verdict, latest
from simulator.results.verdict import standings
from simulator.view.compare_view import CompareView
from simulator.view.faults import alike, shown_turn
from simulator.view.results import settled_words, with_causes
from simulator.view.review_view import Reviewed, ReviewForm, ReviewQueue
from simulator.view.run_view import rating
from simulator.view.worst import (
    claim_text,
    failure_text,
    persona_names,
    score_name,
    screen_names,
    state_text,
    turn_reason,
    why_text,
)
from simulator.words import Words, table
from simulator.worksheets.columns import ColumnId

FORMAT = 1
"""The version of the data contract: changed where a page of another version could not read it."""
_TEXT = 20_000  # characters of a text that a page shows
_IN_MEMORY = 8_000_000  # bytes
_LEVEL = 5  # of gzip: 6 takes half as long again for one byte in fifteen
# What the page calls as the worksheet does.
_FIELDS: Mapping[str, ColumnId] = {
    "question": "user", "answer": "assistant", "expected": "expected", "verdict": "verdict",
    "error_type": "error_type", "corrected": "corrected", "comment": "comment",
    "reviewer": "reviewer",
}  # fmt: skip
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_SECTIONS = ("page", "report", "result")
Look = Callable[[Episode, Sequence[Verdict]], None]
_KINDS = ("result.", "fault.", "stop.", "tag.", "said.", "gap.", "state.")


@dataclass(frozen=True, slots=True)
class Beside:
    """What changed, by cell (scenario/persona): failing or passing, of the cells that newly do.

    `run`: that whose talks are shown beside those of this one; None: none are.
    """

    changes: Mapping[str, str]
    run: Run | None = None

    @classmethod
    def of(cls, since: CompareView | None) -> "Beside":
        """What became of a run since the one before."""
        return cls(since.comparison.changes if since else {})


def answer_hash(text: str) -> str:
    """By which a verdict of the page is held against the answer it was given on: 16 hex digits."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def packed(run: Run, beside: Beside, each: Look | None = None) -> Iterator[str]:
    """The data as gzip in base64, a piece at a time; never all of a run is in memory.

    All of it is made before the first piece is yielded; `each` sees every conversation on the way.
    """
    with SpooledTemporaryFile(max_size=_IN_MEMORY) as file:
        write_json(run, file, beside, each)
        file.seek(0)
        while part := file.read(3 * 65_536):
            yield base64.b64encode(part).decode("ascii")


def write_json(run: Run, file: IO[bytes], beside: Beside, each: Look | None = None) -> None:
    """Write the data, compressed, to a file of bytes; of two runs the later one is `run`.

    Its conversations are read once. What the talks refer to stands behind them.
    """
    header = run.header
    form = ReviewForm.of(header)
    words = _words(header.language, form)
    first = {"format": FORMAT, "run": _run(header), "words": words, "review": _review(form, header)}
    with (
        closing(_Aside()) as earlier,
        SpooledTemporaryFile[bytes](max_size=_IN_MEMORY) as documents,
        gzip.GzipFile(fileobj=file, mode="wb", compresslevel=_LEVEL, mtime=0) as out,
    ):

        def write(text: str) -> None:
            out.write(text.encode("utf-8", "surrogatepass"))

        tables = _Tables(documents, screen_names(header))
        if beside.run is not None:
            first["before"] = _run(beside.run.header)
            for before, verdicts in beside.run.reviewed():
                talk = _talk(beside.run.header, before, verdicts, tables)
                earlier.put(before.cell.key, _dumps(talk))
        write(_dumps(first)[:-1] + ',"talks":[')

        def written() -> Iterator[Reviewed]:
            comma = ""
            for episode, verdicts in run.reviewed():
                talk = _talk(header, episode, verdicts, tables) | _changed(episode, beside, earlier)
                write(f"{comma}{_dumps(talk)}")
                comma = ","
                yield episode, verdicts

        # Which turns the review shows, in this order, and for how many a verdict on each counts.
        queue = ReviewQueue.of(header, _seen_by(each, written()))
        rows = [[*row.place, row.turns] for row in queue.with_judged]
        write(f'],"queue":{_dumps(rows)},"scenarios":{_dumps(tables.scenarios)},"documents":[')
        documents.seek(0)
        copyfileobj(documents, out)
        write("]}")


def _seen_by(each: Look | None, reviewed: Iterable[Reviewed]) -> Iterator[Reviewed]:
    for episode, verdicts in reviewed:
        if each is not None:
            each(episode, verdicts)
        yield episode, verdicts


def _changed(episode: Episode, beside: Beside, earlier: "_Aside") -> dict[str, Any]:
    """What changed in the conversation's cell, and the same conversation of the run before."""
    change = beside.changes.get(f"{episode.cell.scenario}/{episode.cell.persona}")
    fields: dict[str, Any] = {"change": change} if change else {}
    if beside.run is not None:
        fields["before"] = json.loads(earlier.get(episode.cell.key) or "null")
    return fields


def _dumps(value: object) -> str:
    return _JSON.encode(value)


def _run(header: RunHeader) -> dict[str, Any]:
    metrics = [info.name for info in header.metrics if info.scope == "turn"]
    return {
        "id": header.id,
        "client": header.client,
        "language": header.language,
        "score_by": score_name(header),
        "metrics": metrics,
        "personas": persona_names(header),
        "rows": header.is_of_rows,
    }


def _review(form: ReviewForm, header: RunHeader) -> dict[str, Any]:
    """How to judge, as the guide of a workbook tells it."""
    return {
        "error_types": [choice.id for choice in form.error_types],
        "rules": [*form.rules(header.language)],
        "policy": form.policy,
        "blind": form.blind,
    }


def _words(language: Language, form: ReviewForm) -> dict[str, str]:
    own = dict(table(language, "page"))
    own |= {f"word.{choice.id}": choice.name for choice in form.words}
    own |= {key: _capital(form.fields[column]) for key, column in _FIELDS.items()}
    for section in _SECTIONS[1:]:
        own |= {k: v for k, v in table(language, section).items() if k.startswith(_KINDS)}
    return own


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


class _Aside:
    """Texts that are wanted later, by name; of very many only the places are in memory."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile[bytes](max_size=_IN_MEMORY)
        self._places: dict[str, tuple[int, int]] = {}

    def close(self) -> None:
        self._file.close()

    def put(self, name: str, text: str) -> None:
        written = text.encode("utf-8", "surrogatepass")
        self._places[name] = self._file.seek(0, SEEK_END), len(written)
        self._file.write(written)

    def get(self, name: str) -> str | None:
        if name not in self._places:
            return None
        start, length = self._places[name]
        self._file.seek(start)
        return self._file.read(length).decode("utf-8", "surrogatepass")


class _Tables:
    """What many talks share, each once: documents by their texts, scenarios, names of metrics."""

    def __init__(self, documents: IO[bytes], metrics: Mapping[str, str]) -> None:
        self.metrics = metrics
        self._documents = documents
        self._numbers: dict[str, int] = {}
        self.scenarios: dict[str, dict[str, Any]] = {}
        self._answers: dict[str, int] = {}

    def document(self, document: Document) -> int:
        name = answer_hash("\0".join((document.id or "", document.title, document.text)))
        if name not in self._numbers:
            parts = [document.id or "", document.title, cut(document.text, _TEXT)]
            text = ("," if self._numbers else "") + _dumps(parts)
            self._documents.write(text.encode("utf-8", "surrogatepass"))
        return self._numbers.setdefault(name, len(self._numbers))

    def same(self, episode: Episode, turn: int) -> int:
        """The same number, from 1, of answers that a verdict on one of them holds for.

        So the store has it: scenario, question, answer and, from turn 2 on, the answer before.
        """
        key = answer_hash("\n".join(equal_in_run(episode, turn)))
        return self._answers.setdefault(key, len(self._answers) + 1)

    def scenario(self, episode: Episode) -> None:
        scenario = episode.scenario
        if scenario is None or scenario.id in self.scenarios:
            return
        self.scenarios[scenario.id] = {
            "query": cut(scenario.query, _TEXT),
            "goal": cut(scenario.goal, _TEXT),
            "tags": scenario.tags,
            "documents": scenario.expected.documents,
            "answers": scenario.expected.answers,
            "escalate": scenario.expected.escalate,
            "answerable": scenario.expected.answerable,
        }


def _talk(
    header: RunHeader, episode: Episode, verdicts: Sequence[Verdict], tables: _Tables
) -> dict[str, Any]:
    tables.scenario(episode)
    episode = with_causes(episode, verdicts)
    cell, finding = episode.cell, episode.finding
    group, answer = alike(episode, finding)
    return {
        "key": cell.key,
        "scenario": cell.scenario,
        "persona": cell.persona,
        "repeat": cell.repeat,
        "result": finding.result if finding else Result.UNCHECKED,
        "why": why_text(finding, header.language, tables.metrics) if finding else "",
        "shown": shown_turn(episode, finding),
        "group": [group.blame, group.entry, answer_hash(answer)],
        "stop": episode.stop.reason,
        "claims": _claims(header, episode, verdicts),
        "turns": [_turn(header, episode, t, verdicts, tables) for t in episode.turns],
    }


def _claims(
    header: RunHeader, episode: Episode, verdicts: Sequence[Verdict]
) -> list[list[str | int]]:
    """Each claim, its state, that and its reader in words, 1 if it has a wording, and its id."""
    words = Words(header.language, "result")
    return [
        [
            cut(claim_text(s.claim, words), _TEXT),
            s.state,
            _state(header.language, s.claim.kind, s.state, s.reading.reader if s.reading else None),
            int(bool(s.claim.wordings)),
            s.claim.id,
        ]
        for s in standings(episode, settled_words(verdicts), header.fail_on)
    ]


@cache
def _state(language: Language, kind: ClaimKind, state: State, reader: Reader | None) -> str:
    return state_text(kind, state, Words(language, "result"), reader)


def _quotes(turn: Turn) -> list[list[str]]:
    """What readers quote of the answer, and the state that it shows; not the answer as a whole."""
    whole = turn.exchange.assistant.strip()
    readings = counting(turn.readings or ()).values()
    quotes = {r.quote: r.state for r in readings if r.quote and r.quote.strip() != whole}
    return [[cut(quote, _TEXT), state] for quote, state in quotes.items()]


def _read(header: RunHeader, turn: Turn) -> list[list[str]]:
    """Of each claim that was read in this one answer its id, its state, and that in words."""
    return [
        [r.claim, r.state, _state(header.language, kind_of(r.claim), r.state, r.reader)]
        for r in counting(turn.readings or ()).values()
    ]


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
    shown = {
        "user": cut(exchange.user, _TEXT),
        "bot": cut(exchange.assistant, _TEXT),
        "failure": failure_text(failure, header.language) if failure else "",
        "documents": [tables.document(document) for document in exchange.documents],
        "score": None if score is None else round(score.value, 4),
        "raw": rating(info, score.raw) if info and score else "",
        "comment": cut(turn_reason(header, turn, episode.finding, tables.metrics), _TEXT),
        "values": _values(header, turn),
        "flagged": int(turn.flagged),
        "blames": turn.blames,
        "quotes": _quotes(turn),
        "read": _read(header, turn) if len(episode.turns) > 1 else (),
        "soundness": turn.soundness,
        "hash": answer_hash(exchange.assistant) if isinstance(exchange.reply, Reply) else "",
        "same": tables.same(episode, exchange.turn) if isinstance(exchange.reply, Reply) else 0,
        "people": _people(verdicts, exchange.turn),
    }
    empty = {name for name, value in shown.items() if value in ("", (), [], 0, None)}
    if score is not None:  # which may be 0
        empty.discard("score")
    return {name: value for name, value in shown.items() if name not in empty}


def _values(header: RunHeader, turn: Turn) -> list[float | None]:
    """Every metric's value, in the order of `run.metrics`."""
    outcomes = (turn.outcomes.get(i.name) for i in header.metrics if i.scope == "turn")
    return [round(o.value, 4) if isinstance(o, Score) else None for o in outcomes]


def _people(verdicts: Sequence[Verdict], turn: int) -> list[dict[str, str | int]]:
    """What each person says by now of one turn."""
    return [
        {
            "who": verdict.reviewer or verdict.source,
            "word": verdict.word.value if verdict.word else "",
            "error_type": verdict.error_type,
            "corrected": verdict.corrected,
            "comment": verdict.comment,
            "at": verdict.at,
            "folded": int(bool(verdict.folded_from)),
        }
        for verdict in latest(v for v in verdicts if v.turn == turn).values()
    ]


def client_words(language: Language) -> Words:
    """The words of the page and of what it shows of a run."""
    return Words(language, *_SECTIONS)
