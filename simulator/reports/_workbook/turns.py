"""The worksheets Log, a row for each conversation, and Review, a row for each turn to look at."""

import json
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pickle import HIGHEST_PROTOCOL, dumps, load
from tempfile import SpooledTemporaryFile
from typing import Any
from weakref import finalize
from zoneinfo import ZoneInfo

from simulator.core.claim import claims_of, counting
from simulator.core.clean import cut, visible
from simulator.core.outcome import Outcome, Outcomes, Score, Unscored
from simulator.core.result import Result
from simulator.core.run import NOBODY, Episode, Run, RunHeader, Turn
from simulator.core.scenario import Expected
from simulator.core.talk import StopReason, TargetFailure
from simulator.core.verdict import Place, Sampled, Verdict, latest
from simulator.reports._workbook.config_worksheet import (
    HAIR,
    LOW,
    NG,
    OK,
    AnyCell,
    documents_text,
    earlier_documents,
    earlier_turns,
    expected_text,
    threshold,
)
from simulator.statistics.intervals import under
from simulator.view.review_view import ReviewForm, ReviewQueue
from simulator.view.worst import claim_text, flag_reason, metric_names, result_text, turn_reason
from simulator.words import Words
from simulator.worksheets.book import (
    TEXT_FORMAT,
    CellValue,
    Column,
    Rule,
    SheetCell,
    SheetRow,
    Worksheet,
    column_name,
)
from simulator.worksheets.claim_marks import marks_by_person, numbered_claims
from simulator.worksheets.columns import (
    COLUMNS,
    EARLIER_SAMPLED,
    FROZEN,
    HASHED,
    THOUGHT,
    ColumnId,
    as_earlier,
    filled_hash,
    row_hash,
    turn_key,
)

LOG, REVIEW = "Log", "Review"
_DECIMALS = 6  # of a score
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_IN_MEMORY = 8_000_000  # bytes of rows
_SAID = 300  # characters of why there is none
_ROW = "\0"  # in a formula: the number of the row in which it is

_LETTERS = {column.id: column_name(index) for index, column in enumerate(COLUMNS)}
_PLACES = {column.id: index for index, column in enumerate(COLUMNS)}


class _Kept:
    """Rows aside, in the order in which they came; many of them are on disk."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115  closed with this
        finalize(self, self._file.close)
        self._end = 0
        self.places = array("q")

    def add(self, row: Sequence[AnyCell]) -> None:
        """Keep one more row; none has been read yet."""
        self.places.append(self._end)
        self._end += self._file.write(dumps(row, HIGHEST_PROTOCOL))

    def read(self, numbers: Iterable[int]) -> Iterator[list[AnyCell]]:
        """The rows with these numbers, from 0."""
        for number in numbers:
            self._file.seek(self.places[number])
            yield load(self._file)  # noqa: S301  of this process alone


class Log:
    """The worksheet with a row for each conversation: config, user1, assistant1, check1, ….

    The colours stay what they were when the run ended, whatever Config says later.
    """

    def __init__(self, header: RunHeader) -> None:
        self._header = header
        self._names = metric_names(header)
        began = datetime.fromisoformat(header.started).astimezone(ZoneInfo(header.timezone))
        self._began = began.isoformat(timespec="seconds")
        self._rows = _Kept()
        self._most = 1  # turns of a conversation

    def add(self, episode: Episode) -> None:
        """Write the row of one conversation, as it counts."""
        header, names = self._header, self._names
        cells = [self._played(episode)]
        for turn in episode.turns:
            answer = _answer(header, episode, turn, names)
            cells += [turn.exchange.user, answer, _check(header, episode, turn)]
        self._most = max(self._most, len(episode.turns))
        self._rows.add(cells)

    def worksheet(self, title: str) -> Worksheet:
        """The rows so far, with columns for as many turns as the longest conversation has."""
        columns = [Column("config", 30, wrap=True)]
        for n in range(1, self._most + 1):
            columns += [
                Column(f"user{n}", 32, wrap=True),
                Column(f"assistant{n}", 48, wrap=True),
                Column(f"check{n}", 28, clip=True, hidden=self._header.review.blind),
            ]

        def rows() -> Iterator[SheetRow]:
            return self._rows.read(range(len(self._rows.places)))

        return Worksheet(title, tuple(columns), rows, grows=True, shared=True, frozen=(1, 1))

    def _played(self, episode: Episode) -> AnyCell:
        """What was played; coloured where the conversation failed, with a note on why."""
        key, header, finding = self._key(episode), self._header, episode.finding
        if finding is None or finding.result is not Result.FAILED or header.review.blind:
            return key
        return SheetCell(key, fill=NG, note=result_text(finding, header.language, self._names))

    def _key(self, episode: Episode) -> str:
        """What was played, as JSON: the row's key."""
        cell = episode.cell
        return _json(
            {
                "date": self._began,
                "persona": "" if cell.persona == NOBODY else cell.persona,
                "scenario": cell.scenario,
                "repeat": cell.repeat,
                "run": self._header.id,
            }
        )


