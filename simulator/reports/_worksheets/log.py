"""The Log worksheet: one row for each conversation, as it was on its day."""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from simulator.core.audit import Sampled
from simulator.core.outcome import Outcome, Outcomes, Unscored
from simulator.core.recorded import NOBODY
from simulator.core.run import Episode, Run, RunHeader, Turn
from simulator.core.talk import TargetFailure
from simulator.figures.worst import reason_of
from simulator.reports._worksheets.seen import outcomes_of, with_all
from simulator.sheet.book import Cell, Colour, Column, Row, Value, Worksheet
from simulator.words import Words

TITLE = "Log"
WEAK = Colour(250, 219, 218)


def log(run: Run, title: str = TITLE) -> Worksheet:
    """Columns config, user1, assistant1, check1, … for as many turns as there are.

    Reads all conversations once to count their turns. The colours stay what they were when the
    run ended, whatever Config says later.
    """
    most = max((len(episode.turns) for episode in run.episodes()), default=0)
    columns = [Column("config", 30, wrap=True)]
    for n in range(1, max(1, most) + 1):
        columns += [
            Column(f"user{n}", 32, wrap=True),
            Column(f"assistant{n}", 48, wrap=True),
            Column(f"check{n}", 28, clip=True),
        ]

    def rows() -> Iterator[Row]:
        return (_row(run.header, episode) for episode in run.episodes())

    return Worksheet(title, tuple(columns), rows, grows=True, frozen=(1, 1))


def _row(header: RunHeader, episode: Episode) -> Row:
    words = Words(header.language, "report")
    cells: list[Value | Cell] = [_config(header, episode)]
    for turn in episode.turns:
        cells += [turn.exchange.user, _answer(header, episode, turn, words), _check(episode, turn)]
    return cells


def _config(header: RunHeader, episode: Episode) -> str:
    """What was played, as JSON: the row's key."""
    cell = episode.cell
    began = datetime.fromisoformat(header.started).astimezone(ZoneInfo(header.timezone))
    return _json(
        {
            "date": began.isoformat(timespec="seconds"),
            "persona": "" if cell.persona == NOBODY else cell.persona,
            "scenario": cell.scenario,
            "repeat": cell.repeat,
            "run": header.id,
        }
    )


def _answer(header: RunHeader, episode: Episode, turn: Turn, words: Words) -> Value | Cell:
    failed = isinstance(turn.exchange.reply, TargetFailure)
    text = words("no_answer") if failed else turn.exchange.assistant
    if header.sampled(episode, turn) is not Sampled.FLAGGED:
        return text
    return Cell(text, fill=WEAK, note=reason_of(header, with_all(episode, turn)))


def _check(episode: Episode, turn: Turn) -> str:
    """All outcomes as JSON, comments before numbers; what concerns the talk is on its last turn."""
    found: dict[str, Any] = _outcomes(outcomes_of(episode, turn))
    found["flags"] = list(turn.flags)
    if turn.blame:
        found["blame"] = turn.blame
    if turn.soundness:
        found["soundness"] = list(turn.soundness)
    return _json(found)


def _outcomes(outcomes: Outcomes) -> dict[str, Any]:
    return {name: _outcome(outcome) for name, outcome in outcomes.items()}


def _outcome(outcome: Outcome) -> dict[str, Any]:
    if isinstance(outcome, Unscored):
        detail = {"detail": outcome.detail} if outcome.detail else {}
        return {"unscored": outcome.reason.value, **detail}
    comment = {"comment": outcome.comment} if outcome.comment else {}
    parts = {"parts": dict(outcome.parts)} if outcome.parts else {}
    return {**comment, "value": outcome.value, "raw": outcome.raw, **parts}


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
