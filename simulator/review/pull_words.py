"""What is odd about a Review table, in plain words and in the client's language."""

from collections.abc import Iterable, Mapping, Sequence

from simulator.core.persona import Language
from simulator.sheet.columns import COLUMNS
from simulator.sheet.reading import Odd, Oddity, RowPlace
from simulator.words import Words

_HEADS: dict[str, Mapping[Language, str]] = {c.id: c.heads for c in COLUMNS}


def told(oddity: Oddity, language: Language) -> str:
    """One sentence about an oddity, with its row if it is about one."""
    (sentence,) = told_together([oddity], language)
    return sentence


def told_together(oddities: Iterable[Oddity], language: Language) -> list[str]:
    """Sentences about oddities; one for all rows of which the same is to be said."""
    rows: dict[tuple[str, str], list[int]] = {}
    for oddity in oddities:
        place = oddity.place or RowPlace(0)
        rows.setdefault((place.sheet, _sentence(oddity, language)), []).append(place.row)
    return [_where(sheet, of, language) + text for (sheet, text), of in rows.items()]


def _where(sheet: str, rows: Sequence[int], language: Language) -> str:
    """The rows as people find them in the sheet."""
    if not any(rows):
        return f"{sheet}: " if sheet else ""
    key = ("row" if len(rows) == 1 else "rows") + ("_of" if sheet else "")
    words = Words(language, "pull")
    return words(key, row=words.comma.join(map(str, rows)), sheet=sheet) + ": "


def _sentence(oddity: Oddity, language: Language) -> str:
    words, values = Words(language, "pull"), dict(oddity.values)
    if "columns" in values:
        names = [_HEADS[name][language] for name in values["columns"].split(",")]
        values["columns"] = words.comma.join(names)
    if oddity.kind is Odd.SAME_PERSON and not values["reviewer"]:
        values["reviewer"] = words("nobody")
    return words(oddity.kind, **values)
