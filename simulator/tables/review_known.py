"""Whether what people wrote in a Review table is among the verdicts of its run."""

from collections.abc import Iterable, Iterator

from simulator.core.verdict import Verdict
from simulator.formats.tables import same_name
from simulator.tables.review_columns import ColumnId
from simulator.tables.review_kept import kept_texts
from simulator.tables.review_reading import ReviewRow, ReviewTable, Said


def not_stored(table: ReviewTable, run: str, verdicts: Iterable[Verdict]) -> Iterator[ReviewRow]:
    """The rows in which somebody wrote what is not among the verdicts of this run."""
    by_turn: dict[tuple[str, int], list[Verdict]] = {}
    for verdict in verdicts:
        by_turn.setdefault((verdict.episode, verdict.turn), []).append(verdict)
    for row in table.rows:
        given = by_turn.get((row.episode, row.turn), [])
        known = row.run == run and any(_is_whole(row, verdict) for verdict in given)
        if row.said and not known:
            yield row


def _is_whole(row: ReviewRow, verdict: Verdict) -> bool:
    """Whether this verdict holds all that stands in the row; the name may have come later.

    Where one person's rows differed, it keeps the texts in its comment.
    """
    if row.reviewer and same_name(row.reviewer) != same_name(verdict.reviewer):
        return False
    said = row.said
    pairs: tuple[tuple[ColumnId, str, str], ...] = (
        ("verdict", said.word or "", verdict.word or ""),
        ("error_type", said.error_type, verdict.error_type),
        ("corrected", said.corrected, verdict.corrected),
    )
    for column, text, there in pairs:
        plain = " ".join(text.split())
        is_there = plain in ("", " ".join(there.split()))
        if not is_there and plain not in kept_texts(verdict.comment, column):
            return False
    return _lines(said.comment) <= _lines(verdict.comment)


def _lines(comment: str) -> set[str]:
    return {" ".join(line.split()) for line in comment.split("\n")} | {""}


def holds(verdict: Verdict, said: Said) -> bool:
    """Whether the verdict says all that was said; what was left empty takes nothing away."""
    return (
        said.word in (None, verdict.word)
        and said.error_type in ("", verdict.error_type)
        and said.corrected in ("", verdict.corrected)
        and said.comment in ("", verdict.comment)
    )
