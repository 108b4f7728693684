"""The Review worksheet: one row for each turn that people look at, and what they said of it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from simulator.core.audit import Sampled
from simulator.core.outcome import Outcome, Score, Unscored
from simulator.core.persona import Language
from simulator.core.recorded import NOBODY
from simulator.core.run import Episode, Run, RunHeader, Turn
from simulator.core.talk import TargetFailure
from simulator.core.verdict import Verdict, latest
from simulator.figures.worst import reason_of
from simulator.judging.blame import Fault
from simulator.judging.thresholds import under
from simulator.reports._worksheets.before import said_before
from simulator.reports._worksheets.config import threshold
from simulator.reports._worksheets.log import WEAK
from simulator.reports._worksheets.seen import with_all
from simulator.sheet.book import (
    TEXT,
    Cell,
    Colour,
    Column,
    Row,
    Rule,
    Value,
    Worksheet,
    column_name,
)
from simulator.sheet.columns import (
    COLUMNS,
    HASHED,
    WORDS,
    ColumnId,
    ReviewColumn,
    row_hash,
    turn_key,
)
from simulator.words import Words

TITLE = "Review"
_RIGHT = Colour(214, 236, 214)
_WRONG = Colour(244, 190, 188)
_SEEN = ("wrong_fact", "off_question", "unsupported", "style")  # error types
_DECIMALS = 6  # of a score
_HAIR = "0.000000001"  # that of judging.thresholds, as spreadsheets write it

_LETTERS = {column.id: column_name(index) for index, column in enumerate(COLUMNS)}
_PLACES = {column.id: index for index, column in enumerate(COLUMNS)}


def review(run: Run, suffix: str = "") -> Worksheet:
    """Flagged turns and the audit sample, in the plan's order; colours follow Config."""
    words = Words(run.header.language, "sheet")
    columns = tuple(_column(column, run.header, words) for column in COLUMNS)

    def rows() -> Iterator[Row]:
        made = _Rows(run.header, suffix)
        for episode, verdicts in run.reviewed():
            yield from made.of(episode, verdicts)

    return Worksheet(
        TITLE + suffix, columns, rows, _rules(), grows=True, filtered=True, warning=words("warning")
    )


def error_types(language: Language) -> tuple[str, ...]:
    """What is offered: what a person can see in an answer, then what a look behind it tells."""
    named = Words(language, "report")
    return tuple(named.name("fault", fault) for fault in (*_SEEN, *Fault))


def _column(column: ReviewColumn, header: RunHeader, words: Words) -> Column:
    choices: tuple[str, ...] = ()
    if column.id == "verdict":
        choices = WORDS
    elif column.id == "error_type":
        choices = error_types(header.language)
    return Column(
        column.heads[header.language],
        column.width,
        hidden=column.hidden,
        wrap=not column.hidden,
        clip=column.hidden or column.clip,
        people=column.people,
        choices=choices,
        form=TEXT if column.people else "",
        note=words.find(f"note.{column.id}") or "",
    )


def _rules() -> tuple[Rule, ...]:
    score, limit, flag = _LETTERS["score"], _LETTERS["threshold"], _LETTERS["flag"]
    word = _LETTERS["verdict"]
    low = f"=AND(ISNUMBER(${score}2),${score}2<${limit}2-{_HAIR})"
    failed = f'=AND(${score}2="",${flag}2<>"")'
    seen = (_PLACES["sampled"], _PLACES["flag"])
    said = (_PLACES["verdict"], _PLACES["verdict"])
    return (
        Rule(low, WEAK, 1, None, *seen),
        Rule(failed, WEAK, 1, None, *seen),
        Rule(f'=${word}2="OK"', _RIGHT, 1, None, *said),
        Rule(f'=${word}2="NG"', _WRONG, 1, None, *said),
    )


