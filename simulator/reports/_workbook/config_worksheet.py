"""The Config worksheet with its thresholds, the guide, and how cells of Review are worded.

Who edits a threshold recolours Review and Summary.
"""

import re
from collections.abc import Iterator, Sequence

from simulator.core.claim import ClaimKind
from simulator.core.clean import cut
from simulator.core.persona import Language
from simulator.core.run import Episode, RunHeader, Turn
from simulator.core.talk import Document, Reply, TargetFailure
from simulator.formats.tables import Record, same_name
from simulator.view.review_view import ReviewForm
from simulator.view.worst import metric_names, metrics_of
from simulator.words import Words
from simulator.worksheets.book import (
    CellValue,
    Colour,
    Column,
    SheetCell,
    SheetRow,
    Worksheet,
    quoted_title,
)
from simulator.worksheets.claim_marks import numbered_claims

AnyCell = CellValue | SheetCell
CONFIG = "Config"
_EARLIER = 1_500  # characters of what was said before a turn, without the mark
_DOCUMENTS = 5  # of a turn that are shown
_SOURCE, _EXCERPT = 400, 120  # characters of those behind the right answer, and of others
_STARS = re.compile("^★", re.MULTILINE)  # where earlier versions wrote another mark
_KEYS = ("metric", "threshold", "in_run")
BAD, FAIR, GOOD = Colour(240, 150, 147), Colour(252, 246, 214), Colour(200, 230, 200)
LOW = Colour(250, 219, 218)  # of what is under a threshold
OK, NG = Colour(214, 236, 214), Colour(244, 190, 188)  # of what people call so
COLOURS = (LOW, OK, NG, BAD, FAIR, GOOD)
HAIR = "0.000000001"  # what a rounding error may be, as spreadsheets write it


def config(header: RunHeader, suffix: str = "") -> Worksheet:
    """One row for each metric, `score_by` first; the row's key is the metric's name.

    What the threshold was in the run stands beside the cell that people edit.
    """
    words = Words(header.language, "sheet")

    rows: list[SheetRow] = []
    names = metric_names(header)
    for name in metrics_of(header):
        limit = header.thresholds.get(name)
        # Where it comes from or, where there is none, what a number there would do.
        none = "source.none_score" if name == header.score_by else "source.none"
        source = words(none if limit is None else "source.run", id=header.id)
        rows.append((names[name], limit, limit, source))

    columns = (
        Column(words("metric"), 28),
        Column(words("threshold"), 12, people=True, note=words("threshold_note")),
        Column(words("in_run"), 12),
        Column(words("source"), 60),
    )
    return Worksheet(CONFIG + suffix, columns, lambda: rows, grows=True, warning=words("warning"))


def threshold(
    header: RunHeader, metric: str, suffix: str = "", *, blank: bool = False
) -> SheetCell:
    """A metric's threshold as a cell that follows the Config worksheet.

    Where Config has none it is 0, or with `blank` nothing.
    """
    if metric not in metrics_of(header):
        return SheetCell(header.thresholds.get(metric))
    row = metrics_of(header).index(metric) + 2
    cell = f"{quoted_title(CONFIG + suffix)}!$B${row}"
    formula = f'=IF(ISNUMBER({cell}),{cell},"")' if blank else f"={cell}"
    return SheetCell(header.thresholds.get(metric), formula)


def edited(records: Sequence[Record]) -> Iterator[str]:
    """The thresholds that somebody changed in a Config worksheet: `lexical 0.6`."""
    if not records:
        return
    at = {same_name(text): place for place, text in records[0].cells.items()}
    heads = [(Words("ja", "sheet")(key), Words("en", "sheet")(key)) for key in _KEYS]
    places = [next((at[h] for h in map(same_name, named) if h in at), -1) for named in heads]
    for record in records[1:]:
        metric, now, then = (record.cells.get(place, "") for place in places)
        if now != then:
            yield f"{metric} {now}".rstrip()