def _answer(header: RunHeader, episode: Episode, turn: Turn, names: Mapping[str, str]) -> AnyCell:
    failed = isinstance(turn.exchange.reply, TargetFailure)
    words = Words(header.language, "report")
    text = words("no_answer") if failed else turn.exchange.assistant
    unseen = header.review.blind or episode.stop.reason is StopReason.USER_INVALID
    if not turn.flagged or unseen:
        return text
    whole = _whole(episode, turn)
    note = flag_reason(header, whole, names) or turn_reason(header, whole, episode.finding)
    return SheetCell(text, fill=LOW, note=note)


def _check(header: RunHeader, episode: Episode, turn: Turn) -> str:
    """All outcomes and claims as JSON; what concerns the talk is on its last turn."""
    check: dict[str, Any] = {n: _outcome(o) for n, o in _outcomes(episode, turn).items()}
    if claims := _claims(header, episode, turn):
        check["claims"] = claims
    check["flags"] = list(turn.flags)
    if turn.blame:
        check["blame"] = turn.blame
    if turn.soundness:
        check["soundness"] = list(turn.soundness)
    if episode.finding and turn is episode.turns[-1]:
        check["result"] = episode.finding.result.value
        check["why"] = episode.finding.why.value
    return _json(check)


def _claims(header: RunHeader, episode: Episode, turn: Turn) -> dict[str, str]:
    """The state of each claim in this answer, and who read it: `met (words)`."""
    expected = episode.scenario.expected if episode.scenario else Expected()
    readings, words = counting(turn.readings or ()), Words(header.language, "result")
    return {
        claim_text(claim, words): f"{reading.state} ({reading.reader})"
        for claim in claims_of(expected, supported=True)
        if (reading := readings.get(claim.id))
    }


def _outcomes(episode: Episode, turn: Turn) -> Outcomes:
    """The outcomes of a turn; those that speak of the whole conversation stand on its last."""
    is_last = turn.exchange.turn == episode.turns[-1].exchange.turn
    return {**turn.outcomes, **episode.outcomes} if is_last else turn.outcomes


def _whole(episode: Episode, turn: Turn) -> Turn:
    """The turn with all these outcomes."""
    return replace(turn, outcomes=_outcomes(episode, turn))


def _outcome(outcome: Outcome) -> dict[str, Any]:
    if isinstance(outcome, Unscored):
        detail = {"detail": outcome.detail} if outcome.detail else {}
        return {"unscored": outcome.reason.value, **detail}
    score = {"comment": outcome.comment, "value": outcome.value, "raw": outcome.raw}
    kept = {name: value for name, value in score.items() if value != ""}
    return kept | ({"parts": dict(outcome.parts)} if outcome.parts else {})


def _json(value: dict[str, Any]) -> str:
    return _JSON.encode(value)


def review(run: Run, suffix: str = "") -> Worksheet:
    """Flagged turns and the audit sample, in the plan's order; colours follow Config."""
    rows = Review(run.header, suffix, run.on_claims())
    return rows.worksheet(ReviewQueue.of(run.header, run.reviewed(), rows.add))


def _columns(header: RunHeader) -> Iterator[Column]:
    words, form = Words(header.language, "sheet"), ReviewForm.of(header)
    choices = {
        "verdict": tuple(choice.name for choice in form.words),
        "error_type": tuple(choice.name for choice in form.error_types),
    }
    for column in COLUMNS:
        yield Column(
            form.fields[column.id],
            column.width,
            hidden=column.hidden or (form.blind and column.id in THOUGHT),
            wrap=not column.hidden,
            clip=column.hidden or column.clip,
            people=column.people,
            choices=choices.get(column.id, ()),
            form=TEXT_FORMAT if column.people else "",
            note=words.find(f"note.{column.id}") or "",
        )


def _rules() -> tuple[Rule, ...]:
    score, limit, flag = _LETTERS["score"], _LETTERS["threshold"], _LETTERS["flag"]
    word = _LETTERS["verdict"]
    low = f"=AND(ISNUMBER(${score}2),${score}2<${limit}2-{HAIR})"
    flagged = f'=${flag}2<>""'  # by something else than a score
    in_sight = (_PLACES["user"], _PLACES["assistant"])
    by_people = (_PLACES["verdict"], _PLACES["verdict"])
    return (
        Rule(low, LOW, 1, None, *in_sight),
        Rule(flagged, LOW, 1, None, *in_sight),
        Rule(f'=${word}2="OK"', OK, 1, None, *by_people),
        Rule(f'=${word}2="NG"', NG, 1, None, *by_people),
    )