class _Rows:
    """The rows, one after the other: their formulas speak of the row in which they stand."""

    def __init__(self, header: RunHeader, suffix: str) -> None:
        self._header = header
        self._suffix = suffix
        self._words = Words(header.language, "sheet")
        self._named = Words(header.language, "report")
        self._row = 1  # the head's, from 1

    def of(self, episode: Episode, verdicts: Sequence[Verdict]) -> Iterator[Row]:
        """Those of one conversation: for each turn one, or one for each person who judged it."""
        for turn in episode.turns:
            sampled = self._header.sampled(episode, turn)
            if sampled is None:
                continue
            machine = self.machine(episode, turn, sampled)
            for said in _by_person(verdicts, turn.exchange.turn) or [None]:
                self._row += 1
                cells = {**machine, **self._live(turn, machine), **self._people(said)}
                yield [cells.get(column.id) for column in COLUMNS]

    def machine(self, episode: Episode, turn: Turn, sampled: Sampled) -> dict[ColumnId, Value]:
        """The cells that the program writes and nothing alters later."""
        cell, exchange = episode.cell, turn.exchange
        turn = with_all(episode, turn)
        metric = self._metric(turn)
        outcome = turn.outcomes.get(metric)
        found: dict[ColumnId, Value] = {
            "key": turn_key(self._header.id, cell.key, exchange.turn),
            "sampled": self._words(f"sampled.{sampled}"),
            "persona": "" if cell.persona == NOBODY else cell.persona,
            "scenario": cell.scenario,
            "turn": exchange.turn,
            "before": said_before(episode, turn, self._header.language),
            "user": exchange.user,
            "assistant": exchange.assistant if metric else self._named("no_answer"),
            "metric": metric,
            "score": round(outcome.value, _DECIMALS) if isinstance(outcome, Score) else None,
            "reason": reason_of(self._header, turn) or self._said(outcome),
        }
        found["hash"] = row_hash({name: found[name] for name in HASHED})
        return found

    def _metric(self, turn: Turn) -> str:
        """What flagged the turn, the run's score first; empty for a failed target."""
        if isinstance(turn.exchange.reply, TargetFailure):
            return ""
        score_by = self._header.score_by
        return score_by if not turn.flags or score_by in turn.flags else turn.flags[0]

    def _said(self, outcome: Outcome | None) -> str:
        """What stands for a reason where nothing is flagged."""
        if isinstance(outcome, Unscored):
            return self._named.name("gap", outcome.reason)
        return outcome.comment if outcome else ""

    def _live(self, turn: Turn, cells: Mapping[ColumnId, Value]) -> dict[ColumnId, Value | Cell]:
        """The cells that follow Config; of a failed target nothing does."""
        metric, score, word = cells["metric"], cells["score"], self._words("flag")
        if not metric:
            return {"flag": word if turn.flagged else None}
        limit = threshold(self._header, str(metric), self._suffix)
        is_low = isinstance(score, float) and under(score, _number(limit.value))
        at, of = f"${_LETTERS['score']}{self._row}", f"${_LETTERS['threshold']}{self._row}"
        formula = f'=IF(ISNUMBER({at}),IF({at}<{of}-{_HAIR},"{word}",""),"")'
        return {"threshold": limit, "flag": Cell(word if is_low else "", formula)}

    def _people(self, said: Verdict | None) -> dict[ColumnId, Value]:
        if said is None:
            return {}
        return {
            "verdict": said.word.value if said.word else None,
            "error_type": self._named.name("fault", said.error_type) or None,
            "corrected": said.corrected or None,
            "comment": said.comment or None,
            "reviewer": said.reviewer or None,
        }


def _by_person(verdicts: Iterable[Verdict], turn: int) -> list[Verdict | None]:
    """The latest verdict of each person on a turn, whoever spoke first first."""
    return list(latest(v for v in verdicts if v.turn == turn).values())


def _number(value: Value) -> float:
    return value if isinstance(value, int | float) else 0.0


def machine_cells(
    header: RunHeader, episode: Episode
) -> Iterator[tuple[int, Mapping[ColumnId, Value]]]:
    """What the program writes of each turn that people look at, by the turn's number."""
    made = _Rows(header, "")
    for turn in episode.turns:
        if sampled := header.sampled(episode, turn):
            yield turn.exchange.turn, made.machine(episode, turn, sampled)
