"""What one person says of one turn: in several rows at once, and against what they said before."""

from collections.abc import Iterator, Sequence

from simulator.core.persona import Language
from simulator.core.verdict import Verdict
from simulator.sheet.columns import COLUMNS, ColumnId, kept, with_lines, without_kept
from simulator.sheet.reading import Feedback, Odd, Oddity, ReviewRow, RowPlace, holds, typed

_HEADS = {column.id: column.heads for column in COLUMNS}


def at_once(
    rows: Sequence[ReviewRow], before: Sequence[Verdict], language: Language
) -> tuple[Feedback | None, list[Oddity]]:
    """What the rows of one person say together; None where it is all known.

    A row that was copied may still say what the person said `before`: then the other one counts.
    Where they differ otherwise, nobody can tell which is meant: both are kept in the comment.
    """
    several = sorted({row.said for row in rows}, key=_order)
    if len(several) > 1:
        several = [said for said in several if not any(holds(v, said) for v in before)]
    if len(several) < 2:
        return (several[0] if several else None), []
    joined, differs = _joined(several, language)
    if not differs:
        return joined, []
    values = {
        "reviewer": rows[0].reviewer,
        "rows": ", ".join(str(row.place.row) for row in rows),
        "texts": " | ".join(map(typed, several)),
    }
    return joined, [Oddity(Odd.SAME_PERSON, rows[-1].place, values)]


def merged(said: Feedback, before: Verdict | None) -> Feedback:
    """What the person says by now: a cell that was left empty takes nothing away."""
    if before is None:
        return said
    return Feedback(
        said.word or before.word,
        said.error_type or before.error_type,
        said.corrected or before.corrected,
        said.comment or before.comment,
    )


def cleared(
    place: RowPlace, said: Feedback, before: Verdict, language: Language
) -> Iterator[Oddity]:
    """The cells that held something when this table was read before, and are empty now."""
    is_kept = said.comment != without_kept(said.comment)  # it was no word, and stands there
    texts: tuple[tuple[ColumnId, object, str], ...] = (
        ("verdict", said.word or is_kept, before.word.value if before.word else ""),
        ("error_type", said.error_type, before.error_type),
        ("corrected", said.corrected, before.corrected),
        ("comment", said.comment, without_kept(before.comment)),
    )
    for name, now, text in texts:
        if text and not now:
            values = {"column": _HEADS[name][language], "text": text}
            yield Oddity(Odd.CLEARED, place, values)


def _order(said: Feedback) -> tuple[str, str, str, str]:
    return said.word or "", said.error_type, said.corrected, said.comment


def _joined(several: Sequence[Feedback], language: Language) -> tuple[Feedback, bool]:
    """All of it in one, and whether anything but comments differs."""
    keep: list[str] = []

    def one(name: ColumnId, texts: Sequence[str]) -> str:
        different = sorted(set(filter(None, texts)))
        if len(different) > 1:
            keep.append(kept(name, different, language))
        return different[0] if len(different) == 1 else ""

    word = one("verdict", [said.word or "" for said in several])
    error_type = one("error_type", [said.error_type for said in several])
    corrected = one("corrected", [said.corrected for said in several])
    comments = [line for said in several for line in said.comment.split("\n") if line]
    words = {said.word for said in several if said.word == word}
    found = words.pop() if word else None
    return Feedback(found, error_type, corrected, with_lines("", [*comments, *keep])), bool(keep)