class Review:
    """The worksheet with the answers that people judge."""

    def __init__(
        self, header: RunHeader, suffix: str = "", on_claims: Iterable[Verdict] = ()
    ) -> None:
        self._header = header
        self._on_claims: dict[Place, list[Verdict]] = {}
        for verdict in on_claims:
            self._on_claims.setdefault((verdict.episode, verdict.turn), []).append(verdict)
        self._suffix = suffix
        self._words = Words(header.language, "sheet")
        self._named = Words(header.language, "report")
        self._names = metric_names(header)
        self._form = ReviewForm.of(header)
        self._rows = _Kept()
        self._numbers: dict[Place, range] = {}  # of an answer's rows

    def worksheet(self, queue: ReviewQueue) -> Worksheet:
        """The answers in their order, all of which were added."""

        def rows() -> Iterator[SheetRow]:
            number = 1  # the head's
            for answer in queue.rows:
                for row in self._rows.read(self._numbers[answer.place]):
                    number += 1
                    row[_PLACES["turns"]] = answer.turns
                    row[_PLACES["flag"]] = _in_row(row[_PLACES["flag"]], number)
                    yield row

        return Worksheet(
            REVIEW + self._suffix,
            tuple(_columns(self._header)),
            rows,
            _rules(),
            grows=True,
            fills=self._header.review.blind,
            filtered=True,
            warning=self._words("warning"),
            frozen=(1, FROZEN),
        )

    def add(
        self, place: Place, why: Sampled, episode: Episode, verdicts: Sequence[Verdict]
    ) -> None:
        """Write the rows of one answer: one, or one for each person who judged it."""
        first = len(self._rows.places)
        turn = episode.turns[place[1] - 1]
        machine, metric = self.machine(episode, turn, why), self._metric(turn)
        of_turn = latest(v for v in verdicts if v.turn == turn.exchange.turn)
        marks = self._marks(place, episode)
        shown = _shown(list(of_turn.values()))
        others = marks.keys() - {verdict.person for verdict in shown if verdict}
        spoke = [Verdict(*place, None, name) for name, _ in sorted(others)]
        for verdict in [v for v in shown if v or not spoke] + spoke:
            result = self._result(episode, turn, self._known(verdict))
            text = result.value if isinstance(result, SheetCell) else result
            cells: dict[ColumnId, AnyCell] = {**machine, "result": text}
            if self._header.review.blind and (verdict is None or verdict.word is None):
                cells |= dict.fromkeys(THOUGHT)
                live: Mapping[ColumnId, AnyCell] = {}
            else:
                live = {**self._live(turn, metric, machine), "result": result}
            hashed = row_hash({name: cells[name] for name in HASHED})
            cells = {**cells, **live, **self._people(verdict)}
            cells["claims"] = marks.get(verdict.person) if verdict else None
            cells["hash"] = f"{hashed}{filled_hash(cells)}"
            self._rows.add([cells.get(column.id) for column in COLUMNS])
        self._numbers[place] = range(first, len(self._rows.places))

    def machine(self, episode: Episode, turn: Turn, sampled: Sampled) -> dict[ColumnId, CellValue]:
        """The cells that the program writes and nothing alters later."""
        cell, exchange = episode.cell, turn.exchange
        turn = _whole(episode, turn)
        metric = self._metric(turn)
        outcome = turn.outcomes.get(metric)
        gap = ""
        if isinstance(outcome, Unscored):
            detail = cut(visible(outcome.detail), _SAID)
            gap = ": ".join(filter(None, (self._named.name("gap", outcome.reason), detail)))
        return {
            "key": turn_key(self._header.id, cell.key, exchange.turn),
            "user": exchange.user,
            "before": earlier_turns(episode, turn, self._header.language),
            "assistant": exchange.assistant if metric else self._named("no_answer"),
            "expected": expected_text(episode, self._words),
            "documents": documents_text(self._header, episode, turn, self._words),
            "sampled": self._words(f"sampled.{sampled}"),
            "persona": self._persona(cell.persona),
            "scenario": cell.scenario,
            "turn": exchange.turn,
            "metric": self._names.get(metric, metric),
            "score": round(outcome.value, _DECIMALS) if isinstance(outcome, Score) else None,
            "reason": turn_reason(self._header, turn, episode.finding, self._names) or gap,
        }

    def _persona(self, name: str) -> str:
        return "" if name == NOBODY else self._header.personas.get(name, name)

    def _metric(self, turn: Turn) -> str:
        """What flagged the turn, the run's score first; empty for a failed target."""
        if isinstance(turn.exchange.reply, TargetFailure):
            return ""
        score_by = self._header.score_by
        return score_by if not turn.flags or score_by in turn.flags else turn.flags[0]

    def _live(
        self, turn: Turn, metric: str, cells: Mapping[ColumnId, CellValue]
    ) -> dict[ColumnId, AnyCell]:
        """The cells that follow Config; of a failed target nothing does."""
        score, word = cells["score"], self._words("flag")
        if not metric:
            return {"flag": word if turn.flagged else None}
        limit = threshold(self._header, metric, self._suffix)
        least = limit.value if isinstance(limit.value, int | float) else 0.0
        is_low = isinstance(score, float) and under(score, least)
        at, of = f"${_LETTERS['score']}{_ROW}", f"${_LETTERS['threshold']}{_ROW}"
        formula = f'=IF(ISNUMBER({at}),IF({at}<{of}-{HAIR},"{word}",""),"")'
        if turn.flagged and not is_low:  # by what it says, or as what shows why: by no threshold
            return {"threshold": limit, "flag": word}
        return {"threshold": limit, "flag": SheetCell(word if is_low else "", formula)}

    def _result(self, episode: Episode, turn: Turn, known: Sequence[str]) -> AnyCell:
        """What came of the talk, and why, where this turn shows it; and what is `known`."""
        finding, language = episode.finding, self._header.language
        if finding is None:
            return "\n".join(known) or None
        text = Words(language, "result").name("result", finding.result)
        if finding.turn in (turn.exchange.turn, None):
            text = result_text(finding, language, self._names)
        fill = LOW if finding.result is Result.FAILED else None
        return SheetCell("\n".join([text, *known]), fill=fill)

    def _known(self, verdict: Verdict | None) -> Sequence[str]:
        """Who said it where, of a verdict that was given on an equal answer."""
        if verdict is None or not verdict.run:
            return []
        key = "known_here" if verdict.run == self._header.id else "known"
        who = verdict.reviewer or self._words("nobody")
        return [self._words(key, run=verdict.run, who=who, at=verdict.at[:10])]

    def _marks(self, place: Place, episode: Episode) -> Mapping[tuple[str, str], str]:
        """What stands in the cell for single claims, by person."""
        claims = numbered_claims(episode.scenario.expected) if episode.scenario else ()
        numbers = {number: claim.id for number, claim in enumerate(claims, 1)}
        given = self._on_claims.get(place, ())
        return marks_by_person(numbers, given, self._header.language)

    def _people(self, verdict: Verdict | None) -> dict[ColumnId, CellValue]:
        if verdict is None:
            return {}
        return {
            "verdict": self._form.name_of(verdict.word) or None,
            "error_type": self._named.name("fault", verdict.error_type) or None,
            "corrected": verdict.corrected or None,
            "comment": verdict.comment or None,
            "reviewer": verdict.reviewer or None,
        }