def guide(header: RunHeader, suffix: str = "") -> Worksheet:
    """How to judge: where to begin, what OK and NG mean, the error types with examples."""
    words, form = Words(header.language, "sheet"), ReviewForm.of(header)
    rows: list[SheetRow] = []

    def tell(key: str) -> None:
        rows.append([words(f"how.{key}"), words(f"how.{key}.says"), None])

    for key in ("what", "steps", "claims", "blind" if form.blind else "first"):
        tell(key)
    rows += ([name, text, None] for name, text in form.rules(header.language))
    tell("types")
    rows += ([c.name, c.means, c.example or None] for c in form.error_types)
    for key in ("own_words", "free", "careful", "threshold", "done"):
        tell(key)
    columns = [
        Column(words(key), width, wrap=True)
        for key, width in (("how.item", 26), ("how.says", 70), ("how.example", 50))
    ]
    title = words("how") + suffix
    return Worksheet(title, tuple(columns), lambda: rows, grows=True, warning=words("warning"))


def expected_text(episode: Episode, words: Words) -> str:
    """What a right answer says, its claims with numbers; empty where nobody has written it down."""
    if episode.scenario is None:
        return ""
    expected = episode.scenario.expected
    lines = [words("or").join(expected.answers)] if expected.answers else []
    kind = None
    for number, claim in enumerate(numbered_claims(expected), 1):
        if claim.kind is not kind:
            lines.append(words("must_not" if claim.kind is ClaimKind.MUST_NOT else "elements"))
        kind = claim.kind
        lines.append(words("claim", number=number, text=" ".join(claim.text.split())))
    if expected.escalate:
        lines.append(words("expected.escalate"))
    elif expected.can_be_answered is False:
        lines.append(words("expected.refuse"))
    return "\n".join(lines)


def earlier_turns(episode: Episode, turn: Turn, language: Language) -> str:
    """The earlier turns of a talk, a line for each thing that was said; empty on its first turn.

    So nobody has to look them up. The latest stand last. Of long ones the front is left out, with
    a mark.
    """
    words, lines = Words(language, "sheet", "report"), []
    for exchange in (other.exchange for other in episode.turns):
        if exchange.turn >= turn.exchange.turn:
            break
        failed = isinstance(exchange.reply, TargetFailure)
        answer = words("no_answer") if failed else exchange.assistant
        lines.append(words("before.user", text=" ".join(exchange.user.split())))
        lines.append(words("before.bot", text=" ".join(answer.split())))
    text = "\n".join(lines)
    return text if len(text) <= _EARLIER else words("before.cut") + text[-_EARLIER:]


def documents_text(
    header: RunHeader, episode: Episode, turn: Turn, words: Words, most: int = _SOURCE
) -> str:
    """The documents behind the right answer and those that the bot had: id, title, beginning.

    `most`: so many characters of each that is behind the right answer.
    """
    wanted = episode.scenario.expected.documents if episode.scenario else ()
    had = {d.id or f"#{n}": d for n, d in enumerate(turn.exchange.documents)}
    reply = turn.exchange.reply
    missed = "missed" if isinstance(reply, Reply) and reply.reports_documents else "wanted"
    lines = []
    for name in wanted:
        title, text = header.references.get(name, ("", ""))
        came = had.pop(name, None)
        shown = came or Document(text, name, title)
        text = _document(shown, most)
        lines.append(words(f"document.{'wanted' if came else missed}", text=text))
    others = list(had.values())[: max(0, _DOCUMENTS - len(lines))]
    lines += [words("document.other", text=_document(document, _EXCERPT)) for document in others]
    return "\n".join(lines)


def earlier_documents(
    header: RunHeader, episode: Episode, turn: Turn, words: Words
) -> tuple[str, ...]:
    """The documents as this version writes them, and as earlier ones did."""
    shorter = documents_text(header, episode, turn, words, _EXCERPT)
    whole = documents_text(header, episode, turn, words)
    return whole, shorter, _STARS.sub("◎", shorter)


def _document(document: Document, most: int) -> str:
    head = " ".join(filter(None, (document.id, " ".join(document.title.split()))))
    return ": ".join(filter(None, (head, cut(" ".join(document.text.split()), most))))
