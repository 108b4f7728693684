"""What `mogi review pull` shows: who said how much, and what is odd."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from simulator.console.blocks import BOLD, DIM
from simulator.console.layout import fit, wrap
from simulator.core.clean import visible
from simulator.core.run import RunHeader
from simulator.review.pull_words import told, told_together
from simulator.sheet.columns import COLUMNS
from simulator.words import Words

if TYPE_CHECKING:
    from simulator.core.verdict import Verdict
    from simulator.google_sheets.writing import Written
    from simulator.review.turn_rows import Change, Pulled
    from simulator.sheet.columns import ColumnId

_MOST = 20  # oddities of one kind on a screen; --json has all
_WIDEST = 30  # cells of a text that was changed
_KINDS = ("new", "changed", "unchanged")


def pulled_json(header: RunHeader, source: str, found: "Pulled") -> dict[str, Any]:
    """What `mogi review pull --json` prints."""
    return {
        "run": header.id,
        "source": source,
        "rows": found.rows,
        "new": len(found.new),
        "changed": len(found.changed),
        "unchanged": found.unchanged.total(),
        "reviewers": _counts(found),
        "changes": [_change_json(change) for change in found.changes],
        "oddities": [
            {
                "kind": odd.kind.value,
                "sheet": (odd.place.sheet or None) if odd.place else None,
                "row": (odd.place.row or None) if odd.place else None,
                "text": told(odd, header.language),
                "values": dict(odd.values),
            }
            for odd in found.oddities
        ],
    }


def _change_json(change: "Change") -> dict[str, Any]:
    after = change.after
    return {
        "episode": after.episode,
        "turn": after.turn,
        "reviewer": after.reviewer,
        "before": {**_said(change.before), "at": change.before.at, "source": change.before.source},
        "after": _said(after),
    }


def _said(verdict: "Verdict") -> "dict[ColumnId, str | None]":
    return {
        "verdict": verdict.word.value if verdict.word else None,
        "error_type": verdict.error_type,
        "corrected": verdict.corrected,
        "comment": verdict.comment,
    }


def pulled_view(
    header: RunHeader, source: str, found: "Pulled", width: int
) -> Iterator[RenderableType]:
    """The figures by reviewer, and everything that is odd, a sentence each."""
    words = Words(header.language, "review")
    yield Text(words("pulled", source=visible(source), run=header.id), BOLD)
    counts = _counts(found)
    yield _table(counts, words) if counts else Text(words("nothing", rows=f"{found.rows:,}"))
    if found.changes:
        yield Text("")
        yield from _changes(header, found, width)
    if found.oddities:
        yield Text("")
        yield Text(words("odd", n=f"{len(found.oddities):,}"), BOLD)
        yield from _oddities(header, found, width)


def pushed_json(header: RunHeader, written: "Written") -> dict[str, Any]:
    """What `mogi review push --json` prints."""
    return {"run": header.id, "url": written.url, "rows": dict(written.rows)}


def pushed_view(header: RunHeader, written: "Written") -> Iterator[RenderableType]:
    """What was added to which worksheet."""
    words = Words(header.language, "review")
    yield Text(words("pushed", run=header.id), BOLD)
    for title, count in written.rows.items():
        yield Text(words("pushed_rows", title=visible(title), n=f"{count:,}"))
    yield Text(written.url, no_wrap=True)


def bulleted(texts: Sequence[str], width: int) -> Iterator[str]:
    """Each text behind a dash, its further lines below its first."""
    for text in texts:
        for number, line in enumerate(wrap(visible(text), width - 4)):
            yield f"  {' ' if number else '-'} {line}"


def _counts(found: "Pulled") -> dict[str, dict[str, int]]:
    """New, changed and unchanged verdicts by reviewer; without a name last."""
    new = Counter(verdict.reviewer for verdict in found.new)
    changed = Counter(verdict.reviewer for verdict in found.changed)
    names = sorted({*new, *changed, *found.unchanged}, key=lambda name: (not name, name))
    numbers = {name: (new[name], changed[name], found.unchanged[name]) for name in names}
    return {name: dict(zip(_KINDS, of, strict=True)) for name, of in numbers.items()}


def _table(counts: Mapping[str, Mapping[str, int]], words: Words) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=BOLD)
    table.add_column(words("reviewer"), overflow="fold")
    for kind in _KINDS:
        table.add_column(words(kind), justify="right")
    for name, row in counts.items():
        table.add_row(Text(visible(name) or words("nobody")), *(f"{n:,}" for n in row.values()))
    if len(counts) > 1:
        sums = (sum(row[kind] for row in counts.values()) for kind in _KINDS)
        table.add_row(Text(words("all"), BOLD), *(Text(f"{n:,}", BOLD) for n in sums))
    return table


def _changes(header: RunHeader, found: "Pulled", width: int) -> Iterator[RenderableType]:
    """What each said before and says now, as far as it differs."""
    words = Words(header.language, "review")
    yield Text(words("changes", n=f"{len(found.changes):,}"), BOLD)
    lines = [_change(header, change, words) for change in found.changes[:_MOST]]
    yield from map(Text, bulleted(lines, width))
    if len(found.changes) > _MOST:
        yield Text(f"    {words('more_rows', n=f'{len(found.changes) - _MOST:,}')}", DIM)


def _change(header: RunHeader, change: "Change", words: Words) -> str:
    before, after = _said(change.before), _said(change.after)
    parts = [
        f"{heads[header.language]}: {_short(before[id_], words)} → {_short(after[id_], words)}"
        for id_, heads in ((column.id, column.heads) for column in COLUMNS)
        if before.get(id_) != after.get(id_)
    ]
    turn = words("turn", episode=change.after.episode, turn=change.after.turn)
    who = visible(change.after.reviewer) or words("nobody")
    return words("change", turn=turn, who=who, what=words("then").join(parts))


def _short(text: str | None, words: Words) -> str:
    return fit(" ".join(text.split()), _WIDEST) if text else words("empty")


def _oddities(header: RunHeader, found: "Pulled", width: int) -> Iterator[RenderableType]:
    """One kind after the other, as they begin in the table."""
    words = Words(header.language, "review")
    for kind in dict.fromkeys(odd.kind for odd in found.oddities):
        of_kind = [odd for odd in found.oddities if odd.kind is kind]
        texts = told_together(of_kind, header.language)
        yield from map(Text, bulleted(texts[:_MOST], width))
        if len(texts) > _MOST:
            yield Text(f"    {words('more', n=f'{len(texts) - _MOST:,}')}", DIM)