def _in_row(cell: AnyCell, number: int) -> AnyCell:
    """The cell with a formula that speaks of the row in which it is."""
    if isinstance(cell, SheetCell):
        return replace(cell, formula=cell.formula.replace(_ROW, str(number)))
    return cell


def _shown(verdicts: Sequence[Verdict]) -> Sequence[Verdict | None]:
    """What people said of this very turn; else of an equal one, once where they agree."""
    here = [verdict for verdict in verdicts if not verdict.run]
    known = [verdict for verdict in verdicts if verdict.word is not None]
    agree = len({verdict.word for verdict in known}) == 1
    return here or (known[-1:] if agree else known) or [None]


def machine_cells(
    header: RunHeader, episode: Episode
) -> Iterator[tuple[int, Mapping[ColumnId, object]]]:
    """What the program writes of each turn, by the turn's number.

    A tuple holds the ways in which it may have done so: by name, and in earlier versions by id, or
    in other words.
    """
    rows, words = Review(header), Words(header.language, "sheet")
    for turn in episode.turns:
        sampled = header.sampled(episode, turn) or Sampled.OPEN  # as what it may have been shown
        cells: dict[ColumnId, object] = {**rows.machine(episode, turn, sampled)}
        expected = str(cells["expected"] or "")
        cells["expected"] = (expected, as_earlier(expected))
        cells["persona"] = (cells["persona"], episode.cell.persona)
        cells["documents"] = earlier_documents(header, episode, turn, words)
        names = (cells["metric"], *(info.name for info in header.metrics))
        kinds = [cells["sampled"]]
        if header.review_plan:  # before it, it was shown for another reason
            kinds = ["", *(words.name("sampled", kind) for kind in Sampled)]
        cells |= {"metric": names, "sampled": (*kinds, *EARLIER_SAMPLED)}
        if header.review.blind:
            cells |= {name: _or_empty(cells[name]) for name in THOUGHT if name in cells}
        yield turn.exchange.turn, cells


def _or_empty(cell: object) -> tuple[object, ...]:
    """The ways in which a cell may be written, among them not at all."""
    return (*(cell if isinstance(cell, tuple) else (cell,)), "")
